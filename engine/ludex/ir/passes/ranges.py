"""Ranges: a variable that goes through constant numbers is one of those, whatever its type would allow.

`n: 1..houses` is declared for the most houses there can be; once their number is known, what is looked up by
n needs no test of n.
"""

from __future__ import annotations

from typing import TypeVar, cast

from ludex.ir.passes.analysis import rewritten
from ludex.ir.program import Program
from ludex.ir.walk import inside, nodes, rewrite
from ludex.typed import expr as e
from ludex.typed.types import IntType

T = TypeVar("T", e.Fold, e.OptionSite)


def ranged(program: Program) -> Program:
    """The program with variables of the types that their loops give them."""
    return rewritten(program, _change, e.Fold, e.OptionSite)


def _change(node: object) -> object | None:
    """For `rewrite`."""
    if isinstance(node, e.Fold):
        return _narrowed(node, node.bindings)
    if isinstance(node, e.OptionSite):
        return _narrowed(node, tuple(level.binding for level in node.levels if level.binding is not None))
    return None


def _narrowed(node: T, bindings: tuple[e.Binding | e.OptionBinding, ...]) -> T | None:
    types: dict[int, IntType] = {}
    for binding in bindings:
        match binding.domain:
            case e.RangeDomain(e.Const(lo), e.Const(hi)) if lo <= hi:
                types[binding.var] = IntType(lo, hi)
    if not types:
        return None
    bound = [n.var for n in nodes(node) if isinstance(n, e.Binding | e.OptionBinding)]

    def change(tree: object) -> object | None:
        if isinstance(tree, e.Var) and tree.id in types and bound.count(tree.id) == 1:
            return e.Var(tree.id, types[tree.id])
        return None

    return inside(cast(T, rewrite(node, change)), _change)
