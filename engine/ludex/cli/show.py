"""`ludex show`: the rules as people read them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludex.cli.errors import BadDefinition, Mistake
from ludex.cli.games import (
    GameSpec,
    OptionValue,
    game_argument,
    language_option,
    load_game,
    parse_spec,
    resolved,
    wording_of,
)
from ludex.cli.terminal import width, write

if TYPE_CHECKING:
    from ludex.cli.rulebook_html import Part
    from ludex.translation.wording import Wording

DRAWN_SEED = 1
"""The game whose start is drawn, where chance has a part in it."""


@click.command(
    help="""Show the rules of a game as a rulebook, overlays applied and marked, with their citations.

As HTML it is one page to read or to print, with a drawing of the start if the game has a `view`.

\b
  ludex show emerald+variant_a
  ludex show emerald --format html --output emerald.html
  ludex show emerald --language fr
"""
)
@game_argument
@click.option(
    "--format", "form", type=click.Choice(["text", "markdown", "html"]), default="text", show_default=True
)
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write it into a file (UTF-8)."
)
@language_option
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    form: str,
    output: Path | None,
    language: str | None,
) -> None:
    spec = parse_spec(game, players, options)
    made = _made(spec, form, wording_of(spec.base, language), to_screen=output is None)
    if output is None:
        write(made)
        return
    try:
        output.write_text(made + "\n", encoding="utf-8")
    except OSError as error:
        raise Mistake(f"{output} cannot be written: {error.strerror or error}") from None


def _made(spec: GameSpec, form: str, wording: Wording, *, to_screen: bool) -> str:
    from ludex.cli.rulebook import outline

    document, overlays = resolved(spec)
    book = outline(document, wording, overlays)
    match form:
        case "markdown":
            from ludex.cli.board import lines_of
            from ludex.cli.rulebook_markdown import as_markdown

            drawing = [line for part in _drawing(spec, wording) for line in ("", *lines_of(part, 100))]
            return as_markdown(book, drawing[1:])
        case "html":
            from ludex.cli.rulebook_html import as_html

            return as_html(book, _drawing(spec, wording))
        case _:
            from ludex.cli.rulebook_text import as_text

            return as_text(book, min(width(), 100) if to_screen else 100)


def _drawing(spec: GameSpec, wording: Wording) -> list[Part]:
    """The start of a game as everybody sees it; nothing if it has no view, or cannot be played."""
    from ludex.cli.board import Board
    from ludex.game import RuleFault

    try:
        game = load_game(spec, wording)
        if not game.program.panels:
            return []
        return Board(game, wording).parts(game.start(DRAWN_SEED), None)
    except (BadDefinition, RuleFault):
        return []
