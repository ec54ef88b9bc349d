"""Phases, end conditions, scoring and ranking."""

from __future__ import annotations

from contextlib import suppress

from ludex.check import build, codes
from ludex.check.coercions import amount, boolean, integer, set_, wrong
from ludex.check.context import Context, Env
from ludex.check.elaborated import Seats, Wrong
from ludex.check.units import steps
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import PLAYER, IntType


def tests(cx: Context, decl: ast.Conditions, path: str, kind: str, env: Env) -> tuple[typed.Test, ...]:
    made = []
    outer = cx.rule
    for c in decl:
        cx.rule = cx.add_rule(f"{path}/{c.name}", c.name.text, kind, c.span, c.provenance)
        with suppress(Wrong):
            made.append(typed.Test(cx.rule, boolean(cx, c.expr, env)))
        cx.rule = outer
    return tuple(made)


def phases(cx: Context, decl: tuple[ast.Phase, ...], path: str, active: x.Var) -> tuple[typed.Phase, ...]:
    made = []
    for p in decl:
        try:
            made.append(_phase(cx, p, f"{path}/{p.name}", active))
        except Wrong:
            continue
    return tuple(made)


def _phase(cx: Context, p: ast.Phase, path: str, active: x.Var) -> typed.Phase:
    rule = cx.add_rule(path, p.name.text, "phase", p.span, p.provenance)
    outside = Env(tested=False)
    between = Env()
    me = cx.new_var("me", PLAYER)
    turn = Env(me=me)
    turns: x.Domain | None = None
    if p.turns is not None:
        e = cx.elaborate(p.turns, between)
        if not isinstance(e, Seats):
            raise wrong(
                cx,
                codes.WRONG_TYPE,
                "the order of turns is a direction and a first player",
                p.turns.span,
                "`turns: clockwise from player(1)`",
            )
        turns = e.domain
    with_turns = p.turns is not None
    if p.where and not with_turns:
        cx.error(
            codes.LEAVE_OUTSIDE, "`where` says whose turn is skipped, but there are no turns", p.where[0].span
        )
    return typed.Phase(
        name=p.name.text,
        rule=rule,
        me=me.id,
        when=tests(cx, p.when, f"{path}/when", "condition", between),
        begin=within(cx, f"{path}/begin", p.begin, outside, ("phase",)),
        each_round=within(cx, f"{path}/each_round", p.each_round, between, ("round", "phase")),
        turns=turns,
        where=tests(cx, p.where, f"{path}/where", "condition", turn),
        do=within(
            cx,
            f"{path}/do",
            p.do,
            turn if with_turns else between,
            ("turn", "round", "phase") if with_turns else ("round", "phase"),
        ),
        finish=within(cx, f"{path}/finish", p.finish, between, ()),
        until=tests(cx, p.until, f"{path}/until", "until", between),
        rounds=integer(cx, p.rounds, between) if p.rounds is not None else None,
        repeat=integer(cx, p.repeat, between) if p.repeat is not None else None,
        repeat_until=tests(cx, p.repeat_until, f"{path}/repeat_until", "until", between),
        phases=phases(cx, p.phases, f"{path}/phases", active),
        end=end_tests(cx, p.end, f"{path}/end", active),
    )


def within(cx: Context, path: str, decl: ast.Steps, env: Env, leavable: tuple[str, ...]) -> typed.Steps:
    """Steps of a phase; every way to leave that they lead to must have something to leave."""
    before = {k: len(v) for k, v in cx.unit_leaves.items()}, {k: len(v) for k, v in cx.unit_calls.items()}
    made = steps(cx, path, decl, env)
    leaves, calls = before
    seen: set[int] = set()
    pending = [unit for unit, _ in cx.unit_calls.get(-1, [])[calls.get(-1, 0) :]]
    found = list(cx.unit_leaves.get(-1, [])[leaves.get(-1, 0) :])
    while pending:
        unit = pending.pop()
        if unit in seen:
            continue
        seen.add(unit)
        found.extend(cx.unit_leaves.get(unit, []))
        pending.extend(u for u, _ in cx.unit_calls.get(unit, []))
    for what, span in found:
        if what not in leavable:
            cx.error(
                codes.LEAVE_OUTSIDE,
                f"there is no {what} to leave here: `{path}` leads here without one",
                span,
                "only what is inside turns can end a turn" if what == "turn" else None,
            )
    return made


def end_tests(
    cx: Context, decl: tuple[ast.EndCondition, ...], path: str, active: x.Var
) -> tuple[typed.EndTest, ...]:
    made = []
    outer = cx.rule
    env = Env(me=active)
    for c in decl:
        cx.rule = cx.add_rule(f"{path}/{c.name}", c.name.text, "end", c.span, c.provenance)
        reads = cx.option_reads
        try:
            test = boolean(cx, c.expr, env)
            winner = set_(cx, c.winner, env) if c.winner is not None else None
            if build.is_false(test) and cx.option_reads == reads:
                cx.error(
                    codes.UNREACHABLE_END,
                    f"“{c.name}” can never hold",
                    c.expr.span,
                    _bounded(cx, c.expr) or "compare with what can be reached, or remove the condition",
                )
            made.append(typed.EndTest(cx.rule, test, winner))
        except Wrong:
            pass
        cx.rule = outer
    return tuple(made)


def _bounded(cx: Context, test: ast.Expr) -> str | None:
    """What a comparison of numbers compares, and what that can be."""
    if isinstance(test, ast.Compare):
        for side in (test.left, test.right):
            e = cx.elaborated.get(id(side))
            if e is not None and not isinstance(e, x.Const) and isinstance(e.type, IntType):
                return f"`{side.span.text}` is {amount(e.type)}: compare with what can be reached"
    return None


def scorings(cx: Context, decl: ast.Conditions) -> tuple[typed.Scored, ...]:
    made = []
    outer = cx.rule
    for c in decl:
        cx.rule = cx.add_rule(f"scoring/{c.name}", c.name.text, "scoring", c.span, c.provenance)
        me = cx.new_var("me", PLAYER)
        with suppress(Wrong):
            made.append(typed.Scored(cx.rule, me.id, integer(cx, c.expr, Env(me=me))))
        cx.rule = outer
    return tuple(made)


def rankings(cx: Context, decl: tuple[ast.RankingKey, ...]) -> tuple[typed.Scored, ...]:
    """Ranking keys; without any, most score wins."""
    made = []
    outer = cx.rule
    for k in decl:
        cx.rule = cx.add_rule(f"ranking/{k.name}", k.name.text, "ranking", k.span, k.provenance)
        me = cx.new_var("me", PLAYER)
        try:
            if isinstance(k.expr, ast.Name) and k.expr.id == "score":
                made.append(typed.Scored(cx.rule, me.id, None, k.most))
            else:
                made.append(typed.Scored(cx.rule, me.id, integer(cx, k.expr, Env(me=me)), k.most))
        except Wrong:
            pass
        cx.rule = outer
    if not made and not decl:
        rule = cx.add_rule("ranking/score", "score", "ranking", cx.game.span)
        made.append(typed.Scored(rule, cx.new_var("me", PLAYER).id, None, True))
    return tuple(made)
