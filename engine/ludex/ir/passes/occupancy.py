"""Occupancy: what lies on a space is asked of the sets of the spaces that hold each kind of token.

`piece at step(s, way)` looks at the tokens of one space; whether it is an enemy's is whether the
space is in a set, which is the same for all spaces and can be made ahead of loops.
"""

from __future__ import annotations

from typing import cast

from ludex.ir.passes.analysis import rewritten
from ludex.ir.passes.conditions import Conditions
from ludex.ir.program import Program
from ludex.ir.walk import inside, nodes, rewrite
from ludex.node import replace
from ludex.typed import expr as e
from ludex.typed.types import EntityType


class Occupancy:
    """Rewrites comparisons of what lies on a space that is computed."""

    def __init__(self, program: Program) -> None:
        self.conditions = Conditions(program)
        self._stand_ins: dict[EntityType, int] = {}

    def change(self, node: object) -> object | None:
        """For `rewrite`."""
        if not isinstance(node, e.Comparison):
            return None
        node = inside(node, self.change)
        places = {n.place for n in nodes(node) if isinstance(n, e.TokenAt | e.TokenCount)}
        if len(places) != 1:
            return node
        (place,) = places
        if isinstance(node.left, e.TokenCount) and isinstance(node.left.faces, e.Singleton):
            return node  # a number that is looked up is as quick
        if isinstance(place, e.Var | e.Const) or not isinstance(place.type, EntityType):
            return node
        if not self.conditions.facts.total(place):
            return node
        found = self._set(node, place, place.type)
        return node if found is None else e.Membership(place, found)

    def _set(self, test: e.Comparison, place: e.Expr, type_: EntityType) -> e.Expr | None:
        """The spaces of which the test holds; none if the set would not be simple."""
        if type_.optional and not _fails_of_none(test):
            return None  # none is in no set
        plain = EntityType(type_.kinds)
        var = self._stand_ins.get(plain)
        if var is None:
            var = self._stand_ins[plain] = self.conditions.variables.new("space", plain)
        asked = rewrite(test, lambda n: e.Var(var, plain) if n == place else None)
        found = self.conditions.passing(var, plain, cast(e.Expr, asked))
        if found is None or any(isinstance(n, e.Fold) for n in nodes(found)):
            return None
        return found


def _fails_of_none(test: e.Comparison) -> bool:
    """Whether a test that something lying there has an attribute, or is something, fails of no space."""
    other = test.right.type
    return test.op == "eq" and isinstance(other, EntityType) and not other.optional


def located(program: Program) -> Program:
    """The program with what lies on computed spaces asked of sets."""
    occupancy = Occupancy(program)
    made = rewritten(program, occupancy.change, e.TokenAt, e.TokenCount)
    conditions = occupancy.conditions
    return replace(conditions.variables.added_to(made), tables=tuple(conditions.tables.values()))
