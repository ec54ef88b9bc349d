"""The world: players, options, types, components, and the state items."""

from __future__ import annotations

from contextlib import suppress

from ludex.check import build, codes
from ludex.check.coercions import boolean, fit, wrong
from ludex.check.constant_tables import pick
from ludex.check.constants import constant_value, integer_constant
from ludex.check.context import Context, Env
from ludex.check.elaborated import Wrong
from ludex.check.kinds import add_kind
from ludex.check.symbols import KindSymbol, LazySymbol, RangeSymbol, ValueSymbol
from ludex.check.type_refs import resolve_type
from ludex.diagnostics import did_you_mean
from ludex.source import NOWHERE, Span
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.types import BOOL, EntityType, IntType, Type

OPTION_KIND = "option value"


def declare_players(cx: Context) -> None:
    decl = cx.game.players
    names = [s.text for s in decl.seats] or [f"player_{i + 1}" for i in range(cx.players)]
    add_kind(cx, "player", "player", names, decl.span, (), ())
    cx.symbols["player"] = KindSymbol(("player",), NOWHERE)
    for i, n in zip(cx.kinds["player"].ids, names, strict=True):
        span = decl.seats[i - cx.kinds["player"].base].span if decl.seats else NOWHERE
        cx.declare(n, ValueSymbol(x.Const(i, EntityType(("player",))), span))


def declare_options(cx: Context) -> None:
    members: dict[str, Span] = {}
    for decl in cx.game.options:
        if isinstance(decl.type.base, ast.EnumType):
            own: set[str] = set()
            for m in decl.type.base.members:
                if m.text in own:
                    cx.error(codes.UNTYPED_ENUM, f"`{m}` is listed twice", m.span)
                own.add(m.text)
                members.setdefault(m.text, m.span)
    if members:
        kind = add_kind(cx, OPTION_KIND, "enum", list(members), NOWHERE, (), ())
        for i, (n, span) in zip(kind.ids, members.items(), strict=True):
            cx.declare(n, ValueSymbol(x.Const(i, EntityType((OPTION_KIND,))), span))
    known = {d.name.text for d in cx.game.options}
    for name in cx.options:
        if name not in known:
            span = cx.game.options[0].span if cx.game.options else cx.game.span
            cx.error(codes.BAD_OPTION, f"there is no option `{name}`", span, did_you_mean(name, known))
    for decl in cx.game.options:
        with suppress(Wrong):
            _option(cx, decl)


def _option(cx: Context, decl: ast.OptionDecl) -> None:
    written = decl.default.operand if isinstance(decl.default, ast.Neg) else decl.default
    if not isinstance(written, ast.Int | ast.Bool | ast.Name):
        raise _worked_out(cx, decl)
    if isinstance(decl.type.base, ast.EnumType) and isinstance(decl.default, ast.Name):
        members = [m.text for m in decl.type.base.members]
        if decl.default.id not in members:
            raise _no_value(cx, decl, members)
    default = constant_value(cx, decl.default)
    assert isinstance(default, x.Const)
    given = cx.options.get(decl.name.text)
    if isinstance(decl.type.base, ast.EnumType):
        allowed = [m.text for m in decl.type.base.members]
        names = {
            n: i for i, n in zip(cx.kinds[OPTION_KIND].ids, cx.entity_names((OPTION_KIND,)), strict=True)
        }
        t: Type = EntityType((OPTION_KIND,))
        values = {n: names[n] for n in allowed}
        if default.value not in values.values():
            raise _no_value(cx, decl, allowed)
        chosen = values.get(given) if given is not None else default.value
    else:
        t = resolve_type(cx, decl.type)
        if isinstance(written, ast.Name) and not isinstance(t, EntityType):
            raise _worked_out(cx, decl)
        fit(cx, default, t, decl.default.span, f"`{decl.name}`", codes.WRONG_TYPE)
        chosen = default.value
        if given is not None:
            chosen = _parse_option(cx, given, t)
        allowed = ["true", "false"] if t == BOOL else [str(t)]
    if chosen is None:
        cx.error(
            codes.BAD_OPTION,
            f"`{given}` is not a value of the option `{decl.name}`",
            decl.span,
            f"the values are {', '.join(allowed)}",
        )
        chosen = default.value
    cx.declare(decl.name.text, ValueSymbol(x.Const(chosen, t), decl.name.span, option=True))
    if decl.needs is not None:
        _needs(cx, decl, decl.needs, chosen, by_default=given is None)


def _needs(cx: Context, decl: ast.OptionDecl, condition: ast.Expr, chosen: int, by_default: bool) -> None:
    """What an option needs must hold for the value that it has, its default too; false and 0 need nothing."""
    needs = cx.fold(boolean(cx, condition, Env()))
    if not isinstance(needs, x.Const):
        raise wrong(
            cx,
            codes.CONSTANT_NEEDED,
            f"what `{decl.name}` needs must be known when the game is loaded",
            condition.span,
            "use `player_count` and options",
        )
    if chosen == 0 or needs.value:
        return
    if not by_default:
        cx.error(
            codes.BAD_OPTION,
            f"the option `{decl.name}` needs: {condition.span.text}",
            condition.span,
            f"there are {cx.players} players",
        )
        return
    value = decl.default.span.text
    exempt = f", or let this value need nothing: `{decl.name} == {value} or {condition.span.text}`"
    cx.error(
        codes.BAD_OPTION,
        f"by default `{decl.name}` is {value}, but that needs {condition.span.text}",
        decl.default.span,
        f"there are {cx.players} players: choose another default" + ("" if value == "true" else exempt),
        (condition.span, "this does not hold"),
    )


def _worked_out(cx: Context, decl: ast.OptionDecl) -> Wrong:
    return wrong(
        cx,
        codes.BAD_OPTION,
        f"the default of `{decl.name}` is to be worked out",
        decl.default.span,
        "write the value itself: a number, `true` or `false`, or one of the names",
    )


def _no_value(cx: Context, decl: ast.OptionDecl, values: list[str]) -> Wrong:
    return wrong(
        cx,
        codes.BAD_OPTION,
        f"the default of `{decl.name}` is not one of its values",
        decl.default.span,
        did_you_mean(decl.default.span.text, values) or f"the values are {', '.join(values)}",
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


def declare_types(cx: Context) -> None:
    for decl in cx.game.types:
        with suppress(Wrong):
            _type(cx, decl)
    _refuse_circles(cx)


def _refuse_circles(cx: Context) -> None:
    """A union that is part of itself would have no members to name."""
    parts = {
        decl.name.text: tuple(k for k in symbol.kinds if k != decl.name.text or len(symbol.kinds) > 1)
        for decl in cx.game.types
        if isinstance(symbol := cx.symbols.get(decl.name.text), KindSymbol)
    }
    settled: set[str] = set()
    for decl in cx.game.types:
        path: dict[str, None] = {}
        stack = [(decl.name.text, False)]
        while stack:
            name, left = stack.pop()
            if left:
                path.pop(name)
                settled.add(name)
            elif name in path:
                cx.error(codes.CYCLE, f"`{name}` is a part of itself", decl.name.span)
                cx.symbols[name] = KindSymbol((), decl.name.span)
                return
            elif name not in settled:
                path[name] = None
                stack.append((name, True))
                stack.extend((part, False) for part in parts.get(name, ()))


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
            for number, ident in names:
                if a <= number <= b:
                    cx.declare(ident.text, ValueSymbol(build.integer(number), ident.span))
        case ast.TypeRef():
            if isinstance(body.base, tuple):
                cx.declare(name, KindSymbol(tuple(i.text for i in body.base), decl.name.span))
            else:
                t = resolve_type(cx, body)
                assert isinstance(t, IntType)
                cx.declare(name, RangeSymbol(t, decl.name.span))


def declare_constants(cx: Context) -> None:
    for decl in cx.game.constants:
        cx.declare(decl.name.text, LazySymbol(decl, decl.name.span))
