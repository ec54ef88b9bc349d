"""`ludex tournament`: every bot against every other."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludex.cli import errors
from ludex.cli.backend import usable
from ludex.cli.batches import batch_options, full_names, incomplete, progress_bar
from ludex.cli.cluster import opened, recipe
from ludex.cli.games import OptionValue, game_argument, load_game, parse_spec
from ludex.cli.plots import plot_option, require_plots
from ludex.cli.terminal import write

if TYPE_CHECKING:
    from ludex.pipeline import Backend


@click.command(
    help="""Let bots play against each other, and tell who is the stronger.

Two bots share a table, and every pair plays the same deals in every seating. The share of the wins
is shown with its 95 % interval: at equal strength it is a half. Where a payoff is declared, so is by
how much one gets more of it. ^C ends early, and shows what has
been played. Results depend on the seed alone, not on the number of processes.

\b
  ludex tournament connect_four --bots random,mc:100,mcts:1000
  ludex tournament emerald --players 4 --bots mc:200,mcts:200 --games 60 --plot emerald.svg
"""
)
@game_argument
@click.option(
    "-b",
    "--bots",
    default="random,mc,mcts",
    show_default=True,
    help="Two bots or more, separated by commas: random, mc, mcts; with how many playouts for a decision, "
    "mcts:PLAYOUTS, and after how many decisions each is broken off, mcts:PLAYOUTS:DECISIONS.",
)
@click.option(
    "-n",
    "--games",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Games of each pair, at least.",
)
@batch_options("the tournament")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@plot_option("the shares of the wins")
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    bots: str,
    games: int,
    seed: int,
    processes: int,
    backend: Backend,
    max_decisions: int,
    cluster: str | None,
    as_json: bool,
    plot_to: Path | None,
) -> int:
    from ludex.cli.tournament_text import as_text, draw, to_json
    from ludex.sim.tournament import Plan, hold, seatings

    spec = parse_spec(game, players, options)
    named = bots_named(bots)
    if plot_to is not None:
        require_plots()
    backend = usable(backend)
    loaded = load_game(spec, backend=backend)
    seats = len(loaded.players)
    if seats < 2:
        raise click.UsageError("a tournament needs a game for two players or more")
    rounds = -(-games // len(seatings(seats)))
    started = time.monotonic()
    with opened(cluster) as workers:
        made = recipe(loaded, spec, backend, workers)
        pays = loaded.program.payoff is not None
        plan = Plan(made, named, seats, rounds, seed, max_decisions, pays)
        with progress_bar(plan.games) as progress:
            tournament = hold(plan, min(plan.games, processes), progress, workers)
    ending = errors.OK
    if tournament.interrupted:
        ending = incomplete(tournament.played, plan.games, lost=tournament.lost)
    if plot_to is not None:
        draw(tournament, str(spec), plot_to)
    if as_json:
        write(json.dumps(to_json(tournament, str(spec)), indent=2, ensure_ascii=False))
    else:
        write(as_text(tournament, str(spec), time.monotonic() - started))
    return ending or (errors.MISTAKE if any(m.faults for m in tournament.matches) else errors.OK)


def bots_named(text: str) -> tuple[str, ...]:
    """The bots of a tournament, by their full names. Raises `click.UsageError`."""
    names = full_names([name for name in text.split(",") if name.strip()])
    if len(names) < 2:
        raise click.UsageError("a tournament needs two bots or more, as in --bots random,mc:100,mcts:1000")
    twice = next((n for i, n in enumerate(names) if n in names[:i]), None)
    if twice is not None:
        raise click.UsageError(f"`{twice}` is there twice; a bot needs no tournament against itself")
    return names
