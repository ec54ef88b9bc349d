"""Expressions: names resolved, types inferred, optional values tested, constants folded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from ludex.check import build, codes
from ludex.check.context import (
    ActionSymbol,
    Context,
    DefineSymbol,
    DiagramSymbol,
    Env,
    KindSymbol,
    LazySymbol,
    ProcedureSymbol,
    RangeSymbol,
    RecordSymbol,
    StateSymbol,
    TableSymbol,
    TrackSymbol,
    ValueSymbol,
)
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.types import (
    BOOL,
    NONE,
    BagType,
    BoolType,
    EntityType,
    FamilyType,
    IntType,
    SeatsType,
    SetType,
    TrackType,
    Type,
)


class Wrong(Exception):
    """What is being elaborated has an error, which has been reported."""


@dataclass(frozen=True, slots=True)
class Bag:
    """Tokens as written: faces (a set), perhaps at a location."""

    faces: x.Expr
    place: x.Expr | None
    kind: str

    @property
    def type(self) -> Type:
        return BagType(self.kind)


@dataclass(frozen=True, slots=True)
class Seats:
    """`direction from start`."""

    domain: x.SeatsDomain

    @property
    def type(self) -> Type:
        return SeatsType()


@dataclass(frozen=True, slots=True)
class Ints:
    """`lo..hi` before it is known whether a set or a domain is wanted."""

    lo: x.Expr
    hi: x.Expr
    span: Span

    @property
    def type(self) -> Type:
        return SetType(IntType(build.bounds(self.lo.type)[0], build.bounds(self.hi.type)[1]))


@dataclass(frozen=True, slots=True)
class Direction:
    """`clockwise` or `counterclockwise`: value 1 or -1."""

    value: x.Expr

    @property
    def type(self) -> Type:
        return IntType(-1, 1)


Elaborated: TypeAlias = x.Expr | Bag | Seats | Ints | Direction


def wrong(cx: Context, code: codes.Code, message: str, span: Span, help: str | None = None) -> Wrong:
    cx.error(code, message, span, help)
    return Wrong()


# ---------------------------------------------------------------------------- coercions


def value(cx: Context, node: ast.Expr, env: Env) -> x.Expr:
    """An expression that stands for a value, a range becoming a set."""
    return plain(cx, elaborate(cx, node, env), node)


def plain(cx: Context, e: Elaborated, node: ast.Expr) -> x.Expr:
    if isinstance(e, Ints):
        return cx.fold(x.IntRange(e.lo, e.hi, e.type, cx.site(e.span)))
    if isinstance(e, Bag):
        raise wrong(
            cx, codes.WRONG_TYPE, f"tokens of {e.kind} have no identity here", node.span,
            f"count them: `count({e.kind} at …)`, `any({e.kind} at …)`",
        )
    if isinstance(e, Seats):
        raise wrong(cx, codes.WRONG_TYPE, "a sequence of seats can only be gone through by `for each`", node.span)
    if isinstance(e, Direction):
        return e.value
    return e


def boolean(cx: Context, node: ast.Expr, env: Env) -> x.Expr:
    e = value(cx, node, env)
    if not isinstance(e.type, BoolType):
        raise wrong(
            cx, codes.WRONG_TYPE, f"a condition (yes or no) is needed, this is {describe(e.type)}", node.span,
            "compare it with something" if isinstance(e.type, IntType | EntityType)
            else "ask `is not empty`, or `any(…)`",
        )
    return e


def integer(cx: Context, node: ast.Expr, env: Env) -> x.Expr:
    e = value(cx, node, env)
    if not isinstance(e.type, IntType):
        help = "count it: `count(…)`" if isinstance(e.type, SetType) else None
        raise wrong(cx, codes.WRONG_TYPE, f"a number is needed, this is {describe(e.type)}", node.span, help)
    return e


def entity(
    cx: Context, node: ast.Expr, env: Env, kinds: tuple[str, ...] | None = None, optional: bool = False
) -> x.Expr:
    """One entity, of the given kinds if any are given."""
    e = value(cx, node, env)
    return as_entity(cx, e, node.span, kinds, optional)


def as_entity(
    cx: Context, e: x.Expr, span: Span, kinds: tuple[str, ...] | None = None, optional: bool = False
) -> x.Expr:
    wanted = " or ".join(kinds) if kinds else "one thing"
    if isinstance(e.type, SetType) and isinstance(e.type.element, EntityType):
        raise wrong(
            cx, codes.WRONG_TYPE, f"{wanted} is needed, this is {describe(e.type)}", span,
            "take one of them: `the(…)`, `first(…)`, or `choose`",
        )
    if not isinstance(e.type, EntityType):
        raise wrong(cx, codes.WRONG_TYPE, f"{wanted} is needed, this is {describe(e.type)}", span)
    if e.type.optional and not optional:
        what = "`none`" if not e.type.kinds else "this"
        raise wrong(
            cx, codes.MAY_BE_NONE, f"{what} may be none, but {wanted} is needed here", span,
            "test it first: `if … is not none`, or name it with `let` and test the name",
        )
    if kinds is not None and not set(e.type.kinds) <= set(kinds):
        raise wrong(cx, codes.WRONG_TYPE, f"{wanted} is needed, this is {describe(e.type)}", span)
    return e


def set_(cx: Context, node: ast.Expr, env: Env) -> x.Expr:
    """A set: a kind, a range, the contents of a pile, one thing, or what may be none."""
    return as_set(cx, elaborate(cx, node, env), node)


def as_set(cx: Context, e: Elaborated, node: ast.Expr) -> x.Expr:
    e = plain(cx, e, node)
    if isinstance(e.type, SetType):
        return e
    if isinstance(e.type, EntityType):
        piles = [k for k in e.type.kinds if cx.kinds[k].category in ("pile", "box")]
        if piles and len(piles) == len(e.type.kinds):
            return contents(cx, e)
        if isinstance(e, x.Const):
            return x.Const(1 << e.value if e.value else 0, build.set_of(e.type))
        return x.Singleton(e, build.set_of(e.type))
    if isinstance(e.type, TrackType):
        return track_set(cx, e.type.track)
    raise wrong(cx, codes.NOT_A_SET, f"a set is needed, this is {describe(e.type)}", node.span)


def contents(cx: Context, place: x.Expr) -> x.Expr:
    """The pieces and cards in a pile."""
    assert isinstance(place.type, EntityType)
    holds: dict[str, None] = {}
    for k in place.type.kinds:
        kind = cx.kinds[k]
        names = kind.holds if kind.category == "pile" else tuple(
            m.name for m in cx.kinds.values() if m.is_movable
        )
        holds.update(dict.fromkeys(names))
    kinds = tuple(n for n in holds if n in cx.kinds)
    cx.state_reads += 1
    return x.Occupants(place, cx.mask(kinds), SetType(EntityType(kinds)))


def track_set(cx: Context, name: str) -> x.Expr:
    symbol = cx.symbols[name]
    assert isinstance(symbol, TrackSymbol)
    mask = 0
    for s in symbol.track.spaces:
        mask |= 1 << s
    return x.Const(mask, SetType(EntityType(symbol.kinds)))


def domain(cx: Context, node: ast.Expr, env: Env) -> tuple[x.Domain, Type]:
    """What a variable runs over, and the type of its values."""
    e = elaborate(cx, node, env)
    if isinstance(e, Ints):
        lo, hi = build.bounds(e.lo.type)[0], build.bounds(e.hi.type)[1]
        return x.RangeDomain(e.lo, e.hi), IntType(lo, max(lo, hi))
    if isinstance(e, Seats):
        return e.domain, EntityType(("player",))
    if not isinstance(e, Bag | Direction):
        if isinstance(e.type, FamilyType):
            return x.FamilyDomain(e), SetType(e.type.element)
        if isinstance(e.type, BoolType):
            return x.RangeDomain(build.integer(0), build.integer(1)), BOOL
    if isinstance(e, Bag):
        if e.place is None:
            return x.SetDomain(e.faces), EntityType((e.kind,))
        raise wrong(cx, codes.NOT_A_SET, f"tokens of {e.kind} have no identity: they cannot be gone through", node.span)
    s = as_set(cx, e, node)
    assert isinstance(s.type, SetType)
    return x.SetDomain(s), s.type.element


def describe(t: Type) -> str:
    """A type in a rule author's words."""
    match t:
        case IntType():
            return "a number"
        case BoolType():
            return "a condition (yes or no)"
        case EntityType(kinds, optional):
            if not kinds:
                return "none"
            text = f"a {' or '.join(kinds)}"
            return f"{text} or none" if optional else text
        case SetType(element):
            inner = "number" if isinstance(element, IntType) else " or ".join(element.kinds) or "anything"
            return f"a set (of {inner})"
        case BagType(kind):
            return f"tokens ({kind})"
        case TrackType(track):
            return f"the track {track}"
        case FamilyType():
            return "a list of sets"
        case SeatsType():
            return "a sequence of seats"


# --------------------------------------------------------------------------- expressions


def elaborate(cx: Context, node: ast.Expr, env: Env) -> Elaborated:
    match node:
        case ast.Int(v, _):
            return build.integer(v)
        case ast.Bool(v, _):
            return build.TRUE if v else build.FALSE
        case ast.NoneLiteral():
            return x.Const(0, NONE)
        case ast.Name():
            return narrow(cx, name(cx, node, env), node, env)
        case ast.Attr(base, attr, _):
            return narrow(cx, attribute(cx, value(cx, base, env), attr.text, attr.span, env), node, env)
        case ast.Call():
            from ludex.check.calls import call

            return narrow(cx, call(cx, node, env), node, env)
        case ast.Of():
            return of(cx, node, env)
        case ast.At():
            return at(cx, node, env)
        case ast.Cond():
            return cond(cx, node, env)
        case ast.Logic():
            return logic(cx, node, env)
        case ast.Not(operand, _):
            return build.negation(boolean(cx, operand, env))
        case ast.Compare():
            return compare(cx, node, env)
        case ast.Member():
            return member(cx, node, env)
        case ast.Within(left, right, _):
            return within(cx, left, right, env)
        case ast.Is():
            return is_(cx, node, env)
        case ast.Range(lo, hi, span):
            return Ints(integer(cx, lo, env), integer(cx, hi, env), span)
        case ast.SeatsFrom():
            return seats(cx, node, env)
        case ast.Binary():
            return binary(cx, node, env)
        case ast.Neg(operand, span):
            e = elaborate(cx, operand, env)
            if isinstance(e, Direction):
                return Direction(build.arith("mul", e.value, build.integer(-1), cx.site(span)))
            return cx.fold(build.arith("sub", build.integer(0), integer(cx, operand, env), cx.site(span)))
        case ast.Try():
            from ludex.check.calls import hypothetical

            return hypothetical(cx, node, env)


def name(cx: Context, node: ast.Name, env: Env) -> Elaborated:
    local = env.names.get(node.id)
    if local is not None:
        return local
    if node.id == "me":
        return me(cx, node.span, env)
    symbol = cx.symbols.get(node.id)
    cx.used.add(node.id)
    match symbol:
        case ValueSymbol(v, _, option):
            cx.option_reads += option
            return v
        case LazySymbol():
            from ludex.check.constants import force

            return force(cx, node.id)
        case KindSymbol(kinds, _):
            if len(kinds) == 1:
                kind = cx.need_kind(kinds[0])
                if kind is None:
                    raise wrong(cx, codes.CYCLE, f"`{node.id}` is used before it can be made", node.span)
                if kind.category == "token":
                    return Bag(cx.kind_set(kinds), None, kinds[0])
                single = cx.single(kinds[0])
                if single is not None:
                    return single
            return cx.kind_set(tuple(k for k in kinds if cx.need_kind(k) is not None))
        case RangeSymbol(t, _):
            return Ints(build.integer(t.lo), build.integer(t.hi), node.span)
        case TrackSymbol(track, _, _):
            return x.Const(0, TrackType(track.name))
        case DefineSymbol() | StateSymbol() | TableSymbol():
            from ludex.check.calls import call_name

            return call_name(cx, node.id, node.span, (), env, node.span)
        case ActionSymbol() | ProcedureSymbol() | RecordSymbol() | DiagramSymbol():
            what = type(symbol).__name__.removesuffix("Symbol").lower()
            raise wrong(cx, codes.WRONG_TYPE, f"`{node.id}` is a {what}, not a value", node.span)
        case None:
            from ludex.check.builtins import builtin_value

            built_in = builtin_value(cx, node.id, env)
            if built_in is not None:
                return built_in
            known = {*cx.symbols, *env.names, "me", "players"}
            cx.unknown(node.id, node.span, known)
            raise Wrong


def me(cx: Context, span: Span, env: Env) -> x.Expr:
    if env.me is None:
        raise wrong(
            cx, codes.NO_ME, "there is no `me` here: nobody is on turn", span,
            "go through the players (`for each p in players`) or `ask` one of them",
        )
    cx.me_reads += 1
    return env.me


def path_key(node: ast.Expr) -> str | None:
    """The text of a path whose type a test may narrow."""
    match node:
        case ast.Name(id, _):
            return id
        case ast.Attr(base, attr, _):
            inner = path_key(base)
            return None if inner is None else f"{inner}.{attr.text}"
        case ast.Call(ast.Name(id, _), args, _) if node.is_plain:
            keys = [path_key(a) for a in args]
            return None if None in keys else f"{id}({','.join(cast(list[str], keys))})"
        case ast.At(thing, place, _):
            a, b = path_key(thing), path_key(place)
            return None if a is None or b is None else f"{a}@{b}"
    return None


def narrow(cx: Context, e: Elaborated, node: ast.Expr, env: Env) -> Elaborated:
    if not env.facts or isinstance(e, Bag | Seats | Ints | Direction | x.Const):
        return e
    key = path_key(node)
    fact = env.facts.get(key) if key is not None else None
    if isinstance(fact, EntityType) and isinstance(e.type, EntityType):
        kinds = tuple(k for k in e.type.kinds if k in fact.kinds)
        if kinds:
            return replace(e, type=EntityType(kinds, e.type.optional and fact.optional))
    return e


def facts(cx: Context, node: ast.Expr, env: Env, holds: bool) -> dict[str, Type]:
    """What a test tells about the types of paths, if it holds (or does not)."""
    match node:
        case ast.Not(operand, _):
            return facts(cx, operand, env, not holds)
        case ast.Logic(op, operands, _) if (op == "and") == holds:
            found: dict[str, Type] = {}
            for o in operands:
                found.update(facts(cx, o, env.narrowed(found), holds))
            return found
        case ast.Is(operand, "none", negated, _) if negated == holds:
            return _present(cx, operand, env)
        case ast.Compare(op, left, ast.NoneLiteral(), _) if op in ("==", "!=") and (op == "!=") == holds:
            return _present(cx, left, env)
        case ast.Compare("==", left, right, _) if holds:
            return _equal(cx, left, right, env)
        case ast.Member(left, right, negated, _) if negated != holds:
            return _member_of(cx, left, right, env)
    return {}


def _quiet(cx: Context, node: ast.Expr, env: Env) -> Type | None:
    """The type of an expression that was (or will be) checked elsewhere."""
    found = list(cx.report.found)
    try:
        return elaborate(cx, node, env).type
    except Wrong:
        return None
    finally:
        cx.report.found[:] = found


def _present(cx: Context, node: ast.Expr, env: Env) -> dict[str, Type]:
    key = path_key(node)
    if key is None:
        return {}
    t = _quiet(cx, node, env)
    if isinstance(t, EntityType):
        return {key: EntityType(t.kinds, False)}
    return {}


def _equal(cx: Context, left: ast.Expr, right: ast.Expr, env: Env) -> dict[str, Type]:
    """A path that equals something present is present."""
    found: dict[str, Type] = {}
    for a, b in ((left, right), (right, left)):
        key = path_key(a)
        if key is None:
            continue
        mine, other = _quiet(cx, a, env), _quiet(cx, b, env)
        if isinstance(mine, EntityType) and isinstance(other, EntityType) and not other.optional and mine.optional:
            found[key] = EntityType(mine.kinds, False)
            if isinstance(a, ast.Attr):
                found.update(_present(cx, a.base, env))
    return found


def _member_of(cx: Context, left: ast.Expr, right: ast.Expr, env: Env) -> dict[str, Type]:
    key = path_key(left)
    if key is None:
        return {}
    mine, members = _quiet(cx, left, env), _quiet(cx, right, env)
    if isinstance(members, EntityType):
        members = SetType(members)
    if isinstance(members, TrackType):
        members = track_set(cx, members.track).type
    if isinstance(mine, EntityType) and isinstance(members, SetType) and isinstance(members.element, EntityType):
        if members.element.optional:
            return {}
        kinds = tuple(k for k in mine.kinds if k in members.element.kinds) or mine.kinds
        return {key: EntityType(kinds, False)}
    return {}


def cond(cx: Context, node: ast.Cond, env: Env) -> Elaborated:
    test = boolean(cx, node.test, env)
    then = elaborate(cx, node.then, env.narrowed(facts(cx, node.test, env, True)))
    orelse = elaborate(cx, node.orelse, env.narrowed(facts(cx, node.test, env, False)))
    if isinstance(then, Direction) and isinstance(orelse, Direction):
        return Direction(build.select(test, then.value, orelse.value, IntType(-1, 1)))
    a, b = plain(cx, then, node.then), plain(cx, orelse, node.orelse)
    if isinstance(a.type, SetType) != isinstance(b.type, SetType):
        a, b = as_set(cx, a, node.then), as_set(cx, b, node.orelse)
    t = join(a.type, b.type)
    if t is None:
        raise wrong(
            cx, codes.WRONG_TYPE,
            f"the two branches differ: one is {describe(a.type)}, the other {describe(b.type)}", node.span,
        )
    return build.select(test, a, b, t)


def join(a: Type, b: Type) -> Type | None:
    """The type that values of both types have."""
    match a, b:
        case IntType(), IntType():
            return IntType(min(a.lo, b.lo), max(a.hi, b.hi))
        case BoolType(), BoolType():
            return BOOL
        case EntityType(), EntityType():
            return EntityType(a.kinds + tuple(k for k in b.kinds if k not in a.kinds), a.optional or b.optional)
        case SetType(), SetType():
            if a.element == EntityType(()):
                return b
            if b.element == EntityType(()):
                return a
            element = join(a.element, b.element)
            return SetType(cast("EntityType | IntType", element)) if element is not None else None
        case _:
            return a if a == b else None


def logic(cx: Context, node: ast.Logic, env: Env) -> x.Expr:
    operands: list[x.Expr] = []
    for operand in node.operands:
        operands.append(boolean(cx, operand, env))
        env = env.narrowed(facts(cx, operand, env, node.op == "and"))
    return build.junction(node.op, operands)


_OPS: dict[str, x.CompareOp] = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def compare(cx: Context, node: ast.Compare, env: Env) -> x.Expr:
    op = _OPS[node.op]
    if op in ("lt", "le", "gt", "ge"):
        return build.comparison(op, integer(cx, node.left, env), integer(cx, node.right, env))
    left, right = elaborate(cx, node.left, env), elaborate(cx, node.right, env)
    a, b = plain(cx, left, node.left), plain(cx, right, node.right)
    if isinstance(a.type, SetType) != isinstance(b.type, SetType):
        a, b = as_set(cx, a, node.left), as_set(cx, b, node.right)
    t = join(a.type, b.type)
    if t is None:
        raise wrong(
            cx, codes.WRONG_TYPE, f"{describe(a.type)} cannot be compared with {describe(b.type)}", node.span,
            "count the set: `count(…)`" if SetType in (type(a.type), type(b.type)) else None,
        )
    if isinstance(a.type, EntityType) and isinstance(b.type, EntityType):
        both = set(a.type.kinds) & set(b.type.kinds)
        if not both and a.type.kinds and b.type.kinds:
            raise wrong(
                cx, codes.NEVER_EQUAL,
                f"{describe(a.type)} is never {describe(b.type)}: they cannot be equal", node.span,
            )
        for side, other in ((a, b), (b, a)):
            if not side.type.kinds and isinstance(other.type, EntityType) and not other.type.optional:
                return build.FALSE if op == "eq" else build.TRUE
    return build.comparison(op, a, b)


def member(cx: Context, node: ast.Member, env: Env) -> x.Expr:
    left = value(cx, node.left, env)
    right = elaborate(cx, node.right, env)
    result: x.Expr
    if isinstance(right, Ints):
        if not isinstance(left.type, IntType):
            raise wrong(cx, codes.WRONG_TYPE, f"a number is needed, this is {describe(left.type)}", node.left.span)
        result = build.in_range(left, right.lo, right.hi)
    elif isinstance(right, Bag) and right.place is None:
        result = build.membership(left, right.faces)
    elif not isinstance(right, Bag | Seats | Direction) and isinstance(right.type, FamilyType):
        result = x.FamilyMember(as_set(cx, left, node.left), right)
    else:
        members = as_set(cx, right, node.right)
        assert isinstance(members.type, SetType)
        if isinstance(left.type, SetType):
            raise wrong(
                cx, codes.WRONG_TYPE, "a set is not a member of a set", node.span, "use `A within B` for subsets"
            )
        if isinstance(left.type, IntType) != isinstance(members.type.element, IntType):
            raise wrong(
                cx, codes.NEVER_EQUAL, f"{describe(left.type)} is never in {describe(members.type)}", node.span
            )
        if isinstance(left.type, EntityType) and isinstance(members.type.element, EntityType):
            kinds = members.type.element.kinds
            if kinds and left.type.kinds and not set(kinds) & set(left.type.kinds):
                raise wrong(
                    cx, codes.NEVER_EQUAL, f"{describe(left.type)} is never in {describe(members.type)}", node.span
                )
        result = build.membership(left, members)
    return build.negation(result) if node.negated else result


def within(cx: Context, left: ast.Expr, right: ast.Expr, env: Env) -> x.Expr:
    return cx.fold(x.Subset(set_(cx, left, env), set_(cx, right, env)))


def is_(cx: Context, node: ast.Is, env: Env) -> x.Expr:
    e = elaborate(cx, node.operand, env)
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
                cx, codes.MAY_BE_NONE, "this may be no place at all", node.span,
                "test it first (`… is not none and …`), or go through it (`t in … where t is empty`)",
            )
        return location_occupied(cx, v)
    return build.not_empty(as_set(cx, v, node))


def location_occupied(cx: Context, place: x.Expr) -> x.Expr:
    assert isinstance(place.type, EntityType)
    cx.state_reads += 1
    parts: list[x.Expr] = []
    movables = tuple(k.name for k in cx.kinds.values() if k.is_movable and _may_be(cx, k.name, place.type.kinds))
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
    allowed = cx.kinds[kind].places
    return not allowed or bool(set(allowed) & set(places))


def tokens_present(cx: Context, bag: Bag, span: Span) -> x.Expr:
    return build.comparison("gt", token_count(cx, bag, span), build.integer(0))


def token_count(cx: Context, bag: Bag, span: Span) -> x.Expr:
    if bag.place is None:
        raise wrong(
            cx, codes.WRONG_TYPE, f"where are the tokens of {bag.kind}?", span, f"say `{bag.kind} at PLACE`"
        )
    cx.state_reads += 1
    return x.TokenCount(bag.faces, bag.place, IntType(0, 1023))


def seats(cx: Context, node: ast.SeatsFrom, env: Env) -> Seats:
    d = elaborate(cx, node.direction, env)
    if not isinstance(d, Direction):
        raise wrong(
            cx, codes.WRONG_TYPE, "a direction is needed before `from`", node.direction.span,
            "`clockwise from P` or `counterclockwise from P`",
        )
    return Seats(x.SeatsDomain(d.value, entity(cx, node.start, env, ("player",))))


def binary(cx: Context, node: ast.Binary, env: Env) -> Elaborated:
    if node.op in ("+", "-"):
        left, right = elaborate(cx, node.left, env), elaborate(cx, node.right, env)
        families = [e for e in (left, right) if isinstance(getattr(e, "type", None), FamilyType)]
        if len(families) == 2 and node.op == "+":
            return x.SetOperation("union", families[0], families[1], families[0].type)  # type: ignore[arg-type]
        if _settish(left) or _settish(right):
            a, b = as_set(cx, left, node.left), as_set(cx, right, node.right)
            t = join(a.type, b.type)
            if t is None:
                raise wrong(
                    cx, codes.WRONG_TYPE, f"{describe(a.type)} and {describe(b.type)} do not go together", node.span
                )
            return build.set_operation("union" if node.op == "+" else "diff", a, b, t if node.op == "+" else a.type)
    ops: dict[str, x.ArithmeticOp] = {"+": "add", "-": "sub", "*": "mul", "div": "div", "mod": "mod"}
    a, b = integer(cx, node.left, env), integer(cx, node.right, env)
    if node.op in ("div", "mod") and build.is_false(b):
        raise wrong(cx, codes.OUT_OF_RANGE, "this divides by zero", node.right.span)
    return build.arith(ops[node.op], a, b, cx.site(node.span))


def _settish(e: Elaborated) -> bool:
    if isinstance(e, Bag | Seats | Direction):
        return False
    return isinstance(e.type, SetType | EntityType | TrackType)


# ------------------------------------------------------------------- attributes, of, at


def attribute(cx: Context, base: x.Expr, attr: str, span: Span, env: Env) -> Elaborated:
    """`base.attr`: a constant field, the place, or whatever `attr(base)` is."""
    t = base.type
    if not isinstance(t, EntityType):
        raise wrong(cx, codes.WRONG_TYPE, f"{describe(t)} has no `{attr}`", span)
    if not t.kinds:
        raise wrong(cx, codes.MAY_BE_NONE, f"none has no `{attr}`", span)
    found = kind_attribute(cx, base, t, attr, span)
    if found is not None:
        return found
    if attr in cx.symbols:
        from ludex.check.calls import call_values

        return call_values(cx, attr, span, [(base, span)], env, span)
    known = {a.name for k in t.kinds for a in cx.kinds[k].attributes} | {"number"}
    known |= {n for n, s in cx.symbols.items() if isinstance(s, DefineSymbol | StateSymbol | TableSymbol)}
    for k in t.kinds:
        if cx.kinds[k].is_movable:
            known.add("place")
    cx.unknown(attr, span, known, f"`{attr}` of {describe(EntityType(t.kinds))}: no field, state or definition")
    raise Wrong


def kind_attribute(cx: Context, base: x.Expr, t: EntityType, attr: str, span: Span) -> x.Expr | None:
    kinds = [cx.kinds[k] for k in t.kinds]
    if attr == "place" and all(k.is_movable for k in kinds):
        return place_of(cx, base, t)
    if attr == "face" and all(k.category == "die" for k in kinds):
        faces = [f for k in kinds for f in k.attributes if f.name == "@faces"]
        lo, hi = min(min(f.values) for f in faces), max(max(f.values) for f in faces)
        cx.state_reads += 1
        cx.faces_read = True
        return x.Load("@face", (base,), IntType(lo, hi), cx.site(span), t.optional)
    assigned = [k.name for k in kinds if (k.name, attr) in cx.assigned]
    if assigned:
        symbol = cx.symbols.get(f"{assigned[0]}.{attr}")
        if isinstance(symbol, StateSymbol):
            cx.state_reads += 1
            ft = symbol.variable.type
            if t.optional:
                ft = _lifted(cx, ft, attr, span)
            return x.Load(symbol.variable.name, (base,), ft, cx.site(span), t.optional)
    fields = [k.attribute(attr) for k in kinds]
    if attr == "number" and None in fields:
        first = kinds[0]
        if len(kinds) > 1:
            raise wrong(cx, codes.WRONG_TYPE, f"`number` of {describe(t)} is not of one kind", span)
        cx.copies_read.update({first.name} if not cx.in_setup else ())
        dim = cx.span_dimension(t.kinds)
        table = f"{first.name}.number"
        if table not in cx.tables:
            cx.add_table(table, (dim,), tuple(range(1, first.count + 1)))
        result: Type = IntType(1, first.count)
        if t.optional:
            result = _lifted(cx, result, attr, span)
        return cx.fold(x.Lookup(table, (base,), result, cx.site(span), t.optional))
    if None in fields:
        return None
    if attr == "n" and not cx.in_setup:
        cx.copies_read.update(t.kinds)
    return constant_attribute(cx, base, t, attr, span)


def constant_attribute(cx: Context, base: x.Expr, t: EntityType, attr: str, span: Span) -> x.Expr:
    table = f"{'|'.join(t.kinds)}.{attr}"
    kinds = [cx.kinds[k] for k in t.kinds]
    dim = cx.span_dimension(t.kinds)
    types = [f.type for k in kinds if (f := k.attribute(attr)) is not None]
    if table not in cx.tables:
        values = [0] * dim.size
        for k in kinds:
            f = k.attribute(attr)
            assert f is not None
            for i, v in enumerate(f.values):
                values[k.base - dim.base + i] = v
        cx.add_table(table, (dim,), tuple(values))
    result: Type = types[0]
    for other in types[1:]:
        joined = join(result, other)
        if joined is None:
            raise wrong(cx, codes.WRONG_TYPE, f"`{attr}` differs among {describe(t)}", span)
        result = joined
    if t.optional:
        result = _lifted(cx, result, attr, span)
    return cx.fold(x.Lookup(table, (base,), result, cx.site(span), t.optional))


def _lifted(cx: Context, t: Type, attr: str, span: Span) -> Type:
    """The type of an attribute of something that may be none."""
    if isinstance(t, EntityType):
        return EntityType(t.kinds, True)
    if isinstance(t, SetType):
        return t
    raise wrong(
        cx, codes.MAY_BE_NONE, f"what this is the `{attr}` of may be none", span,
        "test it first: `if … is not none`, `… is none or …`",
    )


def place_of(cx: Context, base: x.Expr, t: EntityType) -> x.Expr:
    places: dict[str, None] = {}
    for k in t.kinds:
        places.update(dict.fromkeys(possible_places(cx, k)))
    cx.state_reads += 1
    return x.Load("@place", (base,), EntityType(tuple(places), t.optional), -1, t.optional)


def possible_places(cx: Context, kind: str) -> tuple[str, ...]:
    """The kinds of location where members of a kind of movable may be.

    The box is one of them unless `places` says where they may be and `start` where they begin.
    """
    k = cx.kinds[kind]
    boxed = not k.places or kind not in cx.starts or "box" in k.places
    names: dict[str, None] = {}
    for loc in cx.kinds.values():
        if (
            (loc.category == "box" and boxed)
            or (loc.category == "pile" and kind in loc.holds)
            or (loc.category == "space" and (loc.name in k.places or not k.places))
        ):
            names[loc.name] = None
    return tuple(names)


def of(cx: Context, node: ast.Of, env: Env) -> Elaborated:
    """`KIND of PLAYER`: those he owns; otherwise `left(right)`."""
    from ludex.check.calls import call_name

    if isinstance(node.left, ast.Name) and node.left.id not in env.names:
        symbol = cx.symbols.get(node.left.id)
        if isinstance(symbol, KindSymbol):
            cx.used.add(node.left.id)
            kinds = [made for k in symbol.kinds if (made := cx.need_kind(k)) is not None]
            if kinds and all(k.is_movable or k.category in ("token", "die") for k in kinds):
                owner = entity(cx, node.right, env, ("player",))
                mine = owned(cx, tuple(k.name for k in kinds), owner, node.span, env)
                if kinds[0].category == "token":
                    return Bag(mine, None, kinds[0].name)
                return mine
        return call_name(cx, node.left.id, node.left.span, (node.right,), env, node.span)
    raise wrong(cx, codes.WRONG_TYPE, "`of` needs a kind or a name on its left", node.left.span)


def owned(cx: Context, kinds: tuple[str, ...], owner: x.Expr, span: Span, env: Env) -> x.Expr:
    """The members of kinds whose `owner` (field or definition) is a player."""
    t = SetType(EntityType(kinds))
    table = f"@of:{'|'.join(kinds)}"
    players = cx.kinds["player"]
    if table not in cx.tables:
        var = cx.new_var("it", EntityType(kinds))
        found = attribute(cx, var, "owner", span, env)
        e = plain(cx, found, ast.Name("owner", span))
        masks = [0] * players.count
        for k in kinds:
            for i in cx.kinds[k].ids:
                try:
                    v = cx.evaluator.value(e, {var.id: i})
                except Exception:  # noqa: BLE001
                    guard = build.comparison("eq", e, owner)
                    binding = x.Binding(var.id, x.SetDomain(cx.kind_set(kinds)))
                    return x.Fold("set", (binding,), guard, var, None, None, t, cx.site(span))
                if v:
                    masks[v - players.base] |= 1 << i
        from ludex.typed.tables import Dimension

        cx.add_table(table, (Dimension(players.base, players.count, "player"),), tuple(masks))
    return cx.fold(x.Lookup(table, (owner,), t, cx.site(span)))


def at(cx: Context, node: ast.At, env: Env) -> Elaborated:
    """`THING at PLACE`: a set, tokens, or where the place holds one, one thing or none."""
    thing = elaborate(cx, node.thing, env)
    place = value(cx, node.place, env)
    if isinstance(place.type, SetType):
        if isinstance(thing, Bag):
            return Bag(thing.faces, place, thing.kind)
        return _at_any(cx, thing, place, node)
    if not isinstance(place.type, EntityType) or not all(cx.kinds[k].is_location for k in place.type.kinds):
        raise wrong(cx, codes.WRONG_TYPE, f"a place is needed after `at`, this is {describe(place.type)}", node.place.span)
    single = bool(place.type.kinds) and all(cx.kinds[k].capacity == 1 for k in place.type.kinds)
    cx.state_reads += 1
    if isinstance(thing, Bag):
        if single and isinstance(thing.faces, x.Const):
            return x.TokenAt(place, thing.faces.value, EntityType((thing.kind,), True))
        if place.type.optional:
            raise wrong(cx, codes.MAY_BE_NONE, "this may be no place at all", node.place.span, "test it first")
        return Bag(thing.faces, place, thing.kind)
    things = as_set(cx, thing, node.thing)
    assert isinstance(things.type, SetType) and isinstance(things.type.element, EntityType)
    kinds = things.type.element.kinds
    if isinstance(things, x.Const):
        result: x.Expr = x.Occupants(place, things.value, things.type)
    else:
        whole = x.Occupants(place, cx.mask(kinds), things.type)
        result = build.set_operation("inter", whole, things, things.type)
    if single:
        return x.Pick("first", result, EntityType(kinds, True), -1)
    return result


def _at_any(cx: Context, thing: Elaborated, places: x.Expr, node: ast.At) -> x.Expr:
    things = as_set(cx, thing, node.thing)
    assert isinstance(things.type, SetType) and isinstance(things.type.element, EntityType)
    assert isinstance(places.type, SetType) and isinstance(places.type.element, EntityType)
    var = cx.new_var("place", places.type.element)
    cx.state_reads += 1
    here = x.Occupants(var, cx.mask(things.type.element.kinds), things.type)
    inner = build.set_operation("inter", here, things, things.type)
    binding = x.Binding(var.id, x.SetDomain(places))
    return x.Fold("union", (binding,), None, inner, None, None, things.type, cx.site(node.span))
