"""`ludex simulate`: many games by bots, and what they show."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludex.cli import errors
from ludex.cli.backend import backend_option, usable
from ludex.cli.cluster import cluster_option, opened, recipe
from ludex.cli.games import OptionValue, game_argument, load_game, parse_spec
from ludex.cli.terminal import is_terminal, write
from ludex.limits import MAX_DECISIONS

if TYPE_CHECKING:
    from ludex.pipeline import Backend
    from ludex.sim.batch import Result


@click.command(
    help="""Play many games by bots, and count.

Game i of a batch depends on the seed and i only: neither the number of processes nor the
back end nor a cluster changes anything. Random bots play in native code where it can be run, some hundred
times as fast. ^C ends early, and shows what has been played.

\b
  ludex simulate emerald --games 1000 --players 4
  ludex simulate emerald+variant_b --bots mc,random,random,random --games 200
"""
)
@game_argument
@click.option("-n", "--games", type=click.IntRange(1), default=100, show_default=True, help="How many games.")
@click.option(
    "-b",
    "--bots",
    default="random",
    show_default=True,
    help="Bots by seat, separated by commas; the last one also for the seats left. random, mc, mcts, "
    "mcts:PLAYOUTS.",
)
@click.option("-s", "--seed", type=int, default=1, show_default=True, help="Seed of the batch.")
@click.option("-j", "--processes", type=click.IntRange(1), help="Processes or threads (all processors).")
@backend_option
@click.option(
    "--max-decisions",
    type=click.IntRange(1),
    default=MAX_DECISIONS,
    show_default=True,
    help="Decisions after which a game counts as unfinished.",
)
@click.option("--no-invariants", is_flag=True, help="Do not test the invariants at every decision (faster).")
@cluster_option
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.option("--csv", "csv_file", type=click.Path(dir_okay=False, path_type=Path), help="Write a summary.")
@click.option(
    "--games-csv", type=click.Path(dir_okay=False, path_type=Path), help="Write a line for every game."
)
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    games: int,
    bots: str,
    seed: int,
    processes: int | None,
    backend: Backend,
    max_decisions: int,
    no_invariants: bool,
    cluster: str | None,
    as_json: bool,
    csv_file: Path | None,
    games_csv: Path | None,
) -> int:
    from ludex.cli.simulation_text import as_text
    from ludex.sim.batch import Job, run_together
    from ludex.sim.summary import games_to_csv, summarise, to_csv, to_json
    from ludex.sim.table import Settings

    spec = parse_spec(game, players, options)
    backend = usable(backend)
    loaded = load_game(spec, backend=backend)
    seats = bots_by_seat(bots, len(loaded.players))
    settings = Settings(seats, max_decisions, invariants=not no_invariants)
    count = min(games, processes if processes is not None else os.cpu_count() or 1)
    started = time.monotonic()
    with opened(cluster) as there:
        job = Job(recipe(loaded, spec, backend, there), settings, games, seed)
        with progress_bar(games) as progress:
            (result,) = run_together([job], count, progress, there)
    _say_if_incomplete(result, games)
    summary = summarise(
        result,
        title=str(spec),
        seed=seed,
        asked=games,
        players=loaded.players,
        bots=seats,
        score_lines=loaded.score_lines,
    )
    if csv_file is not None:
        csv_file.write_text(to_csv(summary), encoding="utf-8")
    if games_csv is not None:
        games_csv.write_text(games_to_csv(result.batch.games, loaded.players, loaded.score_lines), "utf-8")
    if as_json:
        write(json.dumps(to_json(summary), indent=2, ensure_ascii=False))
    else:
        write(as_text(summary, time.monotonic() - started))
    if result.interrupted:
        return errors.INTERRUPTED if not result.lost else errors.FAULT
    return errors.MISTAKE if summary.faults or summary.broken else errors.OK


def bots_by_seat(text: str, seats: int) -> tuple[str, ...]:
    """`mc,random` for four seats is mc, random, random, random. Raises `click.UsageError`."""
    from ludex.bots import BadBot, normal_form

    names = [n.strip() for n in text.split(",")]
    if len(names) > seats:
        raise click.UsageError(f"there are {len(names)} bots for {seats} seats")
    try:
        given = [normal_form(n) for n in names]
    except BadBot as error:
        raise click.UsageError(str(error)) from error
    return tuple(given + given[-1:] * (seats - len(given)))


def _say_if_incomplete(result: Result, games: int) -> None:
    played = len(result.batch.games)
    if result.lost:
        write(f"A process ended by itself (out of memory?) after {played} of {games} games.", error=True)
    elif result.interrupted:
        write(f"Interrupted: {played} of {games} games were played.", error=True)


@contextmanager
def progress_bar(games: int) -> Iterator[Callable[[int], None] | None]:
    """A bar with an estimate, on standard error and only if that is a terminal."""
    if not is_terminal(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("games", total=games)
        yield lambda played: bar.update(task, completed=played)
