"""A map as text: signs where spaces lie, and lines between them with a mark on each.

Knows nothing of games. A character is taken to be twice as high as it is wide. Lines are drawn
first, then marks, then signs, so that what says most covers what says least.
"""

from __future__ import annotations

from dataclasses import dataclass

from ludex.cli.table import Cell, Colourist, colourless
from ludex.cli.terminal import columns

_WIDEST = 80
"""Columns of a map, however wide the terminal is."""

_PLACES = ((1, 2), (2, 5), (3, 5), (1, 3), (2, 3))
"""Where on its line a mark may stand, the best first: in the middle, or nearer to one end."""

Spot = tuple[int, int]
"""Column and line, from 0 in the upper left corner."""


@dataclass(frozen=True, slots=True)
class Chart:
    """Spaces with their coordinates, y upwards, and lines between them, each with its mark."""

    title: str
    spaces: tuple[tuple[int, int, Cell], ...]
    lines: tuple[tuple[Spot, Spot, Cell], ...] = ()
    """Ends in the same coordinates. A line has the colour of the first coloured ink of its mark."""


def draw_chart(chart: Chart, width: int, colour: Colourist = colourless) -> list[str]:
    """The lines of a map in at most `width` columns, its title above."""
    if not chart.spaces:
        return [chart.title]
    sheet = _Sheet(chart, min(width, _WIDEST))
    for a, b, mark in chart.lines:
        sheet.line(sheet.spot(*a), sheet.spot(*b), next((ink.colour for ink in mark if ink.colour), None))
    signs = [(sheet.spot(x, y), sign) for x, y, sign in chart.spaces]
    for spot, sign in signs:
        sheet.keep(spot, sign)
    for a, b, mark in chart.lines:
        sheet.mark(sheet.spot(*a), sheet.spot(*b), mark)
    for spot, sign in signs:
        sheet.put(spot, sign)
    return [chart.title, *sheet.text(colour)]


class _Sheet:
    """A field of characters, each with a colour or none."""

    def __init__(self, chart: Chart, width: int) -> None:
        xs, ys = [x for x, _, _ in chart.spaces], [y for _, y, _ in chart.spaces]
        widest = max(_width(sign) for _, _, sign in chart.spaces)
        self._margin = (widest + 1) // 2
        self._room = max(1, width - 1 - 2 * self._margin)
        self._left, self._top = min(xs), max(ys)
        self._extent = max(1, max(xs) - min(xs))
        height = self._down(min(ys)) + 1
        self._cells: list[list[tuple[str, str | None]]] = [[(" ", None)] * width for _ in range(height)]
        self._kept: set[Spot] = set()

    def spot(self, x: int, y: int) -> Spot:
        return self._margin + self._scaled(x - self._left), self._down(y)

    def _scaled(self, n: int) -> int:
        return (2 * n * self._room + self._extent) // (2 * self._extent)

    def _down(self, y: int) -> int:
        n = self._top - y
        return (n * self._room + self._extent) // (2 * self._extent)

    def line(self, a: Spot, b: Spot, colour: str | None) -> None:
        """A sign in every row, or in every column where that leaves too many of them empty."""
        (x, y), (x2, y2) = min(a, b), max(a, b)
        dx, dy = x2 - x, y2 - y
        slant = "/" if dy < 0 else "\\"
        if dx > 3 * abs(dy):
            rows = [y + _rounded(i * dy, dx) for i in range(dx + 1)]
            for i in range(1, dx):
                self._cells[rows[i]][x + i] = ("-" if rows[i] == rows[i + 1] else slant, colour)
            return
        steps, down = abs(dy), 1 if dy > 0 else -1
        at = [x + _rounded(i * dx, steps) for i in range(steps + 1)] if steps else []
        for i in range(1, steps):
            is_upright = at[i - 1] == at[i] == at[i + 1] or 4 * dx <= steps
            self._cells[y + down * i][at[i]] = ("|" if is_upright else slant, colour)

    def keep(self, spot: Spot, cell: Cell) -> None:
        """No mark comes to lie here, nor beside it."""
        column, row = self._start(spot, cell), spot[1]
        self._kept |= {(i, row) for i in range(column - 1, column + _width(cell) + 1)}

    def mark(self, a: Spot, b: Spot, cell: Cell) -> None:
        """Puts a mark on its line, where nothing else stands if there is such a place."""
        (x, y), (dx, dy) = a, (b[0] - a[0], b[1] - a[1])
        spots = [(x + _rounded(n * dx, d), y + _rounded(n * dy, d)) for n, d in _PLACES]
        for spot in spots:
            column = self._start(spot, cell)
            if not any((i, spot[1]) in self._kept for i in range(column, column + _width(cell))):
                break
        else:
            spot = spots[0]
        self.keep(spot, cell)
        self.put(spot, cell)

    def put(self, spot: Spot, cell: Cell) -> None:
        column, row = self._start(spot, cell), self._cells[spot[1]]
        for ink in cell:
            for character in ink.text:
                if columns(character) > 0 and 0 <= column < len(row):
                    row[column] = (character, ink.colour)
                    for i in range(1, columns(character)):
                        row[min(column + i, len(row) - 1)] = ("", ink.colour)
                column += columns(character)

    def _start(self, spot: Spot, cell: Cell) -> int:
        return max(0, min(spot[0] - (_width(cell) - 1) // 2, len(self._cells[0]) - _width(cell)))

    def text(self, colour: Colourist) -> list[str]:
        lines = []
        for row in self._cells:
            while row and row[-1][0] == " ":
                row.pop()
            line, run, run_colour = "", "", None
            for character, its_colour in [*row, ("", "end of line")]:
                if its_colour != run_colour:
                    line += colour(run, run_colour) if run and run_colour else run
                    run, run_colour = "", its_colour
                run += character
            lines.append(line)
        return lines


def _width(cell: Cell) -> int:
    return sum(columns(ink.text) for ink in cell)


def _rounded(n: int, d: int) -> int:
    """n / d to the nearest integer, halves upwards."""
    return (2 * n + d) // (2 * d)
