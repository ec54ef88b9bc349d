"""Sums that count: how many tokens lie on spaces that hold one thing at most.

`count(man of p at point)` adds what lies on each point, which is 0 or 1; it becomes the count
of the points that hold one, which later passes make the size of a set.
"""

from __future__ import annotations

from typing import cast

from ludex.ir.passes.analysis import rewritten
from ludex.ir.program import Program
from ludex.ir.walk import rewrite
from ludex.node import replace
from ludex.typed import expr as e
from ludex.typed.types import INT, EntityType, SetType


def counted(program: Program) -> Program:
    """The program with sums of presence as counts."""

    def holds_one(domain: e.Domain) -> bool:
        if not isinstance(domain, e.SetDomain) or not isinstance(domain.set.type, SetType):
            return False
        element = domain.set.type.element
        return isinstance(element, EntityType) and all(
            program.world.kind(name).capacity == 1 for name in element.kinds
        )

    def change(node: object) -> object | None:
        if not isinstance(node, e.Fold) or node.kind != "sum":
            return None
        last, value = node.bindings[-1], node.value
        if not isinstance(value, e.TokenCount) or not holds_one(last.domain):
            return None
        if not (isinstance(value.place, e.Var) and value.place.id == last.var):
            return None
        held = e.Comparison("gt", value, e.Const(0, INT))
        guard = held if node.guard is None else e.Junction("and", (node.guard, held))
        return replace(
            node,
            kind="count",
            bindings=cast(tuple[e.Binding, ...], rewrite(node.bindings, change)),
            guard=cast(e.Expr, rewrite(guard, change)),
            value=None,
        )

    return rewritten(program, change, e.Fold)
