"""Boards: where spaces lie, and the constant tables that follow from it.

All geometry is integers. Grids count x to the east and y to the north from 1; hexagonal
boards have six neighbours (x±1, y±1, and the two diagonals with x+y constant); points have
coordinates in hundredths.
"""

from __future__ import annotations

from itertools import pairwise
from math import isqrt

DIRECTIONS: tuple[tuple[str, int, int], ...] = (
    ("north", 0, 1),
    ("northeast", 1, 1),
    ("east", 1, 0),
    ("southeast", 1, -1),
    ("south", 0, -1),
    ("southwest", -1, -1),
    ("west", -1, 0),
    ("northwest", -1, 1),
)
DIRECTION_SETS: dict[str, tuple[str, ...]] = {
    "orthogonal": ("north", "east", "south", "west"),
    "diagonal": ("northeast", "southeast", "southwest", "northwest"),
    "every_way": tuple(d for d, _, _ in DIRECTIONS),
}


class Board:
    """Spaces with coordinates (`at`), and who neighbours whom."""

    def __init__(
        self,
        shape: str,
        at: dict[int, tuple[int, int]] | None = None,
        lines: tuple[tuple[int, ...], ...] = (),
    ) -> None:
        self.shape = shape
        """grid | hex | graph | points"""
        self.at = at or {}
        self.neighbors: dict[int, int] = {}
        """Masks of ids."""
        self.lines = lines
        self.index = {p: s for s, p in self.at.items()}

    def space(self, x: int, y: int) -> int:
        """The space at a coordinate, 0 if there is none."""
        return self.index.get((x, y), 0)

    def link(self) -> None:
        """Fills `neighbors` from the coordinates or lines."""
        index = self.index
        if self.shape == "grid":
            steps = [(dx, dy) for _, dx, dy in DIRECTIONS if dx == 0 or dy == 0]
        elif self.shape == "hex":
            steps = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]
        else:
            steps = []
        for s, (px, py) in self.at.items():
            mask = 0
            for dx, dy in steps:
                other = index.get((px + dx, py + dy))
                if other:
                    mask |= 1 << other
            self.neighbors[s] = mask
        for line in self.lines:
            for a, b in pairwise(line):
                self.neighbors[a] = self.neighbors.get(a, 0) | 1 << b
                self.neighbors[b] = self.neighbors.get(b, 0) | 1 << a

    def ray(self, start: int, dx: int, dy: int) -> tuple[int, ...]:
        index = self.index
        px, py = self.at[start]
        found: list[int] = []
        while True:
            px, py = px + dx, py + dy
            s = index.get((px, py))
            if not s:
                return tuple(found)
            found.append(s)

    def between(self, a: int, b: int) -> int:
        """The spaces strictly between two on one row, column or diagonal, else none."""
        (ax, ay), (bx, by) = self.at[a], self.at[b]
        dx, dy = bx - ax, by - ay
        if not (dx == 0 or dy == 0 or abs(dx) == abs(dy)) or (dx, dy) == (0, 0):
            return 0
        n = max(abs(dx), abs(dy))
        index = self.index
        mask = 0
        for i in range(1, n):
            s = index.get((ax + dx // n * i, ay + dy // n * i))
            if s:
                mask |= 1 << s
        return mask

    def distance(self, a: int, b: int) -> int:
        """Steps in any of eight directions on a grid; in hundredths for points; else along links."""
        if self.shape in ("grid", "hex"):
            (ax, ay), (bx, by) = self.at[a], self.at[b]
            dx, dy = bx - ax, by - ay
            if self.shape == "grid":
                return max(abs(dx), abs(dy))
            return max(abs(dx), abs(dy), abs(dx + dy))
        if self.shape == "points":
            return point_distance(self.at[a], self.at[b])
        seen, frontier, steps = 1 << a, 1 << a, 0
        while frontier:
            if frontier >> b & 1:
                return steps
            grown = 0
            for s, mask in self.neighbors.items():
                if frontier >> s & 1:
                    grown |= mask
            frontier = grown & ~seen
            seen |= grown
            steps += 1
        return -1


def point_distance(a: tuple[int, int], b: tuple[int, int]) -> int:
    """The distance of two points in hundredths, rounded down (exact in integers)."""
    return isqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)


def clearance(c: tuple[int, int], a: tuple[int, int], b: tuple[int, int]) -> int:
    """The distance of a point from a segment in hundredths, rounded down."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    ex, ey = c[0] - a[0], c[1] - a[1]
    length = dx * dx + dy * dy
    dot = ex * dx + ey * dy
    if length == 0 or dot <= 0:
        return point_distance(c, a)
    if dot >= length:
        return point_distance(c, b)
    cross = ex * dy - ey * dx
    return isqrt(cross * cross // length)


def segments_cross(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int], d: tuple[int, int]) -> bool:
    """Whether two segments cross in their interiors; a common end point is no crossing."""

    def side(p: tuple[int, int], q: tuple[int, int], r: tuple[int, int]) -> int:
        v = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        return (v > 0) - (v < 0)

    if {a, b} & {c, d}:
        return False
    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
