"""Whereabouts: where the things of a kind are is asked of the set of the locations that hold some.

`set(m.place for m in man where m.place in corner)` looks at no man: what holds men is kept up by whatever
moves.
"""

from __future__ import annotations

from typing import cast

from ludex.ir.passes.analysis import conjuncts, rewritten
from ludex.ir.passes.conditions import Conditions, intersection
from ludex.ir.program import Program
from ludex.ir.walk import reads, rewrite
from ludex.typed import expr as e
from ludex.typed.types import EntityType, SetType


class Whereabouts:
    """Rewrites sets of the places of all things of some kinds."""

    def __init__(self, program: Program) -> None:
        self._conditions = Conditions(program)

    def change(self, node: object) -> object | None:
        """For `rewrite`."""
        match node:
            case e.Fold("set", (binding,), guard, value):
                if _is_place(value, binding) and isinstance(node.type, SetType):
                    return self._found(node.type, binding, conjuncts(guard))
        return None

    def _found(self, type_: SetType, binding: e.Binding, tests: list[e.Expr]) -> e.Expr | None:
        """The places of things, if all of their kind are looked at and nothing is asked but whether the
        places are in some sets."""
        match binding.domain:
            case e.SetDomain(e.Const(mask)) if mask and self._conditions.held_whole(mask):
                pass
            case _:
                return None
        within: list[e.Expr] = []
        for test in tests:
            match test:
                case e.Membership(place, set_) if _is_place(place, binding):
                    if binding.var in reads(set_) or not self._conditions.facts.total(set_):
                        return None
                    within.append(cast(e.Expr, rewrite(set_, self.change)))
                case _:
                    return None
        if not isinstance(type_.element, EntityType):
            return None
        whole = e.Const(self._conditions.whole(type_), type_)
        return intersection(e.Holders(mask, type_), [whole, *within])


def _is_place(expr: e.Expr | None, binding: e.Binding) -> bool:
    """Whether an expression is the place of the thing that a loop looks at."""
    match expr:
        case e.Load("@place", (e.Var(thing),)):
            return thing == binding.var
        case _:
            return False


def held(program: Program) -> Program:
    """The program with places of things asked of what holds them."""
    return rewritten(program, Whereabouts(program).change, e.Fold)
