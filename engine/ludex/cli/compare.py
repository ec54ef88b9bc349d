"""`ludex compare`: what a variant does to a game, told from chance."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludex.cli import errors
from ludex.cli.backend import usable
from ludex.cli.batches import batch_options, bots_by_seat, incomplete, progress_bar
from ludex.cli.cluster import opened, recipe
from ludex.cli.games import (
    GameSpec,
    OptionValue,
    complete_games,
    load_game,
    option_setting,
    parse_spec,
)
from ludex.cli.plots import plot_option, require_plots
from ludex.cli.terminal import write
from ludex.node import replace

if TYPE_CHECKING:
    from ludex.pipeline import Backend
    from ludex.sim.comparison import Comparison, RuleUse, Side


@dataclass(frozen=True, slots=True)
class Report:
    """All that is reported. `base` and `variant` are what was asked for, `sides` what was played."""

    base: GameSpec
    variant: GameSpec
    players: tuple[str, ...]
    bots: tuple[str, ...]
    seed: int
    asked: int
    level: float
    interrupted: bool
    sides: tuple[Side, ...]
    comparison: Comparison
    rules: tuple[RuleUse, ...]

    @property
    def titles(self) -> tuple[str, str]:
        """What the two are called: with the options that were set."""
        return _title(self.base), _title(self.variant)

    @property
    def is_random(self) -> bool:
        return set(self.bots) == {"random"}


@click.command(
    help="""Play a game and a variant of it, and tell what is different from what is chance.

Game i of both has the same seed, so they are compared in pairs: who wins, how close it is, how
long it takes, how much there is to choose, how games end, which rules are used. If only one
game is given, it is compared with itself without its overlays, or with --with in force. ^C ends early,
and compares what has been played.

\b
  ludex compare emerald emerald+variant_b
  ludex compare my_rules.yaml --games 10000 --plot my_rules.svg
  ludex compare emerald --with flip=before_step
  ludex compare emerald+variant_b --bots mc:20 --games 100
"""
)
@click.argument(
    "games_named",
    nargs=-1,
    required=True,
    metavar="[BASE] VARIANT",
    shell_complete=complete_games,
)
@click.option("-p", "--players", type=click.IntRange(1), metavar="N", help="Number of players.")
@click.option(
    "-o",
    "--option",
    "options",
    multiple=True,
    type=option_setting,
    metavar="NAME=VALUE",
    help="Set an option of both; repeatable.",
)
@click.option(
    "-w",
    "--with",
    "own_options",
    multiple=True,
    type=option_setting,
    metavar="NAME=VALUE",
    help="Set an option of the variant alone; repeatable.",
)
@click.option(
    "-n", "--games", type=click.IntRange(2), default=1000, show_default=True, help="Pairs of games."
)
@click.option(
    "-b", "--bots", default="random", show_default=True, help="Bots by seat, as for `ludex simulate`."
)
@batch_options("both batches")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@plot_option("the comparison")
def command(
    games_named: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    own_options: tuple[tuple[str, OptionValue], ...],
    games: int,
    bots: str,
    seed: int,
    processes: int,
    backend: Backend,
    max_decisions: int,
    cluster: str | None,
    as_json: bool,
    plot_to: Path | None,
) -> int:
    from ludex.cli.compare_text import as_text, to_json
    from ludex.diagnostics import printable
    from ludex.sim.batch import Job, run_together
    from ludex.sim.comparison import Side, beginners, compare, rule_uses
    from ludex.sim.intervals import LEVEL
    from ludex.sim.table import Settings

    if plot_to is not None:
        require_plots()
    base, variant = pair(games_named, players, options, own_options)
    backend = usable(backend)
    loaded = load_game(base, backend=backend)
    seats = loaded.players
    variant = replace(variant, players=len(seats))
    both = ((base, loaded), (variant, load_game(variant, backend=backend)))
    settings = Settings(bots_by_seat(bots, len(seats)), max_decisions, invariants=False)
    with opened(cluster) as there:
        jobs = [Job(recipe(g, spec, backend, there), settings, games, seed) for spec, g in both]
        with progress_bar(2 * games) as progress:
            results = run_together(jobs, min(processes, 2 * games), progress, there)
    interrupted, ending = any(result.interrupted for result in results), errors.OK
    if interrupted:
        played = min(len(result.batch.games) for result in results)
        lost = any(result.lost for result in results)
        ending = incomplete(played, games, lost=lost, what="pairs of games")
        if not played:
            return ending

    sides = tuple(
        Side(batch.games, game.score_lines, batch.rules, beginners(game, seed, len(batch.games)))
        for (_, game), batch in zip(both, (result.batch for result in results), strict=True)
    )
    report = Report(
        base=base,
        variant=variant,
        players=seats,
        bots=settings.bots,
        seed=seed,
        asked=games,
        level=LEVEL,
        interrupted=interrupted,
        sides=sides,
        comparison=compare(sides[0], sides[1], seats),
        rules=tuple(rule_uses(sides[0], sides[1])),
    )
    if plot_to is not None:
        from ludex.cli.compare_plot import draw

        draw(report, plot_to)
    if as_json:
        write(json.dumps(to_json(report), indent=2, ensure_ascii=False))
    else:
        write(printable("\n".join(as_text(report))))
    return ending or (errors.MISTAKE if any(g.fault for s in sides for g in s.games) else errors.OK)


def pair(
    words: Iterable[str],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    own: tuple[tuple[str, OptionValue], ...],
) -> tuple[GameSpec, GameSpec]:
    """The two games that a command line names. Raises `click.UsageError`."""
    named = [parse_spec([word], players, options) for word in _joined(words)]
    if len(named) > 2:
        raise click.UsageError("two games can be compared at a time")
    variant = replace(named[-1], options={**named[-1].options, **dict(own)})
    if len(named) == 2 or own:
        return named[0], variant
    if not variant.overlays:
        raise click.UsageError(
            f"what shall `{variant}` be compared with? Name two games, or one with overlays, "
            "or set an option of the variant by --with"
        )
    return replace(variant, overlays=()), variant


def _title(spec: GameSpec) -> str:
    settings = (f"{name}={str(v).lower() if isinstance(v, bool) else v}" for name, v in spec.options.items())
    return ", ".join((str(spec), *settings))


def _joined(words: Iterable[str]) -> list[str]:
    """`emerald + mine.yaml` is one game, in three words."""
    joined: list[str] = []
    for word in words:
        if joined and (word.startswith("+") or joined[-1].endswith("+")):
            joined[-1] += word
        else:
            joined.append(word)
    return joined
