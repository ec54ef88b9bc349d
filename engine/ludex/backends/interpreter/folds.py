"""Aggregates: loops over bindings, with one binding and the frequent kinds made fast."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ludex.backends.interpreter.expressions import conjunction, overflow
from ludex.backends.interpreter.memory import Fn
from ludex.backends.interpreter.narrowing import narrowed, split
from ludex.backends.interpreter.sets import bounded
from ludex.backends.machine import Fault, Words
from ludex.ir.passes.analysis import conjuncts
from ludex.ir.walk import nodes
from ludex.typed import expr as e
from ludex.typed.types import INT_MAX, INT_MIN, EntityType, SetType

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler

Items: TypeAlias = Callable[[Words], Collection[int]]
"""The elements of a domain, in order, fixed when it is called."""

HEAVY = 8
"""Nodes of an expression or statement that count as one more element gone through."""

Visit: TypeAlias = Callable[[Words], bool | None]
"""What is done for each passing combination: true to stop."""


def weight(*trees: object) -> int:
    """What going through one element counts for, by what is done for it."""
    return 1 + sum(1 for tree in trees for _ in nodes(tree)) // HEAVY


def counted(c: Compiler, items: Items, each: int) -> Items:
    """The same elements, each counted as effort with a weight."""
    context = c.context

    def run(w: Words) -> Collection[int]:
        found = items(w)
        context.effort -= each * len(found)
        if context.effort < 0:
            context.spend(0)
        return found

    return run


def domain(c: Compiler, dom: e.Domain, each: int = 1) -> Items:
    """The elements of a domain, counted as effort."""
    return counted(c, _domain(c, dom), each)


def _domain(c: Compiler, dom: e.Domain) -> Items:
    match dom:
        case e.SetDomain(e.Const(mask)):
            constant = c.members(mask)
            return lambda w: constant
        case e.SetDomain(set_):
            return _of_mask(c, c.expr(set_))
        case e.RangeDomain(e.Const(lo), e.Const(hi)):
            fixed = tuple(range(lo, hi + 1)) if hi - lo < 256 else range(lo, hi + 1)
            return lambda w: fixed
        case e.RangeDomain():
            least, greatest = c.expr(dom.lo), c.expr(dom.hi)
            return lambda w: range(least(w), greatest(w) + 1)
        case e.SeatsDomain():
            return seats(c, dom)
        case e.FamilyDomain():
            return c.family(dom.family)


def _of_mask(c: Compiler, mask: Fn) -> Items:
    members = c.members
    return lambda w: members(mask(w))


def seats(c: Compiler, dom: e.SeatsDomain) -> Items:
    """All seats once; nobody where the start is none."""
    direction, start, players = c.expr(dom.direction), c.expr(dom.start), c.program.world.players
    base, n = players.base, players.count

    def run(w: Words) -> Collection[int]:
        step, first = direction(w), start(w)
        return [base + (first - base + i * step) % n for i in range(n)] if first else []

    return run


def fold(c: Compiler, expr: e.Fold) -> Fn:
    tests = conjuncts(expr.guard)
    if expr.kind == "any":
        return _any(c, expr.bindings, tests + conjuncts(expr.value))
    if expr.kind == "all":
        if expr.value is None:
            return lambda w: True
        refuted = _any(c, expr.bindings, [*tests, e.Negation(expr.value)])
        return lambda w: not refuted(w)
    if expr.kind == "count":
        return _count(c, expr.bindings, tests)
    if expr.kind == "set" and isinstance(expr.type, SetType) and _returns_binder(expr):
        inner = _inner(c, expr.bindings[0], tests)
        if inner.mask is not None and inner.test is None:
            return inner.mask
    if expr.kind == "sum":
        return _sum(c, expr, tests)
    if expr.kind in ("set", "union"):
        return _set(c, expr, tests)
    if expr.kind in ("first", "the"):
        return _one(c, expr, tests)
    return _best(c, expr, tests)


def _returns_binder(expr: e.Fold) -> bool:
    return len(expr.bindings) == 1 and (
        expr.value is None or (isinstance(expr.value, e.Var) and expr.value.id == expr.bindings[0].var)
    )


@dataclass(frozen=True, slots=True)
class Inner:
    """The innermost loop, its conditions compiled once.

    `mask` is the narrowed domain of a loop over a set, else None; `test` what is left to test.
    """

    items: Items
    slot: int
    mask: Fn | None
    test: Fn | None


def _inner(c: Compiler, binding: e.Binding, tests: list[e.Expr], *extra: e.Expr | None) -> Inner:
    """`extra` is what else is computed for each element."""
    rest, mask, items = tests, None, None
    if isinstance(binding.domain, e.SetDomain):
        masks, rest = split(c, binding.var, tests)
        mask = narrowed(c.expr(binding.domain.set), masks)
        if masks or not isinstance(binding.domain.set, e.Const):
            items = _of_mask(c, mask)
    test = conjunction(tuple(c.expr(t) for t in rest), every=True) if rest else None
    each = weight(tuple(rest), *extra)
    items = domain(c, binding.domain, each) if items is None else counted(c, items, each)
    return Inner(items, c.slot(binding.var), mask, test)


def each(c: Compiler, bindings: tuple[e.Binding, ...], tests: list[e.Expr]) -> Callable[[Words, Visit], bool]:
    """Calls a visitor for every passing combination, until it answers true."""
    inner = _inner(c, bindings[-1], tests)
    items, slot, test = inner.items, inner.slot, inner.test

    def innermost(w: Words, visit: Visit) -> bool:
        for x in items(w):
            w[slot] = x
            if (test is None or test(w)) and visit(w):
                return True
        return False

    run: Callable[[Words, Visit], bool] = innermost
    for binding in reversed(bindings[:-1]):
        run = _around(domain(c, binding.domain), c.slot(binding.var), run)
    return run


def _around(items: Items, slot: int, inner: Callable[[Words, Visit], bool]) -> Callable[[Words, Visit], bool]:
    def run(w: Words, visit: Visit) -> bool:
        for x in items(w):
            w[slot] = x
            if inner(w, visit):
                return True
        return False

    return run


def _any(c: Compiler, bindings: tuple[e.Binding, ...], tests: list[e.Expr]) -> Fn:
    run = _any_inner(_inner(c, bindings[-1], tests))
    for binding in reversed(bindings[:-1]):
        run = _any_around(domain(c, binding.domain), c.slot(binding.var), run)
    return run


def _any_inner(inner: Inner) -> Fn:
    items, slot, mask, test = inner.items, inner.slot, inner.mask, inner.test
    if test is None:
        if mask is not None:
            return lambda w: mask(w) != 0
        return lambda w: any(True for _ in items(w))

    def run(w: Words) -> int:
        for x in items(w):
            w[slot] = x
            if test(w):
                return True
        return False

    return run


def _any_around(items: Items, slot: int, inner: Fn) -> Fn:
    def run(w: Words) -> int:
        for x in items(w):
            w[slot] = x
            if inner(w):
                return True
        return False

    return run


def _count(c: Compiler, bindings: tuple[e.Binding, ...], tests: list[e.Expr]) -> Fn:
    run = _count_inner(_inner(c, bindings[-1], tests))
    for binding in reversed(bindings[:-1]):
        run = _sum_around(domain(c, binding.domain), c.slot(binding.var), run)
    return run


def _count_inner(inner: Inner) -> Fn:
    items, slot, mask, test = inner.items, inner.slot, inner.mask, inner.test
    if test is None:
        if mask is not None:
            return lambda w: mask(w).bit_count()
        return lambda w: sum(1 for _ in items(w))

    def run(w: Words) -> int:
        n = 0
        for x in items(w):
            w[slot] = x
            if test(w):
                n += 1
        return n

    return run


def _sum_around(items: Items, slot: int, inner: Fn) -> Fn:
    def run(w: Words) -> int:
        n = 0
        for x in items(w):
            w[slot] = x
            n += inner(w)
        return n

    return run


def _sum(c: Compiler, expr: e.Fold, tests: list[e.Expr]) -> Fn:
    """Overflow is that of the exact total, whatever the parts come to on the way."""
    inner = _inner(c, expr.bindings[-1], tests, expr.value)
    items, slot, test = inner.items, inner.slot, inner.test
    value, site = _value(c, expr), expr.site

    def innermost(w: Words) -> int:
        n = 0
        for x in items(w):
            w[slot] = x
            if test is None or test(w):
                n += value(w)
        return n

    run: Fn = innermost
    for binding in reversed(expr.bindings[:-1]):
        run = _sum_around(domain(c, binding.domain), c.slot(binding.var), run)

    def checked(w: Words) -> int:
        n = run(w)
        if INT_MIN <= n <= INT_MAX:
            return n
        raise overflow(n, site)

    return checked


def _value(c: Compiler, expr: e.Fold) -> Fn:
    """The value of a combination; that of the last binder where none is written."""
    return c.word(expr.value) if expr.value is not None else c.reader(expr.bindings[-1].var)


def _set(c: Compiler, expr: e.Fold, tests: list[e.Expr]) -> Fn:
    run, value, site = each(c, expr.bindings, tests), _value(c, expr), expr.site
    union = expr.kind == "union"
    entities = isinstance(expr.type, SetType) and isinstance(expr.type.element, EntityType)

    def collect(w: Words) -> int:
        mask = 0

        def visit(w: Words) -> None:
            nonlocal mask
            if union:
                mask |= value(w)
            elif entities:
                mask |= 1 << value(w) & ~1
            else:
                mask |= 1 << bounded(value(w), site)

        run(w, visit)
        return mask

    return collect


def _fallback(c: Compiler, expr: e.Fold) -> Fn | None:
    return None if expr.default is None else c.word(expr.default)


def _one(c: Compiler, expr: e.Fold, tests: list[e.Expr]) -> Fn:
    run, value, default = each(c, expr.bindings, tests), _value(c, expr), _fallback(c, expr)
    first, site = expr.kind == "first", expr.site

    def find(w: Words) -> int:
        found: list[int] = []

        def visit(w: Words) -> bool:
            found.append(value(w))
            return first or len(found) > 1

        run(w, visit)
        if len(found) > 1:
            raise Fault("several", site, "there are several")
        if found:
            return found[0]
        if default is not None:
            return default(w)
        if first:
            return 0
        raise Fault("empty", site, "there is none")

    return find


def _best(c: Compiler, expr: e.Fold, tests: list[e.Expr]) -> Fn:
    """`min`, `max`: the value itself is compared; `most`, `least`: the key, the first of equals."""
    run, value, default = each(c, expr.bindings, tests), _value(c, expr), _fallback(c, expr)
    keyed = expr.kind in ("most", "least")
    key = c.expr(expr.key) if keyed and expr.key is not None else value
    sign, site = (1 if expr.kind in ("max", "most") else -1), expr.site

    def find(w: Words) -> int:
        best: tuple[int, int] | None = None

        def visit(w: Words) -> None:
            nonlocal best
            rank = sign * key(w)
            if best is None or rank > best[0]:
                best = rank, value(w)

        run(w, visit)
        if best is not None:
            return best[1]
        if default is not None:
            return default(w)
        if keyed:
            return 0
        raise Fault("empty", site, "there is none")

    return find
