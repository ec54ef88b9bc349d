"""`ludex simulate`: many games by bots, and what they show."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludex.cli import errors
from ludex.cli.backend import usable
from ludex.cli.batches import batch_options, bots_by_seat, incomplete, progress_bar
from ludex.cli.cluster import opened, recipe
from ludex.cli.games import OptionValue, game_argument, load_game, parse_spec
from ludex.cli.terminal import write

if TYPE_CHECKING:
    from ludex.pipeline import Backend


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
    "mcts:PLAYOUTS, mcts:PLAYOUTS:DECISIONS.",
)
@batch_options("the batch")
@click.option("--no-invariants", is_flag=True, help="Do not test the invariants at every decision (faster).")
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
    processes: int,
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
    started = time.monotonic()
    with opened(cluster) as there:
        job = Job(recipe(loaded, spec, backend, there), settings, games, seed)
        with progress_bar(games) as progress:
            (result,) = run_together([job], min(games, processes), progress, there)
    ending = errors.OK
    if result.interrupted:
        ending = incomplete(len(result.batch.games), games, lost=result.lost)
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
    return ending or (errors.MISTAKE if summary.faults or summary.broken else errors.OK)
