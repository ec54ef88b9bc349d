"""Statements: typed, sugar removed; actions, procedures and decisions."""

from __future__ import annotations

from ludex.check import codes
from ludex.check.actions import act
from ludex.check.assignments import assign, let, roll_step
from ludex.check.audience import is_still, tell
from ludex.check.choices import choose, choose_amounts, choose_several
from ludex.check.coercions import (
    as_set,
    boolean,
    check_local,
    describe,
    domain,
    entity,
    integer,
    pile_of,
    set_,
    wrong,
)
from ludex.check.context import Context, Env
from ludex.check.demands import check_strand
from ludex.check.elaborated import Wrong
from ludex.check.moves import lay, move
from ludex.check.narrowing import lasting
from ludex.check.permissions import check_players, leave, no_secret
from ludex.check.symbols import DiagramSymbol, RecordSymbol
from ludex.check.templates import template
from ludex.check.units import run
from ludex.node import replace
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import code
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import PLAYER, EntityType, IntType, SetType


def statement(cx: Context, s: ast.Stmt, env: Env) -> tuple[list[typed.Stmt], Env]:
    match s:
        case ast.Let():
            return let(cx, s, env)
        case ast.Assign():
            return assign(cx, s, env), env
        case ast.Move() | ast.Put() | ast.Remove() | ast.Replace() | ast.Deal():
            return move(cx, s, env), env
        case ast.Shuffle(pile, span):
            no_secret(cx, env, span)
            return [code.ShufflePile(pile_of(cx, pile, env))], env
        case ast.TurnOver(pile, span):
            return [code.ReversePile(pile_of(cx, pile, env))], env
        case ast.Lay(diagram, span):
            symbol = cx.symbols.get(diagram.text)
            if not isinstance(symbol, DiagramSymbol):
                known = {n for n, v in cx.symbols.items() if isinstance(v, DiagramSymbol)}
                cx.unknown(diagram.text, diagram.span, known, "diagram")
                raise Wrong
            cx.used.add(diagram.text)
            return lay(cx, symbol.decl, span), env
        case ast.RollStep(dice, span):
            return roll_step(cx, dice, span, env), env
        case ast.Show(thing, to, span):
            no_secret(cx, env, span)
            who = cx.kind_set(("player",)) if to is None else set_(cx, to, env)
            shown = cx.elaborate(thing, env)
            if isinstance(shown, x.Var):
                _shown(cx, shown, None if to is None else who)
            things = as_set(cx, shown, thing)
            _check_faces(cx, things, thing.span)
            return [code.Reveal(things, who)], env
        case ast.Note(record, span) | ast.Forget(record, span):
            if not isinstance(cx.symbols.get(record.text), RecordSymbol):
                known = {n for n, v in cx.symbols.items() if isinstance(v, RecordSymbol)}
                cx.unknown(record.text, record.span, known, "record")
                raise Wrong
            cx.used.add(record.text)
            if isinstance(s, ast.Note):
                return [code.NoteRecord(record.text, cx.site(span))], env
            return [code.ForgetRecord(record.text)], env
        case ast.Say(text, to, span):
            no_secret(cx, env, span)
            to_set = None if to is None else set_(cx, to, env)
            return [code.Announce(template(cx, text, span, env), to_set)], env
        case ast.End(what, span):
            leave(cx, what, span, env)
            return [typed.Leave(what, cx.rule)], env  # type: ignore[arg-type]
        case ast.Again(span):
            leave(cx, "turn", span, env)
            return [typed.Again()], env
        case ast.Stop(span):
            if not env.loop:
                raise wrong(
                    cx,
                    codes.LEAVE_OUTSIDE,
                    "`stop` stands in no loop",
                    span,
                    "it leaves `repeat`, `while` or `for each`",
                )
            return [typed.Stop()], env
        case ast.Result(kind, players, span):
            no_secret(cx, env, span)
            who = cx.kind_set(("player",)) if players is None else set_(cx, players, env)
            check_players(cx, who, span)
            return [typed.Decree({"win": 1, "lose": 2, "tie": 3}[kind], who, cx.rule)], env
        case ast.Run():
            return run(cx, s, env), env
        case ast.If(test, then, orelse, _):
            condition = boolean(cx, test, env)
            inner = env.under(condition)
            a = cx.block(then, inner.narrowed(lasting(cx, test, env, True)))
            b = cx.block(orelse, inner.narrowed(lasting(cx, test, env, False)))
            if isinstance(condition, x.Const):
                return list(a if condition.value else b), env
            return [typed.If(condition, a, b)], env
        case ast.ForEach():
            return for_each(cx, s, env), env
        case ast.Repeat(count, body, _):
            n = None if count is None else integer(cx, count, env)
            inner = replace(env if n is None else env.under(n), loop=True)
            return [typed.Loop(n, None, cx.block(body, inner))], env
        case ast.While(test, body, _):
            condition = boolean(cx, test, env)
            inner = replace(env.under(condition), loop=True)
            return [typed.Loop(None, condition, cx.block(body, inner))], env
        case ast.Ask(player, body, span):
            no_secret(cx, env, span)
            p = entity(cx, player, env, ("player",))
            me = cx.new_var("me", PLAYER)
            if is_still(p):
                cx.lets[me.id] = p
            return [typed.Ask(me.id, p, cx.block(body, replace(env, me=me)))], env
        case ast.SecretlyAsk(players, body, span):
            return secretly(cx, players, body, span, env), env
        case ast.Act():
            return [act(cx, s, env)], env
        case ast.Choose():
            return choose(cx, s, env), env
        case ast.ChooseSeveral():
            return choose_several(cx, s, env), env
        case ast.ChooseAmounts():
            return choose_amounts(cx, s, env), env


def _check_faces(cx: Context, shown: x.Expr, span: Span) -> None:
    """Only what has a face that may be hidden can be shown: pieces, cards, dice."""
    t = shown.type.element if isinstance(shown.type, SetType) else shown.type
    kinds = [cx.kinds[k] for k in t.kinds] if isinstance(t, EntityType) else []
    if any(k.category == "die" for k in kinds):
        cx.faces_read = True
    if isinstance(t, IntType) or not all(k.is_movable or k.category == "die" for k in kinds):
        raise wrong(
            cx, codes.WRONG_TYPE, f"pieces, cards or dice can be shown; this is {describe(shown.type)}", span
        )


def _shown(cx: Context, thing: x.Var, to: x.Expr | None) -> None:
    """Who has seen a thing from now on: one player, or all."""
    if to is None or to == cx.kind_set(("player",)):
        tell(cx, thing, None)
    elif isinstance(to, x.Singleton):
        tell(cx, thing, to.element)


def for_each(cx: Context, s: ast.ForEach, env: Env) -> list[typed.Stmt]:
    check_local(cx, s.var.text, s.var.span, env)
    d, t = domain(cx, s.domain, env)
    var = cx.new_var(s.var.text, t)
    inner = replace(env.bind(s.var.text, var), loop=True)
    guard = None
    if s.where is not None:
        guard = boolean(cx, s.where, inner)
        inner = inner.under(guard).narrowed(lasting(cx, s.where, inner, True))
    if isinstance(d, x.SetDomain):
        cx.lets[var.id] = d.set
    body = cx.block(s.body, inner)
    if isinstance(d, x.FamilyDomain) and not all(never_waits(b) for b in body):
        raise wrong(
            cx,
            codes.WAITING_LOOP,
            "a loop over sets of sets cannot wait for a player or for chance",
            s.domain.span,
            "choose one of the sets: `choose m in …`, or go through the elements",
        )
    return [typed.For(var.id, d, guard, body)]


def never_waits(s: typed.Stmt) -> bool:
    """Whether a statement runs to its end at once, and goes on after it."""
    match s:
        case typed.If(_, then, orelse):
            return all(never_waits(inner) for inner in (*then, *orelse))
        case typed.For(_, _, _, body) | typed.Loop(_, _, body):
            return all(never_waits(inner) for inner in body)
        case (
            typed.Chance()
            | typed.Draw()
            | typed.Run()
            | typed.Ask()
            | typed.Secret()
            | typed.Decision()
            | typed.Leave()
            | typed.Again()
            | typed.Decree()
        ):
            return False
        case _:
            return True


def secretly(cx: Context, players: ast.Expr, body: ast.Block, span: Span, env: Env) -> list[typed.Stmt]:
    no_secret(cx, env, span)
    who = set_(cx, players, env)
    check_players(cx, who, players.span)
    strands = []
    for seat in cx.kinds["player"].ids:
        me = x.Const(seat, PLAYER)
        before = cx.mistakes
        strand = cx.block(body, replace(env, me=me, secret=seat, tested=False, loop=False))
        if cx.mistakes == before:
            check_strand(cx, strand, me, span)
        strands.append(strand)
    return [typed.Secret(who, tuple(strands), cx.rule)]
