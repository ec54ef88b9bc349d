"""`ludex check`: all mistakes in a definition, once or whenever a file changes."""

from __future__ import annotations

import click

from ludex.cli.checking import Look, look_once
from ludex.cli.checking import watch as watch_files
from ludex.cli.games import OptionValue, game_argument, parse_spec


@click.command(
    help="""Look for mistakes in a definition and its translations, and show all of them.

Errors end with code 1.

What a translation lacks is counted; --translations lists it, --language that of one language.
"""
)
@game_argument
@click.option("--watch", is_flag=True, help="Look again whenever a file changes; ^C ends.")
@click.option("--translations", is_flag=True, help="List what is not translated.")
@click.option("--language", metavar="LANGUAGE", help="Look at this translation only, and list what it lacks.")
@click.option("--json", "as_json", is_flag=True, help="For programs: a list of diagnostics.")
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    watch: bool,
    translations: bool,
    language: str | None,
    as_json: bool,
) -> int:
    listed = translations or language is not None
    look = Look(parse_spec(game, players, options), language, listed, as_json)
    if watch:
        watch_files(look)
    return look_once(look)
