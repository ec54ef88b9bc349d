"""Aggregates: nested loops over bindings that stop as soon as the result is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

from ludex.backends.wasm import asm
from ludex.backends.wasm.asm import Ex, Label, choose, const
from ludex.backends.wasm.emitter import Unit
from ludex.backends.wasm.shapes import Shape, Words, reshaped
from ludex.ir.passes.facts import worth_ahead
from ludex.ir.walk import binds, reads, rewrite
from ludex.typed import expr as e
from ludex.typed.types import EntityType, SetType


@contextmanager
def going_through(u: Unit, var: int, domain: e.Domain) -> Iterator[None]:
    """A loop over a domain, fixed at the start; what is emitted within is done for each element."""
    from ludex.backends.wasm import sets, values

    f = u.f
    match domain:
        case e.SetDomain(e.Singleton(element, keep_none=False)) if isinstance(element.type, EntityType):
            x = f.keep(values.value(u, element))
            if element.type.optional:
                with f.when(x):
                    u.write(var, x)
                    yield
            else:
                u.write(var, x)
                yield
        case e.SetDomain(set_):
            words = sets.words(u, set_)
            with u.each(words) as x:
                u.write(var, x)
                yield
        case e.RangeDomain(lo, hi):
            x, last = f.local(), f.local()
            f.set(x, values.value(u, lo))
            f.set(last, values.value(u, hi))
            with f.block() as done:
                f.jump(done, x.compare("gt_s", last))
                with f.loop() as again:
                    u.write(var, x)
                    yield
                    f.jump(done, x.compare("ge_s", last))
                    f.set(x, x + 1)
                    f.jump(again)
        case e.SeatsDomain(direction, start):
            first, n = u.player_kind()
            step = f.keep(values.value(u, direction))
            x = f.local()
            f.set(x, values.value(u, start))
            left = f.local()
            f.set(left, choose(x.eqz(), const(0), const(n)))
            with f.block() as done, f.loop() as again:
                f.jump(done, left.eqz())
                u.write(var, x)
                yield
                f.set(x, x + step)
                f.set(x, choose(x.compare("lt_s", first), const(first + n - 1), x))
                f.set(x, choose(x.compare("ge_s", first + n), const(first), x))
                f.set(left, left - 1)
                f.jump(again)
        case e.FamilyDomain(family):
            where, shape = sets.family(u, family)
            at, end = f.local(), f.local()
            f.set(at, where)
            f.set(end, at + 8 + asm.load(at) * (8 * shape.size))
            f.set(at, at + 8)
            with f.block() as done, f.loop() as again:
                f.jump(done, at.compare("ge_u", end))
                u.write_set(var, sets.members_at(u, at, shape))
                yield
                f.set(at, at + 8 * shape.size)
                f.jump(again)


def each(
    u: Unit,
    bindings: tuple[e.Binding, ...],
    guard: e.Expr | None,
    visit: Callable[[Label], None],
    *body: object,
) -> None:
    """Emits `visit` for every passing combination; it gets the label that leaves all the loops.

    `body` is what it evaluates, for the count of work.
    """
    from ludex.backends.wasm import values

    units = u.c.cost.each(bindings, (guard, *body))
    with u.f.block() as done:

        def inner(i: int) -> None:
            if i == len(bindings):
                u.spend(units)
                if guard is None or (isinstance(guard, e.Const) and guard.value):
                    visit(done)
                else:
                    with u.f.when(values.value(u, guard)):
                        visit(done)
                return
            with going_through(u, bindings[i].var, bindings[i].domain):
                inner(i + 1)

        inner(0)


def fold(u: Unit, expr: e.Fold) -> Ex:
    """An aggregate whose value is no set, or of sets the one that is looked for."""
    from ludex.backends.wasm import lines

    result = u.f.local()

    def emit() -> None:
        found = lines.any_within(u, expr)
        if found is not None:
            u.f.set(result, found)
        else:
            _scalar(u, ahead(u, expr), result)

    return Ex((*u.part(emit), *result.ops))


def ahead(u: Unit, expr: e.Fold) -> e.Fold:
    """Evaluates what the loops have no say in, once; the aggregate that uses it.

    Only sets, aggregates and calls that can neither fault nor cost ticks and rely on no test.
    """
    from ludex.backends.wasm import code

    bound = binds(expr)

    def change(node: object) -> object | None:
        if not worth_ahead(node):
            return None
        if (
            (reads(node) - binds(node)) & bound
            or not u.c.facts.total(node)
            or not u.c.facts.self_reliant(node)
        ):
            return None
        var = u.c.variable(node.type)
        code.assign(u, var, node)
        return e.Var(var, node.type)

    first, *others = expr.bindings
    return e.Fold(
        expr.kind,
        (first, *cast(tuple[e.Binding, ...], rewrite(tuple(others), change))),
        cast("e.Expr | None", rewrite(expr.guard, change)),
        cast("e.Expr | None", rewrite(expr.value, change)),
        cast("e.Expr | None", rewrite(expr.key, change)),
        expr.default,
        expr.type,
        expr.site,
    )


def _scalar(u: Unit, expr: e.Fold, result: Ex) -> None:
    from ludex.backends.wasm import values

    f = u.f
    kind = expr.kind
    if kind == "any" and expr.value is None and (words := whole(u, expr)) is not None:
        from ludex.backends.wasm.sets import any_bit

        f.set(result, any_bit(words).compare("ne", 0))
    elif kind in ("any", "all"):
        f.set(result, int(kind == "all"))

        def decide(done: Label) -> None:
            if expr.value is None:
                if kind == "any":
                    f.set(result, 1)
                    f.jump(done)
                return
            test = values.value(u, expr.value)
            with f.when(test if kind == "any" else test.eqz()):
                f.set(result, int(kind == "any"))
                f.jump(done)

        each(u, expr.bindings, expr.guard, decide, expr.value)
    elif kind == "count" and (words := whole(u, expr)) is not None:
        total = words.words[0].unary("popcnt")
        for word in words.words[1:]:
            total = total + word.unary("popcnt")
        f.set(result, total.wrap())
    elif kind == "count":
        f.set(result, 0)
        each(u, expr.bindings, expr.guard, lambda done: f.set(result, result + 1))
    elif kind == "sum" and u.c.facts.bounded(expr):
        f.set(result, 0)
        each(u, expr.bindings, expr.guard, lambda done: f.set(result, result + item(u, expr)), expr.value)
    elif kind == "sum":
        total = f.local("i64")
        f.set(total, 0)
        each(
            u,
            expr.bindings,
            expr.guard,
            lambda done: f.set(total, total + item(u, expr).extend()),
            expr.value,
        )
        f.set(result, total.wrap())
        with f.when(total.compare("ne", result.extend())):
            u.fault("overflow", expr.site)
    else:
        _found(u, expr, result)


def whole(u: Unit, expr: e.Fold) -> Words | None:
    """The domain of an aggregate over all of one set, evaluated; None of any other."""
    from ludex.backends.wasm import sets

    if expr.guard is not None and not (isinstance(expr.guard, e.Const) and expr.guard.value):
        return None
    if len(expr.bindings) > 1 or not isinstance(expr.bindings[0].domain, e.SetDomain):
        return None
    return sets.words(u, expr.bindings[0].domain.set)


def item(u: Unit, expr: e.Fold) -> Ex:
    """The value of a combination; that of the last binder where none is written."""
    from ludex.backends.wasm import values

    return values.value(u, expr.value) if expr.value is not None else u.read(expr.bindings[-1].var)


def _found(u: Unit, expr: e.Fold, result: Ex) -> None:
    """`first`, `the`, `min`, `max`, `most`, `least` of words."""
    from ludex.backends.wasm import values

    f = u.f
    seen = search(u, expr, lambda: f.set(result, item(u, expr)), lambda: item(u, expr))
    with f.when(seen.eqz()):
        if expr.default is not None:
            f.set(result, values.value(u, expr.default))
        elif expr.kind in ("first", "most", "least"):
            f.set(result, 0)
        else:
            u.fault("empty", expr.site)


def search(u: Unit, expr: e.Fold, take: Callable[[], None], own: Callable[[], Ex]) -> Ex:
    """Goes through the combinations and takes the one that is looked for; whether there is one.

    `own` is the value itself, which `min` and `max` compare.
    """
    from ludex.backends.wasm import values

    f = u.f
    seen = f.local()
    f.set(seen, 0)
    if expr.kind == "first":

        def take_first(done: Label) -> None:
            take()
            f.set(seen, 1)
            f.jump(done)

        each(u, expr.bindings, expr.guard, take_first, expr.value)
    elif expr.kind == "the":

        def take_only(done: Label) -> None:
            take()
            with f.when(seen):
                u.fault("several", expr.site)
            f.set(seen, 1)

        each(u, expr.bindings, expr.guard, take_only, expr.value)
    else:
        best, rank = f.local(), f.local()
        better = "gt_s" if expr.kind in ("max", "most") else "lt_s"

        def take_better(done: Label) -> None:
            f.set(rank, own() if expr.key is None else values.value(u, expr.key))
            with f.when(seen.eqz() | rank.compare(better, best)):
                f.set(best, rank)
                f.set(seen, 1)
                take()

        each(u, expr.bindings, expr.guard, take_better, expr.value, expr.key)
    return seen


def collected(u: Unit, expr: e.Fold, shape: Shape) -> Words:
    """An aggregate whose value is a set."""
    from ludex.backends.wasm import sets

    expr = ahead(u, expr)
    f = u.f
    made = tuple(f.local("i64") for _ in range(shape.size))
    for local in made:
        f.set(local, 0)
    if expr.kind == "set":
        assert isinstance(expr.type, SetType)
        last = expr.bindings[-1].var
        if expr.value is None or (isinstance(expr.value, e.Var) and expr.value.id == last):
            elements = whole(u, expr)
            if elements is not None:
                return reshaped(elements, shape)
        x = f.local()
        type_ = expr.value.type if expr.value is not None else u.c.variables[expr.bindings[-1].var].type

        def add(done: Label) -> None:
            f.set(x, item(u, expr))
            if isinstance(type_, EntityType):
                if type_.optional:
                    with f.when(x.compare("ne", 0)):
                        sets.include(u, made, shape, x)
                    return
            else:
                sets.faults_outside(u, x, type_, expr.site)
            sets.include(u, made, shape, x)

        each(u, expr.bindings, expr.guard, add, expr.value)
        return Words(shape, made)

    def value() -> Words:
        if expr.value is not None:
            return reshaped(sets.words(u, expr.value), shape)
        return reshaped(u.read_set(expr.bindings[-1].var), shape)

    if expr.kind == "union":

        def unite(done: Label) -> None:
            for local, word in zip(made, value().words, strict=True):
                f.set(local, local | word)

        each(u, expr.bindings, expr.guard, unite, expr.value)
        return Words(shape, made)
    seen = search(u, expr, lambda: sets.fill(u, made, value()), _no_value)
    with f.when(seen.eqz()):
        if expr.default is not None:
            sets.fill(u, made, reshaped(sets.words(u, expr.default), shape))
        elif expr.kind == "the":
            u.fault("empty", expr.site)
    return Words(shape, made)


def _no_value() -> Ex:
    raise TypeError("sets have no order")
