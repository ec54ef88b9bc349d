"""`let`, assignments, and the chance events that may stand on their right."""

from __future__ import annotations

from ludex.check import build, codes
from ludex.check.coercions import (
    as_set,
    boolean,
    check_local,
    describe,
    domain,
    fit,
    never_alike,
    number_of,
    pile_of,
    plain,
    set_,
    value,
    wrong,
)
from ludex.check.context import Context, Env
from ludex.check.demands import picked_from
from ludex.check.elaborated import Wrong
from ludex.check.narrowing import facts
from ludex.check.permissions import no_secret
from ludex.check.symbols import StateSymbol
from ludex.node import replace
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import code
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import EntityType, IntType, SetType, Type


def chance_value(cx: Context, v: ast.Roll | ast.RandomIn, env: Env, name: str) -> tuple[typed.Chance, x.Var]:
    no_secret(cx, env, v.span)
    if isinstance(v, ast.Roll):
        faces, die = _die_faces(cx, v.die, env)
        var = cx.new_var(name, IntType(min(faces), max(faces)))
        return typed.Chance(var.id, typed.RollValue(faces, die)), var
    check_local(cx, v.var.text, v.var.span, env)
    d, t = domain(cx, v.domain, env)
    bound = cx.new_var(v.var.text, t)
    inner = env.bind(v.var.text, bound)
    guard = boolean(cx, v.where, inner) if v.where is not None else None
    if v.where is not None:
        narrowed = facts(cx, v.where, True).get(v.var.text)
        t = narrowed or t
    var = cx.new_var(name, t)
    picked_from(cx, var, d)
    event = typed.RandomValue(bound.id, d, guard, t, cx.site(v.span), name)
    return typed.Chance(var.id, event), var


def _die_faces(cx: Context, node: ast.Expr, env: Env) -> tuple[tuple[int, ...], str]:
    e = value(cx, node, env)
    t = e.type.element if isinstance(e.type, SetType) else e.type
    if not isinstance(t, EntityType) or len(t.kinds) != 1 or cx.kinds[t.kinds[0]].category != "die":
        raise wrong(cx, codes.WRONG_TYPE, f"a die is needed, this is {describe(e.type)}", node.span)
    faces = cx.kinds[t.kinds[0]].attribute("@faces")
    assert faces is not None
    return faces.values, t.kinds[0]


def roll_step(cx: Context, dice: ast.Expr, span: Span, env: Env) -> list[typed.Stmt]:
    """`roll DICE`: each die of the set gets a new face, one chance event each."""
    no_secret(cx, env, span)
    faces, name = _die_faces(cx, dice, env)
    cx.faces_read = True
    s = set_(cx, dice, env)
    assert isinstance(s.type, SetType)
    d = cx.new_var("die", s.type.element)
    rolled = cx.new_var("face", IntType(min(faces), max(faces)))
    body: typed.Block = (
        typed.Chance(rolled.id, typed.RollValue(faces, name)),
        code.Store("@face", (d,), rolled, cx.site(span)),
    )
    return [typed.For(d.id, x.SetDomain(s), None, body)]


def let(cx: Context, s: ast.Let, env: Env) -> tuple[list[typed.Stmt], Env]:
    check_local(cx, s.name.text, s.name.span, env)
    if isinstance(s.value, ast.Roll | ast.RandomIn):
        event, drawn = chance_value(cx, s.value, env, s.name.text)
        return [event], env.bind(s.name.text, drawn)
    before, v = step_value(cx, s.value, env)
    var = cx.new_var(s.name.text, v.type)
    cx.lets[var.id] = v
    return [*before, code.SetVar(var.id, v)], env.bind(s.name.text, var)


def step_value(cx: Context, node: ast.Expr, env: Env) -> tuple[list[typed.Stmt], x.Expr]:
    """A value in a step; the top of a shuffled pile is drawn first."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "top"
        and len(node.args) == 1
    ):
        pile = pile_of(cx, node.args[0], env)
        assert isinstance(pile.type, EntityType)
        if any(k in cx.shuffled for k in pile.type.kinds):
            no_secret(cx, env, node.span)
            cx.state_reads += 1
            holds = tuple(dict.fromkeys(h for k in pile.type.kinds for h in cx.kinds[k].holds))
            return [typed.Draw(pile)], x.Top(pile, EntityType(holds), cx.site(node.span))
    e = cx.elaborate(node, env)
    return [], plain(cx, e, node)


def assign(cx: Context, s: ast.Assign, env: Env) -> list[typed.Stmt]:
    field, index, t = target(cx, s.target, env)
    if env.secret is not None:
        _secret_write(cx, field, index, s.span, env)
    before: list[typed.Stmt] = []
    if isinstance(s.value, ast.Roll | ast.RandomIn):
        event, v = chance_value(cx, s.value, env, field)
        before.append(event)
        e: x.Expr = v
    else:
        before, e = step_value(cx, s.value, env)
    if s.op != "=":
        old = x.Load(field, index, t, cx.site(s.target.span))
        cx.state_reads += 1
        if isinstance(t, SetType):
            changed = as_set(cx, e, s.value)  # type: ignore[arg-type]
            if never_alike(changed.type, t):
                raise wrong(
                    cx,
                    codes.WRONG_TYPE,
                    f"`{s.target.span.text}` is {describe(t)}, this is {describe(changed.type)}",
                    s.value.span,
                )
            if s.op == "+=":
                changed = fit(cx, changed, t, s.value.span, f"`{s.target.span.text}`", codes.WRONG_TYPE)
            e = build.set_operation("union" if s.op == "+=" else "diff", old, changed, t)
        else:
            if not isinstance(t, IntType):
                raise wrong(cx, codes.WRONG_TYPE, f"`{s.op}` needs numbers (or sets)", s.span)
            if not isinstance(e.type, IntType):
                message = f"`{s.op}` needs a number, this is {describe(e.type)}"
                help = number_of(cx, e.type, s.value.span.text)
                raise wrong(cx, codes.WRONG_TYPE, message, s.value.span, help)
            e = build.arith("add" if s.op == "+=" else "sub", old, e, cx.site(s.span))
            return [*before, code.Store(field, index, e, cx.site(s.span))]
    e = fit(cx, e, t, s.value.span, f"`{s.target.span.text}`", codes.WRONG_TYPE)
    return [*before, code.Store(field, index, e, cx.site(s.span))]


def _secret_write(cx: Context, field: str, index: tuple[x.Expr, ...], span: Span, env: Env) -> None:
    symbol = cx.symbols.get(field)
    if isinstance(symbol, StateSymbol):
        v = symbol.variable
        own = v.owner_dim is not None and index[v.owner_dim] == env.me
        if v.audience == "owner" and own:
            return
    raise wrong(
        cx,
        codes.IN_SECRET,
        "this changes what others see, inside `secretly ask`",
        span,
        "declare the state `per: player` with `visible: owner` and change only `me`'s",
    )


def target(cx: Context, node: ast.Expr, env: Env) -> tuple[str, tuple[x.Expr, ...], Type]:
    """What is assigned to: a state item, by name, `x.name` or `name(x)`."""
    if (
        isinstance(node, ast.Name)
        and (node.id in env.names or node.id in cx.failed)
        and node.id in cx.symbols
    ):
        raise Wrong  # it means two things, which has been reported
    if isinstance(node, ast.Name) and (node.id in env.names or node.id == "me"):
        raise wrong(
            cx, codes.BAD_ASSIGNMENT, f"`{node.id}` never changes", node.span, "keep it in a state item"
        )
    e = cx.elaborate(node, replace(env, facts={}))
    if isinstance(e, x.Load) and not e.field.startswith("@"):
        symbol = cx.symbols.get(e.field)
        if isinstance(symbol, StateSymbol):
            if e.lifted:
                raise wrong(
                    cx, codes.MAY_BE_NONE, "what is assigned to may be none", node.span, "test it first"
                )
            return e.field, e.index, symbol.variable.type
    raise wrong(
        cx,
        codes.BAD_ASSIGNMENT,
        f"`{node.span.text}` is no state item, so it cannot be assigned to",
        node.span,
        "only items declared under `state` change by assignment; pieces and cards change place by `move`",
    )
