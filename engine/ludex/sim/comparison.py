"""Two batches of games compared: what a change of the rules does, and whether it is chance.

Game i of both batches has the same seed, so the games are compared in pairs: as long as the
change makes no difference they are the same game, and the chance that they share cancels out.

The statistics are those of `intervals`: of every figure the mean of the differences with Student's
interval, all intervals together at one level (Bonferroni). How many pairs would show a smaller
difference is the usual estimate, (z + z')**2 * variance / difference**2 (G. W. Snedecor and W. G.
Cochran, Statistical Methods, on the size of samples in comparative experiments).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from statistics import NormalDist, fmean
from typing import Literal, TypeAlias

from ludex.backends.machine import ChancePoint, TurnPoint
from ludex.game import Game
from ludex.game.faults import FAULTS
from ludex.rng import CHANCE, POLICY, Generator, derive
from ludex.sim.intervals import LEVEL, Number, normal_point, paired_difference, student_point
from ludex.sim.record import GameRecord, RuleCount

FEWEST = 10
"""Pairs that differ below which an interval says nothing: the mean of so few is not normal."""

POWER = 0.8
"""How often a comparison of the recommended size finds a difference that is there."""

Topic: TypeAlias = Literal["wins", "closeness", "length", "choices", "points", "endings"]
"""What a figure tells of: who wins, how close it is, how long it takes, how much there is to choose,
what the points are for, how games end."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two batches.

    `beginners` are the seats that made the first decision, game by game (None: several did, or
    nobody); left out, nothing is said of them. `lines` are the names of the scoring lines.
    """

    games: Sequence[GameRecord]
    lines: Sequence[str] = ()
    rules: Sequence[RuleCount] = ()
    beginners: Sequence[int | None] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure in both batches: means over the pairs of games that have it, and their difference.

    `is_share`: it is a share of games, from 0 to 1. `low` and `high` bound the difference (None:
    too few pairs differ to say anything). `worth_seeing` is a small difference, a hundredth of the
    games or of the base's mean, and `needed` how many pairs would show it (None: that cannot be told).
    """

    name: str
    topic: Topic
    is_share: bool
    pairs: int
    differing: int
    base: float
    variant: float
    difference: float
    low: float | None
    high: float | None
    worth_seeing: float
    needed: int | None

    @property
    def is_beyond_chance(self) -> bool:
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@dataclass(frozen=True, slots=True)
class Comparison:
    """`differing` of the `pairs` of games did not go the same way. `beginner`: the seat that makes the
    first decision of every game, if it is always the same."""

    pairs: int
    differing: int
    beginner: int | None
    measures: tuple[Measure, ...]


def compare(
    base: Side, variant: Side, players: Sequence[str], *, level: float = LEVEL, comparisons: int = 1
) -> Comparison:
    """Game by game, as many as there are of both.

    All intervals hold together with the probability `level`, also those of so many `comparisons`.
    """
    pairs = list(zip(base.games, variant.games, strict=False))
    begun = {seat for side in (base, variant) for seat in side.beginners}
    beginner = next(iter(begun)) if len(begun) == 1 else None
    figures = _figures(base, variant, players, several_begin=len(begun) > 1)
    intervals = len(figures) * comparisons
    return Comparison(
        len(pairs),
        sum(_course(a) != _course(b) for a, b in pairs),
        beginner,
        tuple(_measure(figure, base, variant, level, intervals) for figure in figures),
    )


def beginners(game: Game, seed: int, games: int) -> list[int | None]:
    """The seat that makes the first decision of each game of a batch, whoever plays: chance alone decides."""
    seat_of = {player: seat for seat, player in enumerate(game.program.world.players.ids)}
    machine = game.fastest

    def beginner(seed: int) -> int | None:
        words = machine.start()
        machine.playout(words, Generator(seed, CHANCE), Generator(seed, POLICY), 0)
        point = machine.point(words)
        return seat_of[point.player] if isinstance(point, TurnPoint) else None

    try:
        if not isinstance(machine.point(machine.start()), ChancePoint):
            return [beginner(seed)] * games
    except FAULTS:
        return [None] * games
    found: list[int | None] = []
    for i in range(games):
        try:
            found.append(beginner(derive(seed, i)))
        except FAULTS:
            found.append(None)
    return found


# ------------------------------------------------------------------------------- figures


@dataclass(frozen=True, slots=True)
class _Figure:
    """`column`: what it is in each game of a batch; None in games that do not have it."""

    name: str
    topic: Topic
    column: Callable[[Side], list[Number | None]]
    is_share: bool = False


def _figures(base: Side, variant: Side, players: Sequence[str], *, several_begin: bool) -> list[_Figure]:
    found = [_Figure(f"wins of {name}", "wins", _wins(seat), True) for seat, name in enumerate(players)]
    if several_begin:
        found.append(_Figure("wins of whoever begins", "wins", _wins_of_beginners, True))
    lines = list(dict.fromkeys((*base.lines, *variant.lines)))
    if lines and len(players) > 1:
        found.append(_Figure("winner's lead", "closeness", _of_finished(lead)))
        if len(players) > 2:
            found.append(_Figure("score spread", "closeness", _of_finished(lambda g: _spread(g.totals))))
    if _counts_lead(base) and _counts_lead(variant):
        found.append(_Figure("changes of the lead", "closeness", _of_all(lambda g: g.lead_changes)))
    if len(players) > 1:
        found.append(_Figure("ties for the first place", "closeness", _of_finished(_is_tied), True))
    found += [
        _Figure("turns", "length", _of_all(lambda g: g.turns)),
        _Figure("rounds", "length", _of_all(lambda g: g.rounds)),
        _Figure("decisions", "length", _of_all(lambda g: g.decisions)),
        _Figure("legal actions a decision", "choices", _of_all(_branching)),
        _Figure("decisions without a choice", "choices", _of_all(_forced), True),
    ]
    if lines:
        found.append(_Figure("mean score", "points", _of_finished(lambda g: _mean(g.totals))))
    if len(lines) > 1:
        found += [_Figure(f"points for {name}", "points", _points(name)) for name in lines]
    found += [_Figure(f"ended by {name}", "endings", _ended_by(name), True) for name in _ends(base, variant)]
    found.append(
        _Figure("unfinished games", "endings", _of_all(lambda g: int(g.outcome != "finished")), True)
    )
    return found


def _of_all(value: Callable[[GameRecord], Number | None]) -> Callable[[Side], list[Number | None]]:
    return lambda side: [value(game) for game in side.games]


def _of_finished(value: Callable[[GameRecord], Number | None]) -> Callable[[Side], list[Number | None]]:
    return lambda side: [value(game) if game.ranks else None for game in side.games]


def _wins(seat: int) -> Callable[[Side], list[Number | None]]:
    return _of_finished(lambda game: _win(game, seat))


def _win(game: GameRecord, seat: int) -> Number:
    return Fraction(1, game.ranks.count(1)) if game.ranks[seat] == 1 else 0


def _wins_of_beginners(side: Side) -> list[Number | None]:
    return [
        _win(game, seat) if game.ranks and seat is not None else None
        for game, seat in zip(side.games, side.beginners, strict=False)
    ]


def lead(game: GameRecord) -> int:
    """From the score of who is first in a finished game to that of who is next."""
    first, second, *_ = sorted(range(len(game.ranks)), key=game.ranks.__getitem__)
    return abs(game.totals[first] - game.totals[second])


def _spread(values: Sequence[int]) -> int:
    return max(values) - min(values)


def _mean(values: Sequence[int]) -> Number:
    return Fraction(sum(values), len(values))


def _is_tied(game: GameRecord) -> int:
    return int(game.ranks.count(1) > 1)


def _branching(game: GameRecord) -> Number | None:
    return game.options / game.decisions if game.decisions else None


def _forced(game: GameRecord) -> Number | None:
    return game.forced / game.decisions if game.decisions else None


def _counts_lead(side: Side) -> bool:
    return any(game.lead_changes is not None for game in side.games)


def _points(name: str) -> Callable[[Side], list[Number | None]]:
    """Of a scoring line, by player; 0 where the game has no such line."""

    def column(side: Side) -> list[Number | None]:
        if name not in side.lines:
            return [0 if game.ranks else None for game in side.games]
        line = list(side.lines).index(name)
        return [_mean(game.lines[line]) if game.lines else None for game in side.games]

    return column


def _ends(base: Side, variant: Side) -> list[str]:
    """All end conditions, and what else ended a game."""
    declared = (rule.name for side in (base, variant) for rule in side.rules if rule.kind == "end")
    occurred = (game.ending for side in (base, variant) for game in side.games if game.ranks)
    return list(dict.fromkeys((*declared, *occurred)))


def _ended_by(name: str) -> Callable[[Side], list[Number | None]]:
    return _of_finished(lambda game: int(game.ending == name))


def _course(game: GameRecord) -> tuple[object, ...]:
    """What tells two games apart."""
    return (game.outcome, game.ended_by, game.decisions, game.chances, game.options, game.ranks, game.lines)


# ------------------------------------------------------------------------------- measures


def _measure(figure: _Figure, base: Side, variant: Side, level: float, intervals: int) -> Measure:
    columns = zip(figure.column(base), figure.column(variant), strict=False)
    pairs = [(a, b) for a, b in columns if a is not None and b is not None]
    differing = sum(a != b for a, b in pairs)
    found = paired_difference(pairs, level, intervals)
    first, second = (fmean(map(float, side)) for side in zip(*pairs, strict=True)) if pairs else (0.0, 0.0)
    low, high = found.interval or (None, None)
    if 0 < differing < FEWEST:
        low = high = None
    worth_seeing = 0.01 if figure.is_share else abs(first) / 100
    needed = None
    if low is not None and high is not None and low < high and worth_seeing:
        variance = ((high - low) / 2 / student_point(found.count - 1, level, intervals)) ** 2 * found.count
        needed = pairs_needed(variance, worth_seeing, level, intervals)
    return Measure(
        figure.name, figure.topic, figure.is_share, found.count, differing,
        first, second, found.mean, low, high, worth_seeing, needed,
    )  # fmt: skip


def pairs_needed(
    variance: float, difference: float, level: float = LEVEL, intervals: int = 1, power: float = POWER
) -> int:
    """How many pairs are needed for an interval to leave out 0 with the probability `power`, if the
    true difference is `difference` and those of the pairs have this variance."""
    points = normal_point(level, intervals) + NormalDist().inv_cdf(power)
    return ceil(points**2 * variance / difference**2)


# ------------------------------------------------------------------------------- rules


@dataclass(frozen=True, slots=True)
class RuleUse:
    """How often a rule applied in a game of either, on average; None where there is no such rule."""

    path: str
    name: str
    kind: str
    base: float | None
    variant: float | None


def rule_uses(base: Side, variant: Side) -> list[RuleUse]:
    """All rules of both by their paths, in the order of the variant; what it has lost comes last."""
    before, after = ({rule.path: rule for rule in side.rules} for side in (base, variant))
    found = []
    for path in dict.fromkeys((*after, *before)):
        rule = after.get(path) or before[path]
        uses = [_use(rules.get(path), side) for rules, side in ((before, base), (after, variant))]
        found.append(RuleUse(path, rule.name, rule.kind, *uses))
    return found


def _use(rule: RuleCount | None, side: Side) -> float | None:
    if rule is None:
        return None
    return rule.applied / len(side.games) if side.games else 0.0
