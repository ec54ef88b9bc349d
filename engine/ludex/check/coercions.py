"""What stands where: a value, a condition, a number, one thing, a set, players, a pile."""

from __future__ import annotations

from typing import cast

from ludex import limits
from ludex.check import build, codes
from ludex.check.arithmetic import NotConstant, TooLong
from ludex.check.context import Context, Env
from ludex.check.elaborated import Bag, Direction, Elaborated, Ints, Seats, Wrong
from ludex.check.symbols import TrackSymbol
from ludex.diagnostics import Code
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.tables import Dimension, Table
from ludex.typed.types import (
    BOOL,
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


def pile_of(cx: Context, node: ast.Expr, env: Env) -> x.Expr:
    e = entity(cx, node, env)
    assert isinstance(e.type, EntityType)
    if not all(cx.kinds[k].category == "pile" for k in e.type.kinds):
        raise wrong(cx, codes.WRONG_TYPE, f"a pile is needed, this is {describe(e.type)}", node.span)
    return e


def argument(cx: Context, e: x.Expr, t: Type, span: Span, what: str) -> x.Expr:
    """`e` as an argument of type `t`. A number that may lie outside is looked up in the table of those that
    may not, which faults: what is called relies on its parameters."""
    e = fit(cx, e, t, span, what)
    if not isinstance(t, IntType) or not isinstance(e.type, IntType):
        return e
    if t.lo <= e.type.lo and e.type.hi <= t.hi:
        return e
    size = t.hi - t.lo + 1
    if size > limits.MAX_TESTED_NUMBERS:
        raise wrong(
            cx,
            codes.OUT_OF_RANGE,
            f"{what} takes {t} here, this is {amount(e.type)}, and that is too much to be tested",
            span,
            "let it take `int`, or a shorter range",
        )
    table = f"{t.lo}..{t.hi}"  # as a fault says it
    if table not in cx.tables:
        cx.add_table(table, (Dimension(t.lo, size, None),), tuple(range(t.lo, t.hi + 1)))
    return cx.fold(x.Lookup(table, (e,), t, cx.site(span)))


def fit(cx: Context, e: x.Expr, t: Type, span: Span, what: str, code: Code = codes.WRONG_ARGUMENTS) -> x.Expr:
    """`e` as a value of type `t`, for arguments and (with the code WRONG_TYPE) what gets a value."""
    match t:
        case IntType():
            if not isinstance(e.type, IntType):
                raise wrong(cx, code, f"{what} takes a number here, this is {describe(e.type)}", span)
            if e.type.hi < t.lo or e.type.lo > t.hi:
                raise wrong(cx, codes.OUT_OF_RANGE, f"{what} takes {t} here, this is {amount(e.type)}", span)
        case BoolType():
            if e.type != BOOL:
                raise wrong(cx, code, f"{what} takes a condition here, this is {describe(e.type)}", span)
        case EntityType(kinds, optional):
            if not isinstance(e.type, EntityType) or not set(e.type.kinds) <= set(kinds):
                raise wrong(cx, code, f"{what} takes {describe(t)} here, this is {describe(e.type)}", span)
            if e.type.optional and not optional:
                raise wrong(
                    cx,
                    codes.MAY_BE_NONE,
                    f"{what} takes {describe(t)} here, this may be none",
                    span,
                    "test it first: `… is not none`; or, where there always is one, say so: `the(…)`",
                )
        case SetType(element):
            if isinstance(e.type, EntityType):
                is_meant = isinstance(element, EntityType) and set(e.type.kinds) <= set(element.kinds)
                inside = None if is_meant else inside_of(cx, e)
                return fit(cx, inside or x.Singleton(e, build.set_of(e.type)), t, span, what, code)
            if not isinstance(e.type, SetType) or not _holds(element, e.type.element):
                given = e.type.element if isinstance(e.type, SetType) else None
                if isinstance(given, IntType) and isinstance(element, IntType):
                    message = f"{what} holds numbers {element}, this has {amount(given)}"
                    raise wrong(cx, codes.OUT_OF_RANGE, message, span)
                raise wrong(cx, code, f"{what} takes {describe(t)} here, this is {describe(e.type)}", span)
        case _:
            if e.type != t and not isinstance(e.type, FamilyType):
                raise wrong(cx, code, f"{what} takes {t} here, this is {describe(e.type)}", span)
    return e


def _holds(wanted: EntityType | IntType, given: EntityType | IntType) -> bool:
    """Whether a set may have such elements; of numbers, whether any of them may be in it."""
    if isinstance(wanted, IntType) or isinstance(given, IntType):
        if isinstance(wanted, IntType) and isinstance(given, IntType):
            return given.lo <= wanted.hi and given.hi >= wanted.lo
        return given == EntityType(())
    return set(given.kinds) <= set(wanted.kinds) and wanted.optional >= given.optional


def never_alike(a: Type, b: Type) -> bool:
    """Whether two sets have no element in common, whatever they hold."""
    if not isinstance(a, SetType) or not isinstance(b, SetType):
        return False
    if isinstance(a.element, IntType) or isinstance(b.element, IntType):
        return type(a.element) is not type(b.element) and EntityType(()) not in (a.element, b.element)
    kinds = set(a.element.kinds), set(b.element.kinds)
    return all(kinds) and kinds[0].isdisjoint(kinds[1])


def check_local(cx: Context, name: str, span: Span, env: Env) -> None:
    """A local name must not already mean something."""
    if name in env.names or name in cx.symbols or name in ("me", "players"):
        cx.error(codes.SHADOWED_NAME, f"`{name}` already means something here", span, "choose another name")


def wrong(cx: Context, code: Code, message: str, span: Span, help: str | None = None) -> Wrong:
    cx.error(code, message, span, help)
    return Wrong()


def value(cx: Context, node: ast.Expr, env: Env) -> x.Expr:
    """An expression that stands for a value, a range becoming a set."""
    return plain(cx, cx.elaborate(node, env), node)


_FORMS = (Ints, Bag, Seats, Direction)
"""What is no value by itself."""


def plain(cx: Context, e: Elaborated, node: ast.Expr) -> x.Expr:
    if not isinstance(e, _FORMS):
        return e
    if isinstance(e, Ints):
        return cx.fold(x.IntRange(e.lo, e.hi, e.type, cx.site(e.span)))
    if isinstance(e, Bag):
        raise wrong(
            cx,
            codes.WRONG_TYPE,
            f"tokens of {e.kind} have no identity here",
            node.span,
            f"count them: `count({e.kind} at …)`, `any({e.kind} at …)`",
        )
    if isinstance(e, Seats):
        raise wrong(
            cx, codes.WRONG_TYPE, "a sequence of seats can only be gone through by `for each`", node.span
        )
    return e.value


def boolean(cx: Context, node: ast.Expr, env: Env) -> x.Expr:
    e = value(cx, node, env)
    if not isinstance(e.type, BoolType):
        raise wrong(
            cx,
            codes.WRONG_TYPE,
            f"a condition (yes or no) is needed, this is {describe(e.type)}",
            node.span,
            _asked(e.type),
        )
    return e


def _asked(t: Type) -> str:
    """The help where a condition is needed: what could be asked about such a value."""
    if isinstance(t, EntityType) and t.optional:
        return "ask whether there is one: `… is not none`; or compare it with something"
    if isinstance(t, IntType | EntityType):
        return "compare it with something"
    return "ask `is not empty`, or `any(…)`"


def integer(cx: Context, node: ast.Expr, env: Env) -> x.Expr:
    return as_integer(cx, cx.elaborate(node, env), node)


def as_integer(cx: Context, elaborated: Elaborated, node: ast.Expr) -> x.Expr:
    """What is elaborated already as a number.

    Nothing is elaborated twice, or time would double with every level of nesting.
    """
    e = plain(cx, elaborated, node)
    if not isinstance(e.type, IntType):
        message = f"a number is needed, this is {describe(e.type)}"
        raise wrong(cx, codes.WRONG_TYPE, message, node.span, number_of(cx, e.type, node.span.text))
    return e


def number_of(cx: Context, type: Type, text: str) -> str | None:
    """What number somebody may mean who writes `text` for one, in words."""
    kinds = [cx.kinds[k] for k in type.kinds] if isinstance(type, EntityType) else []
    if isinstance(type, SetType) or (kinds and all(k.is_location for k in kinds)):
        return f"count it: `count({text})`"
    if kinds and all(k.category == "die" for k in kinds):
        return f"the number it shows: `{text}.face`"
    return None


def entity(
    cx: Context, node: ast.Expr, env: Env, kinds: tuple[str, ...] | None = None, optional: bool = False
) -> x.Expr:
    """One entity, of the given kinds if any are given."""
    e = value(cx, node, env)
    return as_entity(cx, e, node.span, kinds, optional)


def as_entity(
    cx: Context, e: x.Expr, span: Span, kinds: tuple[str, ...] | None = None, optional: bool = False
) -> x.Expr:
    wanted = f"a {' or '.join(kinds)}" if kinds else "one thing"
    if isinstance(e.type, SetType) and isinstance(e.type.element, EntityType):
        raise wrong(
            cx, codes.WRONG_TYPE, f"{wanted} is needed, this is {describe(e.type)}", span, one_of(cx, e)
        )
    if not isinstance(e.type, EntityType):
        raise wrong(cx, codes.WRONG_TYPE, f"{wanted} is needed, this is {describe(e.type)}", span)
    if e.type.optional and not optional:
        what = "`none`" if not e.type.kinds else "this"
        raise wrong(
            cx,
            codes.MAY_BE_NONE,
            f"{what} may be none, but {wanted} is needed here",
            span,
            "test it first: `if … is not none`, or name it with `let` and test the name",
        )
    if kinds is not None and not set(e.type.kinds) <= set(kinds):
        raise wrong(cx, codes.WRONG_TYPE, f"{wanted} is needed, this is {describe(e.type)}", span)
    return e


def one_of(cx: Context, e: x.Expr) -> str:
    """The help where one thing is needed and there are several."""
    t = e.type.element if isinstance(e.type, SetType) else None
    if isinstance(e, x.Const) and isinstance(t, EntityType) and len(t.kinds) == 1:
        kind = cx.kinds[t.kinds[0]]
        if e.value == kind.mask and kind.fields:
            fields = ", ".join("me" if f == "owner" else f for f in kind.fields)
            return f"say which: `{kind.name}({fields})`"
    return "take one of them: `the(…)`, `first(…)`, or `choose`"


def set_(cx: Context, node: ast.Expr, env: Env) -> x.Expr:
    """A set: a kind, a range, the contents of a pile, one thing, or what may be none."""
    return as_set(cx, cx.elaborate(node, env), node)


def as_set(cx: Context, e: Elaborated, node: ast.Expr) -> x.Expr:
    e = plain(cx, e, node)
    if isinstance(e.type, SetType):
        return e
    if isinstance(e.type, EntityType):
        inside = inside_of(cx, e)
        if inside is not None:
            return inside
        if isinstance(e, x.Const):
            return x.Const(1 << e.value if e.value else 0, build.set_of(e.type))
        return x.Singleton(e, build.set_of(e.type))
    if isinstance(e.type, TrackType):
        return track_set(cx, e.type.track)
    help = "for the numbers up to it write `1..…`" if isinstance(e.type, IntType) else None
    raise wrong(cx, codes.NOT_A_SET, f"a set is needed, this is {describe(e.type)}", node.span, help)


def inside_of(cx: Context, e: x.Expr) -> x.Expr | None:
    """What is in it, if it is a pile or the box: a pile is the set of what is in it."""
    assert isinstance(e.type, EntityType)
    is_pile = all(cx.kinds[k].category in ("pile", "box") for k in e.type.kinds)
    return contents(cx, e) if is_pile and e.type.kinds else None


def contents(cx: Context, place: x.Expr) -> x.Expr:
    """The pieces and cards in a pile."""
    assert isinstance(place.type, EntityType)
    holds: dict[str, None] = {}
    for k in place.type.kinds:
        kind = cx.kinds[k]
        names = (
            kind.holds
            if kind.category == "pile"
            else tuple(m.name for m in cx.kinds.values() if m.is_movable)
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


def constant_family(cx: Context, e: x.Expr, span: Span) -> x.Expr:
    """A list of sets as a table, worked out now: no back end makes one while the game runs."""
    if isinstance(e, x.FamilyLookup | x.Select):
        return e
    name = f"@family:{span.source.name}:{span.start}"
    try:
        sets = cx.evaluator.family(e, {})
    except TooLong:
        raise wrong(cx, codes.TOO_LARGE, "there are too many sets", span) from None
    except NotConstant:
        raise wrong(cx, codes.CONSTANT_NEEDED, "which sets there are must be constant", span) from None
    cx.tables[name] = Table(name, (), families=(sets,))
    return x.FamilyLookup(name, (), e.type, cx.site(span))


def domain(cx: Context, node: ast.Expr, env: Env) -> tuple[x.Domain, Type]:
    """What a variable runs over, and the type of its values."""
    e = cx.elaborate(node, env)
    if isinstance(e, Ints):
        lo, hi = build.bounds(e.lo.type)[0], build.bounds(e.hi.type)[1]
        return x.RangeDomain(e.lo, e.hi), IntType(lo, max(lo, hi))
    if isinstance(e, Seats):
        return e.domain, EntityType(("player",))
    if not isinstance(e, Bag | Direction):
        if isinstance(e.type, FamilyType):
            return x.FamilyDomain(constant_family(cx, e, node.span)), SetType(e.type.element)
        if isinstance(e.type, BoolType):
            return x.RangeDomain(build.integer(0), build.integer(1)), BOOL
    if isinstance(e, Bag):
        if e.place is None:
            return x.SetDomain(e.faces), EntityType((e.kind,))
        raise wrong(
            cx,
            codes.NOT_A_SET,
            f"tokens of {e.kind} have no identity: they cannot be gone through",
            node.span,
        )
    s = as_set(cx, e, node)
    assert isinstance(s.type, SetType)
    return x.SetDomain(s), s.type.element


def amount(t: IntType) -> str:
    """A range in a rule author's words: one number, or from which to which."""
    return str(t.lo) if t.lo == t.hi else f"{t.lo} to {t.hi}"


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
            inner = "numbers" if isinstance(element, IntType) else " or ".join(element.kinds) or "anything"
            return f"a set (of {inner})"
        case BagType(kind):
            return f"tokens ({kind})"
        case TrackType(track):
            return f"the track {track}"
        case FamilyType():
            return "a list of sets"
        case SeatsType():
            return "a sequence of seats"


def me(cx: Context, span: Span, env: Env) -> x.Expr:
    if env.me is None:
        raise wrong(
            cx,
            codes.NO_ME,
            "there is no `me` here: nobody is on turn",
            span,
            "go through the players (`for each p in players`) or `ask` one of them",
        )
    cx.me_reads += 1
    return env.me


def join(a: Type, b: Type) -> Type | None:
    """The type that values of both types have."""
    match a, b:
        case IntType(), IntType():
            return IntType(min(a.lo, b.lo), max(a.hi, b.hi))
        case BoolType(), BoolType():
            return BOOL
        case EntityType(), EntityType():
            return EntityType(
                a.kinds + tuple(k for k in b.kinds if k not in a.kinds), a.optional or b.optional
            )
        case SetType(), SetType():
            if a.element == EntityType(()):
                return b
            if b.element == EntityType(()):
                return a
            element = join(a.element, b.element)
            return SetType(cast("EntityType | IntType", element)) if element is not None else None
        case _:
            return a if a == b else None


def wrong_number(cx: Context, name: str, takes: tuple[str, ...], given: int, span: Span) -> Wrong:
    """Too many arguments or too few; `takes` says what they are."""
    n = len(takes)
    wanted = "no arguments" if n == 0 else "one argument" if n == 1 else f"{n} arguments"
    here = "none" if given == 0 else "one" if given == 1 else str(given)
    return wrong(
        cx,
        codes.WRONG_ARGUMENTS,
        f"`{name}` takes {wanted}, not {here}",
        span,
        f"write `{name}({', '.join(takes)})`" if takes else f"write `{name}` alone",
    )
