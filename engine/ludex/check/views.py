"""The drawing of a game: panels and glyphs. `me` is the viewer."""

from __future__ import annotations

from dataclasses import replace

from ludex.check import codes
from ludex.check.attributes import kind_attribute
from ludex.check.coercions import boolean, check_local, domain, value
from ludex.check.context import Context, Env, KindSymbol
from ludex.check.elaborated import Wrong
from ludex.check.templates import resolve
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import EntityType


def view(
    cx: Context, decl: ast.View | None, viewer: x.Var
) -> tuple[tuple[typed.PanelDecl, ...], tuple[typed.GlyphDecl, ...]]:
    if decl is None:
        return (), ()
    env = Env(me=viewer)
    panels, glyphs = [], []
    cx.drawing = True
    in_setup, cx.in_setup = cx.in_setup, True  # a drawing may show copy numbers
    try:
        for p in decl.panels:
            try:
                panels.append(_panel(cx, p, env))
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
    guard = None
    for binder in (p.across, p.down):
        if binder is None:
            bound.append(None)
            continue
        check_local(cx, binder.var.text, binder.var.span, env)
        d, t = domain(cx, binder.domain, env)
        var = cx.new_var(binder.var.text, t)
        env = env.bind(binder.var.text, var)
        bound.append(x.Binding(var.id, d))
    if p.where is not None:
        guard = boolean(cx, p.where, env)
    rows = tuple((n.text, resolve(cx, t.parts, env)) for n, t in p.rows)
    return typed.PanelDecl(p.name.text, bound[0], guard, bound[1], rows)


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
        found = kind_attribute(cx, var, t, a.name, g.span)
        if found is not None and not a.name.startswith("@"):
            names[a.name] = found
    inner = replace(env, names={**env.names, **names})
    color = value(cx, g.color, inner) if g.color is not None else None
    if color is not None and not isinstance(color.type, EntityType):
        cx.error(codes.WRONG_TYPE, "a colour is the name of something, such as a field", g.span)
        color = None
    return typed.GlyphDecl(symbol.kinds[0], var.id, resolve(cx, g.sign.parts, inner), color)
