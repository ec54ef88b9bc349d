"""Hoisting: what a condition of an option asks that no parameter has a say in is asked once.

Only aggregates and calls that can neither fault nor cost ticks, and that rely on no earlier
condition (such as that something is not none), are taken out of the loops of an offer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from ludex.ir.passes.narrowing import Narrowing, rewritten
from ludex.ir.passes.nodes import OptionMask
from ludex.ir.program import Program
from ludex.ir.walk import binds, nodes, reads, rewrite
from ludex.typed import expr as e
from ludex.typed.types import EntityType


class Hoisting:
    """Rewrites offers; `variables` grows with what is computed before their loops."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._facts = Narrowing(program)
        self._fields = {f.name: f for f in program.layout.fields}
        self.variables = list(program.variables)

    def change(self, node: object) -> object | None:
        """For `rewrite`."""
        return self._site(node) if isinstance(node, e.OptionSite) else None

    def _site(self, site: e.OptionSite) -> e.OptionSite:
        levels = list(site.levels)
        late = list(site.late)
        for i in range(len(levels) - 1, 0, -1):
            bound = {v for level in levels[i:] for v in _bound(level)}
            moved: list[e.OptionLet] = []
            items = tuple(self._item(item, bound, moved) for item in levels[i].items)
            if moved:
                before = levels[i - 1]
                levels[i] = replace(levels[i], items=items)
                levels[i - 1] = replace(before, items=(*before.items, *moved))
        return e.OptionSite(site.name, tuple(levels), tuple(late))

    def _item(self, item: object, bound: set[int], moved: list[e.OptionLet]) -> e.OptionLet | e.OptionGuard:
        def change(node: object) -> object | None:
            if not isinstance(node, e.Fold | e.Apply) or not reads(node).isdisjoint(bound):
                return None
            if not self._facts.total(node) or not self._self_reliant(node):
                return None
            own = len(self.variables)
            self.variables.append(
                replace(self.variables[0], name="before", type=node.type, frame=False, word=own)
            )
            moved.append(e.OptionLet(own, node))
            return e.Var(own, node.type)

        match item:
            case OptionMask(rule, set_):
                made: object = OptionMask(rule, cast(e.Expr, rewrite(set_, change)))
            case e.OptionGuard(rule, test):
                made = e.OptionGuard(rule, cast(e.Expr, rewrite(test, change)))
            case e.OptionLet(var, value):
                made = e.OptionLet(var, cast(e.Expr, rewrite(value, change)))
            case _:
                raise TypeError(f"no item of a level: {item}")
        return cast("e.OptionLet | e.OptionGuard", made)

    def _self_reliant(self, expr: e.Expr) -> bool:
        """Whether nothing in it is taken as present that may be none."""
        own = binds(expr)
        for node in nodes(expr):
            if not isinstance(node, e.Var | e.Load) or not isinstance(node.type, EntityType) or node.type.optional:
                continue
            if isinstance(node, e.Load):
                declared = self._fields[node.field].type
            elif node.id in own:
                continue
            else:
                declared = self.variables[node.id].type
            if isinstance(declared, EntityType) and declared.optional:
                return False
        return True


def _bound(level: e.OptionLevel) -> list[int]:
    found = [level.binding.var] if level.binding is not None else []
    return found + [item.var for item in level.items if isinstance(item, e.OptionLet)]


def hoisted(program: Program) -> Program:
    """The program with conditions of options asked once where that is enough."""
    hoisting = Hoisting(program)
    made = rewritten(program, hoisting.change)
    return replace(made, variables=tuple(hoisting.variables))
