"""Conditions, comparisons, membership and arithmetic."""

from __future__ import annotations

from ludex.check import build, codes
from ludex.check.coercions import (
    as_integer,
    as_set,
    boolean,
    constant_family,
    describe,
    entity,
    integer,
    join,
    never_alike,
    number_of,
    plain,
    set_,
    value,
    wrong,
)
from ludex.check.context import Context, Env
from ludex.check.elaborated import Bag, Direction, Elaborated, Ints, Seats
from ludex.check.narrowing import facts
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.types import INT_MAX, INT_MIN, NONE, EntityType, FamilyType, IntType, SetType, TrackType


def cond(cx: Context, node: ast.Cond, env: Env) -> Elaborated:
    test = boolean(cx, node.test, env)
    then = cx.elaborate(node.then, env.narrowed(facts(cx, node.test, True)))
    orelse = cx.elaborate(node.orelse, env.narrowed(facts(cx, node.test, False)))
    if isinstance(then, Direction) and isinstance(orelse, Direction):
        return Direction(build.select(test, then.value, orelse.value, IntType(-1, 1)))
    a, b = plain(cx, then, node.then), plain(cx, orelse, node.orelse)
    if isinstance(a.type, SetType) != isinstance(b.type, SetType):
        a, b = as_set(cx, a, node.then), as_set(cx, b, node.orelse)
    t = join(a.type, b.type)
    if t is None:
        raise wrong(
            cx,
            codes.WRONG_TYPE,
            f"the two branches differ: one is {describe(a.type)}, the other {describe(b.type)}",
            node.span,
        )
    return build.select(test, a, b, t)


def logic(cx: Context, node: ast.Logic, env: Env) -> x.Expr:
    operands: list[x.Expr] = []
    for operand in node.operands:
        operands.append(boolean(cx, operand, env))
        env = env.narrowed(facts(cx, operand, node.op == "and"))
    return build.junction(node.op, operands)


_OPS: dict[str, x.CompareOp] = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def compare(cx: Context, node: ast.Compare, env: Env) -> x.Expr:
    op = _OPS[node.op]
    if op in ("lt", "le", "gt", "ge"):
        return build.comparison(op, integer(cx, node.left, env), integer(cx, node.right, env))
    left, right = cx.elaborate(node.left, env), cx.elaborate(node.right, env)
    a, b = plain(cx, left, node.left), plain(cx, right, node.right)
    if isinstance(a.type, SetType) != isinstance(b.type, SetType):
        a, b = as_set(cx, a, node.left), as_set(cx, b, node.right)
    t = join(a.type, b.type)
    if t is None:
        message = f"{describe(a.type)} cannot be compared with {describe(b.type)}"
        sides = (a.type, b.type, node.left), (b.type, a.type, node.right)
        help = (number_of(cx, t, side.span.text) for t, other, side in sides if isinstance(other, IntType))
        raise wrong(cx, codes.WRONG_TYPE, message, node.span, next(filter(None, help), None))
    if never_alike(a.type, b.type):
        message = f"{describe(a.type)} is never {describe(b.type)}: they cannot be equal"
        raise wrong(cx, codes.NEVER_EQUAL, message, node.span)
    if isinstance(a.type, EntityType) and isinstance(b.type, EntityType):
        both = set(a.type.kinds) & set(b.type.kinds)
        if not both and a.type.kinds and b.type.kinds:
            raise wrong(
                cx,
                codes.NEVER_EQUAL,
                f"{describe(a.type)} is never {describe(b.type)}: they cannot be equal",
                node.span,
                _its_place(cx, node, a.type, b.type),
            )
        for side, other in ((a.type, b.type), (b.type, a.type)):
            if not side.kinds and not other.optional:
                return build.FALSE if op == "eq" else build.TRUE
    return build.comparison(op, a, b)


def _its_place(cx: Context, node: ast.Compare, a: EntityType, b: EntityType) -> str | None:
    """The help where a thing is compared with a place: its place may be meant."""
    for side, thing, place in ((node.left, a, b), (node.right, b, a)):
        if all(cx.kinds[k].is_movable for k in thing.kinds) and all(
            cx.kinds[k].is_location for k in place.kinds
        ):
            return f"where it is: `{side.span.text}.place`"
    return None


def member(cx: Context, node: ast.Member, env: Env) -> x.Expr:
    left = value(cx, node.left, env)
    right = cx.elaborate(node.right, env)
    result: x.Expr
    if isinstance(right, Ints):
        if not isinstance(left.type, IntType):
            raise wrong(
                cx, codes.WRONG_TYPE, f"a number is needed, this is {describe(left.type)}", node.left.span
            )
        result = build.in_range(left, right.lo, right.hi)
    elif isinstance(right, Bag) and right.place is None:
        result = build.membership(left, right.faces)
    elif not isinstance(right, Bag | Seats | Direction) and isinstance(right.type, FamilyType):
        result = x.FamilyMember(as_set(cx, left, node.left), constant_family(cx, right, node.right.span))
    else:
        members = as_set(cx, right, node.right)
        assert isinstance(members.type, SetType)
        if isinstance(left.type, SetType):
            raise wrong(
                cx,
                codes.WRONG_TYPE,
                "a set is not a member of a set",
                node.span,
                "use `A within B` for subsets",
            )
        if isinstance(left.type, IntType) != isinstance(members.type.element, IntType):
            raise wrong(
                cx,
                codes.NEVER_EQUAL,
                f"{describe(left.type)} is never in {describe(members.type)}",
                node.span,
            )
        if isinstance(left.type, EntityType) and isinstance(members.type.element, EntityType):
            kinds = members.type.element.kinds
            if kinds and left.type.kinds and not set(kinds) & set(left.type.kinds):
                raise wrong(
                    cx,
                    codes.NEVER_EQUAL,
                    f"{describe(left.type)} is never in {describe(members.type)}",
                    node.span,
                )
        result = build.membership(left, members)
    return build.negation(result) if node.negated else result


def within(cx: Context, left: ast.Expr, right: ast.Expr, env: Env) -> x.Expr:
    a, b = set_(cx, left, env), set_(cx, right, env)
    if never_alike(a.type, b.type):
        raise wrong(
            cx,
            codes.NEVER_EQUAL,
            f"{describe(a.type)} is never part of {describe(b.type)}",
            left.span.to(right.span),
        )
    return cx.fold(x.Subset(a, b))


def is_(cx: Context, node: ast.Is, env: Env) -> x.Expr:
    e = cx.elaborate(node.operand, env)
    if node.what == "none":
        v = plain(cx, e, node.operand)
        if not isinstance(v.type, EntityType):
            raise wrong(cx, codes.WRONG_TYPE, f"{describe(v.type)} is never none", node.span)
        if not v.type.optional:
            result: x.Expr = build.FALSE
        else:
            result = build.comparison("eq", v, x.Const(0, NONE))
    elif isinstance(e, Bag):
        result = build.negation(tokens_present(cx, e, node.operand.span))
    else:
        result = build.negation(occupied(cx, e, node.operand))
    return build.negation(result) if node.negated else result


def occupied(cx: Context, e: Elaborated, node: ast.Expr) -> x.Expr:
    """Whether a set has elements, or a space or pile holds something."""
    v = plain(cx, e, node)
    if isinstance(v.type, EntityType) and v.type.kinds and all(cx.kinds[k].is_location for k in v.type.kinds):
        if v.type.optional:
            raise wrong(
                cx,
                codes.MAY_BE_NONE,
                "this may be no place at all",
                node.span,
                "test it first (`… is not none and …`), or go through it (`t in … where t is empty`)",
            )
        return location_occupied(cx, v)
    return build.not_empty(as_set(cx, v, node))


def location_occupied(cx: Context, place: x.Expr) -> x.Expr:
    assert isinstance(place.type, EntityType)
    cx.state_reads += 1
    parts: list[x.Expr] = []
    movables = tuple(
        k.name for k in cx.kinds.values() if k.is_movable and _may_be(cx, k.name, place.type.kinds)
    )
    tokens = tuple(
        k.name for k in cx.kinds.values() if k.category == "token" and _may_be(cx, k.name, place.type.kinds)
    )
    if movables:
        s = x.Occupants(place, cx.mask(movables), SetType(EntityType(movables)))
        parts.append(build.not_empty(s))
    if tokens:
        n = x.TokenCount(cx.kind_set(tokens), place, IntType(0, 1023))
        parts.append(build.comparison("gt", n, build.integer(0)))
    return build.junction("or", parts)


def _may_be(cx: Context, kind: str, places: tuple[str, ...]) -> bool:
    return any(cx.kinds[place].may_hold(cx.kinds[kind]) for place in places if place in cx.kinds)


def tokens_present(cx: Context, bag: Bag, span: Span) -> x.Expr:
    return build.comparison("gt", token_count(cx, bag, span), build.integer(0))


def token_count(cx: Context, bag: Bag, span: Span) -> x.Expr:
    if bag.place is None:
        raise wrong(
            cx, codes.WRONG_TYPE, f"where are the tokens of {bag.kind}?", span, f"say `{bag.kind} at PLACE`"
        )
    cx.state_reads += 1
    number = IntType(0, 1 << 20)
    if not isinstance(bag.place.type, SetType):
        return x.TokenCount(bag.faces, bag.place, number)
    place = cx.new_var("place", bag.place.type.element)
    here = x.TokenCount(bag.faces, place, number)
    binding = x.Binding(place.id, x.SetDomain(bag.place))
    return x.Fold("sum", (binding,), None, here, None, None, number, cx.site(span))


def seats(cx: Context, node: ast.SeatsFrom, env: Env) -> Seats:
    d = cx.elaborate(node.direction, env)
    if not isinstance(d, Direction):
        raise wrong(
            cx,
            codes.WRONG_TYPE,
            "a direction is needed before `from`",
            node.direction.span,
            "`clockwise from P` or `counterclockwise from P`",
        )
    return Seats(x.SeatsDomain(d.value, entity(cx, node.start, env, ("player",))))


def binary(cx: Context, node: ast.Binary, env: Env) -> Elaborated:
    if node.op in ("+", "-"):
        left, right = cx.elaborate(node.left, env), cx.elaborate(node.right, env)
        families = [e for e in (left, right) if isinstance(getattr(e, "type", None), FamilyType)]
        if len(families) == 2 and node.op == "+":
            return x.SetOperation("union", families[0], families[1], families[0].type)  # type: ignore[arg-type]
        if _settish(left) or _settish(right):
            for e, other, side in ((left, right, node.left), (right, left, node.right)):
                if _settish(e) and isinstance(other.type, IntType):
                    raise wrong(
                        cx,
                        codes.WRONG_TYPE,
                        f"this is {describe(e.type)}, and it is joined with a number by `{node.op}`",
                        side.span,
                        "count it: `count(…)`",
                    )
            a, b = as_set(cx, left, node.left), as_set(cx, right, node.right)
            t = join(a.type, b.type)
            if node.op == "-" and never_alike(a.type, b.type):
                raise wrong(
                    cx,
                    codes.NEVER_EQUAL,
                    f"{describe(b.type)} is never in {describe(a.type)}, so there is nothing to take away",
                    node.right.span,
                )
            if t is None:
                raise wrong(
                    cx,
                    codes.WRONG_TYPE,
                    f"{describe(a.type)} and {describe(b.type)} do not go together",
                    node.span,
                )
            return build.set_operation(
                "union" if node.op == "+" else "diff", a, b, t if node.op == "+" else a.type
            )
    else:
        left, right = cx.elaborate(node.left, env), cx.elaborate(node.right, env)
    ops: dict[str, x.ArithmeticOp] = {"+": "add", "-": "sub", "*": "mul", "div": "div", "mod": "mod"}
    a, b = as_integer(cx, left, node.left), as_integer(cx, right, node.right)
    if node.op in ("div", "mod") and build.is_false(b):
        raise wrong(cx, codes.OUT_OF_RANGE, "this divides by zero", node.right.span)
    made = build.arith(ops[node.op], a, b, cx.site(node.span))
    if isinstance(made, x.Arithmetic) and (made.type.lo > INT_MAX or made.type.hi < INT_MIN):
        raise wrong(
            cx, codes.OUT_OF_RANGE, f"this is beyond what a number can be, {INT_MIN} to {INT_MAX}", node.span
        )
    return made


def _settish(e: Elaborated) -> bool:
    if isinstance(e, Bag | Seats | Direction):
        return False
    return isinstance(e.type, SetType | EntityType | TrackType)
