"""Scalars: arithmetic, comparison, junctions, calls and hypothetical positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ludex.backends.interpreter import indexing
from ludex.backends.interpreter.memory import Fn
from ludex.backends.interpreter.tokens import holding, holds
from ludex.backends.machine import Fault, Words
from ludex.ir.passes.analysis import simplified
from ludex.ir.walk import nodes
from ludex.limits import MAX_RECURSION_DEPTH
from ludex.typed import expr as e
from ludex.typed.types import INT_MAX, INT_MIN

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler


def overflow(value: int, site: int) -> Fault:
    return Fault("overflow", site, f"{value} does not fit 32 bits")


def arithmetic(c: Compiler, expr: e.Arithmetic) -> Fn:
    left, right = c.expr(expr.left), c.expr(expr.right)
    site = expr.site
    if expr.op in ("div", "mod"):
        divide = expr.op == "div"

        def quotient(w: Words) -> int:
            a, b = left(w), right(w)
            if b == 0:
                raise Fault("zero", site, "division by zero")
            return a // b if divide else a % b

        plain: Fn = quotient
        if isinstance(expr.right, e.Const) and expr.right.value != 0:
            d = expr.right.value
            plain = (lambda w: left(w) // d) if divide else (lambda w: left(w) % d)
    elif isinstance(expr.right, e.Const):
        k = expr.right.value
        plain = _with_constant(expr.op, left, k)
    else:
        plain = _of_two(expr.op, left, right)
    if not expr.checked:
        return plain

    def checked(w: Words) -> int:
        value = plain(w)
        if INT_MIN <= value <= INT_MAX:
            return value
        raise overflow(value, site)

    return checked


def _with_constant(op: e.ArithmeticOp, left: Fn, k: int) -> Fn:
    match op:
        case "add":
            return lambda w: left(w) + k
        case "sub":
            return lambda w: left(w) - k
        case "mul":
            return lambda w: left(w) * k
        case "min":
            return lambda w: a if (a := left(w)) < k else k
        case _:
            return lambda w: a if (a := left(w)) > k else k


def _of_two(op: e.ArithmeticOp, left: Fn, right: Fn) -> Fn:
    match op:
        case "add":
            return lambda w: left(w) + right(w)
        case "sub":
            return lambda w: left(w) - right(w)
        case "mul":
            return lambda w: left(w) * right(w)
        case "min":
            return lambda w: min(left(w), right(w))
        case _:
            return lambda w: max(left(w), right(w))


def comparison(c: Compiler, expr: e.Comparison) -> Fn:
    held = holding(expr)
    if held is not None:
        return holds(c, *held)
    if expr.op in ("eq", "ne"):
        return equality(c, expr.left, expr.right, expr.op == "eq")
    left = c.expr(expr.left)
    if isinstance(expr.right, e.Const):
        k = expr.right.value
        match expr.op:
            case "lt":
                return lambda w: left(w) < k
            case "le":
                return lambda w: left(w) <= k
            case "gt":
                return lambda w: left(w) > k
            case _:
                return lambda w: left(w) >= k
    right = c.expr(expr.right)
    match expr.op:
        case "lt":
            return lambda w: left(w) < right(w)
        case "le":
            return lambda w: left(w) <= right(w)
        case "gt":
            return lambda w: left(w) > right(w)
        case _:
            return lambda w: left(w) >= right(w)


def equality(c: Compiler, a: e.Expr, b: e.Expr, positive: bool) -> Fn:
    """`a == b` (or not); a word or an element against a constant or a word takes no inner call."""
    if isinstance(a, e.Const) and not isinstance(b, e.Const):
        a, b = b, a
    word, element = _word(c, a), indexing.single(c, a)
    if isinstance(b, e.Const):
        k = b.value
        if word is not None:
            at = word
            return (lambda w: w[at] == k) if positive else (lambda w: w[at] != k)
        if element is not None:
            shift, slot = element
            return (lambda w: w[shift + w[slot]] == k) if positive else (lambda w: w[shift + w[slot]] != k)
        f = c.expr(a)
        return (lambda w: f(w) == k) if positive else (lambda w: f(w) != k)
    other = _word(c, b)
    f = c.expr(a)
    if other is not None:
        on = other
        if element is not None:
            shift, slot = element
            if positive:
                return lambda w: w[shift + w[slot]] == w[on]
            return lambda w: w[shift + w[slot]] != w[on]
        return (lambda w: f(w) == w[on]) if positive else (lambda w: f(w) != w[on])
    g = c.expr(b)
    return (lambda w: f(w) == g(w)) if positive else (lambda w: f(w) != g(w))


def _word(c: Compiler, expr: e.Expr) -> int | None:
    """The fixed word that holds the value of an expression, if one does."""
    if isinstance(expr, e.Var) and c.plain(expr.id):
        return c.slot(expr.id)
    return None


def negation(c: Compiler, expr: e.Negation) -> Fn:
    if isinstance(expr.operand, e.Comparison) and expr.operand.op in ("eq", "ne"):
        return equality(c, expr.operand.left, expr.operand.right, expr.operand.op == "ne")
    f = c.expr(expr.operand)
    return lambda w: not f(w)


def junction(c: Compiler, expr: e.Junction) -> Fn:
    simple = simplified(expr)
    if not isinstance(simple, e.Junction):
        return c.expr(simple)
    return conjunction(tuple(c.expr(part) for part in simple.operands), simple.op == "and")


def conjunction(parts: tuple[Fn, ...], every: bool) -> Fn:
    """All (or any) of the parts, from the left and no further than needed."""
    if len(parts) == 0:
        return lambda w: every
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        f, g = parts
        return (lambda w: f(w) and g(w)) if every else (lambda w: f(w) or g(w))
    if len(parts) == 3:
        f, g, h = parts
        return (lambda w: f(w) and g(w) and h(w)) if every else (lambda w: f(w) or g(w) or h(w))

    def run(w: Words) -> int:
        for part in parts:
            if not part(w):
                if every:
                    return False
            elif not every:
                return True
        return every

    return run


def select(c: Compiler, expr: e.Select) -> Fn:
    test, then, orelse = c.expr(expr.test), c.expr(expr.then), c.expr(expr.orelse)
    if isinstance(expr.then, e.Const) and isinstance(expr.orelse, e.Const):
        yes, no = expr.then.value, expr.orelse.value
        return lambda w: yes if test(w) else no
    return lambda w: then(w) if test(w) else orelse(w)


def in_range(c: Compiler, expr: e.InRange) -> Fn:
    element, lo, hi = c.expr(expr.element), c.expr(expr.lo), c.expr(expr.hi)
    if isinstance(expr.lo, e.Const) and isinstance(expr.hi, e.Const):
        a, b = expr.lo.value, expr.hi.value
        return lambda w: a <= element(w) <= b

    def run(w: Words) -> int:
        x, least, greatest = element(w), lo(w), hi(w)
        return least <= x <= greatest

    return run


def apply(c: Compiler, expr: e.Apply) -> Fn:
    function = c.functions[expr.function]
    slots = tuple(c.slot(var) for var in function.params)
    args = tuple(c.word(arg) for arg in expr.args)
    if function.recursive:
        return _apply_recursive(c, expr.function, slots, args)
    body = _counted_body(c, expr.function)
    if not slots:
        return body
    if len(slots) == 1:
        (slot,), (arg,) = slots, args

        def call_one(w: Words) -> int:
            w[slot] = arg(w)
            return body(w)

        return call_one
    pairs = tuple(zip(slots, args, strict=True))

    def call(w: Words) -> int:
        for to, value in [(to, arg(w)) for to, arg in pairs]:
            w[to] = value
        return body(w)

    return call


def _counted_body(c: Compiler, name: str) -> Fn:
    """The body; each call counts as effort, as definitions may use each other twice over."""
    run, context = c.body(name), c.context
    effort = 1 + sum(1 for _ in nodes(c.functions[name].body)) // 8

    def body(w: Words) -> int:
        context.spend(effort)
        return run(w)

    return body


def _apply_recursive(c: Compiler, name: str, slots: tuple[int, ...], args: tuple[Fn, ...]) -> Fn:
    """A call costs a tick; what the function binds is saved around it."""
    saved = tuple(c.slot(var) for var in c.functions[name].variables)
    context, bodies = c.context, c.bodies
    effort = 4 + sum(1 for _ in nodes(c.functions[name].body)) // 8
    c.body(name)

    def call(w: Words) -> int:
        values = [arg(w) for arg in args]
        context.tick()
        context.spend(effort)
        if context.depth >= MAX_RECURSION_DEPTH:
            message = f"`{name}` stands {MAX_RECURSION_DEPTH} times within itself"
            raise Fault("depth", -1, message, context.rule)
        context.depth += 1
        kept = [w[slot] for slot in saved]
        for slot, value in zip(slots, values, strict=True):
            w[slot] = value
        result = bodies[name](w)
        for slot, value in zip(saved, kept, strict=True):
            w[slot] = value
        context.depth -= 1
        return result

    return call


def hypothetical(c: Compiler, expr: e.Hypothetical) -> Fn:
    """All but the trail (which nothing writes in a `try`) is put back, also after a fault."""
    run, body = procedure_call(c, expr.procedure, expr.args), c.expr(expr.body)
    context, canonical, scratch = c.context, c.memory.words, c.memory.saved

    copying = (c.memory.size + 63) // 64

    def attempt(w: Words) -> int:
        context.spend(copying)
        front, back = w[:canonical], w[scratch:]
        events, applied, rule, depth = context.events, context.applied, context.rule, context.depth
        context.events, context.applied = None, context.unseen
        try:
            run(w)
            return body(w)
        finally:
            w[:canonical] = front
            w[scratch:] = back
            context.events, context.applied, context.rule, context.depth = events, applied, rule, depth

    return attempt


def procedure_call(c: Compiler, name: str, args: tuple[e.Expr, ...]) -> Callable[[Words], None]:
    """Runs an atomic procedure; one tick."""
    atomic = c.atomics[name]
    values, body, context = c.values(args), c.procedure(name), c.context
    slots = tuple(c.slot(var) for var in atomic.params)

    def run(w: Words) -> None:
        given = values(w)
        context.tick()
        for slot, value in zip(slots, given, strict=True):
            w[slot] = value
        body(w)

    return run
