"""Two batches of the same games compared: what a change of the rules does, and whether it is chance.

Game i of both batches has the same seed, so the games are compared in pairs: as long as the
change makes no difference they are the same game, and the chance that they share cancels out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from statistics import NormalDist

from ludex.sim.record import GameRecord

FEWEST = 10
"""Pairs that differ below which an interval says nothing: the mean of so few is not normal."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure in both batches: means over the pairs of games that have it, and their difference.

    `low` and `high` bound the difference (None: too few pairs differ to say anything).
    """

    name: str
    pairs: int
    chosen: float
    other: float
    low: float | None
    high: float | None

    @property
    def difference(self) -> float:
        return self.other - self.chosen

    @property
    def is_beyond_chance(self) -> bool:
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@dataclass(frozen=True, slots=True)
class Comparison:
    """`differing` of the `pairs` of games did not go the same way."""

    pairs: int
    differing: int
    measures: tuple[Measure, ...]


def quantile(level: float, intervals: int) -> float:
    """How many standard errors an interval reaches to either side, so that all of them together hold
    with this probability (Bonferroni's inequality)."""
    return NormalDist().inv_cdf(1 - (1 - level) / (2 * max(1, intervals)))


def compare(
    chosen: Sequence[GameRecord], other: Sequence[GameRecord], players: Sequence[str], z: float
) -> Comparison:
    """Game by game, as many as there are of both."""
    pairs = list(zip(chosen, other, strict=False))
    differing = sum(_course(a) != _course(b) for a, b in pairs)
    return Comparison(
        len(pairs), differing, tuple(_measure(name, value, pairs, z) for name, value in _values(players))
    )


def number_of_measures(players: Sequence[str]) -> int:
    return len(_values(players))


Value = Callable[[GameRecord], Fraction | None]
"""A figure of one game; None if the game has none, because it was not finished."""


def _values(players: Sequence[str]) -> list[tuple[str, Value]]:
    seats = [(f"wins of {player}", _win(seat)) for seat, player in enumerate(players)]
    return [
        *seats,
        ("turns", lambda g: Fraction(g.turns)),
        ("decisions", lambda g: Fraction(g.decisions)),
        ("mean score", lambda g: Fraction(sum(g.totals), len(g.totals)) if g.totals else None),
        ("ties for the first place", lambda g: Fraction(g.ranks.count(1) > 1) if g.ranks else None),
        ("unfinished games", lambda g: Fraction(g.outcome != "finished")),
    ]


def _win(seat: int) -> Value:
    return lambda game: game.win_shares[seat] if game.ranks else None


def _course(game: GameRecord) -> tuple[object, ...]:
    """What tells two games apart."""
    return (game.outcome, game.ended_by, game.decisions, game.chances, game.options, game.ranks, game.lines)


def _measure(name: str, value: Value, pairs: Sequence[tuple[GameRecord, GameRecord]], z: float) -> Measure:
    both = [(a, b) for a, b in ((value(x), value(y)) for x, y in pairs) if a is not None and b is not None]
    n = len(both)
    if not n:
        return Measure(name, 0, 0.0, 0.0, None, None)
    chosen, other = (sum((pair[i] for pair in both), Fraction(0)) / n for i in (0, 1))
    changes = [b - a for a, b in both]
    mean = other - chosen
    differing = sum(change != 0 for change in changes)
    if not differing:
        return Measure(name, n, float(chosen), float(other), 0.0, 0.0)
    if differing < FEWEST:
        return Measure(name, n, float(chosen), float(other), None, None)
    spread = sum(((change - mean) ** 2 for change in changes), Fraction(0)) / (n - 1)
    half = z * sqrt(spread / n)
    return Measure(name, n, float(chosen), float(other), float(mean) - half, float(mean) + half)
