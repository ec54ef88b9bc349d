"""Aggregates over one thing: what `any(P(k) for k in piece at s)` asks, asked of `piece at s`.

The leading conditions on k, of the only thing that k can be, then stand where later passes find
them: the squares where a piece of mine lies are a set.
"""

from __future__ import annotations

from typing import cast

from ludex.ir.passes.analysis import conjuncts, rewritten
from ludex.ir.passes.facts import Facts
from ludex.ir.program import Program
from ludex.ir.walk import classes, inside, nodes, reads, rewrite
from ludex.node import replace
from ludex.typed import expr as e
from ludex.typed.types import EntityType

SMALL = 8
"""Nodes of a condition that may be asked of an expression rather than of a variable."""


class Singletons:
    def __init__(self, program: Program) -> None:
        self._facts = Facts(program)

    def change(self, node: object) -> object | None:
        """For `rewrite`."""
        if not isinstance(node, e.Fold):
            return None
        node = inside(node, self.change, classes(e.Fold))
        if node.kind == "any" and len(node.bindings) == 1:
            return self._any(node)
        return self._among(node)

    def _any(self, fold: e.Fold) -> e.Expr:
        """The leading conditions stand outside."""
        (binding,) = fold.bindings
        only = self._only(binding)
        if only is None:
            return fold
        asked, tests = self._asked(binding.var, only, conjuncts(fold.guard) + conjuncts(fold.value))
        if tests:
            asked.append(replace(fold, guard=None, value=_all(tests)))
        return _all(asked) if asked else e.Const(1, fold.type)

    def _among(self, fold: e.Fold) -> e.Fold:
        """The leading conditions are asked of what the other loops go through."""
        tests = conjuncts(fold.guard)
        if not all(map(self._facts.total, tests)):
            return fold
        for binding in fold.bindings:
            only = self._only(binding)
            if isinstance(only, e.TokenAt | e.Pick):  # what lies on something that another loop goes through
                first = [test for test in tests if binding.var in reads(test)]
                asked, left = self._asked(binding.var, only, first)
                tests = [*asked, *(test for test in tests if test not in first or test in left)]
        return replace(fold, guard=_all(tests) if tests else None)

    def _only(self, binding: e.Binding) -> e.Expr | None:
        """The one thing that a loop goes through, if it is not none."""
        match binding.domain:
            case e.SetDomain(e.Singleton(element, keep_none=False)):
                if isinstance(element.type, EntityType) and self._facts.total(element):
                    return element
        return None

    def _asked(self, var: int, only: e.Expr, tests: list[e.Expr]) -> tuple[list[e.Expr], list[e.Expr]]:
        """(what is asked of the thing itself: that it is there, and leading conditions; the others)."""
        asked: list[e.Expr] = []
        if isinstance(only.type, EntityType) and only.type.optional:
            asked.append(e.Comparison("ne", only, e.Const(0, only.type)))
        left = list(tests)
        while left and self._is_simple(left[0]):
            test = rewrite(left.pop(0), lambda n: only if isinstance(n, e.Var) and n.id == var else None)
            asked.append(cast(e.Expr, test))
        return asked, left

    def _is_simple(self, test: e.Expr) -> bool:
        return self._facts.total(test) and sum(1 for _ in nodes(test)) <= SMALL


def _all(tests: list[e.Expr]) -> e.Expr:
    return tests[0] if len(tests) == 1 else e.Junction("and", tuple(tests))


def opened(program: Program) -> Program:
    """The program with aggregates over one thing opened."""
    return rewritten(program, Singletons(program).change, e.Fold)
