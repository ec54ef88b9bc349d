"""`ludex perft`: how many ways there are to play so many decisions, or turns."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import click

from ludex.cli.backend import backend_option, usable
from ludex.cli.games import OptionValue, game_argument, load_game, parse_spec
from ludex.cli.terminal import write

if TYPE_CHECKING:
    from ludex.pipeline import Backend


@click.command(
    help="""Count the ways to play: how many sequences of decisions there are.

Published tables say how many there are of many games, and a rule that is written down wrongly
changes them. A game that is over earlier is no way of that length. Chance events are gone
through with all their outcomes, and are no step of their own.

\b
  ludex perft tic_tac_toe --depth 9
  ludex perft ./english_draughts.yaml --depth 7 --per turn
"""
)
@game_argument
@click.option("-d", "--depth", type=click.IntRange(1), required=True, help="Up to how many steps.")
@click.option(
    "--per",
    type=click.Choice(["decision", "turn"]),
    default="decision",
    show_default=True,
    help="What a step is: a decision, or all that one player decides before another does.",
)
@backend_option
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    depth: int,
    per: str,
    backend: Backend,
    as_json: bool,
) -> None:
    from ludex.sim.positions import ways

    spec = parse_spec(game, players, options)
    loaded = load_game(spec, backend=usable(backend))
    started = time.monotonic()
    found: list[int] = []
    for number in range(1, depth + 1):
        found.append(ways(loaded, number, by_turn=per == "turn"))
        if not as_json:
            write(f"{number:>5}  {found[-1]:>20,}")
    if as_json:
        write(json.dumps({"game": str(spec), "per": per, "ways": found}))
    else:
        write(f"\n{sum(found):,} in {time.monotonic() - started:.1f} seconds")
