"""`f(x)`, `x.f` and `f of x`: definitions, state, tables, kinds, tracks, functions, `try`."""

from __future__ import annotations

from ludex.check import build, codes
from ludex.check.arithmetic import NotConstant
from ludex.check.attributes import kind_attribute
from ludex.check.builtins import BUILTINS, VALUES
from ludex.check.coercions import describe, entity, one_of, plain, value, wrong
from ludex.check.comprehensions import COMPREHENSIONS
from ludex.check.constant_tables import force
from ludex.check.context import Context, Env
from ludex.check.definitions import apply
from ludex.check.elaborated import Bag, Elaborated, Wrong
from ludex.check.entities import construct, indices
from ludex.check.symbols import (
    ActionSymbol,
    DefineSymbol,
    KindSymbol,
    LazySymbol,
    ProcedureSymbol,
    StateSymbol,
    TableSymbol,
    TrackSymbol,
)
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.tables import Dimension
from ludex.typed.types import EntityType, SetType, Type


def call_name(
    cx: Context, name: str, name_span: Span, args: tuple[ast.Expr, ...], env: Env, span: Span
) -> Elaborated:
    symbol = cx.symbols.get(name)
    if isinstance(symbol, KindSymbol):
        values = []
        for a in args:
            v = cx.elaborate(a, env)
            values.append((plain(cx, v, a), a.span))
        return call_values(cx, name, name_span, values, env, span)
    return call_values(cx, name, name_span, [(value(cx, a, env), a.span) for a in args], env, span)


def call_values(
    cx: Context, name: str, name_span: Span, args: list[tuple[x.Expr, Span]], env: Env, span: Span
) -> Elaborated:
    symbol = cx.symbols.get(name)
    cx.used.add(name)
    match symbol:
        case DefineSymbol(decl, _):
            return apply(cx, decl, args, env, span)
        case StateSymbol(variable, _):
            cx.state_reads += 1
            dims = [Dimension(b, s, k) for k, b, s in variable.dims]
            index, lifted = indices(cx, name, dims, args, span, lift=True)
            t = variable.type
            if lifted:
                t = _lift(cx, t, span)
            return x.Load(name, index, t, cx.site(span), lifted)
        case TableSymbol(table, t, _, family):
            dims = list(cx.tables[table].dims)
            index, lifted = indices(cx, name, dims, args, span, lift=not family)
            if family:
                return x.FamilyLookup(table, index, t, cx.site(span))
            if lifted:
                t = _lift(cx, t, span)
            return cx.fold(x.Lookup(table, index, t, cx.site(span), lifted))
        case LazySymbol():
            force(cx, name)
            return call_values(cx, name, name_span, args, env, span)
        case KindSymbol(kinds, _):
            return construct(cx, name, kinds, args, span)
        case TrackSymbol(track, kinds, _):
            table = f"@track:{name}"
            dim = Dimension(1, len(track.spaces), None)
            if table not in cx.tables:
                cx.add_table(table, (dim,), track.spaces)
            index, _ = indices(cx, name, [dim], args, span)
            return cx.fold(x.Lookup(table, index, EntityType(kinds), cx.site(span)))
        case ActionSymbol() | ProcedureSymbol():
            raise wrong(
                cx,
                codes.EFFECT_IN_DEFINITION,
                f"`{name}` does something: it cannot stand in an expression",
                span,
                f"a step can say `run {name}`"
                if isinstance(symbol, ProcedureSymbol)
                else f"`can({name})` asks whether it is possible",
            )
        case None:
            if len(args) == 1 and isinstance(args[0][0].type, EntityType):
                t = args[0][0].type
                found = kind_attribute(cx, args[0][0], t, name, name_span) if t.kinds else None
                if found is not None:
                    return found
            if name in ("roll", "random", "draw", "shuffle", "move"):
                raise wrong(
                    cx,
                    codes.EFFECT_IN_DEFINITION,
                    f"`{name}` has an effect: it cannot stand inside an expression",
                    span,
                    "give it a line of its own in a step: `let a = roll(die)`",
                )
            if name in VALUES:
                raise wrong(
                    cx, codes.NOT_CALLABLE, f"`{name}` takes no arguments", span, f"write `{name}` alone"
                )
            known = {*cx.symbols, *BUILTINS, *COMPREHENSIONS}
            cx.unknown(name, name_span, known, "function, state or kind")
            raise Wrong
        case _:
            raise wrong(cx, codes.NOT_CALLABLE, f"`{name}` takes no arguments", span)


def _lift(cx: Context, t: Type, span: Span) -> Type:
    if isinstance(t, EntityType):
        return EntityType(t.kinds, True)
    if isinstance(t, SetType):
        return t
    raise wrong(
        cx,
        codes.MAY_BE_NONE,
        f"`{span.text}` has no value where what stands in its parentheses is none",
        span,
        "test that first: `if … is not none`, `… is not none and …`",
    )


def attribute(cx: Context, base: x.Expr, attr: str, span: Span, env: Env) -> Elaborated:
    """`base.attr`: a constant field, the place, or whatever `attr(base)` is."""
    t = base.type
    if not isinstance(t, EntityType):
        several = isinstance(t, SetType) and isinstance(t.element, EntityType)
        help = f"go through them: `x.{attr} for x in …`, or {one_of(cx, base)}" if several else None
        raise wrong(cx, codes.WRONG_TYPE, f"{describe(t)} has no `{attr}`", span, help)
    if not t.kinds:
        raise wrong(cx, codes.MAY_BE_NONE, f"none has no `{attr}`", span)
    found = kind_attribute(cx, base, t, attr, span)
    if found is not None:
        return found
    if attr in cx.symbols:
        return call_values(cx, attr, span, [(base, span)], env, span)
    known = {a.name for k in t.kinds for a in cx.kinds[k].attributes} | {"number"}
    known |= {n for n, s in cx.symbols.items() if isinstance(s, DefineSymbol | StateSymbol | TableSymbol)}
    for k in t.kinds:
        if cx.kinds[k].is_movable:
            known.add("place")
    cx.unknown(
        attr, span, known, f"`{attr}` of {describe(EntityType(t.kinds))}: no field, state or definition"
    )
    raise Wrong


def of(cx: Context, node: ast.Of, env: Env) -> Elaborated:
    """`KIND of PLAYER`: those he owns; otherwise `left(right)`."""
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
                except NotConstant:
                    guard = build.comparison("eq", e, owner)
                    binding = x.Binding(var.id, x.SetDomain(cx.kind_set(kinds)))
                    return x.Fold("set", (binding,), guard, var, None, None, t, cx.site(span))
                if v:
                    masks[v - players.base] |= 1 << i
        cx.add_table(table, (Dimension(players.base, players.count, "player"),), tuple(masks))
    return cx.fold(x.Lookup(table, (owner,), t, cx.site(span)))
