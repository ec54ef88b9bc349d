"""Equalities: behind a condition `k.owner == me`, the owner of k is read as `me`.

What then no longer depends on k can be computed once, ahead of the loops over k.
"""

from __future__ import annotations

from typing import TypeVar, cast

from ludex.ir.passes.analysis import conjuncts, rewritten
from ludex.ir.passes.facts import Facts
from ludex.ir.passes.narrowing import Item
from ludex.ir.program import Program
from ludex.ir.walk import binds, classes, inside, rewrite
from ludex.node import replace
from ludex.typed import expr as e
from ludex.typed.types import EntityType

T = TypeVar("T")
Known = tuple[tuple[tuple[str, tuple[int, ...]], e.Var], ...]
"""Look-ups, and the variables that they are equal to."""


CHANGED = classes(e.Fold, e.OptionSite)


class Equalities:
    def __init__(self, program: Program) -> None:
        self._facts = Facts(program)

    def change(self, node: object) -> object | None:
        """For `rewrite`."""
        if isinstance(node, e.Fold):
            return self._fold(inside(node, self.change, CHANGED))
        if isinstance(node, e.OptionSite):
            return self._site(inside(node, self.change, CHANGED))
        return None

    def _fold(self, fold: e.Fold) -> e.Fold:
        known = self._told(conjuncts(fold.guard))
        return replace(fold, value=_with(known, fold.value), key=_with(known, fold.key)) if known else fold

    def _site(self, site: e.OptionSite) -> e.OptionSite:
        known: Known = ()
        levels = []
        for level in site.levels:
            binding = level.binding
            if binding is not None:
                binding = replace(binding, domain=_with(known, binding.domain))
            items: list[Item] = []
            for item in level.items:
                item = _with(known, item)
                items.append(item)
                if isinstance(item, e.OptionGuard):
                    known = (*known, *self._told(conjuncts(item.test)))
            levels.append(e.OptionLevel(binding, tuple(items)))
        return replace(site, levels=tuple(levels), late=_with(known, site.late))

    def _told(self, tests: list[e.Expr]) -> Known:
        """What conditions say of constant tables, which nothing later changes. A variable that is some
        player's is not none, so neither is what was looked up by."""
        found = []
        for test in tests:
            match test:
                case e.Comparison("eq", e.Lookup() as side, e.Var() as var) | e.Comparison(
                    "eq", e.Var() as var, e.Lookup() as side
                ):
                    present = isinstance(var.type, EntityType) and not var.type.optional
                    by_variables = all(isinstance(i, e.Var) and i.id != var.id for i in side.index)
                    if present and by_variables and self._facts.total(side):
                        found.append((_plain(side), var))
        return tuple(found)


def _plain(side: e.Lookup) -> tuple[str, tuple[int, ...]]:
    """A look-up by variables alone: the table, and the variables."""
    return side.table, tuple(i.id for i in side.index if isinstance(i, e.Var))


def _with(known: Known, tree: T) -> T:
    """The tree with what is known put in its place."""
    if not known or tree is None:
        return tree
    own = binds(tree)

    def change(node: object) -> object | None:
        if not isinstance(node, e.Lookup) or not all(isinstance(i, e.Var) for i in node.index):
            return None
        here = _plain(node)
        for side, var in known:
            if here == side and var.id not in own and own.isdisjoint(here[1]):
                return e.Var(var.id, node.type)
        return None

    return cast(T, rewrite(tree, change))


def equated(program: Program) -> Program:
    """The program with what conditions have told used behind them."""
    return rewritten(program, Equalities(program).change, e.Fold, e.OptionSite)
