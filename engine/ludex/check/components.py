"""Components: all kinds are declared, then made in order, earlier where a field needs one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from ludex import limits
from ludex.check import codes
from ludex.check.arithmetic import bits
from ludex.check.boards import graph, grid, pairs, points
from ludex.check.coercions import describe, value, wrong
from ludex.check.constants import integer_constant
from ludex.check.context import Context, Env
from ludex.check.elaborated import Wrong
from ludex.check.geometry import DIRECTIONS
from ludex.check.kinds import add_kind, make_kind
from ludex.check.members import expand
from ludex.check.symbols import KindSymbol, TrackSymbol
from ludex.check.type_refs import flatten
from ludex.node import replace
from ludex.source import NOWHERE
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.types import EntityType, IntType, SetType
from ludex.typed.world import Audience, FieldValues, Track


def settle_unions(cx: Context) -> None:
    """Unions become lists of kinds once all kinds are made."""
    for name, symbol in list(cx.symbols.items()):
        if isinstance(symbol, KindSymbol) and symbol.kinds != (name,):
            try:
                cx.symbols[name] = KindSymbol(flatten(cx, symbol.kinds), symbol.span)
            except Wrong:
                cx.symbols[name] = KindSymbol((), symbol.span)


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
        with suppress(Wrong):
            cx.need_kind(ident.text)
    if not boxed:
        make_box(cx)
    cx.pending_kinds.clear()
    for ident, _ in makers:  # what could not be made is no kind: its uses follow from that and say nothing
        symbol = cx.symbols.get(ident.text)
        if isinstance(symbol, KindSymbol) and symbol.kinds == (ident.text,) and ident.text not in cx.kinds:
            del cx.symbols[ident.text]
    settle_unions(cx)
    settle_places(cx)
    for t in game.tracks:
        with suppress(Wrong):
            track(cx, t)


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
            known_all = True
            for p in decls[kind.name].places:
                try:
                    symbol = cx.symbols.get(p.text)
                    if not isinstance(symbol, KindSymbol):
                        known = {n for n, s in cx.symbols.items() if isinstance(s, KindSymbol)}
                        cx.unknown(p.text, p.span, known, "place")
                        known_all = False
                        continue
                    names.extend(flatten(cx, symbol.kinds))
                except Wrong:
                    continue
            if known_all:
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


def pile(cx: Context, decl: ast.PileDecl) -> None:
    members = expand(cx, decl.name, decl.per, decl.count, None, single_ok=True)
    kind = make_kind(cx, decl.name, "pile", members)
    visible = decl.visible.text if decl.visible is not None else "all"
    if visible not in ("all", "owner", "none", "top"):
        assert decl.visible is not None
        cx.error(
            codes.BAD_COMPONENT,
            f"`{visible}` is nobody who could see a pile",
            decl.visible.span,
            "say `all`, `owner`, `none` or `top`",
        )
        visible = "none"
    if visible == "owner" and kind.attribute("owner") is None:
        cx.error(
            codes.BAD_COMPONENT,
            f"`{decl.name}` has no owner",
            decl.span,
            "give it `per: player`, or say `none`",
        )
        visible = "none"
    audience: Audience = visible  # type: ignore[assignment]
    ordered = decl.name.text in cx.ordered or visible == "top"
    cx.kinds[kind.name] = replace(
        kind, audience=audience, ordered=ordered, shuffled=decl.name.text in cx.shuffled
    )


def component(cx: Context, decl: ast.ComponentDecl) -> None:
    members = expand(
        cx,
        decl.name,
        decl.per,
        None if decl.category == "token" else decl.count,
        decl.name_pattern,
        single_ok=True,
        copies=decl.category != "token",
    )
    kind = make_kind(cx, decl.name, decl.category, members)  # type: ignore[arg-type]
    if decl.start is not None:
        cx.starts[kind.name] = (decl.start, kind.fields)


def die(cx: Context, decl: ast.DieDecl) -> None:
    if isinstance(decl.faces, ast.Range):
        lo = integer_constant(cx, decl.faces.lo, "a face", -(2**20), 2**20)
        hi = integer_constant(cx, decl.faces.hi, "a face", -(2**20), 2**20)
        if hi - lo >= limits.MAX_DICE_OUTCOMES:
            message = f"a die has at most {limits.MAX_DICE_OUTCOMES} faces"
            raise wrong(cx, codes.TOO_LARGE, message, decl.faces.span)
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
    cx.kinds[kind.name] = replace(kind, audience=visible)
    if decl.per or decl.count is not None:
        cx.faces_read = True


def track(cx: Context, decl: ast.TrackDecl) -> None:
    spaces: list[int] = []
    kinds: dict[str, None] = {}
    for node in decl.spaces:
        e = cx.fold(value(cx, node, Env()))
        t = e.type.element if isinstance(e.type, SetType) else e.type
        if not isinstance(e, x.Const) or not isinstance(t, EntityType) or not t.kinds:
            raise wrong(
                cx, codes.WRONG_TYPE, f"a track is made of spaces, this is {describe(e.type)}", node.span
            )
        if any(cx.kinds[k].category != "space" for k in t.kinds):
            raise wrong(cx, codes.WRONG_TYPE, f"a track is made of spaces, this is {describe(t)}", node.span)
        kinds.update(dict.fromkeys(t.kinds))
        if isinstance(e.type, SetType):
            spaces.extend(bits(e.value))
        else:
            spaces.append(e.value)
    cx.declare(
        decl.name.text, TrackSymbol(Track(decl.name.text, tuple(spaces)), tuple(kinds), decl.name.span)
    )
