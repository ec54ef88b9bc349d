"""What tests tell about types: a path that was compared is present, or of certain kinds."""

from __future__ import annotations

from typing import cast

from ludex.check.coercions import track_set
from ludex.check.context import Context, Env
from ludex.check.elaborated import Bag, Direction, Elaborated, Ints, Seats
from ludex.node import replace
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.types import EntityType, SetType, TrackType, Type


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


def facts(cx: Context, node: ast.Expr, holds: bool) -> dict[str, Type]:
    """What a test, elaborated before, tells about the types of paths if it holds (or does not)."""
    match node:
        case ast.Not(operand, _):
            return facts(cx, operand, not holds)
        case ast.Logic(op, operands, _) if (op == "and") == holds:
            found: dict[str, Type] = {}
            for o in operands:
                found.update(facts(cx, o, holds))
            return found
        case ast.Is(operand, "none", negated, _) if negated == holds:
            return _present(cx, operand)
        case ast.Compare(op, left, ast.NoneLiteral(), _) if op in ("==", "!=") and (op == "!=") == holds:
            return _present(cx, left)
        case ast.Compare("==", left, right, _) if holds:
            return _equal(cx, left, right)
        case ast.Member(left, right, negated, _):
            return _member_of(cx, left, right, negated != holds)
    return {}


def _type_of(cx: Context, node: ast.Expr) -> Type | None:
    """The type of an expression that was elaborated before, None if it had an error."""
    e = cx.elaborated.get(id(node))
    return None if e is None else e.type


def _present(cx: Context, node: ast.Expr) -> dict[str, Type]:
    key, t = path_key(node), _type_of(cx, node)
    if key is None or not isinstance(t, EntityType):
        return {}
    return {key: EntityType(t.kinds, False), **_bases(cx, node)}


def _bases(cx: Context, node: ast.Expr) -> dict[str, Type]:
    """An attribute of none is none: where it is present, so is what it is an attribute of."""
    if isinstance(node, ast.Attr) and getattr(cx.elaborated.get(id(node)), "lifted", False):
        return _present(cx, node.base)
    return {}


def _equal(cx: Context, left: ast.Expr, right: ast.Expr) -> dict[str, Type]:
    """A path that equals something present is present."""
    found: dict[str, Type] = {}
    for a, b in ((left, right), (right, left)):
        mine, other = _type_of(cx, a), _type_of(cx, b)
        if (
            isinstance(mine, EntityType)
            and isinstance(other, EntityType)
            and not other.optional
            and mine.optional
        ):
            found.update(_present(cx, a))
    return found


def _member_of(cx: Context, left: ast.Expr, right: ast.Expr, holds: bool) -> dict[str, Type]:
    """A member of a set of kinds is of these kinds; what is in no whole kind is of the others."""
    key = path_key(left)
    mine, members = _type_of(cx, left), _type_of(cx, right)
    if isinstance(members, EntityType):
        members = SetType(members)
    if isinstance(members, TrackType):
        members = track_set(cx, members.track).type
    if (
        key is None
        or not isinstance(mine, EntityType)
        or not isinstance(members, SetType)
        or not isinstance(members.element, EntityType)
    ):
        return {}
    if holds:
        if members.element.optional:
            return {}
        kinds = tuple(k for k in mine.kinds if k in members.element.kinds) or mine.kinds
        return {key: EntityType(kinds, False), **_bases(cx, left)}
    whole = cx.elaborated.get(id(right))
    if not isinstance(whole, x.Const):
        return {}
    others = tuple(k for k in mine.kinds if cx.kinds[k].mask & ~whole.value)
    return {key: EntityType(others, mine.optional)} if others else {}


def lasting(cx: Context, test: ast.Expr, env: Env, holds: bool) -> dict[str, Type]:
    """Facts that last into a block: those about immutable names (and their constant fields)."""

    def lasts(key: str) -> bool:
        name, *attributes = key.split(".")
        return name in env.names and all(_is_constant_field(cx, a) for a in attributes)

    return {k: t for k, t in facts(cx, test, holds).items() if lasts(k)}


def _is_constant_field(cx: Context, name: str) -> bool:
    if name in ("place", "face") or name in cx.symbols or any(name == a for _, a in cx.assigned):
        return False
    return any(k.attribute(name) is not None for k in cx.kinds.values())


def narrowed(v: x.Expr, fact: Type | None) -> x.Expr:
    """A parameter with what the conditions have tested: it holds in the steps too."""
    if isinstance(v, x.Var) and isinstance(v.type, EntityType) and isinstance(fact, EntityType):
        kinds = tuple(k for k in v.type.kinds if k in fact.kinds)
        return x.Var(v.id, EntityType(kinds or v.type.kinds, v.type.optional and fact.optional))
    return v
