"""The interpreter as a `Machine`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from ludex.backends.interpreter.blocks import Flow
from ludex.backends.interpreter.checks import check_words
from ludex.backends.interpreter.compiler import Compiler
from ludex.backends.interpreter.decisions import DecideCode
from ludex.backends.interpreter.memory import Fn
from ludex.backends.interpreter.standings import Standings
from ludex.backends.interpreter.walk import PlainWalk
from ludex.backends.machine import (
    ChancePoint,
    Choice,
    Coverage,
    Event,
    OverPoint,
    Point,
    Refusal,
    SealedPoint,
    TurnPoint,
    Words,
)
from ludex.ir import program as p
from ludex.limits import CHANCE_TICKS, MAX_EFFORT, MAX_FRAMES, MAX_TICKS
from ludex.rng import Generator
from ludex.typed.expr import Expr


class Interpreter:
    """Runs a program in Python; see `Machine` for what each method promises.

    Registers are part of the list, so asking a state something changes scratch words of it,
    never a saved one. What `choose` gets is taken as legal (`is_legal` tells); only the
    number of values is tested.
    """

    def __init__(self, program: p.Program) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), MAX_FRAMES))
        self.program = program
        self._c = Compiler(program)
        self._memory = self._c.memory
        self._context = self._c.context
        self._flow = Flow(self._c)
        self._standings = Standings(self._c)
        self._invariants = tuple((i.rule, self._c.expr(i.test)) for i in self._c.program.invariants)
        self._expressions: list[Fn] = []
        self._handles: dict[int, tuple[int, Expr]] = {}
        """By the identity of a node, which is kept so that no other takes it."""
        self._left = (MAX_TICKS, MAX_EFFORT)
        self.coverage: Coverage = self._context.coverage

    # -------------------------------------------------------------------------------- states

    def start(self, events: list[Event] | None = None) -> Words:
        words = [0] * self._memory.size
        self._memory.rebuild(words)
        self._context.begin(events)
        self._run_on(words, 0)
        self._keep_count()
        return words

    def copy(self, words: Words) -> Words:
        return words.copy()

    def pack(self, words: Words) -> bytes:
        return self._memory.format.pack(*words[: self._memory.saved])

    def unpack(self, data: bytes) -> Words:
        memory = self._memory
        if len(data) != memory.format.size:
            raise ValueError(f"a state has {memory.format.size} bytes, not {len(data)}")
        words = list(memory.format.unpack(data)) + [0] * (memory.size - memory.saved)
        check_words(self._c, words)
        memory.rebuild(words)
        return words

    def restored(self, saved: Words) -> Words:
        """A state from its saved words, which are taken as good (`unpack` tests them)."""
        words = saved + [0] * (self._memory.size - self._memory.saved)
        self._memory.rebuild(words)
        return words

    def point(self, words: Words) -> Point:
        block = words[self._memory.pc]
        match self.program.blocks[block].end:
            case p.Decide():
                self._context.begin(None)
                return TurnPoint(self._flow.decide(block).player(words), block)
            case p.Chance():
                return ChancePoint(block)
            case p.Simultaneous():
                return SealedPoint(self._flow.seal(block).waiting(words), block)
            case p.GameOver():
                return OverPoint()
            case _:
                raise ValueError(f"a state does not wait at block {block}")

    def visible_to(self, words: Words, thing: int) -> int:
        return self._c.piles.visible(words, thing)

    # ------------------------------------------------------------------------------ decisions

    def options(self, words: Words, player: int) -> list[Choice]:
        self._context.begin(None)
        decide = self._decision(words, player)
        if decide is None:
            return []
        self._context.rule = decide.decide.rule
        return decide.options(words)

    def is_legal(self, words: Words, player: int, choice: Choice) -> bool:
        self._context.begin(None)
        decide = self._decision(words, player)
        return decide is not None and decide.is_legal(words, choice)

    def options_of(self, words: Words, player: int) -> list[tuple[int, str]]:
        decide = self._decision(words, player)
        if decide is None:
            return []
        return [(i, option.site.name) for i, option in enumerate(decide.decide.options)]

    def walk(self) -> PlainWalk:
        return PlainWalk(self)

    def refusal(self, words: Words, player: int, option: int, values: Sequence[int]) -> Refusal:
        self._context.begin(None)
        decide = self._decision(words, player)
        return Refusal(-1, False, ()) if decide is None else decide.refusal(words, option, tuple(values))

    def sample_choice(self, words: Words, player: int, rng: Generator) -> Choice:
        self._context.begin(None)
        decide = self._expected(words, player)
        self._context.rule = decide.decide.rule
        return decide.sample(words, rng)

    def choose(self, words: Words, player: int, choice: Choice, events: list[Event] | None = None) -> None:
        kept = words.copy()
        self._context.begin(events)
        try:
            decide = self._expected(words, player)
            if not 0 <= choice.option < len(decide.decide.options):
                raise ValueError(f"the decision has no option {choice.option}")
            self._go_on(words, player, decide.take(words, choice))
            self._keep_count()
        except BaseException:
            words[:] = kept
            raise

    # ---------------------------------------------------------------------------------- chance

    def outcomes(self, words: Words) -> list[tuple[int, int]]:
        self._context.begin(None)
        return list(self._flow.chance(words[self._memory.pc]).outcomes(words))

    def resolve(
        self, words: Words, outcome: int, events: list[Event] | None = None, *, going_on: bool = False
    ) -> None:
        kept = words.copy()
        self._context.begin(events)
        if going_on:
            self._count_on(words)
        try:
            self._run_on(words, self._flow.chance(words[self._memory.pc]).resolve(words, outcome))
            self._keep_count()
        except BaseException:
            words[:] = kept
            raise

    def sample_outcome(self, words: Words, rng: Generator) -> int:
        """One draw below the sum of the weights (none if there is one outcome of weight 1)."""
        outcomes = self.outcomes(words)
        rest = rng.bounded(sum(weight for _, weight in outcomes))
        for value, weight in outcomes:
            if rest < weight:
                return value
            rest -= weight
        raise AssertionError("the weights do not add up")

    @property
    def ticks_left(self) -> int:
        """What a chance event that follows without a decision may still cost."""
        return self._left[0]

    def go_on_with(self, ticks: int, effort: int) -> None:
        """The next chance event that goes on counts from here."""
        self._left = ticks, effort

    # --------------------------------------------------------------------------------- playouts

    def playout(self, words: Words, chance: Generator, policy: Generator, max_decisions: int) -> int:
        """At sealed choices the players choose in seat order. A Fault leaves the last point."""
        decisions = 0
        pc, context = self._memory.pc, self._context
        context.begin(None)
        while True:
            block = words[pc]
            end = self.program.blocks[block].end
            if isinstance(end, p.GameOver):
                return decisions
            kept = words.copy()
            try:
                if isinstance(end, p.Chance):
                    self._keep_count()
                    outcome = self.sample_outcome(words, chance)
                    self._count_on(words)
                    context.collecting = True
                    self._run_on(words, self._flow.chance(block).resolve(words, outcome))
                    continue
                if decisions >= max_decisions:
                    return decisions
                decisions += 1
                if isinstance(end, p.Decide):
                    player, at = 0, block
                    if context.pending is not None:
                        choice = self._flow.decide(block).draw(policy)
                        self._play(words, player, block, choice)
                        continue
                else:
                    player, at = self._flow.seal(block).waiting(words)[0]
                context.begin(None)
                self._play(words, player, at, self._flow.decide(at).sample(words, policy))
            except BaseException:
                words[:] = kept
                raise

    # -------------------------------------------------------------------------------- standings

    def lines(self, words: Words) -> list[list[int]]:
        self._context.begin(None)
        return self._standings.lines(words)

    def ranking(self, words: Words) -> list[int]:
        self._context.begin(None)
        return self._standings.ranking(words)

    def keys(self, words: Words) -> list[list[int]]:
        self._context.begin(None)
        return self._standings.keys(words)

    def returns(self, words: Words) -> list[float]:
        self._context.begin(None)
        return self._standings.returns(words)

    def heuristics(self, words: Words) -> list[int]:
        self._context.begin(None)
        return self._standings.heuristics(words)

    def broken_invariants(self, words: Words) -> list[int]:
        self._context.begin(None)
        broken: list[int] = []
        for rule, test in self._invariants:
            self._context.rule = rule
            if not test(words):
                broken.append(rule)
        return broken

    def compile_expression(self, expr: Expr) -> int:
        known = self._handles.get(id(expr))
        if known is None:
            self._expressions.append(self._c.word(self._c.inline(expr)))
            known = self._handles[id(expr)] = (len(self._expressions) - 1, expr)
        return known[0]

    def evaluate(self, words: Words, expression: int, bound: Iterable[tuple[int, int]] = ()) -> int:
        """The value of a compiled expression, with variables (by number) given values for it."""
        self._context.begin(None)
        kept = [(var, self._c.reader(var)(words)) for var, _ in bound]
        try:
            for var, value in bound:
                self._c.writer(var)(words, value)
            return int(self._expressions[expression](words))
        finally:
            for var, value in kept:
                self._c.writer(var)(words, value)

    # ---------------------------------------------------------------------------------- private

    def _play(self, words: Words, player: int, block: int, choice: Choice) -> None:
        """Plays what a decision itself listed, in a playout."""
        self._context.begin(None)
        self._context.collecting = True
        self._go_on(words, player, self._flow.decide(block).take_listed(words, choice))

    def _decision(self, words: Words, player: int) -> DecideCode | None:
        """The decision that waits for a player, if one does."""
        block = words[self._memory.pc]
        end = self.program.blocks[block].end
        if isinstance(end, p.Simultaneous):
            own = dict(self._flow.seal(block).waiting(words)).get(player)
            return None if own is None else self._flow.decide(own)
        if isinstance(end, p.Decide):
            decide = self._flow.decide(block)
            return decide if decide.player(words) == player else None
        return None

    def _expected(self, words: Words, player: int) -> DecideCode:
        decide = self._decision(words, player)
        if decide is None:
            raise ValueError(f"no decision waits for player {player}")
        return decide

    def _go_on(self, words: Words, player: int, target: int) -> None:
        """After a choice: the player's strand if he is in one, and all that follows."""
        block = words[self._memory.pc]
        if isinstance(self.program.blocks[block].end, p.Simultaneous):
            seal = self._flow.seal(block)
            seal.run(words, player, target)
            following = seal.join(words)
            if following < 0:
                return
            target = following
        self._run_on(words, target)

    def _keep_count(self) -> None:
        """What is left of ticks and effort, for a chance event that follows without a decision."""
        self._left = self._context.ticks, self._context.effort

    def _count_on(self, words: Words) -> None:
        """What was left, less what the chance event costs at which the state waits."""
        self._context.ticks, self._context.effort = self._left
        end = self.program.blocks[words[self._memory.pc]].end
        self._context.rule = end.rule if isinstance(end, p.Chance) else -1
        self._context.ticks -= CHANCE_TICKS - 1
        self._context.tick()

    def _run_on(self, words: Words, block: int) -> None:
        words[self._memory.pc] = self._flow.run(words, block)
