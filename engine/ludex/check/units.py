"""Named steps, procedures and what `run` and `try` make of them."""

from __future__ import annotations

from ludex.check import codes
from ludex.check.coercions import argument, me, plain, value, wrong, wrong_number
from ludex.check.context import Context, Env
from ludex.check.demands import Given, check_run
from ludex.check.elaborated import Wrong
from ludex.check.mentions import mentions_me
from ludex.check.symbols import ActionSymbol, ProcedureSymbol
from ludex.check.type_refs import param_type
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import code
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import PLAYER, Type


def hypothetical(cx: Context, node: ast.Try, env: Env) -> x.Expr:
    symbol = cx.symbols.get(node.procedure.text)
    if not isinstance(symbol, ProcedureSymbol):
        known = {n for n, s in cx.symbols.items() if isinstance(s, ProcedureSymbol)}
        cx.unknown(node.procedure.text, node.procedure.span, known, "procedure")
        raise Wrong
    cx.used.add(node.procedure.text)
    cx.state_reads += 1
    args = procedure_args(cx, symbol.decl, node.args, env, node.span)
    name = atomic_procedure(cx, symbol.decl, node.span)
    acting = me(cx, node.span, env) if mentions_me(cx, symbol.decl) else x.Const(0, PLAYER)
    args = (acting, *args)
    body = plain(cx, cx.elaborate(node.body, env), node.body)
    return x.Hypothetical(name, args, body, body.type)


def procedure_args(
    cx: Context, decl: ast.Procedure, args: tuple[ast.Expr, ...], env: Env, span: Span
) -> tuple[x.Expr, ...]:
    if len(args) != len(decl.params):
        raise wrong_number(cx, decl.name.text, tuple(p.name.text for p in decl.params), len(args), span)
    result = []
    for p, a in zip(decl.params, args, strict=True):
        result.append(argument(cx, value(cx, a, env), param_type(cx, p.type), a.span, f"`{decl.name}`"))
    return tuple(result)


def steps(cx: Context, path: str, decl: ast.Steps, env: Env) -> typed.Steps:
    """Named steps. Each is a rule and a block of its own."""
    made = []
    outer = cx.rule
    for s in decl:
        cx.rule = cx.add_rule(f"{path}/{s.name}", s.name.text, "step", s.span, s.provenance)
        made.append(typed.Step(cx.rule, cx.block(s.body, env)))
        cx.rule = outer
    return tuple(made)


def unit(
    cx: Context, kind: str, name: str, params: list[tuple[str, Type]], decl: ast.Steps, env: Env, span: Span
) -> int:
    """The index of a procedure's or action's body; made once for each seat of a sealed choice.

    Its first parameter is `me`, then come `params`.
    """
    key = (kind, name, env.secret, env.tested)
    known = cx.unit_index.get(key)
    caller = cx.unit_stack[-1] if cx.unit_stack else -1
    if known is not None:
        if known in cx.unit_stack:
            cx.error(codes.RECURSION, f"`{name}` calls itself", span, "use a loop instead")
            raise Wrong
        cx.unit_calls.setdefault(caller, []).append((known, span))
        return known
    index = len(cx.units)
    cx.units.append(None)
    cx.unit_index[key] = index
    cx.unit_calls.setdefault(caller, []).append((index, span))
    me = cx.new_var("me", PLAYER)
    inner = Env(me=me if env.secret is None else env.me, secret=env.secret, tested=env.tested)
    variables = [me.id]
    for n, t in params:
        var = cx.new_var(n, t)
        variables.append(var.id)
        inner = inner.bind(n, var)
    cx.parameters.update(variables[1:])
    cx.unit_stack.append(index)
    outer = cx.rule
    try:
        body = steps(cx, f"{kind}/{name}", decl, inner)
    finally:
        cx.unit_stack.pop()
        cx.rule = outer
    label = name if env.secret is None else f"{name}@{cx.names[env.secret]}"
    cx.units[index] = typed.Unit(label, tuple(variables), body, env.tested)
    return index


def run(cx: Context, s: ast.Run, env: Env) -> list[typed.Stmt]:
    symbol = cx.symbols.get(s.procedure.text)
    if not isinstance(symbol, ProcedureSymbol):
        known = {n for n, v in cx.symbols.items() if isinstance(v, ProcedureSymbol)}
        what = "an action: let it be chosen with `act`" if isinstance(symbol, ActionSymbol) else ""
        if what:
            raise wrong(cx, codes.WRONG_TYPE, f"`{s.procedure}` is {what}", s.procedure.span)
        cx.unknown(s.procedure.text, s.procedure.span, known, "procedure")
        raise Wrong
    cx.used.add(s.procedure.text)
    args = procedure_args(cx, symbol.decl, s.args, env, s.span)
    params = [(p.name.text, param_type(cx, p.type)) for p in symbol.decl.params]
    me_free = env.me is None
    if me_free and mentions_me(cx, symbol.decl):
        raise wrong(
            cx,
            codes.NO_ME,
            f"`{s.procedure}` speaks of `me`, but nobody is on turn here",
            s.span,
            "go through the players and `ask` them",
        )
    index = unit(cx, "procedures", s.procedure.text, params, symbol.decl.steps, env, s.span)
    what = f"what `{s.procedure}` is given here"
    given = [Given(e, a.span, what) for e, a in zip(args, s.args, strict=True)]
    check_run(cx, index, s.procedure.text, given, env, s.span)
    return [typed.Run(index, (env.me if env.me is not None else x.Const(0, PLAYER), *args))]


def atomic_procedure(cx: Context, decl: ast.Procedure, span: Span) -> str:
    """The procedure as plain code for `try`; its first parameter is `me`."""
    name = decl.name.text
    if name in cx.atomics:
        return name
    if name in cx.making:
        raise wrong(cx, codes.RECURSION, f"`{name}` calls itself", span)
    acting = cx.new_var("me", PLAYER)
    inner = Env(me=acting, tested=False)
    variables = [acting.id]
    for p in decl.params:
        var = cx.new_var(p.name.text, param_type(cx, p.type))
        variables.append(var.id)
        inner = inner.bind(p.name.text, var)
    cx.making.append(name)
    state_reads, me_reads = cx.state_reads, cx.me_reads
    try:
        body: list[code.Stmt] = []
        for s in decl.steps:
            body.extend(atomic_code(cx, cx.block(s.body, inner), (span, s.span)))
    finally:
        cx.making.remove(name)
        cx.state_reads, cx.me_reads = state_reads, me_reads
    cx.atomics[name] = typed.Atomic(name, tuple(variables), tuple(body))
    return name


def atomic_code(cx: Context, stmts: typed.Block, span: tuple[Span, Span]) -> list[code.Stmt]:
    """Steps as plain code; `span`: of the `try`, and of the step that it leads to."""
    result: list[code.Stmt] = []
    for s in stmts:
        match s:
            case typed.If(test, a, b):
                result.append(code.If(test, tuple(atomic_code(cx, a, span)), tuple(atomic_code(cx, b, span))))
            case typed.For(var, d, guard, body):
                result.append(code.For(var, d, guard, tuple(atomic_code(cx, body, span))))
            case typed.Loop(count, test_, body):
                result.append(code.Loop(count, test_, tuple(atomic_code(cx, body, span))))
            case typed.Stop():
                result.append(code.Break())
            case typed.Run(index, args):
                called = cx.units[index]
                if called is None:
                    raise wrong(cx, codes.RECURSION, "this calls itself", span[0])
                name = f"{called.name}#{index}"
                if name not in cx.atomics:
                    inner: list[code.Stmt] = []
                    for step in called.steps:
                        inner.extend(atomic_code(cx, step.body, span))
                    cx.atomics[name] = typed.Atomic(name, called.params, tuple(inner))
                result.append(code.RunAtomic(name, args))
            case (
                typed.Chance()
                | typed.Draw()
                | typed.Ask()
                | typed.Secret()
                | typed.Decision()
                | typed.Leave()
                | typed.Again()
                | typed.Decree()
            ):
                cx.error(
                    codes.CANNOT_TRY,
                    "`try` runs only what never waits for a player or for chance",
                    span[0],
                    "move what waits into a procedure of its own, which `try` does not run",
                    other=(span[1], "this step waits, or ends something"),
                )
                raise Wrong
            case _:
                result.append(s)
    return result
