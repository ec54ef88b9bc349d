"""`ludex readings`: every reading of the register played, against the ones that are chosen."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ludex.cli import errors
from ludex.cli.batches import bots_by_seat, processes_option, progress_bar, seed_option
from ludex.cli.cluster import Loaded
from ludex.cli.errors import BadDefinition, Mistake
from ludex.cli.games import (
    GameSpec,
    LoadGame,
    OptionValue,
    game_argument,
    load_game,
    option_value,
    parse_spec,
)
from ludex.cli.terminal import write
from ludex.diagnostics import printable
from ludex.limits import MAX_DECISIONS
from ludex.node import replace

if TYPE_CHECKING:
    from ludex.sim.comparison import Comparison


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading that is not chosen, and the game that plays it."""

    doubt: str
    name: str
    chosen: str
    spec: GameSpec


@dataclass(slots=True)
class Played:
    """What came of a reading. `problem`: why it cannot be played with these settings.

    `failing` are scenarios that pass under the chosen readings and fail under this one (None: not
    run), `comparison` is None as long as no game of it was played.
    """

    reading: Reading
    problem: str | None = None
    failing: list[str] | None = None
    comparison: Comparison | None = None


@dataclass(slots=True)
class Table:
    """All of it. `failing` are scenarios that fail under the chosen readings already."""

    spec: GameSpec
    players: tuple[str, ...]
    games: int
    seed: int
    bots: tuple[str, ...]
    rows: list[Played]
    failing: list[str] | None = None
    played: int = 0
    interrupted: bool = False
    lost: bool = False


@click.command(
    help="""Play a game under every reading of its register, one at a time, against the chosen ones.

Each reading is put to the scenarios, and played in a batch of games with the same seeds as the
chosen readings; what changes is tabulated, with intervals that tell it from chance. The
register is what a definition has under `ambiguities`. ^C ends early, and shows what there is.

\b
  ludex readings emerald
  ludex readings emerald --players 2 --games 500
"""
)
@game_argument
@click.option(
    "-n", "--games", type=click.IntRange(1), default=100, show_default=True, help="Games for each reading."
)
@click.option(
    "-b", "--bots", default="random", show_default=True, help="Bots by seat, as for `ludex simulate`."
)
@seed_option("the batches")
@processes_option
@click.option("--no-scenarios", is_flag=True, help="Play games only.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    games: int,
    bots: str,
    seed: int,
    processes: int,
    no_scenarios: bool,
    as_json: bool,
) -> int:
    from ludex.cli.readings_text import as_text, to_json

    spec = parse_spec(game, players, options)
    seats = load_game(spec).players
    rows = [_playable(reading) for reading in readings(spec)]
    if not rows:
        raise Mistake(f"`{spec}` has no register of ambiguities, so there are no readings to compare")
    table = Table(spec, seats, games, seed, bots_by_seat(bots, len(seats)), rows)
    _fill(table, processes, scenarios=not no_scenarios)
    if as_json:
        write(json.dumps(to_json(table), indent=2, ensure_ascii=False))
    else:
        write(printable("\n".join(as_text(table))))
    if table.interrupted:
        write("Interrupted: this is what was played so far.", error=True)
        return errors.FAULT if table.lost else errors.INTERRUPTED
    return errors.OK


def readings(spec: GameSpec) -> list[Reading]:
    """The readings that are not chosen. What overlays and options chose on the command line stays."""
    from ludex.cli.games import parsed_tree

    found = []
    for doubt in parsed_tree(spec).ambiguities:
        for reading in doubt.readings:
            if reading.name.text == doubt.chosen.text:
                continue
            settings = {name.text: option_value(value.span.text.strip()) for name, value in reading.options}
            overlays = spec.overlays + ((reading.overlay.text,) if reading.overlay is not None else ())
            own = replace(spec, overlays=overlays, options={**spec.options, **settings})
            found.append(Reading(doubt.name.text, reading.name.text, doubt.chosen.text, own))
    return found


def _playable(reading: Reading) -> Played:
    try:
        load_game(reading.spec)
    except BadDefinition as bad:
        return Played(reading, problem="; ".join(d.message for d in bad.diagnostics if d.severity == "error"))
    return Played(reading)


# ------------------------------------------------------------------------------- playing


def _fill(table: Table, processes: int, *, scenarios: bool) -> None:
    """Runs everything; ^C leaves the table as far as it has come."""
    from ludex.sim.processes import ProcessLost

    rows = [row for row in table.rows if row.problem is None]
    total = (len(rows) + 1) * (table.games + (1 if scenarios else 0))
    with progress_bar(total) as progress:
        done = _Count(progress)
        try:
            if scenarios:
                _run_scenarios(table, rows, processes, done)
            _run_games(table, rows, processes, done)
        except KeyboardInterrupt:
            table.interrupted = True
        except ProcessLost:
            table.interrupted = table.lost = True


class _Count:
    """How much is done of all parts together."""

    def __init__(self, progress: Callable[[int], None] | None) -> None:
        self._progress = progress
        self.before = 0

    def __call__(self, played: int) -> None:
        if self._progress is not None:
            self._progress(self.before + played)


def _run_scenarios(table: Table, rows: Sequence[Played], processes: int, done: _Count) -> None:
    from ludex.cli.test import scenario_files
    from ludex.sim.tasks import each

    if not scenario_files(table.spec):
        done.before += len(rows) + 1
        return
    tasks = [(table.spec, table.spec), *((table.spec, row.reading.spec) for row in rows)]
    found: dict[int, list[str]] = {}
    for number, failing in each(_failing, tasks, processes):
        found[number] = failing
        done.before += 1
        done(0)
        if number == 0:
            table.failing = failing
        for i, row in enumerate(rows, start=1):
            if 0 in found and i in found:
                row.failing = [name for name in found[i] if name not in found[0]]


def _failing(task: tuple[GameSpec, GameSpec]) -> list[str]:
    """The scenarios that fail under a reading. One that says itself how it is played is not asked."""
    from ludex.cli.games import ScenarioGames
    from ludex.cli.scenario_file import read_scenarios
    from ludex.cli.test import run, scenario_files
    from ludex.diagnostics import Report

    chosen, spec = task
    changed = {name for name, value in spec.options.items() if chosen.options.get(name) != value}
    games = ScenarioGames()
    failing = []
    for path in scenario_files(spec):
        for source in read_scenarios(path, Report()):
            decided = bool(changed) and changed <= set(source.options) and spec.overlays == chosen.overlays
            if run(source, chosen if decided else spec, games).errors:
                failing.append(source.scenario.name.text)
    return failing


def _run_games(table: Table, rows: Sequence[Played], processes: int, done: _Count) -> None:
    """All readings side by side, so that ^C leaves something of each."""
    from ludex.sim.batch import Job, run_together
    from ludex.sim.comparison import Side, beginners, compare
    from ludex.sim.table import Settings

    settings = Settings(table.bots, MAX_DECISIONS, invariants=False)
    specs = [table.spec, *(row.reading.spec for row in rows)]
    games = [load_game(spec) for spec in specs]
    jobs = [
        Job(Loaded(game, LoadGame(spec)), settings, table.games, table.seed)
        for spec, game in zip(specs, games, strict=True)
    ]
    results = run_together(jobs, min(processes, table.games), done)
    table.interrupted |= any(result.interrupted for result in results)
    table.lost |= any(result.lost for result in results)
    base, *others = (
        Side(batch.games, game.score_lines, batch.rules, beginners(game, table.seed, len(batch.games)))
        for game, batch in zip(games, (result.batch for result in results), strict=True)
    )
    table.played = len(base.games)
    for row, variant in zip(rows, others, strict=True):
        if variant.games:
            row.comparison = compare(base, variant, table.players, comparisons=len(rows))
