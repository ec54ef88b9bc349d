"""A position that a machine goes on from in place, by the machine's own methods: where there is no
native code to do it faster."""

from __future__ import annotations

from collections.abc import Sequence

from ludex.backends.machine import (
    CHANCE_TURN,
    OVER_TURN,
    ChancePoint,
    Choice,
    Luck,
    Machine,
    OverPoint,
    SealedPoint,
    TurnPoint,
    Words,
)
from ludex.rng import Generator


class PlainWalk:
    """See `Walk`."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._words: Words = []
        self._options: list[Choice] = []
        self._chance, self._policy = Generator(0), Generator(0)
        self._going_on = False
        self.turn, self.sealed, self.block = OVER_TURN, False, 0

    def begin(self, data: bytes) -> None:
        self._words = self._machine.unpack(data)
        self._going_on = False
        self._look()

    def data(self) -> bytes:
        return self._machine.pack(self._words)

    @property
    def luck(self) -> Luck:
        return self._chance.state, self._policy.state

    @luck.setter
    def luck(self, states: Luck) -> None:
        self._chance.state, self._policy.state = states

    def _look(self) -> None:
        self.sealed = False
        match self._machine.point(self._words):
            case TurnPoint(player, block):
                self.turn, self.block = player, block
            case SealedPoint(((player, block), *_)):
                self.turn, self.block, self.sealed = player, block, True
            case ChancePoint(block):
                self.turn, self.block = CHANCE_TURN, block
            case OverPoint() | SealedPoint():
                self.turn = OVER_TURN

    def word(self, index: int) -> int:
        return self._words[index]

    def waiting(self) -> Sequence[int]:
        point = self._machine.point(self._words)
        return [player for player, _ in point.waiting] if isinstance(point, SealedPoint) else []

    def ask(self, player: int) -> None:
        point = self._machine.point(self._words)
        assert isinstance(point, SealedPoint)
        self.turn, self.block = player, dict(point.waiting)[player]

    def count(self) -> int:
        self._options = self._machine.options(self._words, self.turn)
        return len(self._options)

    def choices(self) -> list[Choice]:
        return self._options

    def choose(self, number: int) -> None:
        self._machine.choose(self._words, self.turn, self._options[number])
        self._going_on = True
        self._look()

    def let_happen(self) -> int:
        outcome = self._machine.sample_outcome(self._words, self._chance)
        self._machine.resolve(self._words, outcome, going_on=self._going_on)
        self._going_on = True
        self._look()
        return outcome

    def playout(self, max_decisions: int) -> bool:
        self._machine.playout(self._words, self._chance, self._policy, max_decisions)
        return isinstance(self._machine.point(self._words), OverPoint)

    def standings(self) -> tuple[Sequence[int], Sequence[int]]:
        ranks = self._machine.ranking(self._words)
        ranking = self._machine.program.ranking
        if not ranking:
            return ranks, ()
        keys = self._machine.keys(self._words)[0]
        return ranks, keys if ranking[0].most else [-k for k in keys]

    def returns(self) -> Sequence[float]:
        return self._machine.returns(self._words)

    def heuristics(self) -> Sequence[int]:
        return self._machine.heuristics(self._words)
