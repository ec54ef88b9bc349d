"""Smart constructors of typed expressions: fold constants, carry ranges, simplify."""

from __future__ import annotations

from ludex.check.arithmetic import NotConstant, arithmetic, compare, holds
from ludex.typed import expr as x
from ludex.typed.types import BOOL, INT_MAX, INT_MIN, EntityType, IntType, SetType, Type

TRUE = x.Const(1, BOOL)
FALSE = x.Const(0, BOOL)


def integer(value: int) -> x.Const:
    return x.Const(value, IntType(value, value))


def is_true(e: x.Expr) -> bool:
    return isinstance(e, x.Const) and e.value != 0


def is_false(e: x.Expr) -> bool:
    return isinstance(e, x.Const) and e.value == 0


def bounds(t: Type) -> tuple[int, int]:
    return (t.lo, t.hi) if isinstance(t, IntType) else (INT_MIN, INT_MAX)


def _corner_range(op: str, a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    match op:
        case "add":
            return a[0] + b[0], a[1] + b[1]
        case "sub":
            return a[0] - b[1], a[1] - b[0]
        case "mul":
            corners = [p * q for p in a for q in b]
            return min(corners), max(corners)
        case "div":
            if b[0] <= 0 <= b[1]:
                high = max(abs(a[0]), abs(a[1]))
                return -high, high
            corners = [p // q for p in a for q in b]
            return min(corners), max(corners)
        case "mod":
            if b[0] > 0:
                return (a[0], a[1]) if a[0] >= 0 and a[1] < b[0] else (0, b[1] - 1)
            return INT_MIN, INT_MAX
        case "min":
            return min(a[0], b[0]), min(a[1], b[1])
        case _:
            return max(a[0], b[0]), max(a[1], b[1])


def arith(op: x.ArithmeticOp, left: x.Expr, right: x.Expr, site: int) -> x.Expr:
    if isinstance(left, x.Const) and isinstance(right, x.Const):
        try:
            return integer(arithmetic(op, left.value, right.value))
        except NotConstant:
            pass
    if isinstance(right, x.Const) and right.value == 0 and op in ("add", "sub"):
        return left
    if isinstance(left, x.Const) and left.value == 0 and op == "add":
        return right
    if isinstance(right, x.Const) and right.value == 1 and op in ("mul", "div"):
        return left
    lo, hi = _corner_range(op, bounds(left.type), bounds(right.type))
    checked = lo < INT_MIN or hi > INT_MAX
    return x.Arithmetic(op, left, right, IntType(max(lo, INT_MIN), min(hi, INT_MAX)), site, checked)


def comparison(op: x.CompareOp, left: x.Expr, right: x.Expr) -> x.Expr:
    if isinstance(left, x.Const) and isinstance(right, x.Const):
        return TRUE if compare(op, left.value, right.value) else FALSE
    if isinstance(left.type, IntType) and isinstance(right.type, IntType):
        a, b = left.type, right.type
        if op in ("lt", "le", "gt", "ge"):
            lo = compare(op, a.lo, b.hi) if op in ("gt", "ge") else compare(op, a.hi, b.lo)
            hi = compare(op, a.hi, b.lo) if op in ("gt", "ge") else compare(op, a.lo, b.hi)
            if lo == hi:
                return TRUE if lo else FALSE
        elif a.hi < b.lo or b.hi < a.lo:
            return TRUE if op == "ne" else FALSE
    return x.Comparison(op, left, right)


def negation(e: x.Expr) -> x.Expr:
    if isinstance(e, x.Const):
        return FALSE if e.value else TRUE
    if isinstance(e, x.Negation):
        return e.operand
    if isinstance(e, x.Comparison):
        other: dict[x.CompareOp, x.CompareOp] = {
            "eq": "ne",
            "ne": "eq",
            "lt": "ge",
            "ge": "lt",
            "gt": "le",
            "le": "gt",
        }
        return x.Comparison(other[e.op], e.left, e.right)
    return x.Negation(e)


def junction(op: str, operands: list[x.Expr]) -> x.Expr:
    """Drops neutral constants; cut short at one that decides, with what comes before it kept
    only if it could fault is not kept: conditions are pure, and a fault there is the rule's own."""
    kept: list[x.Expr] = []
    for o in operands:
        if isinstance(o, x.Const):
            if (o.value != 0) == (op == "or"):
                if not kept:
                    return o
                kept.append(o)
                break
            continue
        if isinstance(o, x.Junction) and o.op == op:
            kept.extend(o.operands)
        else:
            kept.append(o)
    if not kept:
        return FALSE if op == "or" else TRUE
    if len(kept) == 1:
        return kept[0]
    return x.Junction("and" if op == "and" else "or", tuple(kept))


def select(test: x.Expr, then: x.Expr, orelse: x.Expr, type: Type) -> x.Expr:
    if isinstance(test, x.Const):
        chosen = then if test.value else orelse
        return chosen
    if then == orelse:
        return then
    return x.Select(test, then, orelse, type)


def set_operation(op: x.SetOp, left: x.Expr, right: x.Expr, type: Type) -> x.Expr:
    if isinstance(left, x.Const) and isinstance(right, x.Const):
        a, b = left.value, right.value
        return x.Const(a | b if op == "union" else a & b if op == "inter" else a & ~b, type)
    if op == "inter":
        for whole, other in ((left, right), (right, left)):
            if isinstance(whole, x.Const) and isinstance(other, x.Occupants):
                return x.Occupants(other.place, other.mask & whole.value, type)
    return x.SetOperation(op, left, right, type)


def membership(element: x.Expr, members: x.Expr) -> x.Expr:
    if isinstance(members, x.Const):
        if isinstance(element, x.Const):
            return TRUE if holds(members.value, element.value) else FALSE
        if members.value == 0:
            return FALSE
    if isinstance(members, x.IntRange):
        return in_range(element, members.lo, members.hi)
    if isinstance(members, x.Singleton) and not members.keep_none:
        return comparison("eq", element, members.element)
    return x.Membership(element, members)


def in_range(element: x.Expr, lo: x.Expr, hi: x.Expr) -> x.Expr:
    if isinstance(element, x.Const) and isinstance(lo, x.Const) and isinstance(hi, x.Const):
        return TRUE if lo.value <= element.value <= hi.value else FALSE
    return x.InRange(element, lo, hi)


def size(s: x.Expr) -> x.Expr:
    if isinstance(s, x.Const):
        return integer(s.value.bit_count())
    top = 1023
    if isinstance(s, x.Occupants):
        top = s.mask.bit_count()
    return x.Size(s, IntType(0, top))


def is_empty(s: x.Expr) -> x.Expr:
    return comparison("eq", s, x.Const(0, s.type))


def not_empty(s: x.Expr) -> x.Expr:
    return comparison("ne", s, x.Const(0, s.type))


def set_of(t: Type) -> SetType:
    """The type of a set of values of type `t`."""
    if isinstance(t, EntityType):
        return SetType(EntityType(t.kinds))
    if isinstance(t, IntType):
        return SetType(t)
    raise TypeError(t)
