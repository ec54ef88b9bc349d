"""Intervals that say how far chance alone may have carried a figure.

Each is a function of the values alone, whatever their order: sums are exact. An
interval at level 0.95 holds the true value in 95 of 100 experiments like this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import expm1, lcm, pi, sqrt, tan
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

LEVEL = 0.95
"""The level of an interval unless said otherwise."""

Number: TypeAlias = int | float | Fraction


class Interval(NamedTuple):
    """Everything from `low` to `high`, both included."""

    low: float
    high: float

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def is_apart_from(self, other: Interval) -> bool:
        """Whether they share no value."""
        return self.high < other.low or other.high < self.low


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of `count` values, and where the true mean may be: None if they are too few to say."""

    count: int
    mean: float
    interval: Interval | None


def normal_point(level: float = LEVEL, intervals: int = 1) -> float:
    """How many standard errors an interval reaches to either side.

    With several `intervals` all of them together hold with the probability `level` at least
    (Bonferroni's inequality).
    """
    return NormalDist().inv_cdf(1 - (1 - level) / (2 * max(1, intervals)))


def student_point(freedom: int, level: float = LEVEL, intervals: int = 1) -> float:
    """The same for a mean whose standard error is itself estimated: Student's t, two-sided.

    Exact for one and two degrees of freedom, else to six digits, after G. W. Hill, Algorithm
    396, Communications of the ACM 13 (1970), 619-620.
    """
    tails, n = (1 - level) / max(1, intervals), freedom
    if n < 1:
        raise ValueError("there are no degrees of freedom")
    if n == 1:
        return 1 / tan(tails * pi / 2)
    if n == 2:
        return sqrt(2 / (tails * (2 - tails)) - 2)
    a = 1 / (n - 0.5)
    b = 48 / a**2
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * pi / 2) * n
    y = float((d * tails) ** (2 / n))
    if y > a + 0.05:  # an expansion about the normal distribution
        x = NormalDist().inv_cdf(tails / 2)
        y = x * x
        if n < 5:
            c += 0.3 * (n - 4.5) * (x + 0.6)
        c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        y = expm1(a * y * y)
    else:
        y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * (
            n + 1
        ) / (n + 2) + 1 / y
    return sqrt(n * y)


def wilson(successes: Number, trials: int, z: float | None = None) -> Interval:
    """The Wilson score interval for a proportion (E. B. Wilson, JASA 22, 1927, 209-212).

    Unlike `p +- z*s` it stays within 0..1 and is sound for small counts. Shared wins make
    `successes` fractional; the interval is then slightly too wide, never too narrow. `z`: as
    `normal_point` gives it.
    """
    if trials <= 0:
        return Interval(0.0, 1.0)
    z = normal_point() if z is None else z
    p = float(successes) / trials
    denominator = 1 + z * z / trials
    centre = (p + z * z / (2 * trials)) / denominator
    half = z * sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials)) / denominator
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


def mean_interval(values: Iterable[Number], level: float = LEVEL, intervals: int = 1) -> Estimate:
    """The mean of a sample with Student's interval (Student, Biometrika 6, 1908, 1-25).

    Sound for samples of thirty or so whatever the distribution, for fewer if it is not far
    from normal. A sample without spread gives the point itself.
    """
    ratios = [v.as_integer_ratio() for v in values]
    n = len(ratios)
    if not n:
        return Estimate(0, 0.0, None)
    unit = lcm(*{denominator for _, denominator in ratios})
    sample = [numerator * (unit // denominator) for numerator, denominator in ratios]
    total = sum(sample)
    mean = total / (n * unit)
    if n == 1:
        return Estimate(1, mean, None)
    variance = (n * sum(v * v for v in sample) - total * total) / (n * (n - 1) * unit * unit)
    half = student_point(n - 1, level, intervals) * sqrt(variance / n) if variance else 0.0
    return Estimate(n, mean, Interval(mean - half, mean + half))


def paired_difference(
    pairs: Sequence[tuple[Number, Number]], level: float = LEVEL, intervals: int = 1
) -> Estimate:
    """By how much the second of each pair is greater than the first, on average.

    What both of a pair share (the same deal, the same dice) cancels out, so the interval is
    narrower than that of two samples by themselves.
    """
    return mean_interval((b - a for a, b in pairs), level, intervals)
