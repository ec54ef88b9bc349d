"""The drawing of a game: panels and glyphs. `me` is the viewer."""

from __future__ import annotations

from ludex.check import codes
from ludex.check.attributes import kind_attribute
from ludex.check.coercions import boolean, check_local, domain, integer, value, wrong
from ludex.check.context import Context, Env
from ludex.check.elaborated import Wrong
from ludex.check.symbols import KindSymbol
from ludex.check.templates import resolve
from ludex.node import replace
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import EntityType


def view(
    cx: Context, decl: ast.View | None, viewer: x.Var
) -> tuple[tuple[typed.PanelDecl | typed.MapDecl | typed.PictureDecl, ...], tuple[typed.GlyphDecl, ...]]:
    if decl is None:
        return (), ()
    env = Env(me=viewer)
    panels: list[typed.PanelDecl | typed.MapDecl | typed.PictureDecl] = []
    glyphs = []
    cx.drawing = True
    in_setup, cx.in_setup = cx.in_setup, True  # a drawing may show copy numbers
    try:
        for p in decl.panels:
            try:
                match p:
                    case ast.Panel():
                        panels.append(_panel(cx, p, env))
                    case ast.Map():
                        panels.append(_map(cx, p, env))
                    case _:
                        panels.append(_picture(cx, p, env))
            except Wrong:
                continue
        for g in decl.glyphs:
            try:
                glyphs.append(_glyph(cx, g, env))
            except Wrong:
                continue
    finally:
        cx.drawing = False
        cx.in_setup = in_setup
    return tuple(panels), tuple(glyphs)


def _panel(cx: Context, p: ast.Panel, env: Env) -> typed.PanelDecl:
    bound: list[x.Binding | None] = []
    alone: list[Env] = []
    guard, both = None, env
    for binder in (p.across, p.down):
        if binder is None:
            bound.append(None)
            alone.append(env)
            continue
        check_local(cx, binder.var.text, binder.var.span, both)
        d, t = domain(cx, binder.domain, both)
        var = cx.new_var(binder.var.text, t)
        both = both.bind(binder.var.text, var)
        alone.append(env.bind(binder.var.text, var))
        bound.append(x.Binding(var.id, d))
    if p.where is not None:
        guard = boolean(cx, p.where, both)
    rows = tuple((n.text, resolve(cx, t.parts, both)) for n, t in p.rows)
    head = _beside(cx, p.head, p.across, "across", alone[0])
    foot = _beside(cx, p.foot, p.across, "across", alone[0])
    side = _beside(cx, p.side, p.down, "down", alone[1])
    return typed.PanelDecl(p.name.text, bound[0], guard, bound[1], rows, head, foot, side, p.empty or "")


def _beside(
    cx: Context, part: ast.Template | None, binder: ast.Binder | None, key: str, env: Env
) -> tuple[str | x.Expr, ...] | None:
    """What stands beside each element that a panel goes through, which alone is bound in it."""
    if part is None:
        return None
    if binder is None:
        message = f"this stands beside what `{key}` goes through, which is missing"
        cx.error(codes.WRONG_TYPE, message, part.span)
        return None
    return resolve(cx, part.parts, env)


def _map(cx: Context, m: ast.Map, env: Env) -> typed.MapDecl:
    spaces, guard, inner, kinds = _over(cx, m.spaces, m.where, env)
    spots = tuple((i, *cx.points[i]) for kind in kinds for i in cx.kinds[kind].ids if i in cx.points)
    if not kinds or len(spots) < sum(cx.kinds[kind].count for kind in kinds):
        raise wrong(
            cx,
            codes.WRONG_TYPE,
            "a map shows spaces with coordinates",
            m.spaces.domain.span,
            "coordinates are declared with `at`",
        )
    sign = resolve(cx, m.sign.parts, inner)
    if m.links is None:
        return typed.MapDecl(m.name.text, spaces, guard, sign, None, None, (), spots, ())
    links, links_guard, inner, pairs = _over(cx, m.links, m.links_where, env)
    known = {i for i, *_ in spots}
    ends = []
    for kind in pairs:
        a, b = (cx.kinds[kind].attribute(end) for end in ("a", "b"))
        if a is not None and b is not None and known.issuperset(a.values) and known.issuperset(b.values):
            ends += list(zip(cx.kinds[kind].ids, a.values, b.values, strict=True))
    if not pairs or len(ends) < sum(cx.kinds[kind].count for kind in pairs):
        raise wrong(
            cx,
            codes.WRONG_TYPE,
            "the lines of a map are pairs of its spaces",
            m.links.domain.span,
            "they are declared with `pairs`",
        )
    mark = resolve(cx, m.mark.parts, inner) if m.mark is not None else ()
    return typed.MapDecl(m.name.text, spaces, guard, sign, links, links_guard, mark, spots, tuple(ends))


def _picture(cx: Context, p: ast.Picture, env: Env) -> typed.PictureDecl:
    across, guard, inner = None, None, env
    if p.across is not None:
        across, guard, inner, _ = _over(cx, p.across, p.where, env)
    legend = tuple((hole, tuple(_sign(cx, s, inner) for s in signs)) for hole, signs in p.legend)
    at = None if p.at is None else (integer(cx, p.at[0], inner), integer(cx, p.at[1], inner))
    return typed.PictureDecl(p.name.text, across, guard, p.lines, legend, at)


def _sign(cx: Context, s: ast.Sign, env: Env) -> typed.SignDecl:
    color = value(cx, s.color, env) if s.color is not None else None
    if color is not None and not isinstance(color.type, EntityType):
        cx.error(codes.WRONG_TYPE, "a colour is the name of something, such as a field", s.span)
        color = None
    guard = boolean(cx, s.where, env) if s.where is not None else None
    return typed.SignDecl(resolve(cx, s.text.parts, env), color, guard)


def _over(
    cx: Context, binder: ast.Binder, where: ast.Expr | None, env: Env
) -> tuple[x.Binding, x.Expr | None, Env, tuple[str, ...]]:
    """What a map or a picture goes through, its condition, the scope inside, and the kinds of things."""
    check_local(cx, binder.var.text, binder.var.span, env)
    found, t = domain(cx, binder.domain, env)
    var = cx.new_var(binder.var.text, t)
    inner = env.bind(binder.var.text, var)
    guard = boolean(cx, where, inner) if where is not None else None
    kinds = t.kinds if isinstance(t, EntityType) and isinstance(found, x.SetDomain) else ()
    return x.Binding(var.id, found), guard, inner, kinds


def _glyph(cx: Context, g: ast.Glyph, env: Env) -> typed.GlyphDecl:
    symbol = cx.symbols.get(g.kind.text)
    if not isinstance(symbol, KindSymbol):
        known = {n for n, s in cx.symbols.items() if isinstance(s, KindSymbol)}
        cx.unknown(g.kind.text, g.kind.span, known, "kind")
        raise Wrong
    t = EntityType(symbol.kinds)
    var = cx.new_var(g.kind.text, t)
    names: dict[str, x.Expr] = {"it": var}
    for a in cx.kinds[symbol.kinds[0]].attributes:
        name = "face" if a.name == "@faces" else a.name
        found = kind_attribute(cx, var, t, name, g.span)
        if found is not None:
            names[name] = found
    inner = replace(env, names={**env.names, **names})
    return typed.GlyphDecl(symbol.kinds[0], var.id, tuple(_sign(cx, s, inner) for s in g.signs))
