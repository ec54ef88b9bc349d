"""Unrolled: what is asked of each of a few constant things is asked of each by name.

`any(place(pawn(p)) == goal(p) for p in players)`: which pawn and which goal is known then, so that nothing is
looked up, and whether any passes is told without a jump.
"""

from __future__ import annotations

from typing import cast

from ludex.ir.passes.analysis import conjuncts, rewritten
from ludex.ir.passes.constants import Constants
from ludex.ir.program import Program
from ludex.ir.walk import binds, classes, inside, nodes, reads, rewrite
from ludex.node import replace
from ludex.typed import expr as e
from ludex.typed.types import EntityType, SetType

MOST = 6
"""Things that are asked by name."""

SMALL = 12
"""Nodes of what is asked of each."""


class Unrolled:
    """Rewrites aggregates; what that needs of tables goes to `constants`."""

    def __init__(self, program: Program) -> None:
        self.constants = Constants(program)

    def change(self, node: object) -> object | None:
        """For `rewrite`."""
        if not isinstance(node, e.Fold):
            return None
        node = inside(node, self.change, classes(e.Fold))
        (binding, *others), tests = node.bindings, conjuncts(node.value)
        if node.guard is not None:
            tests = conjuncts(node.guard) + tests
        match node.kind, binding.domain:
            case "any", e.SetDomain(e.Const(mask, SetType(EntityType() as type_))):
                pass
            case "all", e.SetDomain(e.Const(mask, SetType(EntityType() as type_))) if node.guard is None:
                pass
            case _:
                return node
        if others or not 1 < mask.bit_count() <= MOST or sum(1 for _ in nodes(tuple(tests))) > SMALL:
            return node
        if binds(tuple(tests)) or not any(binding.var in reads(test) for test in tests):
            return node
        things = [i for i in range(mask.bit_length()) if mask >> i & 1]
        asked = tuple(_of(tests, binding.var, e.Const(i, type_)) for i in things)
        made = e.Junction("or" if node.kind == "any" else "and", asked)
        return rewrite(made, self.constants.change)


def _of(tests: list[e.Expr], var: int, thing: e.Const) -> e.Expr:
    """What is asked of one thing."""
    asked = cast(
        tuple[e.Expr, ...],
        rewrite(tuple(tests), lambda n: thing if isinstance(n, e.Var) and n.id == var else None),
    )
    return asked[0] if len(asked) == 1 else e.Junction("and", asked)


def unrolled(program: Program) -> Program:
    """The program with conditions on a few constant things asked of each by name."""
    unrolling = Unrolled(program)
    made = rewritten(program, unrolling.change, e.Fold)
    return replace(made, tables=tuple(unrolling.constants.tables.values()))
