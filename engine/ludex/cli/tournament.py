"""`ludex tournament`: every bot against every other."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludex.cli import errors
from ludex.cli.backend import backend_option, usable
from ludex.cli.cluster import cluster_option, opened, recipe
from ludex.cli.games import OptionValue, game_argument, load_game, parse_spec
from ludex.cli.plots import plot_option, require_plots
from ludex.cli.simulate import progress_bar
from ludex.cli.terminal import write
from ludex.limits import MAX_DECISIONS

if TYPE_CHECKING:
    from ludex.pipeline import Backend


@click.command(
    help="""Let bots play against each other, and tell who is the stronger.

Two bots share a table, and every pair plays the same deals in every seating. The share of the wins
is shown with its 95 % interval: at equal strength it is a half. ^C ends early, and shows what has
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
    help="Two bots or more, separated by commas: random, mc, mc:PLAYOUTS, mcts, mcts:PLAYOUTS.",
)
@click.option(
    "-n",
    "--games",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Games of each pair, at least.",
)
@click.option("-s", "--seed", type=int, default=1, show_default=True, help="Seed of the tournament.")
@click.option("-j", "--processes", type=click.IntRange(1), help="Processes (all processors).")
@backend_option
@click.option(
    "--max-decisions",
    type=click.IntRange(1),
    default=MAX_DECISIONS,
    show_default=True,
    help="Decisions after which a game counts as unfinished.",
)
@cluster_option
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@plot_option("the shares of the wins")
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    bots: str,
    games: int,
    seed: int,
    processes: int | None,
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
        plan = Plan(recipe(loaded, spec, backend, workers), named, seats, rounds, seed, max_decisions)
        count = min(plan.games, processes if processes is not None else os.cpu_count() or 1)
        with progress_bar(plan.games) as progress:
            tournament = hold(plan, count, progress, workers)
    if tournament.lost:
        write(f"A process ended by itself after {tournament.played} of {plan.games} games.", error=True)
    elif tournament.interrupted:
        write(f"Interrupted: {tournament.played} of {plan.games} games were played.", error=True)
    if plot_to is not None:
        draw(tournament, str(spec), plot_to)
    if as_json:
        write(json.dumps(to_json(tournament, str(spec)), indent=2, ensure_ascii=False))
    else:
        write(as_text(tournament, str(spec), time.monotonic() - started))
    if tournament.interrupted:
        return errors.FAULT if tournament.lost else errors.INTERRUPTED
    return errors.MISTAKE if any(m.faults for m in tournament.matches) else errors.OK


def bots_named(text: str) -> tuple[str, ...]:
    """The bots of a tournament, by their full names. Raises `click.UsageError`."""
    from ludex.bots import BadBot, normal_form

    try:
        names = tuple(normal_form(name) for name in text.split(",") if name.strip())
    except BadBot as error:
        raise click.UsageError(str(error)) from error
    if len(names) < 2:
        raise click.UsageError("a tournament needs two bots or more, as in --bots random,mc:100,mcts:1000")
    twice = next((n for i, n in enumerate(names) if n in names[:i]), None)
    if twice is not None:
        raise click.UsageError(f"`{twice}` is there twice; a bot needs no tournament against itself")
    return names
