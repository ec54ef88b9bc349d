"""Figures of two batches side by side: the table that every comparison shows, and its JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, log10
from typing import TYPE_CHECKING

from ludex.cli.terminal import columns, safe

if TYPE_CHECKING:
    from ludex.sim.comparison import Measure


_LONGEST = 28
"""Columns of a name that stands on the line of its values; a longer one has a line of its own."""


def table(measures: Sequence[Measure], heads: tuple[str, str], title: str = "") -> list[str]:
    """One figure a line, shares in per cent; what does not occur in either is left out."""
    rows = [
        (safe(m.name), value(m, m.base), value(m, m.variant), change(m, m.difference), _interval(m))
        for m in measures
        if m.pairs and (m.base or m.variant)
    ]
    if not rows:
        return []
    rows.insert(0, (title, *heads, "difference", ""))
    widths = [max(columns(row[i]) for row in rows if i or columns(row[0]) <= _LONGEST) for i in range(4)]
    return [line for row in rows for line in _lines(row, widths)]


def _lines(row: tuple[str, ...], widths: Sequence[int]) -> Iterator[str]:
    name, *cells, interval = row
    if columns(name) > widths[0]:
        yield name
        name = ""
    figures = "".join(f"  {cell.rjust(width)}" for cell, width in zip(cells, widths[1:], strict=True))
    yield f"{name}{' ' * (widths[0] - columns(name))}{figures}  {interval}".rstrip()


def value(measure: Measure, number: float) -> str:
    """A figure itself, with as many digits as its difference is known to."""
    return f"{number:.{_digits(measure, 100)}%}" if measure.is_share else f"{number:.{_digits(measure)}f}"


def change(measure: Measure, number: float, sign: str = "+") -> str:
    """A difference; of shares in percentage points."""
    scale = 100 if measure.is_share else 1
    return f"{number * scale:{sign}z.{_digits(measure, scale)}f}"


def _digits(measure: Measure, scale: int = 1) -> int:
    """Decimals that show an interval's half width with two digits at most."""
    if measure.low is None or measure.high is None or measure.low == measure.high:
        return 1 if measure.is_share else 2
    return min(4, max(0, 1 - floor(log10((measure.high - measure.low) / 2 * scale))))


def _interval(measure: Measure) -> str:
    if not measure.differing:
        return "(the same in every game)"
    if measure.low is None or measure.high is None:
        return "(too few games differ in it)"
    mark = " *" if measure.is_beyond_chance else ""
    return f"{change(measure, measure.low)} to {change(measure, measure.high)}{mark}"


def measure_to_json(measure: Measure) -> dict[str, object]:
    return {
        "name": measure.name,
        "topic": measure.topic,
        "is_share": measure.is_share,
        "pairs": measure.pairs,
        "differing": measure.differing,
        "base": measure.base,
        "variant": measure.variant,
        "difference": measure.difference,
        "low": measure.low,
        "high": measure.high,
        "beyond_chance": measure.is_beyond_chance,
        "worth_seeing": measure.worth_seeing,
        "needed": measure.needed,
    }
