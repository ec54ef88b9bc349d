"""Two back ends in step: the interpreter says what is right, the module must say the same."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import (
    ChancePoint,
    Fault,
    Machine,
    OverPoint,
    Point,
    SealedPoint,
    TurnPoint,
    Words,
)
from ludex.backends.wasm.machine import WasmMachine
from ludex.ir.program import Program
from ludex.rng import CHANCE, POLICY, Generator

T = TypeVar("T")


class Faulted(Exception):
    """Both back ends met this fault; the position is the one before."""

    def __init__(self, kind: str, site: int, rule: int, detail: str) -> None:
        self.kind = kind
        super().__init__(kind, site, rule, detail)


class Pair:
    """One position in both back ends. Whatever is asked of it is asked of both, and compared."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.machines: tuple[Machine, Machine] = (Interpreter(program), WasmMachine(program))
        self.words: tuple[Words, Words] = ([], [])
        self.decisions = 0

    # ------------------------------------------------------------------------------- asking

    def same(self, ask: Callable[[Machine, Words], T]) -> T:
        """What both answer. Raises `Faulted` if both fault alike."""
        asked = zip(self.machines, self.words, strict=True)
        answers = [outcome(lambda m=m, w=w: ask(m, w)) for m, w in asked]  # type: ignore[misc]
        assert answers[0] == answers[1]
        answer, fault = answers[0]
        if fault is not None:
            raise Faulted(*fault)
        return answer  # type: ignore[return-value]

    def drawn(self, rng: Generator, ask: Callable[[Machine, Words, Generator], T]) -> T:
        """The same of what draws random numbers: they are then left alike, too."""
        before, after = rng.state, []

        def drawing(machine: Machine, words: Words) -> T:
            own = generator(before)
            try:
                return ask(machine, words, own)
            finally:
                after.append(own.state)

        try:
            return self.same(drawing)
        finally:
            assert after[0] == after[1]
            rng.state = after[0]

    def compare(self) -> Point:
        """All bytes of the state, and what it waits for."""
        packed = [m.pack(w) for m, w in zip(self.machines, self.words, strict=True)]
        assert packed[0] == packed[1]
        return self.same(lambda m, w: m.point(w))

    def results(self) -> None:
        """All that is asked of an end, and may be asked before."""
        for ask in (
            lambda m, w: m.lines(w),
            lambda m, w: m.keys(w),
            lambda m, w: m.ranking(w),
            lambda m, w: m.returns(w),
            lambda m, w: m.broken_invariants(w),
        ):
            with suppress(Faulted):
                self.same(ask)

    # -------------------------------------------------------------------------------- going on

    def start(self) -> None:
        made = [outcome(lambda m=m: m.start()) for m in self.machines]
        assert made[0][1] == made[1][1]
        if made[0][1] is not None:
            raise Faulted(*made[0][1])
        self.words = made[0][0], made[1][0]  # type: ignore[assignment]
        self.compare()

    def exchange(self) -> None:
        """Each back end goes on with the other's bytes."""
        packed = [m.pack(w) for m, w in zip(self.machines, self.words, strict=True)]
        one, other = self.machines
        self.words = one.unpack(packed[1]), other.unpack(packed[0])
        self.compare()

    def adopt(self) -> None:
        """The interpreter goes on from where the module is."""
        packed = self.machines[1].pack(self.words[1])
        self.words = self.machines[0].unpack(packed), self.words[1]
        self.compare()

    def step(self, chance: Generator, policy: Generator) -> bool:
        """One choice or chance event, random; False at the end of the game."""
        match self.compare():
            case OverPoint():
                return False
            case ChancePoint():
                assert self.same(lambda m, w: m.outcomes(w))
                outcome = self.drawn(chance, lambda m, w, rng: m.sample_outcome(w, rng))
                self.same(lambda m, w: m.resolve(w, outcome, going_on=True))
                return True
            case TurnPoint(player):
                pass
            case SealedPoint(waiting):
                player = waiting[policy.bounded(len(waiting))][0]
        options = self.same(lambda m, w: m.options(w, player))
        choice = self.drawn(policy, lambda m, w, rng: m.sample_choice(w, player, rng))
        assert choice in options
        self.same(lambda m, w: m.choose(w, player, choice))
        self.decisions += 1
        return True

    def steps(self, most: int, chance: Generator, policy: Generator) -> bool:
        """So many decisions with all chance events between; False if the game is over before."""
        end = self.decisions + most
        while self.decisions < end:
            if not self.step(chance, policy):
                self.results()
                return False
        return True

    def playout(self, chance: Generator, policy: Generator, most: int) -> int:
        """Both play on at random in one go; the decisions made."""
        luck = chance.state, policy.state
        left = []

        def play(machine: Machine, words: Words) -> int:
            own = generator(luck[0]), generator(luck[1])
            try:
                return machine.playout(words, *own, most)
            finally:
                left.append((own[0].state, own[1].state))

        try:
            return self.same(play)
        finally:
            assert left[0] == left[1]
            chance.state, policy.state = left[0]
            self.compare()


def generator(state: tuple[int, int, int, int]) -> Generator:
    made = Generator(0)
    made.state = state
    return made


def outcome(act: Callable[[], T]) -> tuple[T | None, tuple[str, int, int, str] | None]:
    """What it gives, or how it faults."""
    try:
        return act(), None
    except Fault as fault:
        return None, (fault.kind, fault.site, fault.rule, fault.detail)


def luck(seed: int) -> tuple[Generator, Generator]:
    return Generator(seed, CHANCE), Generator(seed, POLICY)
