"""`ludex playouts`: how fast a game is played at random."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from ludex.cli.backend import backend_option, usable
from ludex.cli.games import OptionValue, game_argument, load_game, parse_spec
from ludex.cli.terminal import write
from ludex.limits import MAX_DECISIONS

if TYPE_CHECKING:
    from ludex.pipeline import Backend


@click.command(
    help="""Measure how fast a game is played at random, from the beginning to the end, in one thread.

\b
  ludex playouts emerald --seconds 5
  ludex playouts emerald --seconds 5 --backend interpreter
"""
)
@game_argument
@click.option(
    "-t",
    "--seconds",
    type=click.FloatRange(0.001, 3600),
    default=3.0,
    show_default=True,
    help="How long to measure.",
)
@click.option("-s", "--seed", type=int, default=1, show_default=True, help="Seed of the playouts.")
@click.option(
    "--max-decisions",
    type=click.IntRange(1),
    default=MAX_DECISIONS,
    show_default=True,
    help="Decisions after which a playout is given up.",
)
@backend_option
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    seconds: float,
    seed: int,
    max_decisions: int,
    backend: Backend,
    as_json: bool,
) -> None:
    from ludex.sim.speed import measure

    spec = parse_spec(game, players, options)
    loaded = load_game(spec, backend=usable(backend))
    speed = measure(loaded, seconds, seed, max_decisions)
    if as_json:
        write(
            json.dumps(
                {
                    "game": str(spec),
                    "players": len(loaded.players),
                    "backend": "wasm" if speed.native else "interpreter",
                    "seconds": round(speed.seconds, 3),
                    "playouts": speed.playouts,
                    "decisions": speed.decisions,
                    "unfinished": speed.unfinished,
                    "playouts_per_second": round(speed.per_second, 3),
                    "decisions_per_second": round(speed.decisions_per_second, 3),
                    "mean_length": round(speed.mean_length, 3),
                }
            )
        )
        return
    where = "native code" if speed.native else "the interpreter"
    write(f"{spec}, {len(loaded.players)} players, in {where}: {speed.playouts:,} playouts")
    write(f"  {speed.per_second:>14,.1f} playouts a second")
    write(f"  {speed.decisions_per_second:>14,.1f} decisions a second")
    write(f"  {speed.mean_length:>14,.1f} decisions a playout")
    if speed.unfinished:
        write(f"  {speed.unfinished:>14,} given up after {max_decisions:,} decisions")
