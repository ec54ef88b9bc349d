"""Invariants, tested before each decision of a simulated game: those that may have changed since.

A global has a bit for each that what was written since it was last tested may bear on; it is set by the
blocks that write, as far as nothing but fields, places and tokens is asked.
"""

from __future__ import annotations

from ludex.backends.wasm import asm, values
from ludex.backends.wasm.asm import const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.ir import program as p
from ludex.ir.reads import ORDER, reads, writes
from ludex.ir.walk import nodes
from ludex.typed import expr as e

BITS = 32
"""Of the global; where there are more invariants, some share one."""

ALL = -1


class Invariants:
    """The invariants of a program, and what they ask of a state."""

    def __init__(self, c: Emitter, said: p.Program) -> None:
        """`said`: the program as it is said; what passes make of it may ask of more."""
        self._c = c
        self._tests = c.program.invariants if c.counting else ()
        self._changed = c.module.global_("changed", ALL)
        functions = {f.name: f for f in said.functions}
        tests = [invariant.test for invariant in said.invariants] if self._tests else []
        self._read = [None if _costs_ticks(test, functions) else reads(test, functions) for test in tests]
        """None of what is tested each time."""

    def begin(self, u: Unit) -> None:
        """Of a new game nothing was tested."""
        if self._tests:
            u.f.do(asm.set_global(self._changed, const(ALL)))

    def written(self, u: Unit, block: p.Block) -> None:
        """The code of a block, and the draw that it ends in, were gone through."""
        if not self._tests:
            return
        draws = isinstance(block.end, p.Chance) and isinstance(block.end.event, p.DrawChance)
        names = writes(block.code) | (ORDER if draws else frozenset())
        bits = 0
        for i, read in enumerate(self._read):
            if read is not None and ("*" in names or not names.isdisjoint(read)):
                bits |= self._bit(i)
        if bits:
            u.f.do(asm.set_global(self._changed, self._changed | bits))

    def _bit(self, i: int) -> int:
        bit = 1 << i % BITS
        return bit - (1 << BITS) if bit >> BITS - 1 else bit

    def test(self, u: Unit) -> None:
        """Notes which do not hold."""
        if self._tests:
            u.f.do(asm.call(self._c.made("invariants", [], [], self._test)))

    def _test(self, u: Unit) -> None:
        f = u.f
        for i, (invariant, read) in enumerate(zip(self._tests, self._read, strict=True)):
            fails = values.value(u, invariant.test).eqz()
            if read is not None:
                fails = asm.branch(self._changed & self._bit(i), fails, const(0))
            with f.when(fails):
                f.store(const(0), u.plan.broken + 4 * i, 1)
        f.do(asm.set_global(self._changed, const(0)))


def _costs_ticks(test: e.Expr, functions: dict[str, p.Function]) -> bool:
    """Whether to evaluate it may cost ticks, so that it may fault although it did not before."""
    pending, seen = [test], set[str]()
    while pending:
        for n in nodes(pending.pop()):
            match n:
                case e.Hypothetical() | e.Exists():
                    return True
                case e.Apply(name) if functions[name].recursive:
                    return True
                case e.Apply(name) if name not in seen:
                    seen.add(name)
                    pending.append(functions[name].body)
    return False
