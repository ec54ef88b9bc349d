"""The world: players, options, types, components, and the state items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ludex import limits
from ludex.check import build, codes
from ludex.check.constants import constant_value, integer_constant, key_value, pick
from ludex.check.context import (
    Context,
    Env,
    KindSymbol,
    LazySymbol,
    RangeSymbol,
    StateSymbol,
    TrackSymbol,
    ValueSymbol,
)
from ludex.check.expressions import Wrong, boolean, describe, value, wrong
from ludex.check.geometry import DIRECTIONS, Board
from ludex.check.members import Members, expand
from ludex.source import NOWHERE, Span
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.tables import Dimension
from ludex.typed.types import BOOL, INT, EntityType, IntType, SetType, Type
from ludex.typed.world import Audience, Category, FieldValues, Kind, Track

OPTION_KIND = "option value"


def attempt(make: Callable[[], None]) -> None:
    """Goes on after an error, which has been reported."""
    try:
        make()
    except Wrong:
        pass


# ------------------------------------------------------------------- players and options


def declare_players(cx: Context) -> None:
    decl = cx.game.players
    names = [s.text for s in decl.seats] or [f"player_{i + 1}" for i in range(cx.players)]
    add_kind(cx, "player", "player", names, decl.span, (), ())
    cx.symbols["player"] = KindSymbol(("player",), NOWHERE)
    for i, n in zip(cx.kinds["player"].ids, names, strict=True):
        span = decl.seats[i - cx.kinds["player"].base].span if decl.seats else NOWHERE
        cx.declare(n, ValueSymbol(x.Const(i, EntityType(("player",))), span))


def add_kind(
    cx: Context,
    name: str,
    category: Category,
    names: list[str],
    span: Span,
    fields: tuple[str, ...],
    attributes: tuple[FieldValues, ...],
) -> Kind:
    base = len(cx.names)
    if base + len(names) > limits.MAX_ENTITIES:
        cx.error(codes.TOO_LARGE, f"there are more than {limits.MAX_ENTITIES} things with `{name}`", span)
        raise Wrong
    cx.names.extend(names)
    kind = Kind(name, category, base, len(names), span, fields, attributes)
    cx.kinds[name] = kind
    return kind


def declare_options(cx: Context) -> None:
    members: dict[str, Span] = {}
    for decl in cx.game.options:
        if isinstance(decl.type.base, ast.EnumType):
            for m in decl.type.base.members:
                members.setdefault(m.text, m.span)
    if members:
        kind = add_kind(cx, OPTION_KIND, "enum", list(members), NOWHERE, (), ())
        for i, (n, span) in zip(kind.ids, members.items(), strict=True):
            cx.declare(n, ValueSymbol(x.Const(i, EntityType((OPTION_KIND,))), span))
    known = {d.name.text for d in cx.game.options}
    for name in cx.options:
        if name not in known:
            from ludex.diagnostics import did_you_mean

            span = cx.game.options[0].span if cx.game.options else cx.game.span
            cx.error(codes.BAD_OPTION, f"there is no option `{name}`", span, did_you_mean(name, known))
    for decl in cx.game.options:
        attempt(lambda decl=decl: _option(cx, decl))  # type: ignore[misc]


def _option(cx: Context, decl: ast.OptionDecl) -> None:
    default = constant_value(cx, decl.default)
    assert isinstance(default, x.Const)
    given = cx.options.get(decl.name.text)
    if isinstance(decl.type.base, ast.EnumType):
        allowed = [m.text for m in decl.type.base.members]
        names = {n: i for i, n in zip(cx.kinds[OPTION_KIND].ids, cx.entity_names((OPTION_KIND,)), strict=True)}
        t: Type = EntityType((OPTION_KIND,))
        values = {n: names[n] for n in allowed}
        if default.value not in values.values():
            raise wrong(
                cx, codes.BAD_OPTION, f"the default of `{decl.name}` is not one of its values", decl.default.span,
                f"the values are {', '.join(allowed)}",
            )
        chosen = values.get(given) if given is not None else default.value
    else:
        t = resolve_type(cx, decl.type)
        from ludex.check.calls import fit

        fit(cx, default, t, decl.default.span, f"`{decl.name}`")
        chosen = default.value
        if given is not None:
            chosen = _parse_option(cx, given, t)
        allowed = ["true", "false"] if t == BOOL else [str(t)]
    if chosen is None:
        cx.error(
            codes.BAD_OPTION, f"`{given}` is not a value of the option `{decl.name}`", decl.span,
            f"the values are {', '.join(allowed)}",
        )
        chosen = default.value
    cx.declare(decl.name.text, ValueSymbol(x.Const(chosen, t), decl.name.span, option=True))
    if decl.needs is not None and chosen != 0 and (chosen != default.value or given is not None):
        needs = cx.fold(boolean(cx, decl.needs, Env()))
        if build.is_false(needs):
            cx.error(
                codes.BAD_OPTION, f"the option `{decl.name}` needs: {decl.needs.span.text}", decl.needs.span,
                f"there are {cx.players} players",
            )


def _parse_option(cx: Context, given: str, t: Type) -> int | None:
    if t == BOOL:
        return {"true": 1, "false": 0, "yes": 1, "no": 0, "on": 1, "off": 0}.get(given)
    if isinstance(t, IntType):
        try:
            n = int(given)
        except ValueError:
            return None
        return n if t.lo <= n <= t.hi else None
    if isinstance(t, EntityType):
        for k in t.kinds:
            for i in cx.kinds[k].ids:
                if cx.names[i] == given:
                    return i
    return None


# -------------------------------------------------------------------------------- types


def declare_types(cx: Context) -> None:
    for decl in cx.game.types:
        attempt(lambda decl=decl: _type(cx, decl))  # type: ignore[misc]


def _type(cx: Context, decl: ast.TypeDecl) -> None:
    name, body = decl.name.text, decl.body
    if isinstance(body, ast.By):
        body = pick(cx, body, decl.name)  # type: ignore[arg-type,assignment]
    match body:
        case ast.EnumType(members, span):
            seen: dict[str, Span] = {}
            for m in members:
                if m.text in seen:
                    cx.error(codes.UNTYPED_ENUM, f"`{m}` is listed twice", m.span)
                seen.setdefault(m.text, m.span)
            kind = add_kind(cx, name, "enum", list(seen), span, (), ())
            cx.declare(name, KindSymbol((name,), decl.name.span))
            for i, (n, m_span) in zip(kind.ids, seen.items(), strict=True):
                cx.declare(n, ValueSymbol(x.Const(i, EntityType((name,))), m_span))
        case ast.RangeType(lo, hi, names, span):
            a = integer_constant(cx, lo, "a bound", -(2**31), 2**31 - 1)
            b = integer_constant(cx, hi, "a bound", -(2**31), 2**31 - 1)
            cx.declare(name, RangeSymbol(IntType(a, b), span))
            for n, ident in names:
                if a <= n <= b:
                    cx.declare(ident.text, ValueSymbol(build.integer(n), ident.span))
        case ast.TypeRef():
            if isinstance(body.base, tuple):
                cx.declare(name, KindSymbol(tuple(i.text for i in body.base), decl.name.span))
            else:
                t = resolve_type(cx, body)
                assert isinstance(t, IntType)
                cx.declare(name, RangeSymbol(t, decl.name.span))


def resolve_type(cx: Context, ref: ast.TypeRef) -> Type:
    base = ref.base
    if isinstance(base, ast.Range):
        lo = integer_constant(cx, base.lo, "a bound", -(2**31), 2**31 - 1)
        hi = integer_constant(cx, base.hi, "a bound", -(2**31), 2**31 - 1)
        if hi < lo:
            raise wrong(cx, codes.OUT_OF_RANGE, "this range is empty", base.span)
        t: Type = IntType(lo, hi)
    elif isinstance(base, ast.EnumType):
        raise wrong(
            cx, codes.WRONG_TYPE, "an enumeration needs a name here", base.span, "declare it under `types`"
        )
    else:
        t = _named_type(cx, base, ref.span)
    if ref.optional:
        if not isinstance(t, EntityType):
            raise wrong(cx, codes.WRONG_TYPE, f"{describe(t)} cannot be optional", ref.span, "use 0 or another number for none")
        t = EntityType(t.kinds, True)
    if ref.set_of:
        if not isinstance(t, EntityType | IntType):
            raise wrong(cx, codes.WRONG_TYPE, f"there are no sets of {describe(t)}", ref.span)
        t = SetType(t)
    return t


def _named_type(cx: Context, names: tuple[ast.Ident, ...], span: Span) -> Type:
    if len(names) == 1 and names[0].text == "bool":
        return BOOL
    if len(names) == 1 and names[0].text == "int":
        return INT
    kinds: list[str] = []
    for n in names:
        symbol = cx.symbols.get(n.text)
        cx.used.add(n.text)
        if isinstance(symbol, RangeSymbol) and len(names) == 1:
            return symbol.type
        if not isinstance(symbol, KindSymbol):
            known = {k for k, s in cx.symbols.items() if isinstance(s, KindSymbol | RangeSymbol)}
            cx.unknown(n.text, n.span, known | {"bool", "int", "player"}, "type or kind")
            raise Wrong
        for k in flatten(cx, symbol.kinds):
            if k not in kinds:
                kinds.append(k)
    return EntityType(tuple(kinds))


def flatten(cx: Context, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Kind names with unions replaced by what they are made of."""
    result: list[str] = []
    for k in kinds:
        symbol = cx.symbols.get(k)
        if isinstance(symbol, KindSymbol) and symbol.kinds != (k,):
            result.extend(flatten(cx, symbol.kinds))
        elif k in cx.kinds or k in cx.pending_kinds:
            if k in cx.pending_kinds:
                cx.need_kind(k)
            result.append(k)
        else:
            known = {n for n, s in cx.symbols.items() if isinstance(s, KindSymbol)}
            span = symbol.span if symbol is not None else cx.game.span
            cx.unknown(k, span, known, "kind")
            raise Wrong
    return tuple(dict.fromkeys(result))


def settle_unions(cx: Context) -> None:
    """Unions become lists of kinds once all kinds are made."""
    for name, symbol in list(cx.symbols.items()):
        if isinstance(symbol, KindSymbol) and symbol.kinds != (name,):
            try:
                cx.symbols[name] = KindSymbol(flatten(cx, symbol.kinds), symbol.span)
            except Wrong:
                cx.symbols[name] = KindSymbol((), symbol.span)


def dimension(cx: Context, ref: ast.TypeRef) -> Dimension:
    t = resolve_type(cx, ref)
    return type_dimension(cx, t, ref.span)


def type_dimension(cx: Context, t: Type, span: Span) -> Dimension:
    if isinstance(t, IntType):
        if t.hi - t.lo >= limits.MAX_TABLE_CELLS:
            raise wrong(cx, codes.TOO_LARGE, "too many numbers to index by", span)
        return Dimension(t.lo, t.hi - t.lo + 1, None)
    if isinstance(t, EntityType) and t.kinds and not t.optional:
        return cx.span_dimension(t.kinds)
    if t == BOOL:
        return Dimension(0, 2, None)
    raise wrong(cx, codes.WRONG_TYPE, f"nothing can be indexed by {describe(t)}", span)


# --------------------------------------------------------------------------- components


def declare_components(cx: Context) -> None:
    """Declares all kinds, then makes them in order (earlier where a field needs one)."""
    game = cx.game
    if any(s.grid is not None for s in game.spaces) and "direction" not in cx.symbols:
        add_kind(cx, "direction", "enum", [d for d, _, _ in DIRECTIONS], NOWHERE, (), ())
        cx.symbols["direction"] = KindSymbol(("direction",), NOWHERE)
    makers: list[tuple[ast.Ident, Callable[[], None]]] = []
    for s in game.spaces:
        makers.append((s.name, lambda s=s: space(cx, s)))  # type: ignore[misc]
    for p in game.piles:
        makers.append((p.name, lambda p=p: pile(cx, p)))  # type: ignore[misc]
    for category in ("piece", "card", "token"):
        for c in game.components:
            if c.category == category:
                makers.append((c.name, lambda c=c: component(cx, c)))  # type: ignore[misc]
    for d in game.dice:
        makers.append((d.name, lambda d=d: die(cx, d)))  # type: ignore[misc]
    for ident, _ in makers:
        cx.declare(ident.text, KindSymbol((ident.text,), ident.span))
    for c in game.components:
        for k in [p.text for p in c.places]:
            cx.used.add(k)
    cx.pending_kinds.update({i.text: m for i, m in makers})
    boxed = False
    for ident, _ in makers:
        is_place = any(ident is s.name for s in game.spaces) or any(ident is p.name for p in game.piles)
        if not is_place and not boxed:
            make_box(cx)
            boxed = True
        attempt(lambda ident=ident: cx.need_kind(ident.text) and None)  # type: ignore[misc]
    if not boxed:
        make_box(cx)
    cx.pending_kinds.clear()
    settle_unions(cx)
    settle_places(cx)
    for t in game.tracks:
        attempt(lambda t=t: track(cx, t))  # type: ignore[misc]


def make_box(cx: Context) -> None:
    kind = add_kind(cx, "box", "box", ["box"], NOWHERE, (), ())
    cx.kinds["box"] = replace(kind, audience="none")
    cx.symbols["box"] = KindSymbol(("box",), NOWHERE)


def settle_places(cx: Context) -> None:
    """`places` and `holds` become kinds; what is wrong with them is said."""
    decls = {c.name.text: c for c in cx.game.components}
    for kind in list(cx.kinds.values()):
        if kind.name in decls and (kind.is_movable or kind.category == "token"):
            names: list[str] = []
            for p in decls[kind.name].places:
                try:
                    symbol = cx.symbols.get(p.text)
                    if not isinstance(symbol, KindSymbol):
                        known = {n for n, s in cx.symbols.items() if isinstance(s, KindSymbol)}
                        cx.unknown(p.text, p.span, known, "place")
                        continue
                    names.extend(flatten(cx, symbol.kinds))
                except Wrong:
                    continue
            cx.kinds[kind.name] = replace(kind, places=tuple(dict.fromkeys(names)))
        if kind.category == "pile":
            decl = next(p for p in cx.game.piles if p.name.text == kind.name)
            held: list[str] = []
            for h in decl.holds:
                symbol = cx.symbols.get(h.text)
                if not isinstance(symbol, KindSymbol):
                    known = {n for n, s in cx.symbols.items() if isinstance(s, KindSymbol)}
                    cx.unknown(h.text, h.span, known, "kind of card or piece")
                    continue
                cx.used.add(h.text)
                held.extend(symbol.kinds)
            cx.kinds[kind.name] = replace(kind, holds=tuple(dict.fromkeys(held)))


def space(cx: Context, decl: ast.SpaceDecl) -> None:
    from ludex.check.boards import graph, grid, pairs, points

    name = decl.name.text
    if decl.grid is not None:
        grid(cx, decl, decl.grid, "grid")
    elif decl.hex is not None:
        grid(cx, decl, decl.hex, "hex")
    elif decl.lines:
        graph(cx, decl)
    elif decl.pairs is not None:
        pairs(cx, decl)
    elif decl.points:
        points(cx, decl)
    else:
        members = expand(cx, decl.name, decl.per, decl.count, decl.name_pattern, single_ok=True)
        make_kind(cx, decl.name, "space", members)
    if decl.holds is not None:
        if decl.holds != 1:
            cx.error(codes.BAD_COMPONENT, "a space holds 1, or any number if nothing is said", decl.span)
        cx.kinds[name] = replace(cx.kinds[name], capacity=1)


def make_kind(cx: Context, name: ast.Ident, category: Category, members: Members) -> Kind:
    kind = add_kind(cx, name.text, category, members.names, name.span, members.fields, members.attributes)
    if members.named:
        for i, n in zip(kind.ids, members.names, strict=True):
            if n.isidentifier() and n != name.text:
                cx.declare(n, ValueSymbol(x.Const(i, EntityType((name.text,))), name.span))
    return kind


def pile(cx: Context, decl: ast.PileDecl) -> None:
    members = expand(cx, decl.name, decl.per, decl.count, None, single_ok=True)
    kind = make_kind(cx, decl.name, "pile", members)
    visible = decl.visible.text if decl.visible is not None else "all"
    if visible not in ("all", "owner", "none", "top"):
        assert decl.visible is not None
        cx.error(
            codes.BAD_COMPONENT, f"`{visible}` is nobody who could see a pile", decl.visible.span,
            "say `all`, `owner`, `none` or `top`",
        )
        visible = "none"
    if visible == "owner" and kind.attribute("owner") is None:
        cx.error(
            codes.BAD_COMPONENT, f"`{decl.name}` has no owner", decl.span, "give it `per: player`, or say `none`"
        )
        visible = "none"
    audience: Audience = visible  # type: ignore[assignment]
    ordered = decl.name.text in cx.ordered or visible == "top"
    cx.kinds[kind.name] = replace(kind, audience=audience, ordered=ordered, shuffled=decl.name.text in cx.shuffled)


def component(cx: Context, decl: ast.ComponentDecl) -> None:
    members = expand(
        cx, decl.name, decl.per, None if decl.category == "token" else decl.count, decl.name_pattern,
        single_ok=True, copies=decl.category != "token",
    )
    kind = make_kind(cx, decl.name, decl.category, members)  # type: ignore[arg-type]
    if decl.start is not None:
        cx.starts[kind.name] = (decl.start, kind.fields)


def die(cx: Context, decl: ast.DieDecl) -> None:
    if isinstance(decl.faces, ast.Range):
        lo = integer_constant(cx, decl.faces.lo, "a face", -(2**20), 2**20)
        hi = integer_constant(cx, decl.faces.hi, "a face", -(2**20), 2**20)
        faces = tuple(range(lo, hi + 1))
    else:
        faces = tuple(integer_constant(cx, f, "a face", -(2**20), 2**20) for f in decl.faces)
    if not faces:
        raise wrong(cx, codes.BAD_COMPONENT, "a die needs faces", decl.span)
    members = expand(cx, decl.name, decl.per, decl.count, None, single_ok=True)
    t = IntType(min(faces), max(faces))
    members = replace(members, attributes=(*members.attributes, FieldValues("@faces", t, faces)))
    kind = make_kind(cx, decl.name, "die", members)
    visible = decl.visible.text if decl.visible is not None else "all"
    cx.kinds[kind.name] = replace(kind, audience=visible)  # type: ignore[arg-type]
    if decl.per or decl.count is not None:
        cx.faces_read = True


def track(cx: Context, decl: ast.TrackDecl) -> None:
    spaces: list[int] = []
    kinds: dict[str, None] = {}
    for node in decl.spaces:
        e = cx.fold(value(cx, node, Env()))
        t = e.type.element if isinstance(e.type, SetType) else e.type
        if not isinstance(e, x.Const) or not isinstance(t, EntityType) or not t.kinds:
            raise wrong(cx, codes.WRONG_TYPE, f"a track is made of spaces, this is {describe(e.type)}", node.span)
        if any(cx.kinds[k].category != "space" for k in t.kinds):
            raise wrong(cx, codes.WRONG_TYPE, f"a track is made of spaces, this is {describe(t)}", node.span)
        kinds.update(dict.fromkeys(t.kinds))
        if isinstance(e.type, SetType):
            from ludex.check.evaluate import bits

            spaces.extend(bits(e.value))
        else:
            spaces.append(e.value)
    cx.declare(decl.name.text, TrackSymbol(Track(decl.name.text, tuple(spaces)), tuple(kinds), decl.name.span))


# -------------------------------------------------------------------------------- state


def declare_constants(cx: Context) -> None:
    for decl in cx.game.constants:
        cx.declare(decl.name.text, LazySymbol(decl, decl.name.span))


def declare_state(cx: Context) -> list[typed.StateVariable]:
    found: list[typed.StateVariable] = []
    for decl in cx.game.state:
        attempt(lambda decl=decl: found.append(state_variable(cx, decl)))  # type: ignore[misc]
    return found


def state_variable(cx: Context, decl: ast.StateDecl) -> typed.StateVariable:
    name = decl.name.text
    t = resolve_type(cx, decl.type)
    dims: list[Dimension] = []
    env = Env()
    index: list[int] = []
    owner_dim = None
    for i, per in enumerate(decl.per):
        if per.binder is not None:
            raise wrong(cx, codes.BAD_COMPONENT, "a state item is indexed by whole kinds or ranges", per.span)
        from ludex.check.members import field_type

        ft = field_type(cx, per)
        dim = type_dimension(cx, ft, per.span)
        dims.append(dim)
        if dim.kind == "player" and owner_dim is None:
            owner_dim = i
        var = cx.new_var(per.name.text if per.name else "index", ft)
        index.append(var.id)
        if per.name is not None:
            env = env.bind(per.name.text, var)
    visible = decl.visible.text if decl.visible is not None else "all"
    if visible not in ("all", "owner", "none"):
        assert decl.visible is not None
        cx.error(codes.BAD_COMPONENT, f"`{visible}` is nobody who could see it", decl.visible.span, "say `all`, `owner` or `none`")
        visible = "none"
    if visible == "owner" and owner_dim is None:
        cx.error(codes.BAD_COMPONENT, f"`{name}` has no owner", decl.span, "give it `per: player`")
    reset = decl.reset.text if decl.reset is not None else "game"
    if reset not in ("turn", "round", "phase", "game", "match"):
        assert decl.reset is not None
        cx.error(
            codes.BAD_COMPONENT, f"there is no reset at `{reset}`", decl.reset.span,
            "say `turn`, `round`, `phase`, `game` or `match`",
        )
        reset = "game"
    start = _start_value(cx, decl, t, env)
    lo, hi = value_bounds(cx, t)
    variable = typed.StateVariable(
        name, tuple((d.kind, d.base, d.size) for d in dims), t, lo, hi, visible, owner_dim,  # type: ignore[arg-type]
        reset, tuple(index), start,  # type: ignore[arg-type]
    )
    cx.declare(name, StateSymbol(variable, decl.name.span))
    return variable


def value_bounds(cx: Context, t: Type) -> tuple[int, int]:
    """The least and greatest word of a value of this type."""
    if isinstance(t, IntType):
        return t.lo, t.hi
    if isinstance(t, EntityType):
        ids = [i for k in t.kinds for i in (cx.kinds[k].base, cx.kinds[k].base + cx.kinds[k].count - 1)]
        return (0 if t.optional or not ids else min(ids)), max(ids, default=0)
    if isinstance(t, SetType):
        return -(2**31), 2**31 - 1
    return 0, 1


def _start_value(cx: Context, decl: ast.StateDecl, t: Type, env: Env) -> x.Expr:
    if decl.start is not None:
        from ludex.check.calls import fit

        e = value(cx, decl.start, env)
        return fit(cx, e, t, decl.start.span, f"`{decl.name}`")
    if isinstance(t, IntType):
        return build.integer(min(max(0, t.lo), t.hi))
    if isinstance(t, EntityType) and not t.optional and t.kinds:
        return x.Const(cx.kinds[t.kinds[0]].base, t)
    return x.Const(0, t)


__all__ = ["Board", "attempt", "dimension", "key_value", "resolve_type"]
