"""Every bot against every other: who is the stronger, and is it chance?

Two bots share a table. Each pair plays the same seeds in every one of the *seatings*, in which
each of the two sits in every seat equally often; so the luck of the deal and of the seat
meets both alike. Where the number of seats is odd, each has one more in half of the seatings.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from ludex.game import Game
from ludex.sim.batch import Cluster, Job, Recipe, Result, run_together
from ludex.sim.intervals import Estimate, Interval, mean_interval, wilson
from ludex.sim.record import GameRecord
from ludex.sim.table import Settings

Seating = tuple[bool, ...]
"""By seat: whether the second of a pair sits there."""


def seatings(seats: int) -> tuple[Seating, ...]:
    """How two bots are seated: in turns and in blocks, from every seat on, and the other way round."""
    if seats < 2:
        raise ValueError("two bots need two seats")
    turns = tuple(seat % 2 == 1 for seat in range(seats))
    block = tuple(seat >= (seats + 1) // 2 for seat in range(seats))
    found: dict[Seating, None] = {}
    for pattern in (turns, block):
        for shift in range(seats):
            turned = (*pattern[shift:], *pattern[:shift])
            found[turned] = None
            found[tuple(not second for second in turned)] = None
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played: `rounds` games of each pair in each seating, with the same seeds."""

    recipe: Recipe
    bots: tuple[str, ...]
    seats: int
    rounds: int
    seed: int
    max_decisions: int
    pays: bool = False
    """Whether the definition declares a payoff."""

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        return tuple(combinations(range(len(self.bots)), 2))

    @property
    def games_of_a_pair(self) -> int:
        return self.rounds * len(seatings(self.seats))

    @property
    def games(self) -> int:
        return self.games_of_a_pair * len(self.pairs)


@dataclass(frozen=True, slots=True)
class Match:
    """All finished games of two bots. `share`: what part of the wins the first of them had, a shared
    win counting in parts. The interval is Wilson's over the games.

    `payoff`, where there is one: by how much the payoff of a seat of the first is above that of a seat of
    the second, on average over the deals that were played in every seating."""

    first: int
    second: int
    games: int
    wins: Fraction
    unfinished: int
    faults: int
    payoff: Estimate | None = None

    @property
    def share(self) -> float | None:
        return float(self.wins / self.games) if self.games else None

    @property
    def interval(self) -> Interval:
        return wilson(self.wins, self.games)

    @property
    def is_beyond_chance(self) -> bool:
        """Whether the interval leaves out that both are of the same strength."""
        return not self.interval.holds(0.5)

    def seen_by(self, bot: int) -> tuple[float | None, Interval]:
        """Share and interval of one of the two."""
        if bot == self.first or self.share is None:
            return self.share, self.interval
        return 1 - self.share, Interval(1 - self.interval.high, 1 - self.interval.low)


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot over all its games."""

    bot: int
    games: int
    wins: Fraction

    @property
    def share(self) -> float | None:
        return float(self.wins / self.games) if self.games else None

    @property
    def interval(self) -> Interval:
        return wilson(self.wins, self.games)


@dataclass(frozen=True, slots=True)
class Tournament:
    """`matches` in the order of the pairs, `standings` best first."""

    plan: Plan
    matches: tuple[Match, ...]
    standings: tuple[Standing, ...]
    interrupted: bool
    lost: bool

    @property
    def played(self) -> int:
        return sum(m.games + m.unfinished + m.faults for m in self.matches)

    def match(self, one: int, other: int) -> Match:
        return next(m for m in self.matches if {m.first, m.second} == {one, other})


class _Once:
    """A recipe that makes its game once in a thread, for jobs that differ in their bots only."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._mine = threading.local()

    def __call__(self) -> Game:
        if not hasattr(self._mine, "game"):
            self._mine.game = self._recipe()
        game: Game = self._mine.game
        return game

    def __reduce__(self) -> tuple[type[_Once], tuple[Recipe]]:
        return _Once, (self._recipe,)


def hold(
    plan: Plan,
    processes: int = 1,
    progress: Callable[[int], None] | None = None,
    cluster: Cluster | None = None,
) -> Tournament:
    """Plays it; ^C ends early, and leaves about as many games of each pair."""
    jobs: list[Job] = []
    recipe = _Once(plan.recipe)
    for one, other in plan.pairs:
        for seating in seatings(plan.seats):
            bots = tuple(plan.bots[other if second else one] for second in seating)
            settings = Settings(bots, plan.max_decisions, invariants=False)
            jobs.append(Job(recipe, settings, plan.rounds, plan.seed))
    return _evaluated(plan, run_together(jobs, processes, progress, cluster))


def _evaluated(plan: Plan, results: Sequence[Result]) -> Tournament:
    patterns = seatings(plan.seats)
    matches = []
    for number, (one, other) in enumerate(plan.pairs):
        own = results[number * len(patterns) : (number + 1) * len(patterns)]
        games = [(seating, g) for seating, r in zip(patterns, own, strict=True) for g in r.batch.games]
        finished = [(seating, g) for seating, g in games if g.ranks]
        matches.append(
            Match(
                one,
                other,
                games=len(finished),
                wins=sum((_share(g, seating) for seating, g in finished), Fraction(0)),
                unfinished=sum(g.outcome == "unfinished" for _, g in games),
                faults=sum(g.outcome == "fault" for _, g in games),
                payoff=_payoff(finished, len(patterns)) if plan.pays else None,
            )
        )
    standings = [_standing(bot, matches) for bot in range(len(plan.bots))]
    standings.sort(key=lambda s: (-(s.wins / s.games) if s.games else Fraction(0), s.bot))
    return Tournament(
        plan,
        tuple(matches),
        tuple(standings),
        interrupted=any(r.interrupted for r in results),
        lost=any(r.lost for r in results),
    )


def _payoff(games: Sequence[tuple[Seating, GameRecord]], seatings: int) -> Estimate:
    """A deal is one of the sample, as its seatings share its luck."""
    deals: dict[int, list[Fraction]] = {}
    for seating, game in games:
        deals.setdefault(game.index, []).append(_lead(game, seating))
    return mean_interval(
        sum(leads, Fraction(0)) / seatings for leads in deals.values() if len(leads) == seatings
    )


def _lead(game: GameRecord, seating: Seating) -> Fraction:
    """By how much the payoffs of the first of a pair are above those of the second, on average."""
    means = []
    for side in (False, True):
        own = [Fraction(r) for r, second in zip(game.returns, seating, strict=True) if second == side]
        means.append(sum(own, Fraction(0)) / len(own))
    return means[0] - means[1]


def _share(game: GameRecord, seating: Seating) -> Fraction:
    """What part of the win the first of a pair had."""
    pairs = zip(game.win_shares, seating, strict=True)
    return sum((share for share, second in pairs if not second), Fraction(0))


def _standing(bot: int, matches: Sequence[Match]) -> Standing:
    own = [m for m in matches if bot in (m.first, m.second)]
    wins = sum((m.wins if m.first == bot else m.games - m.wins for m in own), Fraction(0))
    return Standing(bot, sum(m.games for m in own), wins)
