"""Constant fields of things, where they are, and what is at a place."""

from __future__ import annotations

from ludex.check import build, codes
from ludex.check.coercions import as_set, describe, join, value, wrong
from ludex.check.context import Context, Env
from ludex.check.elaborated import Bag, Elaborated
from ludex.check.symbols import StateSymbol
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.types import EntityType, IntType, SetType, TrackType, Type


def kind_attribute(cx: Context, base: x.Expr, t: EntityType, attr: str, span: Span) -> x.Expr | None:
    kinds = [cx.kinds[k] for k in t.kinds]
    if attr == "place" and all(k.is_movable for k in kinds):
        return place_of(cx, base, t)
    if attr == "face" and all(k.category == "die" for k in kinds):
        faces = [f for k in kinds for f in k.attributes if f.name == "@faces"]
        shown = [0, *(v for f in faces for v in f.values)]  # 0 until it is rolled
        cx.state_reads += 1
        cx.faces_read = True
        return x.Load("@face", (base,), IntType(min(shown), max(shown)), cx.site(span), t.optional)
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
        cx,
        codes.MAY_BE_NONE,
        f"what this is the `{attr}` of may be none",
        span,
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


def tokens_of(cx: Context, e: Elaborated, node: ast.Expr) -> Elaborated:
    """A face, or a set of faces, as tokens: `stone(me)` as `stone of me`. All else as it is."""
    t = e.type.element if isinstance(e.type, SetType) else e.type
    if isinstance(e, Bag | x.TokenAt) or not isinstance(t, EntityType) or len(t.kinds) != 1:
        return e
    if t.optional or cx.kinds[t.kinds[0]].category != "token":
        return e
    return Bag(as_set(cx, e, node), None, t.kinds[0])


def at(cx: Context, node: ast.At, env: Env) -> Elaborated:
    """`THING at PLACE`: a set, tokens, or where the place holds one, one thing or none."""
    thing = tokens_of(cx, cx.elaborate(node.thing, env), node.thing)
    place = value(cx, node.place, env)
    if isinstance(place.type, TrackType):
        place = as_set(cx, place, node.place)
    if isinstance(place.type, SetType):
        if isinstance(thing, Bag):
            return Bag(thing.faces, place, thing.kind)
        return _at_any(cx, thing, place, node)
    if not isinstance(place.type, EntityType) or not all(cx.kinds[k].is_location for k in place.type.kinds):
        raise wrong(
            cx,
            codes.WRONG_TYPE,
            f"a place is needed after `at`, this is {describe(place.type)}",
            node.place.span,
        )
    single = bool(place.type.kinds) and all(cx.kinds[k].capacity == 1 for k in place.type.kinds)
    cx.state_reads += 1
    if isinstance(thing, Bag):
        if single and isinstance(thing.faces, x.Const):
            return x.TokenAt(place, thing.faces.value, EntityType((thing.kind,), True))
        if place.type.optional:
            raise wrong(
                cx, codes.MAY_BE_NONE, "this may be no place at all", node.place.span, "test it first"
            )
        return Bag(thing.faces, place, thing.kind)
    things = as_set(cx, thing, node.thing)
    assert isinstance(things.type, SetType) and isinstance(things.type.element, EntityType)
    kinds = things.type.element.kinds
    if kinds and all(cx.kinds[k].category == "token" for k in kinds):
        message = "of which kind these tokens are must be known"
        help = "a value that may be `none` is tested first; of several kinds, ask for each by itself"
        raise wrong(cx, codes.WRONG_TYPE, message, node.thing.span, help)
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
