"""`ludex ir`: the program a definition is compiled to, in its stable text form."""

from __future__ import annotations

import click

from ludex.cli.games import OptionValue, game_argument, load_game, parse_spec, program_text
from ludex.cli.terminal import write


@click.command(help="Show the intermediate representation of a game for its players and options.")
@game_argument
def command(game: tuple[str, ...], players: int | None, options: tuple[tuple[str, OptionValue], ...]) -> None:
    write(program_text(load_game(parse_spec(game, players, options))))
