"""Small games gone through from the beginning to every end: how long they last, what they are worth."""

from __future__ import annotations

from ludex.adapters.position import Table
from ludex.adapters.utility import Worth
from ludex.backends.machine import ChancePoint, Machine, OverPoint, SealedPoint, TurnPoint, Words
from ludex.game.faults import RuleFault, named_faults
from ludex.node import node
from ludex.rng import CHANCE, POLICY, Generator

MAX_POSITIONS = 10_000
SHORT = 16
"""Decisions of a random game. Games that last longer are not looked at: they have too many positions."""

DEEP = 150
"""Decisions and chance events of one way through a game."""

_TOLERANCE = 1e-9


@node
class Census:
    """The most decisions and chance events of one game, separately and together, and the utilities."""

    decisions: int
    chances: int
    steps: int
    least: float
    greatest: float
    sums_to_zero: bool


class _TooLarge(Exception):
    pass


def census(table: Table, worth: Worth) -> Census | None:
    """None for a game that has too many positions, may go round in circles, or has a rule that faults."""
    search = _Search(table, worth)
    try:
        with named_faults(table.game.program):
            if any(_lasts(table.machine, seed) for seed in range(3)):
                return None
            decisions, chances, steps = search.longest(table.machine.start())
    except (_TooLarge, RuleFault):
        return None
    return Census(decisions, chances, steps, search.least, search.greatest, search.sums_to_zero)


def _lasts(machine: Machine, seed: int) -> bool:
    """Whether a random game is not short."""
    chance, policy = Generator(seed, CHANCE), Generator(seed, POLICY)
    return machine.playout(machine.start(), chance, policy, SHORT + 1) > SHORT


class _Search:
    def __init__(self, table: Table, worth: Worth) -> None:
        self._table = table
        self._worth = worth
        self._known: dict[bytes, tuple[int, int, int]] = {}
        self._open: set[bytes] = set()
        self.least, self.greatest = float("inf"), float("-inf")
        self.sums_to_zero = True

    def longest(self, words: Words) -> tuple[int, int, int]:
        """The most decisions, chance events and both that follow. Raises `_TooLarge`."""
        machine = self._table.machine
        key = machine.pack(words)
        if key in self._known:
            return self._known[key]
        if key in self._open or len(self._open) >= DEEP or len(self._known) >= MAX_POSITIONS:
            raise _TooLarge
        self._open.add(key)
        point = machine.point(words)
        decides = isinstance(point, TurnPoint | SealedPoint)
        if isinstance(point, OverPoint):
            self._end(words)
            found = (0, 0, 0)
        else:
            rest = [self.longest(following) for following in self._following(words, point)]
            if not rest:
                raise _TooLarge
            most = [max(column) for column in zip(*rest, strict=True)]
            found = (most[0] + decides, most[1] + (not decides), most[2] + 1)
        self._open.discard(key)
        self._known[key] = found
        return found

    def _following(self, words: Words, point: TurnPoint | SealedPoint | ChancePoint) -> list[Words]:
        machine, found = self._table.machine, []
        if isinstance(point, ChancePoint):
            for value, _ in machine.outcomes(words):
                after = machine.copy(words)
                machine.resolve(after, value)
                found.append(after)
            return found
        player = point.player if isinstance(point, TurnPoint) else point.waiting[0][0]
        for choice in machine.options(words, player):
            after = machine.copy(words)
            machine.choose(after, player, choice)
            found.append(after)
        return found

    def _end(self, words: Words) -> None:
        utilities = self._worth.of(self._table.machine, words)
        self.least = min(self.least, *utilities)
        self.greatest = max(self.greatest, *utilities)
        self.sums_to_zero = self.sums_to_zero and abs(sum(utilities)) < _TOLERANCE
