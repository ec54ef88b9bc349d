"""What is drawn and listed, in another language: names of things are put in at the very end.

Captions and literal texts are those of the translation already (see `ludex.translation.tree`);
what is left are names of the game's entities, which stay as they are everywhere else.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ludex.cli.chart import Chart
from ludex.cli.picture import Sheet
from ludex.cli.table import Cell, Ink, Table
from ludex.translation.wording import Wording

_NAME = re.compile(r"(\??[^\W\d]\w*?(?:\([\w, ()]*\))?)(x\d+)?")
"""A name of an entity or its sign, and how many there are of it."""


def worded(part: Table | Chart | Sheet, wording: Wording) -> Table | Chart | Sheet:
    """A table, map or picture with the names in it as a reader of this language is shown them."""
    if not wording.language:
        return part
    if isinstance(part, Sheet):
        return replace(part, title=wording.word(part.title))
    if isinstance(part, Chart):
        spaces = tuple((x, y, _cell(cell, wording)) for x, y, cell in part.spaces)
        return replace(part, spaces=spaces, lines=tuple((a, b, _cell(c, wording)) for a, b, c in part.lines))
    groups = tuple(wording.entity(g) for g in part.groups)
    if len(set(groups)) == 1 and part.title.casefold().startswith(groups[0][:4].casefold()):
        groups = ("",) * len(groups)  # the title says it already
    return replace(
        part,
        title=wording.word(part.title),
        columns=tuple(wording.entity(c) for c in part.columns),
        groups=groups,
        rows=tuple(
            (_row(name, wording), tuple(_cell(c, wording) for c in cells)) for name, cells in part.rows
        ),
    )


def _row(name: str, wording: Wording) -> str:
    """A row is called by a caption, by the name of a place or value, or by a word of the program."""
    return wording.entity(name) if _NAME.fullmatch(name) and name in wording.names else wording.word(name)


def _cell(cell: Cell, wording: Wording) -> Cell:
    return tuple(_ink(ink, wording) for ink in cell)


def _ink(ink: Ink, wording: Wording) -> Ink:
    match = _NAME.fullmatch(ink.text)
    if match is None:
        return ink
    shown = (
        wording.word(ink.text) if ink.text in ("yes", "no") else wording.entity(match[1]) + (match[2] or "")
    )
    return ink if shown == ink.text else replace(ink, text=shown)
