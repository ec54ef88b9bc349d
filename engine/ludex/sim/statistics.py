"""The few statistics a simulation reports, exact and independent of the order of the games.

Counts and sums are kept as integers and fractions, never as running floating-point means,
so that the same games give the same numbers however they were shared out among processes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import sqrt


@dataclass(slots=True)
class Moments:
    """Count, mean, spread and extremes of whole numbers."""

    count: int = 0
    total: int = 0
    squares: int = 0
    least: int | None = None
    most: int | None = None

    def add(self, value: int) -> None:
        self.count += 1
        self.total += value
        self.squares += value * value
        self.least = value if self.least is None else min(self.least, value)
        self.most = value if self.most is None else max(self.most, value)

    def merge(self, other: Moments) -> None:
        self.count += other.count
        self.total += other.total
        self.squares += other.squares
        self.least = _of(min, (self.least, other.least))
        self.most = _of(max, (self.most, other.most))

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    @property
    def sd(self) -> float:
        """The sample standard deviation, from exact sums (no cancellation)."""
        if self.count < 2:
            return 0.0
        exact = self.count * self.squares - self.total * self.total
        return sqrt(exact / (self.count * (self.count - 1)))

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.sd / sqrt(self.count) if self.count else 0.0

    def to_json(self) -> dict[str, float | int | None]:
        return {
            "count": self.count,
            "mean": self.mean,
            "sd": self.sd,
            "standard_error": self.error,
            "min": self.least,
            "max": self.most,
        }


@dataclass(slots=True)
class Counter:
    """How often each name occurred; names that never did stay listed with 0."""

    counts: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, times: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + times

    def merge(self, other: Counter) -> None:
        for name, times in other.counts.items():
            self.add(name, times)


def _of(pick: object, values: Iterable[int | None]) -> int | None:
    known = [v for v in values if v is not None]
    if not known:
        return None
    return min(known) if pick is min else max(known)
