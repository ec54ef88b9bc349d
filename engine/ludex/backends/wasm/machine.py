"""The WebAssembly back end as a `Machine`.

A state is an array of its saved words. What is asked often is answered by the module; what only
people ask (events, refusals, views, faults in words) by the interpreter, from the same words. A
fault stops the module; the interpreter then takes the same step again and says what happened.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import cast

from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import (
    ChancePoint,
    Choice,
    Coverage,
    Event,
    Fault,
    OverPoint,
    Point,
    Refusal,
    SealedPoint,
    TurnPoint,
    Words,
)
from ludex.backends.wasm.emitter import FAULTS
from ludex.backends.wasm.exports import emit
from ludex.backends.wasm.host import Instance, Module, Trap
from ludex.backends.wasm.memory_map import MemoryMap
from ludex.backends.wasm.option_form import OptionForm
from ludex.backends.wasm.plan import CHANCE, INTERRUPT, POLICY, RULE, STATE, TICKS
from ludex.backends.wasm.walk import NativeWalk
from ludex.ir import program as p
from ludex.ir.identity import identity
from ludex.limits import CHANCE_TICKS, MAX_EFFORT
from ludex.rng import Generator
from ludex.typed import expr as e

_GENERATOR = struct.Struct("<4I")


class Compiled:
    """A program's module and memory map: made once, run by any number of machines in any threads.

    `counting`: whether anything is counted for the coverage, and invariants are tested.
    """

    def __init__(self, program: p.Program, *, counting: bool = True) -> None:
        self.program = program
        key = f"{identity(program)} counting {counting}"
        self.module = Module.cached(key, lambda: emit(program, counting=counting)[0])
        self.plan = MemoryMap.read(program, Instance(self.module).memory)


class WasmMachine:
    """Runs a compiled program; see `Machine` for what each method promises.

    One thread at a time. Raises `host.Unavailable` where wasmtime cannot be used.
    """

    def __init__(self, program: p.Program, compiled: Compiled | None = None) -> None:
        self.program = program
        self.compiled = compiled if compiled is not None else Compiled(program)
        plan = self._plan = self.compiled.plan
        self._instance = Instance(self.compiled.module)
        memory = self._instance.memory
        self._saved = plan.saved
        self._state = memory[STATE : STATE + 4 * plan.saved]
        self._chance, self._policy = memory[CHANCE : CHANCE + 16], memory[POLICY : POLICY + 16]
        self._memory = memory
        self._words = self._instance.words
        quick = self._instance.quick
        self._rebuild, self._player, self._list = quick("rebuild"), quick("player"), quick("list")
        self._draw, self._choose, self._resolve = quick("draw"), quick("choose"), quick("resolve")
        self._outcome, self._same = quick("outcome"), quick("same")
        self._standings = quick("standings")
        self._start, self._playout = quick("start"), self._instance.long("playout")
        self._pc = plan.fields["@pc"].offset
        self._records = {
            i: tuple(OptionForm(plan, option.site) for option in block.end.options)
            for i, block in enumerate(program.blocks)
            if isinstance(block.end, p.Decide)
        }
        self._coverage = Coverage(
            [0] * len(program.rules), [0] * len(program.rules), [0] * len(program.blocks)
        )

    @cached_property
    def interpreter(self) -> Interpreter:
        """The reference, for what only people ask."""
        return Interpreter(self.program)

    # ----------------------------------------------------------------------------------- words

    def _load(self, words: Words) -> None:
        """Makes a state the module's current one."""
        if isinstance(words, array):
            self._state[:] = memoryview(words).cast("B")
        else:
            self._state[:] = struct.pack(f"<{self._saved}i", *words[: self._saved])
        self._rebuild()

    def _keep(self, words: Words) -> None:
        """The module's current state, in place."""
        found = array("i", self._state.tobytes())
        words[:] = cast(Words, found) if isinstance(words, array) else found.tolist()

    def _new(self) -> Words:
        return cast(Words, array("i", self._state.tobytes()))

    def _as_list(self, words: Words) -> Words:
        """The same state for the interpreter."""
        return self.interpreter.restored(list(words[: self._saved]))

    def _run(self, call: Callable[[], int], again: Callable[[], object]) -> int:
        """Calls the module; after a fault `again` makes the interpreter raise the same in words."""
        try:
            return call()
        except Trap as trap:
            kind = self._words[0]
            found = Fault(FAULTS[kind - 1] if kind else "steps", -1, trap.detail, self._signed(RULE))
            if trap.code == "stack_overflow":
                found = Fault("depth", -1, "calls nest too deep", self._signed(RULE))
            self._words[0] = 0
        again()
        raise found

    def _signed(self, address: int) -> int:
        value = int(self._words[address // 4])
        return value - (1 << 32) if value >> 31 else value

    # ---------------------------------------------------------------------------------- states

    def start(self, events: list[Event] | None = None) -> Words:
        if events is not None:
            made = self.interpreter.start(events)
            self._words[TICKS // 4] = self.interpreter.ticks_left
            return cast(Words, array("i", made[: self._saved]))
        self._run(self._start, self.interpreter.start)
        return self._new()

    def copy(self, words: Words) -> Words:
        """Of a state of this back end or of the interpreter."""
        return words[:] if isinstance(words, array) else cast(Words, array("i", words[: self._saved]))

    def pack(self, words: Words) -> bytes:
        if isinstance(words, array):
            return words.tobytes()
        return struct.pack(f"<{self._saved}i", *words[: self._saved])

    def unpack(self, data: bytes) -> Words:
        self.interpreter.unpack(data)
        return cast(Words, array("i", data))

    def point(self, words: Words) -> Point:
        block = words[self._pc]
        match self.program.blocks[block].end:
            case p.Decide():
                self._load(words)
                ask = self._player
                return TurnPoint(
                    self._run(lambda: ask(block), lambda: self.interpreter.point(self._as_list(words))), block
                )
            case p.Chance():
                return ChancePoint(block)
            case p.Simultaneous():
                return SealedPoint(self._waiting(words), block)
            case p.GameOver():
                return OverPoint()
            case _:
                raise ValueError(f"a state does not wait at block {block}")

    def _waiting(self, words: Words) -> tuple[tuple[int, int], ...]:
        strand = self._plan.fields["@strand"]
        first = self.program.world.players.base
        found = words[strand.offset : strand.offset + strand.size]
        return tuple((first + seat, block) for seat, block in enumerate(found) if block > 0)

    def visible_to(self, words: Words, thing: int) -> int:
        return self.interpreter.visible_to(self._as_list(words), thing)

    # ------------------------------------------------------------------------------- decisions

    def _block(self, words: Words, player: int) -> int | None:
        """The block at which a player is to choose, if he is."""
        match self.point(words):
            case TurnPoint(decider, block):
                return block if decider == player else None
            case SealedPoint(waiting):
                return dict(waiting).get(player)
            case _:
                return None

    def _expected(self, words: Words, player: int) -> int:
        block = self._block(words, player)
        if block is None:
            raise ValueError(f"no decision waits for player {player}")
        return block

    def options(self, words: Words, player: int) -> list[Choice]:
        block = self._block(words, player)
        if block is None:
            return []
        self._load(words)
        ask = self._list
        n = self._run(lambda: ask(block, 1), lambda: self.interpreter.options(self._as_list(words), player))
        return self.listed(block, n)

    def listed(self, block: int, count: int) -> list[Choice]:
        """The options of a block, which the module has listed last."""
        records, start, stride = self._records[block], self._plan.options, self._plan.stride
        return [self._read(records, start + i * stride) for i in range(count)]

    def _read(self, records: tuple[OptionForm, ...], address: int) -> Choice:
        option = int(self._words[address // 4])
        return Choice(option, records[option].read(self._memory, address))

    def is_legal(self, words: Words, player: int, choice: Choice) -> bool:
        return choice in self.options(words, player) or self.interpreter.is_legal(
            self._as_list(words), player, choice
        )

    def options_of(self, words: Words, player: int) -> list[tuple[int, str]]:
        block = self._block(words, player)
        if block is None:
            return []
        end = self.program.blocks[block].end
        assert isinstance(end, p.Decide)
        return [(i, option.site.name) for i, option in enumerate(end.options)]

    def refusal(self, words: Words, player: int, option: int, values: Sequence[int]) -> Refusal:
        return self.interpreter.refusal(self._as_list(words), player, option, values)

    def sample_choice(self, words: Words, player: int, rng: Generator) -> Choice:
        block = self._expected(words, player)
        self._load(words)
        self._policy[:] = _GENERATOR.pack(*rng.state)
        draw, before = self._draw, rng.state
        address = self._run(
            lambda: draw(block), lambda: self.interpreter.sample_choice(self._as_list(words), player, rng)
        )
        if address == 0:
            rng.state = before
            return self.interpreter.sample_choice(self._as_list(words), player, rng)
        rng.state = _GENERATOR.unpack(self._policy)
        return self._read(self._records[block], address)

    def choose(self, words: Words, player: int, choice: Choice, events: list[Event] | None = None) -> None:
        block = self._expected(words, player)
        end = self.program.blocks[block].end
        assert isinstance(end, p.Decide)
        if not 0 <= choice.option < len(end.options):
            raise ValueError(f"the decision has no option {choice.option}")
        record = self._records[block][choice.option]
        if len(choice.values) != record.arity:
            name = end.options[choice.option].site.name
            raise ValueError(f"{name} takes {record.arity} values, not {len(choice.values)}")
        if events is not None or (record.merges and choice not in self.options(words, player)):
            self._by_interpreter(words, lambda w: self.interpreter.choose(w, player, choice, events))
            return
        self._load(words)
        record.write(self._memory, self._plan.chosen, choice)
        sealed = isinstance(self.program.blocks[words[self._pc]].end, p.Simultaneous)
        play, at = self._choose, self._plan.chosen
        self._run(
            lambda: play(block, player if sealed else 0, at),
            lambda: self.interpreter.choose(self._as_list(words), player, choice),
        )
        self._keep(words)

    def _by_interpreter(self, words: Words, act: Callable[[Words], None]) -> None:
        made = self._as_list(words)
        act(made)
        words[:] = cast(Words, array("i", made[: self._saved])) if isinstance(words, array) else made
        self._words[TICKS // 4] = self.interpreter.ticks_left

    # ---------------------------------------------------------------------------------- chance

    def outcomes(self, words: Words) -> list[tuple[int, int]]:
        return self.interpreter.outcomes(self._as_list(words))

    def resolve(
        self, words: Words, outcome: int, events: list[Event] | None = None, *, going_on: bool = False
    ) -> None:
        block = words[self._pc]
        left = int(self._words[TICKS // 4]) - CHANCE_TICKS if going_on else None
        self._load(words)
        end = self.program.blocks[block].end
        if not isinstance(end, p.Chance):
            raise ValueError(f"block {block} is no chance event")
        merged = outcome
        if events is None and not isinstance(end.event, p.RollChance):
            same = self._same
            merged = self._run(lambda: same(block, outcome), lambda: self.outcomes(words))
        if events is not None or (left is not None and left < 0) or not self._possible(end, merged):
            if left is not None:
                self.interpreter.go_on_with(left + CHANCE_TICKS, MAX_EFFORT)
            self._by_interpreter(
                words, lambda w: self.interpreter.resolve(w, outcome, events, going_on=going_on)
            )
            return
        happen = self._resolve
        self._run(
            lambda: happen(block, merged, -1 if left is None else left),
            lambda: self._resolve_again(words, outcome, left, going_on),
        )
        self._keep(words)

    def _resolve_again(self, words: Words, outcome: int, left: int | None, going_on: bool) -> None:
        if left is not None:
            self.interpreter.go_on_with(left + CHANCE_TICKS, MAX_EFFORT)
        self.interpreter.resolve(self._as_list(words), outcome, going_on=going_on)

    @staticmethod
    def _possible(end: p.Chance, outcome: int) -> bool:
        if isinstance(end.event, p.RollChance):
            return outcome in end.event.faces
        return outcome != 0

    def sample_outcome(self, words: Words, rng: Generator) -> int:
        self._load(words)
        self._chance[:] = _GENERATOR.pack(*rng.state)
        block, draw = words[self._pc], self._outcome
        found = self._run(
            lambda: draw(block), lambda: self.interpreter.sample_outcome(self._as_list(words), rng)
        )
        rng.state = _GENERATOR.unpack(self._chance)
        return found

    # ------------------------------------------------------------------------------- playouts

    def playout(self, words: Words, chance: Generator, policy: Generator, max_decisions: int) -> int:
        self._load(words)
        self._chance[:] = _GENERATOR.pack(*chance.state)
        self._policy[:] = _GENERATOR.pack(*policy.state)
        run, kept = self._playout, (chance.state, policy.state)

        def again() -> None:
            chance.state, policy.state = kept
            made = self._as_list(words)
            try:
                self.interpreter.playout(made, chance, policy, max_decisions)
            finally:
                words[:] = cast(Words, array("i", made[: self._saved]))

        decisions = self._run(lambda: run(max_decisions), again)
        chance.state, policy.state = _GENERATOR.unpack(self._chance), _GENERATOR.unpack(self._policy)
        self._keep(words)
        return decisions

    def walk(self) -> NativeWalk:
        return NativeWalk(self, self._instance)

    # ------------------------------------------------------------------ going through positions

    @cached_property
    def enumerates(self) -> bool:
        """Whether `ways` and `successors` work: there is neither chance nor a sealed choice."""
        return not any(isinstance(b.end, p.Chance | p.Simultaneous) for b in self.program.blocks)

    def ways(self, words: Words, depth: int, *, by_turn: bool) -> int:
        """How many ways there are to go on for so many decisions, or turns (all that a player decides
        before another does). ^C ends it. A fault says which rule, not where; one of `depth` may come
        of going so deep."""
        count = self._instance.long("perft_turns" if by_turn else "perft")
        self._load(words)
        return self._search(lambda: self._instance.run_interruptibly(lambda: count(depth), INTERRUPT))

    def _search(self, call: Callable[[], int]) -> int:
        try:
            return self._run(call, lambda: None)
        except Fault as fault:
            raise Fault(fault.kind, -1, "", fault.rule) from None

    def successors(self, words: Words) -> list[bytes]:
        """The state (as by `pack`) after each option of the decision that waits."""
        play, plan = self._instance.quick("successors"), self._plan
        found: list[bytes] = []
        while True:
            self._load(words)
            before = len(found)
            n = self._search(partial(play, before))
            end = min(n, before + plan.state_count)
            size = 4 * plan.saved
            written = self._memory[plan.records : plan.records + size * (end - before)].tobytes()
            found += [written[i : i + size] for i in range(0, len(written), size)]
            if end == n:
                return found

    # ------------------------------------------------------------------------------- standings

    def _results(self, words: Words, address: int, rows: int) -> list[list[int]]:
        self._load(words)
        self._run(self._standings, lambda: self.interpreter.keys(self._as_list(words)))
        n = self.program.world.players.count
        found = array("i", self._memory[address : address + 4 * n * rows].tobytes()).tolist()
        return [found[i * n : (i + 1) * n] for i in range(rows)]

    def lines(self, words: Words) -> list[list[int]]:
        return self._results(words, self._plan.lines, len(self.program.scoring))

    def keys(self, words: Words) -> list[list[int]]:
        return self._results(words, self._plan.keys, len(self.program.ranking))

    def ranking(self, words: Words) -> list[int]:
        return self._results(words, self._plan.ranks, 1)[0]

    def returns(self, words: Words) -> list[float]:
        if self.program.payoff is not None:
            return self.interpreter.returns(self._as_list(words))
        ranking = self.ranking(words)
        share = 1.0 / ranking.count(1)
        return [share if rank == 1 else 0.0 for rank in ranking]

    def heuristics(self, words: Words) -> list[int]:
        return self.interpreter.heuristics(self._as_list(words))

    def broken_invariants(self, words: Words) -> list[int]:
        return self.interpreter.broken_invariants(self._as_list(words))

    def compile_expression(self, expression: e.Expr) -> int:
        return self.interpreter.compile_expression(expression)

    def evaluate(self, words: Words, expression: int, bound: Sequence[tuple[int, int]] = ()) -> int:
        return self.interpreter.evaluate(self._as_list(words), expression, bound)

    # -------------------------------------------------------------------------------- coverage

    @property
    def coverage(self) -> Coverage:
        """Counters of the module and of the interpreter together. How often conditions were
        asked is counted by the interpreter only."""
        own, plan = self._coverage, self._plan
        for counts, address in ((own.applied, plan.counters), (own.empty, plan.blocks)):
            view = self._words[address // 4 : address // 4 + len(counts)]
            for i, n in enumerate(view):
                if n:
                    counts[i] += n
                    view[i] = 0
        if "interpreter" in self.__dict__:
            other = self.interpreter.coverage
            for counts, more in (
                (own.applied, other.applied),
                (own.tested, other.tested),
                (own.empty, other.empty),
            ):
                for i, n in enumerate(more):
                    if n:
                        counts[i] += n
                        more[i] = 0
        return own
