"""Statements: typed, sugar removed; actions, procedures and decisions."""

from __future__ import annotations

from dataclasses import replace

from ludex import limits
from ludex.check import build, codes
from ludex.check.audience import check_visible
from ludex.check.calls import call_name, check_local, fit, param_type, procedure_args
from ludex.check.context import (
    ActionSymbol,
    Context,
    DiagramSymbol,
    Env,
    ProcedureSymbol,
    RecordSymbol,
    StateSymbol,
)
from ludex.check.evaluate import bits
from ludex.check.expressions import (
    Bag,
    Direction,
    Elaborated,
    Wrong,
    as_entity,
    as_set,
    boolean,
    describe,
    domain,
    elaborate,
    entity,
    facts,
    integer,
    occupied,
    plain,
    set_,
    value,
    wrong,
)
from ludex.check.templates import template
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import code
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import BOOL, EntityType, IntType, SetType, Type

PLAYER = EntityType(("player",))


def block(cx: Context, stmts: ast.Block, env: Env) -> typed.Block:
    """A block: `let` names hold to its end. Goes on after a statement with an error."""
    result: list[typed.Stmt] = []
    for s in stmts:
        try:
            made, env = statement(cx, s, env)
            result.extend(made)
        except Wrong:
            if isinstance(s, ast.Let):
                env = env.bind(s.name.text, _Unknown.of(cx, env))
    return tuple(result)


class _Unknown:
    """A stand-in for a value whose `let` was wrong, so that its uses are not reported too."""

    @staticmethod
    def of(cx: Context, env: Env) -> x.Expr:
        kinds = tuple(cx.kinds)
        return cx.new_var("?", EntityType(kinds))


def statement(cx: Context, s: ast.Stmt, env: Env) -> tuple[list[typed.Stmt], Env]:
    match s:
        case ast.Let():
            return let(cx, s, env)
        case ast.Assign():
            return assign(cx, s, env), env
        case ast.Move() | ast.Put() | ast.Remove() | ast.Replace() | ast.Deal():
            from ludex.check.moves import move

            return move(cx, s, env), env
        case ast.Shuffle(pile, span):
            _no_secret(cx, env, span)
            from ludex.check.builtins import pile_of

            return [code.ShufflePile(pile_of(cx, pile, env))], env
        case ast.TurnOver(pile, span):
            from ludex.check.builtins import pile_of

            return [code.ReversePile(pile_of(cx, pile, env))], env
        case ast.Lay(diagram, span):
            from ludex.check.moves import lay

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
            _no_secret(cx, env, span)
            who = cx.kind_set(("player",)) if to is None else set_(cx, to, env)
            shown = elaborate(cx, thing, env)
            if not isinstance(shown, Bag | Direction) and _is_dice(cx, shown):
                return [], env
            return [code.Reveal(as_set(cx, shown, thing), who)], env
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
            _no_secret(cx, env, span)
            to_set = None if to is None else set_(cx, to, env)
            return [code.Announce(template(cx, text, span, env), to_set)], env
        case ast.End(what, span):
            _leave(cx, what, span, env)
            return [typed.Leave(what, cx.rule)], env  # type: ignore[arg-type]
        case ast.Again(span):
            _leave(cx, "turn", span, env)
            return [typed.Again()], env
        case ast.Stop(span):
            if not env.loop:
                raise wrong(cx, codes.LEAVE_OUTSIDE, "`stop` stands in no loop", span)
            return [typed.Stop()], env
        case ast.Result(kind, players, span):
            _no_secret(cx, env, span)
            who = cx.kind_set(("player",)) if players is None else set_(cx, players, env)
            _players(cx, who, span)
            return [typed.Decree({"win": 1, "lose": 2, "tie": 3}[kind], who, cx.rule)], env
        case ast.Run():
            return run(cx, s, env), env
        case ast.If(test, then, orelse, _):
            condition = boolean(cx, test, env)
            a = block(cx, then, env.narrowed(_lasting(cx, test, env, True)))
            b = block(cx, orelse, env.narrowed(_lasting(cx, test, env, False)))
            if isinstance(condition, x.Const):
                return list(a if condition.value else b), env
            return [typed.If(condition, a, b)], env
        case ast.ForEach():
            return for_each(cx, s, env), env
        case ast.Repeat(count, body, _):
            n = None if count is None else integer(cx, count, env)
            return [typed.Loop(n, None, block(cx, body, replace(env, loop=True)))], env
        case ast.While(test, body, _):
            condition = boolean(cx, test, env)
            inner = replace(env, loop=True)
            return [typed.Loop(None, condition, block(cx, body, inner))], env
        case ast.Ask(player, body, span):
            _no_secret(cx, env, span)
            p = entity(cx, player, env, ("player",))
            me = cx.new_var("me", PLAYER)
            return [typed.Ask(me.id, p, block(cx, body, replace(env, me=me)))], env
        case ast.SecretlyAsk(players, body, span):
            return secretly(cx, players, body, span, env), env
        case ast.Act():
            return [act(cx, s, env)], env
        case ast.Choose():
            from ludex.check.choices import choose

            return choose(cx, s, env), env
        case ast.ChooseSeveral():
            from ludex.check.choices import choose_several

            return choose_several(cx, s, env), env
        case ast.ChooseAmounts():
            from ludex.check.choices import choose_amounts

            return choose_amounts(cx, s, env), env


def _lasting(cx: Context, test: ast.Expr, env: Env, holds: bool) -> dict[str, Type]:
    """Facts that last into a block: those about immutable names (and their constant fields)."""
    return {k: t for k, t in facts(cx, test, env, holds).items() if k.split(".")[0] in env.names and "(" not in k}


def _no_secret(cx: Context, env: Env, span: Span) -> None:
    if env.secret is not None:
        raise wrong(cx, codes.IN_SECRET, "this cannot be done inside `secretly ask`", span)


def _leave(cx: Context, what: str, span: Span, env: Env) -> None:
    _no_secret(cx, env, span)
    if what != "game":
        unit = cx.unit_stack[-1] if cx.unit_stack else -1
        cx.unit_leaves.setdefault(unit, []).append((what, span))


def _players(cx: Context, e: x.Expr, span: Span) -> None:
    if not isinstance(e.type, SetType) or e.type.element not in (PLAYER, EntityType(())):
        raise wrong(cx, codes.WRONG_TYPE, f"players are needed, this is {describe(e.type)}", span)


def _is_dice(cx: Context, e: Elaborated) -> bool:
    t = e.type.element if isinstance(e.type, SetType) else e.type
    return isinstance(t, EntityType) and bool(t.kinds) and all(cx.kinds[k].category == "die" for k in t.kinds)


# ------------------------------------------------------------------- let, assign, chance


def chance_value(cx: Context, v: ast.Roll | ast.RandomIn, env: Env, name: str) -> tuple[typed.Chance, x.Var]:
    _no_secret(cx, env, v.span)
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
        narrowed = facts(cx, v.where, inner, True).get(v.var.text)
        t = narrowed or t
    var = cx.new_var(name, t)
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
    _no_secret(cx, env, span)
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
    return [*before, code.SetVar(var.id, v)], env.bind(s.name.text, var)


def step_value(cx: Context, node: ast.Expr, env: Env) -> tuple[list[typed.Stmt], x.Expr]:
    """A value in a step; the top of a shuffled pile is drawn first."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "top" and len(node.args) == 1:
        from ludex.check.builtins import pile_of

        pile = pile_of(cx, node.args[0], env)
        assert isinstance(pile.type, EntityType)
        if any(k in cx.shuffled for k in pile.type.kinds):
            _no_secret(cx, env, node.span)
            cx.state_reads += 1
            holds = tuple(dict.fromkeys(h for k in pile.type.kinds for h in cx.kinds[k].holds))
            return [typed.Draw(pile)], x.Top(pile, EntityType(holds), cx.site(node.span))
    e = elaborate(cx, node, env)
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
            added = as_set(cx, e, s.value)  # type: ignore[arg-type]
            e = build.set_operation("union" if s.op == "+=" else "diff", old, added, t)
        else:
            if not isinstance(t, IntType) or not isinstance(e.type, IntType):
                raise wrong(cx, codes.WRONG_TYPE, f"`{s.op}` needs numbers (or sets)", s.span)
            e = build.arith("add" if s.op == "+=" else "sub", old, e, cx.site(s.span))
            return [*before, code.Store(field, index, e, cx.site(s.span))]
    e = fit(cx, e, t, s.value.span, f"`{s.target.span.text}`")
    return [*before, code.Store(field, index, e, cx.site(s.span))]


def _secret_write(cx: Context, field: str, index: tuple[x.Expr, ...], span: Span, env: Env) -> None:
    symbol = cx.symbols.get(field)
    if isinstance(symbol, StateSymbol):
        v = symbol.variable
        own = v.owner_dim is not None and index[v.owner_dim] == env.me
        if v.audience == "owner" and own:
            return
    raise wrong(
        cx, codes.IN_SECRET, "this changes what others see, inside `secretly ask`", span,
        "declare the state `per: player` with `visible: owner` and change only `me`'s",
    )


def target(cx: Context, node: ast.Expr, env: Env) -> tuple[str, tuple[x.Expr, ...], Type]:
    """What is assigned to: a state item, by name, `x.name` or `name(x)`."""
    if isinstance(node, ast.Name) and (node.id in env.names or node.id == "me"):
        raise wrong(cx, codes.BAD_ASSIGNMENT, f"`{node.id}` never changes", node.span, "keep it in a state item")
    e = elaborate(cx, node, replace(env, facts={}))
    if isinstance(e, x.Load) and not e.field.startswith("@"):
        symbol = cx.symbols.get(e.field)
        if isinstance(symbol, StateSymbol):
            if e.lifted:
                raise wrong(cx, codes.MAY_BE_NONE, "what is assigned to may be none", node.span, "test it first")
            return e.field, e.index, symbol.variable.type
    raise wrong(
        cx, codes.BAD_ASSIGNMENT, "this cannot be assigned to", node.span,
        "only items declared under `state` change by assignment; pieces and cards change place by `move`",
    )


# ------------------------------------------------------------------------------- loops


def for_each(cx: Context, s: ast.ForEach, env: Env) -> list[typed.Stmt]:
    check_local(cx, s.var.text, s.var.span, env)
    d, t = domain(cx, s.domain, env)
    var = cx.new_var(s.var.text, t)
    inner = replace(env.bind(s.var.text, var), loop=True)
    guard = None
    if s.where is not None:
        guard = boolean(cx, s.where, inner)
        inner = inner.narrowed(_lasting(cx, s.where, inner, True))
    return [typed.For(var.id, d, guard, block(cx, s.body, inner))]


def secretly(cx: Context, players: ast.Expr, body: ast.Block, span: Span, env: Env) -> list[typed.Stmt]:
    _no_secret(cx, env, span)
    who = set_(cx, players, env)
    _players(cx, who, players.span)
    strands = []
    for seat in cx.kinds["player"].ids:
        me = x.Const(seat, PLAYER)
        strands.append(block(cx, body, replace(env, me=me, secret=seat, tested=False)))
    return [typed.Secret(who, tuple(strands), cx.rule)]


# ------------------------------------------------------------------------- steps, units


def steps(cx: Context, path: str, decl: ast.Steps, env: Env) -> typed.Steps:
    """Named steps. Each is a rule and a block of its own."""
    made = []
    outer = cx.rule
    for s in decl:
        cx.rule = cx.add_rule(f"{path}/{s.name}", s.name.text, "step", s.span, s.provenance)
        made.append(typed.Step(cx.rule, block(cx, s.body, env)))
        cx.rule = outer
    return tuple(made)


def unit(
    cx: Context, kind: str, name: str, params: list[tuple[str, Type]], decl: ast.Steps, env: Env, span: Span
) -> tuple[int, bool]:
    """The index of a procedure's or action's body; made once for each seat of a sealed choice.

    Returns whether its first parameter is `me`.
    """
    key = (kind, name, env.secret, env.tested)
    known = cx.unit_index.get(key)
    caller = cx.unit_stack[-1] if cx.unit_stack else -1
    if known is not None:
        if known in cx.unit_stack:
            cx.error(
                codes.RECURSION, f"`{name}` calls itself", span, "use a loop instead"
            )
            raise Wrong
        cx.unit_calls.setdefault(caller, []).append((known, span))
        return known, True
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
    cx.unit_stack.append(index)
    outer = cx.rule
    try:
        body = steps(cx, f"{kind}/{name}", decl, inner)
    finally:
        cx.unit_stack.pop()
        cx.rule = outer
    label = name if env.secret is None else f"{name}@{cx.names[env.secret]}"
    cx.units[index] = typed.Unit(label, tuple(variables), body, env.tested)
    return index, True


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
    if me_free and procedure_uses_me(cx, symbol.decl):
        raise wrong(
            cx, codes.NO_ME, f"`{s.procedure}` speaks of `me`, but nobody is on turn here", s.span,
            "go through the players and `ask` them",
        )
    index, _ = unit(cx, "procedures", s.procedure.text, params, symbol.decl.steps, env, s.span)
    return [typed.Run(index, (env.me if env.me is not None else x.Const(0, PLAYER), *args))]


def procedure_uses_me(cx: Context, decl: ast.Procedure) -> bool:
    """Whether the steps mention `me` outside `ask`, as written."""
    from ludex.check.mentions import mentions_me

    return mentions_me(cx, decl)


def atomic_procedure(cx: Context, decl: ast.Procedure, env: Env, span: Span) -> tuple[str, bool]:
    """The procedure as plain code for `try`; its first parameter is `me`."""
    name = decl.name.text
    if name in cx.atomics:
        return name, env.me is not None
    if name in cx.making:
        raise wrong(cx, codes.RECURSION, f"`{name}` calls itself", span)
    me = cx.new_var("me", PLAYER)
    inner = Env(me=me, tested=False)
    variables = [me.id]
    for p in decl.params:
        var = cx.new_var(p.name.text, param_type(cx, p.type))
        variables.append(var.id)
        inner = inner.bind(p.name.text, var)
    cx.making.append(name)
    state_reads = cx.state_reads
    try:
        body: list[code.Stmt] = []
        for s in decl.steps:
            body.extend(_atomic(cx, block(cx, s.body, inner), s.span))
    finally:
        cx.making.remove(name)
        cx.state_reads = state_reads
    cx.atomics[name] = typed.Atomic(name, tuple(variables), tuple(body))
    return name, True


def _atomic(cx: Context, stmts: typed.Block, span: Span) -> list[code.Stmt]:
    result: list[code.Stmt] = []
    for s in stmts:
        match s:
            case typed.If(test, a, b):
                result.append(code.If(test, tuple(_atomic(cx, a, span)), tuple(_atomic(cx, b, span))))
            case typed.For(var, d, guard, body):
                result.append(code.For(var, d, guard, tuple(_atomic(cx, body, span))))
            case typed.Loop(count, test_, body):
                result.append(code.Loop(count, test_, tuple(_atomic(cx, body, span))))
            case typed.Stop():
                result.append(code.Break())
            case typed.Run(index, args):
                called = cx.units[index]
                if called is None:
                    raise wrong(cx, codes.RECURSION, "this calls itself", span)
                name = f"{called.name}#{index}"
                if name not in cx.atomics:
                    inner: list[code.Stmt] = []
                    for step in called.steps:
                        inner.extend(_atomic(cx, step.body, span))
                    cx.atomics[name] = typed.Atomic(name, called.params, tuple(inner))
                result.append(code.RunAtomic(name, args))
            case (
                typed.Chance() | typed.Draw() | typed.Ask() | typed.Secret() | typed.Decision() | typed.Leave()
                | typed.Again() | typed.Decree()
            ):
                raise wrong(
                    cx, codes.CANNOT_TRY, "`try` runs only what never waits for a player or for chance", span
                )
            case _:
                result.append(s)
    return result


# ----------------------------------------------------------------------------- actions


def action_site(
    cx: Context, decl: ast.Action, args: tuple[ast.Expr, ...], env: Env, span: Span
) -> tuple[x.OptionSite, list[tuple[str, x.Expr]], Env]:
    """What is enumerated for an offer of an action; its parameters' values; the names bound."""
    cx.used.add(decl.name.text)
    if env.me is None:
        raise wrong(
            cx, codes.NO_ME, f"nobody is there to {decl.name}: nobody is on turn here", span,
            "go through the players and `ask` them",
        )
    if len(args) != len(decl.given):
        wanted = ", ".join(f"{p.name}" for p in decl.given)
        raise wrong(
            cx, codes.WRONG_ARGUMENTS, f"`{decl.name}` is given {len(decl.given)} values, not {len(args)}", span,
            f"offer `{decl.name}({wanted})`" if wanted else f"offer `{decl.name}`",
        )
    inner = Env(me=env.me, secret=env.secret, tested=env.tested)
    params: list[tuple[str, x.Expr]] = []
    items: list[list[x.OptionLet | x.OptionGuard]] = [[]]
    bindings: list[x.OptionBinding | None] = [None]
    for p, a in zip(decl.given, args, strict=True):
        t = param_type(cx, p.type)
        v = fit(cx, value(cx, a, env), t, a.span, f"`{decl.name}`")
        var = cx.new_var(p.name.text, t)
        check_local(cx, p.name.text, p.name.span, inner)
        inner = inner.bind(p.name.text, var)
        items[0].append(x.OptionLet(var.id, v))
        params.append((p.name.text, var))
    outer = cx.rule
    path = f"actions/{decl.name}"
    cx.rule = cx.add_rule(path, decl.label or decl.name.text, "action", decl.span, decl.provenance)
    late: list[x.OptionGuard] = []
    try:
        _parameters(cx, decl, inner, params, bindings, items, late, path)
        inner = _bound(cx, decl, inner, params)
    finally:
        cx.rule = outer
    levels = tuple(x.OptionLevel(b, tuple(i)) for b, i in zip(bindings, items, strict=True))
    site = x.OptionSite(decl.name.text, levels, tuple(late))
    _size(cx, site, decl.span)
    return site, params, inner


def _bound(cx: Context, decl: ast.Action, env: Env, params: list[tuple[str, x.Expr]]) -> Env:
    for n, v in params:
        if n not in env.names:
            env = env.bind(n, v)
    return env


def _parameters(
    cx: Context,
    decl: ast.Action,
    env: Env,
    params: list[tuple[str, x.Expr]],
    bindings: list[x.OptionBinding | None],
    items: list[list[x.OptionLet | x.OptionGuard]],
    late: list[x.OptionGuard],
    path: str,
) -> None:
    """Binds `choose`, places each `let` and condition at the level where its names are bound."""
    from ludex.check.mentions import names_in

    level_of = dict.fromkeys(env.names, 0)
    for c in decl.choose:
        check_local(cx, c.name.text, c.name.span, env)
        cx_reads = cx.rule
        d, t = domain(cx, c.domain, env)
        if c.optional and isinstance(t, EntityType) and isinstance(d, x.SetDomain):
            t = EntityType(t.kinds, True)
            d = x.SetDomain(
                build.set_operation("union", x.Const(1, SetType(t)), d.set, SetType(t))
            )
        check_visible(cx, d, env, c.domain.span, f"what may be chosen as `{c.name}`")
        var = cx.new_var(c.name.text, t)
        env = env.bind(c.name.text, var)
        bindings.append(x.OptionBinding(c.name.text, var.id, d, _collapses(cx, t), t))
        items.append([])
        level_of[c.name.text] = len(bindings) - 1
        params.append((c.name.text, var))
        cx.rule = cx_reads
    pending = list(decl.let)
    while pending:
        ready = [p for p in pending if not names_in(p.value) & {q.name.text for q in pending if q is not p}]
        if not ready:
            cx.error(codes.CYCLE, f"the `let` names of `{decl.name}` are defined by each other", pending[0].span)
            raise Wrong
        p = ready[0]
        pending.remove(p)
        check_local(cx, p.name.text, p.name.span, env)
        v = value(cx, p.value, env)
        var = cx.new_var(p.name.text, v.type)
        level = max((level_of.get(n, 0) for n in names_in(p.value)), default=0)
        items[level].append(x.OptionLet(var.id, v))
        check_visible(cx, v, env, p.value.span, f"`{p.name}`")
        env = env.bind(p.name.text, var)
        level_of[p.name.text] = level
        params.append((p.name.text, var))
    for c in decl.where:
        outer = cx.rule
        rule = cx.add_rule(f"{path}/where/{c.name}", c.name.text, "condition", c.span, c.provenance)
        cx.rule = rule
        try:
            test = boolean(cx, c.expr, env)
            check_visible(cx, test, env, c.expr.span, f"the condition “{c.name}”")
        except Wrong:
            cx.rule = outer
            continue
        cx.rule = outer
        env = env.narrowed(_lasting(cx, c.expr, env, True))
        level = max((level_of.get(n, 0) for n in names_in(c.expr)), default=0)
        if is_late(cx, test):
            late.append(x.OptionGuard(rule, test))
        else:
            items[level].append(x.OptionGuard(rule, test))


def is_late(cx: Context, e: object) -> bool:
    """Whether a condition holds `try` or recursion (also inside the definitions it uses)."""
    from ludex.check.mentions import any_node

    def heavy(n: object) -> bool:
        if isinstance(n, x.Hypothetical):
            return True
        if isinstance(n, x.Apply):
            f = cx.functions.get(n.function)
            return f is None or f.recursive or any_node(f.body, heavy)
        return False

    return any_node(e, heavy)


def _collapses(cx: Context, t: Type) -> bool:
    return isinstance(t, EntityType) and bool(t.kinds) and all(cx.kinds[k].is_movable for k in t.kinds)


def _size(cx: Context, site: x.OptionSite, span: Span) -> None:
    total = 1
    for level in site.levels:
        if level.binding is None:
            continue
        d, t = level.binding.domain, level.binding.type
        if isinstance(d, x.SetDomain) and isinstance(t, EntityType):
            total *= max(1, cx.mask(t.kinds).bit_count())
        elif isinstance(t, IntType):
            total *= max(1, min(t.hi - t.lo + 1, 4096))
    if total > limits.MAX_OPTION_CANDIDATES:
        cx.error(codes.TOO_LARGE, "there are too many combinations to choose from", span)
        raise Wrong


PASS = "pass"


def act(cx: Context, s: ast.Act, env: Env) -> typed.Decision:
    if env.me is None:
        raise wrong(
            cx, codes.NO_ME, "nobody is there to act: nobody is on turn here", s.span,
            "go through the players and `ask` them",
        )
    alternatives: list[typed.Alternative] = []
    seen: set[str] = set()
    default = -1
    for offer in s.offers:
        if offer.name.text in seen:
            cx.error(codes.DUPLICATE_NAME, f"`{offer.name}` is offered twice", offer.span)
            raise Wrong
        seen.add(offer.name.text)
        if s.default is not None and s.default.name.text == offer.name.text:
            default = len(alternatives)
        alternatives.append(offered(cx, offer, env, s.longest))
    if s.default is not None and default < 0:
        cx.unknown(s.default.name.text, s.default.span, seen, "offer")
        raise Wrong
    orelse = block(cx, s.orelse, env)
    return typed.Decision(env.me, tuple(alternatives), default, s.longest, orelse, cx.rule)


def offered(cx: Context, offer: ast.Offer, env: Env, longest: bool) -> typed.Alternative:
    name = offer.name.text
    symbol = cx.symbols.get(name)
    if symbol is None and name in ("pass", "stop") and not offer.args:
        site = x.OptionSite(name, (x.OptionLevel(None, ()),), ())
        if name == "stop" and not env.loop:
            raise wrong(cx, codes.LEAVE_OUTSIDE, "`stop` stands in no loop", offer.span)
        body: typed.Block = (typed.Stop(),) if name == "stop" else ()
        return typed.Alternative(site, (), body, cx.rule)
    if not isinstance(symbol, ActionSymbol):
        known = {n for n, v in cx.symbols.items() if isinstance(v, ActionSymbol)} | {"pass", "stop"}
        cx.unknown(name, offer.name.span, known, "action")
        raise Wrong
    cx.offered.add(name)
    decl = symbol.decl
    site, params, inner = action_site(cx, decl, offer.args, env, offer.span)
    typed_params = [(n, v.type) for n, v in params]
    index, _ = unit(cx, "actions", name, typed_params, decl.steps, env, offer.span)
    rule = cx.add_rule(f"actions/{name}", decl.label or name, "action", decl.span, decl.provenance)
    label = template(cx, decl.label, decl.span, inner) if decl.label is not None else ()
    assert env.me is not None
    args = (env.me, *(v for _, v in params))
    effect = ""
    if longest:
        made = cx.units[index]
        if made is None:
            raise wrong(cx, codes.RECURSION, f"`{name}` calls itself", offer.span)
        effect = f"{made.name}#{index}"
        if effect not in cx.atomics:
            body_code: list[code.Stmt] = []
            for step in made.steps:
                body_code.extend(_atomic(cx, step.body, offer.span))
            cx.atomics[effect] = typed.Atomic(effect, made.params, tuple(body_code))
    return typed.Alternative(site, (), (typed.Run(index, args),), rule, label, effect, args if longest else ())


__all__ = ["BOOL", "as_entity", "bits", "call_name", "occupied"]
