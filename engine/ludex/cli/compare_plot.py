"""A comparison as a picture: who wins, two distributions, and all changes with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ludex.cli.plots import COLOURS, GREY, plot
from ludex.diagnostics import printable
from ludex.sim.comparison import lead
from ludex.sim.intervals import wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ludex.cli.compare import Report
    from ludex.sim.comparison import Measure
    from ludex.sim.record import GameRecord

BASE, VARIANT = COLOURS[:2]

_BARS = 30
"""Columns of a distribution at most."""

_LONGEST = 36
"""Letters of a name that are shown."""


def draw(report: Report, path: Path) -> None:
    """Raises `Mistake`, OSError."""
    changes = [m for m in report.comparison.measures if _can_be_drawn(m)]
    has_scores = any(m.name == "winner's lead" and m.pairs for m in report.comparison.measures)
    left = ["wins", "turns", "lead"] if has_scores else ["wins", "turns"]
    with plot(path, width=10, height=max(2.4 * len(left), 1.4 + 0.28 * len(changes))) as figure:
        base, variant = (_name(title, 70) for title in report.titles)
        figure.suptitle(f"base: {base}     variant: {variant}", fontsize=10)
        axes = figure.subplot_mosaic([[name, "changes"] for name in left], width_ratios=[1, 1.3])
        _wins(axes["wins"], report)
        _distribution(axes["turns"], report, lambda game: game.turns, "turns")
        if has_scores:
            _distribution(
                axes["lead"], report, lambda game: lead(game) if game.ranks else None, "winner's lead"
            )
        _changes(axes["changes"], changes)


def _can_be_drawn(measure: Measure) -> bool:
    return measure.low is not None and measure.differing > 0 and (measure.is_share or measure.base != 0)


def _wins(axes: Axes, report: Report) -> None:
    """The shares of wins with their own intervals."""
    shares = [m for m in report.comparison.measures if m.topic == "wins" and m.pairs]
    for shift, colour, what, won in (
        (0.12, BASE, "base", [m.base for m in shares]),
        (-0.12, VARIANT, "variant", [m.variant for m in shares]),
    ):
        points = [100 * share for share in won]
        bounds = [wilson(share * m.pairs, m.pairs) for share, m in zip(won, shares, strict=True)]
        reach = [
            [p - 100 * b.low for p, b in zip(points, bounds, strict=True)],
            [100 * b.high - p for p, b in zip(points, bounds, strict=True)],
        ]
        rows = [shift - row for row in range(len(shares))]
        axes.errorbar(points, rows, xerr=reach, fmt="o", color=colour, markersize=4, label=what)
    axes.axvline(100 / len(report.players), color=GREY, linewidth=0.8, linestyle=":")
    axes.set_yticks([-row for row in range(len(shares))], [_name(m.name) for m in shares])
    axes.set_ylim(0.5 - len(shares), 0.5)
    axes.set_xlabel("per cent of the games, 95% each (dotted: even)")
    axes.legend(frameon=False, fontsize=8)


def _distribution(axes: Axes, report: Report, value: Callable[[GameRecord], int | None], label: str) -> None:
    """How often each value occurs, in per cent of the games."""
    columns = [[v for game in side.games if (v := value(game)) is not None] for side in report.sides]
    every = [v for column in columns for v in column]
    least, most = min(every, default=0), max(every, default=0)
    width = -(-(most - least + 1) // _BARS)
    edges = [least - 0.5 + width * i for i in range((most - least) // width + 2)]
    for column, colour, what in zip(columns, (BASE, VARIANT), ("base", "variant"), strict=True):
        if column:
            axes.stairs(_heights(column, least, width, len(edges) - 1), edges, color=colour, label=what)
    axes.set_xlabel(f"{label} of a game" if width == 1 else f"{label} of a game, {width} together")
    axes.set_ylabel("per cent of the games")
    axes.set_ylim(bottom=0)


def _heights(values: Sequence[int], least: int, width: int, bars: int) -> list[float]:
    counts = [0] * bars
    for v in values:
        counts[(v - least) // width] += 1
    return [100 * count / len(values) for count in counts]


def _changes(axes: Axes, measures: Sequence[Measure]) -> None:
    """The differences: of shares in percentage points, of all else in per cent of the base."""
    for row, m in enumerate(measures):
        scale = 100 / (1 if m.is_share else abs(m.base))
        low, high = (m.low or 0) * scale, (m.high or 0) * scale
        colour = VARIANT if m.is_beyond_chance else GREY
        axes.plot([low, high], [-row, -row], color=colour, linewidth=1.6, solid_capstyle="butt")
        axes.plot([m.difference * scale], [-row], "o", color=colour, markersize=4)
    axes.axvline(0, color=GREY, linewidth=0.8, linestyle=":")
    axes.set_yticks([-row for row in range(len(measures))], [_name(m.name) for m in measures])
    axes.set_ylim(0.6 - max(1, len(measures)), 0.6)
    axes.set_xlabel(
        "change in per cent of the base\n(of shares: in percentage points),\n"
        "all intervals together 95%; coloured: beyond chance"
    )


def _name(text: str, longest: int = _LONGEST) -> str:
    """A name of a definition, short, and with no sign that begins a formula."""
    text = printable(text)
    return (text if len(text) <= longest else f"{text[: longest - 1]}…").replace("$", r"\$")
