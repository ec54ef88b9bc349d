"""Pictures as text: drawings with holes, filled and laid on one sheet.

Knows nothing of games. Blanks of a drawing are transparent, so that drawings which lie over one
another share their outlines; what is drawn later covers what was drawn before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from ludex.cli.table import Cell, Colourist, Ink, colourless
from ludex.cli.terminal import columns

MAX_SHEET = 1000
"""Columns and lines of a sheet; what would lie beyond is not drawn."""

MAX_DRAWN = 200_000
"""Characters of all drawings of a sheet together; drawings beyond that are left out."""

_GAP = 2
"""Columns between drawings that stand side by side."""


Painted: TypeAlias = dict[int, dict[int, Ink]]
"""The characters by line and column; a wide one is followed by an empty one."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """A drawing with its holes filled, and where its upper left corner is; None: beside the one before."""

    lines: tuple[Cell, ...]
    at: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """All drawings of a panel, in the order in which they are laid down."""

    title: str
    stamps: tuple[Stamp, ...]


def fill(line: str, holes: Mapping[str, Callable[[], Cell]]) -> Cell:
    """A line of a drawing: each run of a character that has a hole is replaced by what is in it.

    That is cut or padded to the width of the run; a single character fills it.
    """
    inks: list[Ink] = []
    for character, run in groupby(line):
        width = sum(1 for _ in run)
        hole = holes.get(character)
        inks.extend((Ink(character * width),) if hole is None else _fitted(hole(), width))
    return tuple(inks)


def _fitted(cell: Cell, width: int) -> Iterator[Ink]:
    if len(cell) == 1 and len(cell[0].text) == 1 and columns(cell[0].text) == 1:
        yield Ink(cell[0].text * width, cell[0].colour)
        return
    for ink in cell:
        text = ""
        for character in ink.text:
            if columns(character) > width:
                break
            width -= columns(character)
            text += character
        yield Ink(text, ink.colour)
        if len(text) < len(ink.text):
            break
    yield Ink(" " * width)


def draw_picture(sheet: Sheet, width: int, colour: Colourist = colourless) -> list[str]:
    """The lines of a sheet, its title above; those without a place stand side by side in `width` columns."""
    painted: Painted = defaultdict(dict)
    column = line = height = 0
    for stamp in sheet.stamps:
        room = max((_width(cell) for cell in stamp.lines), default=0)
        if stamp.at is None:
            if column and column + room > width:
                column, line, height = 0, line + height + 1, 0
            _lay(painted, stamp.lines, column, line)
            column, height = column + room + _GAP, max(height, len(stamp.lines))
        else:
            _lay(painted, stamp.lines, *stamp.at)
    return [sheet.title, *_text(painted, colour)]


def _lay(painted: Painted, lines: Sequence[Cell], column: int, line: int) -> None:
    for row, cell in enumerate(lines, start=line):
        at = column
        for ink in cell:
            for character in ink.text:
                size = columns(character)
                if character != " " and 0 <= at < MAX_SHEET and 0 <= row < MAX_SHEET and size:
                    painted[row][at] = Ink(character, ink.colour)
                    for i in range(1, size):
                        painted[row][at + i] = Ink("", ink.colour)
                at += size


def _text(painted: Painted, colour: Colourist) -> Iterator[str]:
    for row in range(max(painted, default=-1) + 1):
        line = painted.get(row, {})
        inks = [line.get(at, Ink(" ")) for at in range(max(line, default=-1) + 1)]
        runs = ((c, "".join(ink.text for ink in run)) for c, run in groupby(inks, lambda ink: ink.colour))
        yield "".join(colour(text, c) if c else text for c, text in runs)


def _width(cell: Cell) -> int:
    return sum(columns(ink.text) for ink in cell)
