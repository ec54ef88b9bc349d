"""`ludex show`: the rules as people read them."""

from __future__ import annotations

import click

from ludex.cli.games import OptionValue, game_argument, parse_spec, resolved_document
from ludex.cli.terminal import width, write


@click.command(help="Show the rules of a game as readable text, overlays applied, with their citations.")
@game_argument
@click.option("--format", "form", type=click.Choice(["text", "markdown"]), default="text", show_default=True)
def command(
    game: tuple[str, ...], players: int | None, options: tuple[tuple[str, OptionValue], ...], form: str
) -> None:
    from ludex.cli.rulebook import as_markdown, as_text, outline

    book = outline(resolved_document(parse_spec(game, players, options)))
    write(as_markdown(book) if form == "markdown" else as_text(book, min(width(), 100)))
