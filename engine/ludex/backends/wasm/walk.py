"""A position that native code goes on from in place: no state is copied and no option is read but
those that are asked for."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ludex.backends.machine import OVER_TURN, SEALED_TURN, Choice, Fault, Luck
from ludex.backends.wasm.emitter import FAULTS
from ludex.backends.wasm.host import Call, Instance, Trap
from ludex.backends.wasm.plan import CHANCE, POLICY, RULE, STATE, TICKS
from ludex.ir import program as p
from ludex.limits import CHANCE_TICKS

if TYPE_CHECKING:
    from ludex.backends.wasm.machine import WasmMachine

_LUCK = struct.Struct("<8I")

MAX_READ = 10_000
"""Options of one decision that are remembered."""


class NativeWalk:
    """See `Walk`. It stands in the machine's own memory."""

    def __init__(self, machine: WasmMachine, instance: Instance) -> None:
        self._machine = machine
        self._program = machine.program
        plan = self._plan = machine.compiled.plan
        self._memory, self._words = instance.memory, instance.words
        self._state = instance.memory[STATE : STATE + 4 * plan.saved]
        self._luck = instance.memory[CHANCE : CHANCE + _LUCK.size]
        assert POLICY == CHANCE + 16
        quick = instance.quick
        self._enter, self._step, self._list = quick("enter"), quick("step"), quick("list")
        self._happen, self._outcome = quick("happen"), quick("outcome")
        self._same, self._standings = quick("same"), quick("standings")
        self._payoffs = None if self._program.payoff is None else quick("payoffs")
        self._heuristics = None if self._program.heuristic is None else quick("heuristics")
        self._playout = instance.long("playout")
        self._pc = STATE // 4 + plan.fields["@pc"].offset
        self._ends = tuple(b.end for b in self._program.blocks)
        strand = plan.fields.get("@strand")
        self._strands = None if strand is None else STATE // 4 + strand.offset
        self._seats = self._program.world.players.count
        self._first = self._program.world.players.base
        self._ranks = struct.Struct(f"<{self._seats}i")
        self.turn, self.sealed, self.block = OVER_TURN, False, 0
        self._count = 0
        self._going_on = False
        self._read: dict[int, dict[bytes, Choice]] = {}
        """Options by their records, which the same ones come back in over and over."""

    def begin(self, data: bytes) -> None:
        self._state[:] = data
        self._going_on = False
        try:
            self._stand(self._enter())
        except Trap as trap:
            raise self._fault(trap) from None

    def data(self) -> bytes:
        return self._state.tobytes()

    @property
    def luck(self) -> Luck:
        words = _LUCK.unpack(self._luck)
        return cast(Luck, (words[:4], words[4:]))

    @luck.setter
    def luck(self, states: Luck) -> None:
        self._luck[:] = _LUCK.pack(*states[0], *states[1])

    def _stand(self, turn: int) -> None:
        """`turn`: what the module says of where it stands now."""
        self.turn, self.block, self.sealed = turn, self._words[self._pc], False
        if turn == SEALED_TURN:
            self.sealed = True
            self.ask(self.waiting()[0])

    def word(self, index: int) -> int:
        word = int(self._words[STATE // 4 + index])
        return word - (word >> 31 << 32)

    def waiting(self) -> Sequence[int]:
        assert self._strands is not None
        blocks = self._words[self._strands : self._strands + self._seats]
        # the word of who has no strand, or has finished, is no block
        return [self._first + seat for seat, block in enumerate(blocks) if 0 < block < 1 << 31]

    def ask(self, player: int) -> None:
        assert self._strands is not None
        self.turn, self.block = player, int(self._words[self._strands + player - self._first])

    def count(self) -> int:
        try:
            self._count = self._list(self.block, 1)
        except Trap as trap:
            raise self._fault(trap) from None
        return self._count

    def choices(self) -> list[Choice]:
        start, stride, block = self._plan.options, self._plan.stride, self.block
        listed = self._memory[start : start + stride * self._count].tobytes()
        records = [listed[i : i + stride] for i in range(0, len(listed), stride)]
        read = self._read.get(block)
        if read is None or len(read) > MAX_READ:
            read = self._read[block] = {}
        try:
            return [read[record] for record in records]
        except KeyError:
            read.update(zip(records, self._machine.listed(block, self._count), strict=True))
            return [read[record] for record in records]

    def choose(self, number: int) -> None:
        player = self.turn if self.sealed else 0
        try:
            self._stand(self._step(self.block, player, self._plan.options + number * self._plan.stride))
        except Trap as trap:
            raise self._fault(trap) from None
        self._going_on = True

    def let_happen(self) -> int:
        block = self.block
        left = -1
        if self._going_on:
            left = int(self._words[TICKS // 4]) - CHANCE_TICKS
            if left < 0:
                raise Fault("steps", -1)
        try:
            outcome = self._outcome(block)
            end = self._ends[block]
            assert isinstance(end, p.Chance)
            rolled = isinstance(end.event, p.RollChance)
            self._stand(self._happen(block, outcome if rolled else self._same(block, outcome), left))
        except Trap as trap:
            raise self._fault(trap) from None
        self._going_on = True
        return outcome

    def playout(self, max_decisions: int) -> bool:
        try:
            self._playout(max_decisions)
        except Trap as trap:
            raise self._fault(trap) from None
        return isinstance(self._ends[self._words[self._pc]], p.GameOver)

    def standings(self) -> tuple[Sequence[int], Sequence[int]]:
        try:
            self._standings()
        except Trap as trap:
            raise self._fault(trap) from None
        ranks = self._ranks.unpack_from(self._memory, self._plan.ranks)
        if not self._program.ranking:
            return ranks, ()
        keys = self._ranks.unpack_from(self._memory, self._plan.keys)
        return ranks, keys if self._program.ranking[0].most else tuple(-k for k in keys)

    def returns(self) -> Sequence[float]:
        if self._payoffs is None:
            ranks, _ = self.standings()
            share = 1.0 / ranks.count(1)
            return [share if rank == 1 else 0.0 for rank in ranks]
        return [float(pay) for pay in self._valued(self._payoffs)]

    def heuristics(self) -> Sequence[int]:
        return () if self._heuristics is None else self._valued(self._heuristics)

    def _valued(self, export: Call) -> tuple[int, ...]:
        try:
            export()
        except Trap as trap:
            raise self._fault(trap) from None
        return self._ranks.unpack_from(self._memory, self._plan.ranks)

    def _fault(self, trap: Trap) -> Fault:
        kind, rule = int(self._words[0]), int(self._words[RULE // 4])
        self._words[0] = 0
        return Fault(FAULTS[kind - 1] if kind else "steps", -1, trap.detail, rule - (rule >> 31 << 32))
