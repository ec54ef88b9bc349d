"""Hoisting: what a condition of an option asks that no parameter has a say in is asked once.

Only aggregates and calls that can neither fault nor cost ticks, and that rely on no earlier
condition (such as that something is not none), are taken out of the loops of an offer.
"""

from __future__ import annotations

from typing import TypeGuard, cast

from ludex.ir.passes.analysis import rewritten
from ludex.ir.passes.facts import Facts, Variables, worth_ahead
from ludex.ir.passes.narrowing import Item
from ludex.ir.program import Program
from ludex.ir.walk import binds, nodes, reads, rewrite
from ludex.node import replace
from ludex.typed import expr as e


class Hoisting:
    """Rewrites offers; `variables` grows with what is computed before their loops."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._facts = Facts(program)
        self.variables = Variables(program)

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

    def _item(self, item: Item, bound: set[int], moved: list[e.OptionLet]) -> Item:
        inside = bound | binds(item)  # what the loops around a part of the condition go through, too

        def change(node: object) -> object | None:
            if not _worth(node) or not (reads(node) - binds(node)).isdisjoint(inside):
                return None
            if not self._facts.total(node) or not self._facts.self_reliant(node):
                return None
            own = self.variables.new("before", node.type)
            moved.append(e.OptionLet(own, node, aside=True))
            return e.Var(own, node.type)

        match item:
            case e.OptionMask(rule, set_):
                return e.OptionMask(rule, cast(e.Expr, rewrite(set_, change)))
            case e.OptionGuard(rule, test):
                return e.OptionGuard(rule, cast(e.Expr, rewrite(test, change)))
            case e.OptionLet(var, value, aside):
                return e.OptionLet(var, cast(e.Expr, rewrite(value, change)), aside)


def _worth(node: object) -> TypeGuard[e.Expr]:
    """Whether it pays to evaluate an expression ahead of the loops: also of what is compared with what."""
    if isinstance(node, e.Comparison):
        return any(isinstance(n, e.TokenCount) or worth_ahead(n) for n in nodes(node))
    return worth_ahead(node)


def _bound(level: e.OptionLevel) -> list[int]:
    found = [level.binding.var] if level.binding is not None else []
    return found + [item.var for item in level.items if isinstance(item, e.OptionLet)]


def hoisted(program: Program) -> Program:
    """The program with conditions of options asked once where that is enough."""
    hoisting = Hoisting(program)
    made = rewritten(program, hoisting.change, e.OptionSite)
    return hoisting.variables.added_to(made)
