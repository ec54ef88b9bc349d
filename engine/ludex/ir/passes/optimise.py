"""All passes, in order."""

from __future__ import annotations

from ludex.ir.passes.analysis import inlined
from ludex.ir.passes.conservation import conserved
from ludex.ir.passes.constants import folded
from ludex.ir.passes.counting import counted
from ludex.ir.passes.emptiness import emptied
from ludex.ir.passes.equalities import equated
from ludex.ir.passes.faces import faced
from ludex.ir.passes.hoisting import hoisted
from ludex.ir.passes.inverses import turned
from ludex.ir.passes.known import pruned
from ludex.ir.passes.membership import lowered
from ludex.ir.passes.narrowing import narrowed, narrowed_uncounted
from ludex.ir.passes.occupancy import located
from ludex.ir.passes.once import once
from ludex.ir.passes.ranges import ranged
from ludex.ir.passes.reach import reached
from ludex.ir.passes.sharing import shared
from ludex.ir.passes.singletons import opened
from ludex.ir.passes.tabulation import tabulated
from ludex.ir.passes.unrolled import unrolled
from ludex.ir.passes.whereabouts import held
from ludex.ir.program import Program

PASSES = (
    inlined, shared, reached, folded, ranged, faced, conserved, pruned, equated, counted, held, emptied,
    opened, tabulated, narrowed, located, folded, emptied, lowered, turned, once, hoisted, unrolled,
)  # fmt: skip
UNCOUNTED = tuple(narrowed_uncounted if change is narrowed else change for change in PASSES)


def optimised(program: Program, *, counting: bool = True) -> Program:
    """The program, said so that it runs faster. `counting`: whether it is counted what each condition of an
    offer refuses."""
    for change in PASSES if counting else UNCOUNTED:
        program = change(program)
    return program
