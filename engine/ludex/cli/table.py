"""Tables of signs as text: columns as narrow as they can be, broken into bands where too wide.

Knows nothing of games: a cell is a sequence of inks, each a text with a colour. Colours only
add to what the text says already, so a drawing reads the same without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ludex.cli.terminal import columns

_CELL = 14
"""Columns after which a cell goes on in a further line."""

_COLOURS = {
    "red": "red",
    "green": "green",
    "yellow": "yellow",
    "blue": "blue",
    "magenta": "magenta",
    "purple": "magenta",
    "violet": "magenta",
    "cyan": "cyan",
    "turquoise": "cyan",
    "orange": "bright_red",
    "pink": "bright_magenta",
    "gold": "bright_yellow",
    "grey": "bright_black",
    "gray": "bright_black",
    "black": "bright_black",
    "white": "bright_white",
    "ruby": "red",
    "emerald": "green",
    "garnet": "magenta",
    "brown": "yellow",
}
"""Words for colours, as definitions use them, and the terminal colours nearest to them."""

_ORDER = ("cyan", "magenta", "yellow", "green", "blue", "red")
"""What colours that have no word get: told apart, by their order in the definition."""


@dataclass(frozen=True, slots=True)
class Ink:
    """A piece of text, and the name of its colour if it has one."""

    text: str
    colour: str | None = None


Cell: TypeAlias = tuple[Ink, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under columns. `groups[i]` is what column i has in common with its neighbours.

    `feet`, if there are any, stand below the columns.
    """

    title: str
    columns: tuple[str, ...]
    groups: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    feet: tuple[str, ...] = ()


Colourist: TypeAlias = Callable[[str, str], str]
"""Gives a text the colour of a name."""


def colourless(text: str, colour: str) -> str:
    return text


def terminal_colour(text: str, colour: str) -> str:
    """The terminal colour for a word; unknown words get one of six, always the same."""
    import click

    name = colour.rpartition("(")[0] or colour
    code = _COLOURS.get(name.casefold()) or _ORDER[sum(map(ord, colour)) % len(_ORDER)]
    return click.style(text, fg=code)


def draw(table: Table, width: int, colour: Colourist = colourless) -> list[str]:
    """The lines of a table in at most `width` columns, as far as a single column allows it."""
    if not table.columns:
        return _draw_list(table, width, colour)
    label = max((columns(name) for name, _ in table.rows), default=0)
    label = max(label, columns(table.title) if len(table.rows) else 0)
    wrapped = [[_wrap(cell, _CELL) for cell in cells] for _, cells in table.rows]
    widths = []
    for i, head in enumerate(table.columns):
        inner = [_width(line) for row in wrapped for line in row[i]]
        widths.append(max([columns(head), 1, *inner, *map(columns, table.feet[i : i + 1])]))
    _widen(widths, table.groups)
    lines: list[str] = []
    for first, last in _bands(widths, table.groups, label, width):
        if lines:
            lines.append("")
        band = range(first, last)
        if any(table.groups[i] for i in band):
            lines.append(_pad(table.title, label) + _group_line(table.groups, widths, band))
            lines.append(" " * label + "".join("  " + _pad(table.columns[i], widths[i]) for i in band))
        else:
            lines.append(
                _pad(table.title, label) + "".join("  " + _pad(table.columns[i], widths[i]) for i in band)
            )
        for (name, _), row in zip(table.rows, wrapped, strict=True):
            height = max(len(row[i]) for i in band)
            for k in range(height):
                parts = [_pad(name if k == 0 else "", label)]
                for i in band:
                    line = row[i][k] if k < len(row[i]) else ()
                    parts.append("  " + _coloured(line, colour) + " " * (widths[i] - _width(line)))
                lines.append("".join(parts))
        if table.feet:
            lines.append(" " * label + "".join("  " + _pad(table.feet[i], widths[i]) for i in band))
    return [line.rstrip() for line in lines]


def _draw_list(table: Table, width: int, colour: Colourist) -> list[str]:
    """A table without columns: a line for every row, its name before it."""
    lines = [table.title] if table.title else []
    label = max((columns(name) for name, _ in table.rows), default=0)
    for name, cells in table.rows:
        inks = [ink for cell in cells for ink in cell]
        for k, line in enumerate(_wrap(tuple(inks), max(20, width - label - 4))):
            lines.append(f"  {_pad(name if k == 0 else '', label)}  {_coloured(line, colour)}".rstrip())
    return lines


def _bands(widths: Sequence[int], groups: Sequence[str], label: int, width: int) -> Iterable[tuple[int, int]]:
    """Ranges of columns that fit beside the labels; broken between groups where that is possible."""
    first = 0
    while first < len(widths):
        room, last = width - label, first
        while last < len(widths) and (last == first or room >= widths[last] + 2):
            room -= widths[last] + 2
            last += 1
        if last < len(widths):
            breaks = [i for i in range(first + 1, last + 1) if groups[i] != groups[i - 1]]
            if breaks and breaks[-1] - first >= (last - first) // 2:
                last = breaks[-1]
        yield first, last
        first = last


def _runs(groups: Sequence[str], band: range) -> Iterable[tuple[str, range]]:
    """Neighbouring columns of one group."""
    first = band.start
    for i in band:
        if i + 1 == band.stop or groups[i + 1] != groups[first]:
            yield groups[first], range(first, i + 1)
            first = i + 1


def _widen(widths: list[int], groups: Sequence[str]) -> None:
    """Makes room for each group's name above its columns."""
    for name, run in _runs(groups, range(len(groups))):
        missing = columns(name) - sum(widths[i] + 2 for i in run) + 2
        widths[run[-1]] += max(0, missing)


def _group_line(groups: Sequence[str], widths: list[int], band: range) -> str:
    """The groups' names above their columns; in a band that cuts a group short, as far as there is room."""
    line = ""
    for name, run in _runs(groups, band):
        room = sum(widths[i] + 2 for i in run) - 2
        line += "  " + _pad(name if columns(name) <= room else name[: max(1, room - 1)] + ".", room)
    return line


def _wrap(cell: Cell, width: int) -> list[Cell]:
    """A cell in lines, broken between inks."""
    lines: list[list[Ink]] = [[]]
    room = width
    for ink in cell:
        size = columns(ink.text)
        if lines[-1] and size > room and ink.text.strip():
            lines.append([])
            room = width
        if ink.text.strip() or lines[-1]:
            lines[-1].append(ink)
            room -= size
    return [tuple(line) for line in lines]


def _coloured(line: Iterable[Ink], colour: Colourist) -> str:
    return "".join(colour(ink.text, ink.colour) if ink.colour else ink.text for ink in line)


def _width(line: Iterable[Ink]) -> int:
    return sum(columns(ink.text) for ink in line)


def _pad(text: str, width: int) -> str:
    return text + " " * max(0, width - columns(text))
