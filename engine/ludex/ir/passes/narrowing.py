"""Domain narrowing: conditions on a loop's variable become part of what it runs over.

`count(k in knight where owner(k) == me)` need test no knight: the knights of each owner are a
table of sets. Only conditions that can neither fault nor have effects are taken, and none from
behind one that may fault, so which fault happens first does not change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

from ludex.ir.passes.analysis import conjuncts, rewritten
from ludex.ir.passes.conditions import Conditions, intersection
from ludex.ir.passes.facts import Facts
from ludex.ir.program import Program
from ludex.ir.walk import inside, reads, rewrite
from ludex.node import replace
from ludex.typed import expr as e
from ludex.typed.types import BOOL, INT, SetType, Type

Item: TypeAlias = e.OptionLet | e.OptionGuard | e.OptionMask


class Narrowing:
    """Rewrites loops; what that needs goes to `conditions`."""

    def __init__(self, program: Program) -> None:
        self.conditions = Conditions(program)

    def change(self, node: object) -> object | None:
        """For `rewrite`: aggregates and levels narrowed, and what is in them."""
        if isinstance(node, e.Fold):
            return narrowed_fold(self, node)
        if isinstance(node, e.Region) and node.guard is not None:
            return self._region(inside(node, self.change))
        if isinstance(node, e.OptionLevel):
            made = self.level(node)
            return e.OptionLevel(
                cast("e.OptionBinding | None", rewrite(made.binding, self.change)),
                cast("tuple[Item, ...]", rewrite(made.items, self.change)),
            )
        return None

    def _region(self, region: e.Region) -> e.Region:
        """What a flood may go through, as a set."""
        assert isinstance(region.type, SetType) and region.guard is not None
        within = self.conditions.passing(region.var, region.type.element, region.guard)
        if within is None:
            return region
        element = e.Var(region.var, region.type.element)
        return replace(region, guard=e.Membership(element, within))

    def split(
        self,
        var: int,
        type_: Type,
        tests: list[e.Expr],
        seen_through: Callable[[e.Expr], e.Expr] = lambda test: test,
    ) -> tuple[list[e.Expr], list[e.Expr]]:
        """(sets that the tests at their places amount to, the tests that remain, in order).

        `seen_through` gives a test with the values of what was computed before in the names' place.
        """
        found: list[e.Expr] = []
        rest: list[e.Expr] = []
        safe = True
        for test in tests:
            passing = self.conditions.passing(var, type_, seen_through(test)) if safe else None
            if passing is not None:
                found.append(passing)
            else:
                rest.append(test)
                safe = safe and self.conditions.facts.total(test)
        return found, rest

    def level(self, level: e.OptionLevel) -> e.OptionLevel:
        """A level whose leading conditions are sets where they can be.

        A condition may overtake lets that cannot fault: it is seen what their values are.
        """
        binding = level.binding
        masks: list[Item] = []
        left: list[Item] = []
        if binding is None or not isinstance(binding.domain, e.SetDomain):
            return level

        def done(*rest: Item) -> e.OptionLevel:
            return e.OptionLevel(binding, (*masks, *left, *rest))

        overtaken: dict[int, e.Expr] = {}

        def seen_through(tree: e.Expr) -> e.Expr:
            made = rewrite(tree, lambda n: overtaken.get(n.id) if isinstance(n, e.Var) else None)
            return cast(e.Expr, made)

        for i, item in enumerate(level.items):
            if isinstance(item, e.OptionLet):
                if not self.conditions.facts.total(item.value):
                    return done(*level.items[i:])
                overtaken[item.var] = seen_through(item.value)
                left.append(item)
                continue
            if isinstance(item, e.OptionMask):
                return done(*level.items[i:])
            found, rest = self.split(binding.var, binding.type, conjuncts(item.test), seen_through)
            if found:
                masks.append(e.OptionMask(item.rule, intersection(found[0], found[1:])))
            if rest:
                test = rest[0] if len(rest) == 1 else e.Junction("and", tuple(rest))
                return done(e.OptionGuard(item.rule, test), *level.items[i + 1 :])
        return done()


def narrowed(program: Program) -> Program:
    """The program with the loops of its aggregates and offers narrowed."""
    narrowing = Narrowing(program)

    made = rewritten(program, narrowing.change, e.Fold, e.Region, e.OptionLevel)
    conditions = narrowing.conditions
    return replace(conditions.variables.added_to(made), tables=tuple(conditions.tables.values()))


def narrowed_fold(narrowing: Narrowing, fold: e.Fold) -> e.Expr:
    """An aggregate with its last loop narrowed, and so those within it."""

    def changed(tree: object) -> object:
        return rewrite(tree, narrowing.change)

    tests = conjuncts(fold.guard)
    value = fold.value
    if fold.kind == "any" and value is not None:
        tests, value = tests + conjuncts(value), None
    elif fold.kind == "all" and value is not None:
        # all(P where G) is not any(not P where G)
        refuted = e.Fold("any", fold.bindings, fold.guard, _not(value), None, None, BOOL, fold.site)
        return e.Negation(narrowed_fold(narrowing, refuted))
    sure = _needed(narrowing.conditions.facts, fold, tests)
    bindings, tests = _narrowed_loops(narrowing, fold.bindings, [*sure, *tests])
    tests = [test for test in tests if test not in sure]
    guard = None if not tests else tests[0] if len(tests) == 1 else e.Junction("and", tuple(tests))
    if fold.kind == "any" and fold.value is not None and value is None and guard is not None:
        value, guard = guard, None
    return e.Fold(
        fold.kind,
        cast(tuple[e.Binding, ...], changed(bindings)),
        cast("e.Expr | None", changed(guard)),
        cast("e.Expr | None", changed(value)),
        cast("e.Expr | None", changed(fold.key)),
        cast("e.Expr | None", changed(fold.default)),
        fold.type,
        fold.site,
    )


def _needed(facts: Facts, fold: e.Fold, tests: list[e.Expr]) -> list[e.Expr]:
    """What holds of all that can make a difference: what is counted lies where there are some."""
    if not all(map(facts.total, tests)):
        return []  # what they would have faulted on
    last = _variable(fold.bindings[-1])
    asked = [test.left for test in tests if isinstance(test, e.Comparison) and _asks_for_some(test)]
    if fold.kind == "sum" and fold.value is not None:
        asked.append(fold.value)
    own = (x for x in asked if last is not None and _counted_at(x) == last)
    return [e.Comparison("gt", count, e.Const(0, INT)) for count in own]


def _counted_at(count: e.Expr) -> e.Expr | None:
    """The place of which is said how many things lie there."""
    match count:
        case e.TokenCount(place=place) | e.Size(e.Occupants(place)):
            return place
        case _:
            return None


_OPPOSITE: dict[e.CompareOp, e.CompareOp] = {
    "eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt",
}  # fmt: skip


def _not(test: e.Expr) -> e.Expr:
    """That a test fails; said of a count as another comparison."""
    match test:
        case e.Comparison(op, count, e.Const()) if _counted_at(count) is not None:
            return replace(test, op=_OPPOSITE[op])
        case _:
            return e.Negation(test)


def _asks_for_some(test: e.Comparison) -> bool:
    """Whether a comparison of a number with more than one fails where there is none."""
    return isinstance(test.right, e.Const) and test.right.value >= 1 and test.op in ("gt", "ge", "eq")


def _variable(binding: e.Binding) -> e.Expr | None:
    """The variable of a loop over a set of things."""
    domain = binding.domain
    if not isinstance(domain, e.SetDomain) or not isinstance(domain.set.type, SetType):
        return None
    return e.Var(binding.var, domain.set.type.element)


def _narrowed_loops(
    narrowing: Narrowing, bindings: tuple[e.Binding, ...], tests: list[e.Expr]
) -> tuple[tuple[e.Binding, ...], list[e.Expr]]:
    """Each loop with the conditions on its variable; the conditions that remain."""
    facts = narrowing.conditions.facts
    made = list(bindings)
    for i, binding in enumerate(bindings):
        domain = binding.domain
        later = {b.var for b in bindings[i + 1 :]}
        if not isinstance(domain, e.SetDomain) or not isinstance(domain.set.type, SetType):
            continue
        if not all(map(facts.is_fixed, bindings[i + 1 :])):
            continue  # what they would have faulted on
        own = tests
        if later:  # a condition goes ahead of those before it and of the loops between
            sure = all(map(facts.total, tests))
            own = [test for test in tests if sure and later.isdisjoint(reads(test))]
        found, rest = narrowing.split(binding.var, domain.set.type.element, own)
        if found:
            made[i] = e.Binding(binding.var, e.SetDomain(intersection(domain.set, found)))
            tests = [test for test in tests if test not in own or test in rest]
    return tuple(made), tests
