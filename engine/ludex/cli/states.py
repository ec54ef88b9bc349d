"""`ludex states`: how many different positions a game has, ply by ply."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from ludex.cli.backend import backend_option, usable
from ludex.cli.games import OptionValue, game_argument, load_game, parse_spec
from ludex.cli.terminal import write

if TYPE_CHECKING:
    from ludex.pipeline import Backend


@click.command(
    help="""Count the different positions after 0, 1, 2, … decisions, and in all.

Positions are told apart by all that the state holds, so a game that counts its rounds or
notes its positions has more of them than there are on the board.

\b
  ludex states tic_tac_toe --depth 9
"""
)
@game_argument
@click.option("-d", "--depth", type=click.IntRange(0), required=True, help="After up to how many decisions.")
@backend_option
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    depth: int,
    backend: Backend,
    as_json: bool,
) -> None:
    from ludex.sim.positions import Positions

    spec = parse_spec(game, players, options)
    positions = Positions(load_game(spec, backend=usable(backend)))
    found: list[int] = []
    for number in range(depth + 1):
        if number:
            positions.step()
        if not positions.here:
            break
        found.append(positions.here)
        if not as_json:
            write(f"{number:>5}  {positions.here:>16,}  {positions.all:>16,} in all")
    if as_json:
        write(json.dumps({"game": str(spec), "positions": found, "all": positions.all}))
