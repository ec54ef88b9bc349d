"""Actions: what is enumerated for an offer, and what a chosen option leads to."""

from __future__ import annotations

from ludex import limits
from ludex.check import build, codes
from ludex.check.coercions import argument, boolean, check_local, domain, value, wrong
from ludex.check.context import Context, Env
from ludex.check.demands import Given, check_asked, check_run, check_visible, picked_from
from ludex.check.elaborated import Wrong
from ludex.check.mentions import any_node, names_in
from ludex.check.narrowing import lasting, narrowed
from ludex.check.symbols import ActionSymbol
from ludex.check.templates import template
from ludex.check.type_refs import param_type
from ludex.check.units import atomic_code, unit
from ludex.diagnostics import did_you_mean
from ludex.node import replace
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import code
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import MAX_SET_NUMBER, EntityType, IntType, SetType, Type


def action_site(
    cx: Context, decl: ast.Action, args: tuple[ast.Expr, ...], env: Env, span: Span
) -> tuple[x.OptionSite, list[tuple[str, x.Expr]], Env]:
    """What is enumerated for an offer of an action; its parameters' values; the names bound."""
    cx.used.add(decl.name.text)
    if env.me is None:
        raise wrong(
            cx,
            codes.NO_ME,
            f"nobody is there to {decl.name}: nobody is on turn here",
            span,
            "go through the players and `ask` them",
        )
    cx.me_reads += 1
    if len(args) != len(decl.given):
        wanted = ", ".join(f"{p.name}" for p in decl.given)
        raise wrong(
            cx,
            codes.WRONG_ARGUMENTS,
            f"`{decl.name}` is offered with {_values(len(decl.given))} in parentheses, "
            f"not {len(args) or 'none'}",
            span,
            f"`act {decl.name}({wanted})`, as its `given` says"
            if wanted
            else f"`act {decl.name}`: what the player chooses stands under its `choose`",
        )
    inner = Env(me=env.me, secret=env.secret, tested=env.tested)
    params: list[tuple[str, x.Expr]] = []
    items: list[list[x.OptionLet | x.OptionGuard]] = [[]]
    bindings: list[x.OptionBinding | None] = [None]
    for p, a in zip(decl.given, args, strict=True):
        t = param_type(cx, p.type)
        v = argument(cx, value(cx, a, env), t, a.span, f"`{decl.name}`")
        check_visible(cx, v, env, a.span, f"what `{decl.name}` is given")
        var = cx.new_var(p.name.text, t)
        check_local(cx, p.name.text, p.name.span, inner)
        inner = inner.bind(p.name.text, var)
        cx.lets[var.id] = v
        items[0].append(x.OptionLet(var.id, v))
        params.append((p.name.text, var))
    outer = cx.rule
    path = f"actions/{decl.name}"
    cx.rule = cx.add_rule(path, decl.label or decl.name.text, "action", decl.span, decl.provenance)
    late: list[x.OptionGuard] = []
    try:
        inner = _parameters(cx, decl, inner, params, bindings, items, late, path)
        params = [(n, narrowed(v, inner.facts.get(n))) for n, v in params]
        inner = replace(inner, names={**inner.names, **dict(params)})
    finally:
        cx.rule = outer
    levels = tuple(x.OptionLevel(b, tuple(i)) for b, i in zip(bindings, items, strict=True))
    site = x.OptionSite(decl.name.text, levels, tuple(late))
    check_candidates(cx, site, decl.name.span)
    return site, params, inner


def _values(n: int) -> str:
    return "nothing" if n == 0 else "one value" if n == 1 else f"{n} values"


def _parameters(
    cx: Context,
    decl: ast.Action,
    env: Env,
    params: list[tuple[str, x.Expr]],
    bindings: list[x.OptionBinding | None],
    items: list[list[x.OptionLet | x.OptionGuard]],
    late: list[x.OptionGuard],
    path: str,
) -> Env:
    """Binds `choose`, places each `let` and condition at the level where its names are bound."""
    level_of = dict.fromkeys(env.names, 0)
    for c in decl.choose:
        check_local(cx, c.name.text, c.name.span, env)
        cx_reads = cx.rule
        d, t = domain(cx, c.domain, env)
        if c.optional and isinstance(t, EntityType) and isinstance(d, x.SetDomain):
            t = EntityType(t.kinds, True)
            d = x.SetDomain(build.set_operation("union", x.Const(1, SetType(t)), d.set, SetType(t)))
        check_visible(cx, d, env, c.domain.span, f"what may be chosen as `{c.name}`")
        var = cx.new_var(c.name.text, t)
        picked_from(cx, var, d)
        env = env.bind(c.name.text, var)
        bindings.append(x.OptionBinding(c.name.text, var.id, d, collapses(cx, t), t))
        items.append([])
        level_of[c.name.text] = len(bindings) - 1
        params.append((c.name.text, var))
        cx.rule = cx_reads
    pending = list(decl.let)
    while pending:
        ready = [p for p in pending if not names_in(p.value) & {q.name.text for q in pending if q is not p}]
        if not ready:
            cx.error(
                codes.CYCLE, f"the `let` names of `{decl.name}` are defined by each other", pending[0].span
            )
            raise Wrong
        p = ready[0]
        pending.remove(p)
        check_local(cx, p.name.text, p.name.span, env)
        v = value(cx, p.value, env)
        var = cx.new_var(p.name.text, v.type)
        level = max((level_of.get(n, 0) for n in names_in(p.value)), default=0)
        items[level].append(x.OptionLet(var.id, v))
        cx.lets[var.id] = v
        check_visible(cx, v, env, p.value.span, f"`{p.name}`")
        env = env.bind(p.name.text, var)
        level_of[p.name.text] = level
        params.append((p.name.text, var))
    return _conditions(cx, decl, env, level_of, items, late, path)


def _conditions(
    cx: Context,
    decl: ast.Action,
    env: Env,
    level_of: dict[str, int],
    items: list[list[x.OptionLet | x.OptionGuard]],
    late: list[x.OptionGuard],
    path: str,
) -> Env:
    """Each condition as early as its names are bound, but never before one that it relies on:
    what a condition tells about a name is known from its own level on."""
    last = len(items)
    for c in decl.where:
        outer = cx.rule
        rule = cx.add_rule(f"{path}/where/{c.name}", c.name.text, "condition", c.span, c.provenance)
        cx.rule = rule
        try:
            test = boolean(cx, c.expr, env)
            check_visible(cx, test, env, c.expr.span, f"the condition “{c.name}”")
        except Wrong:
            continue
        finally:
            cx.rule = outer
        level = max((level_of.get(n, 0) for n in names_in(c.expr)), default=0)
        if level == last or is_late(cx, test):
            level = last
            late.append(x.OptionGuard(rule, test))
        else:
            items[level].append(x.OptionGuard(rule, test))
        told = lasting(cx, c.expr, env, True)
        for key, fact in told.items():
            name = key.split(".")[0]
            if env.facts.get(key, env.names[name].type if key == name else None) != fact:
                level_of[name] = max(level_of.get(name, 0), level)
        env = env.narrowed(told)
    return env


def is_late(cx: Context, e: object) -> bool:
    """Whether a condition holds `try` or recursion (also inside the definitions it uses)."""

    def heavy(n: object) -> bool:
        if isinstance(n, x.Hypothetical):
            return True
        if isinstance(n, x.Apply):
            f = cx.functions.get(n.function)
            return f is None or f.recursive or any_node(f.body, heavy)
        return False

    return any_node(e, heavy)


def collapses(cx: Context, t: Type) -> bool:
    return isinstance(t, EntityType) and bool(t.kinds) and all(cx.kinds[k].is_movable for k in t.kinds)


def check_candidates(cx: Context, site: x.OptionSite, span: Span) -> None:
    """Refuses an offer that has more candidates than can be gone through.

    A range that ends where the course of the game says counts with what its declared types allow;
    where these allow anything it is not counted, and play watches over it.
    """
    total = 1
    for level in site.levels:
        if level.binding is not None:
            total *= max(1, _values_of(cx, level.binding.domain, level.binding.type))
    if total > limits.MAX_OPTION_CANDIDATES:
        cx.error(
            codes.TOO_LARGE,
            f"there are {total} combinations to choose from, and {limits.MAX_OPTION_CANDIDATES} are the most",
            span,
            "let the player choose in several steps, or from smaller sets",
        )
        raise Wrong


def _values_of(cx: Context, d: x.Domain, t: Type) -> int:
    """How many values a parameter may have, as far as that is known before the game is played."""
    match d:
        case x.SetDomain(x.Const(mask)):
            return mask.bit_count()
        case x.SetDomain() if isinstance(t, EntityType):
            return cx.mask(t.kinds).bit_count() + t.optional
        case x.FamilyDomain(x.FamilyLookup(table)):
            return max((len(sets) for sets in cx.tables[table].families), default=0)
        case x.RangeDomain(lo, hi) if isinstance(t, IntType):
            size = t.hi - t.lo + 1
            fixed = cx.constant(lo) is not None and cx.constant(hi) is not None
            return size if fixed or size <= limits.MAX_OPTION_CANDIDATES else 1
        case x.SetDomain() if isinstance(t, IntType):
            return min(t.hi, MAX_SET_NUMBER) - max(t.lo, 0) + 1
    return 1


PASS = "pass"


def act(cx: Context, s: ast.Act, env: Env) -> typed.Decision:
    if env.me is None:
        raise wrong(
            cx,
            codes.NO_ME,
            "nobody is there to act: nobody is on turn here",
            s.span,
            "go through the players and `ask` them",
        )
    check_asked(cx, env, s.span)
    alternatives: list[typed.Alternative] = []
    seen: dict[str, None] = {}
    default, failed = -1, False
    for offer in s.offers:
        if offer.name.text in seen:
            cx.error(codes.DUPLICATE_NAME, f"`{offer.name}` is offered twice", offer.span)
            raise Wrong
        seen[offer.name.text] = None
        if s.default is not None and s.default.name.text == offer.name.text:
            default = len(alternatives)
        try:
            alternatives.append(offered(cx, offer, env, s.longest))
        except Wrong:
            failed = True
    if failed:
        raise Wrong
    if s.default is not None and default < 0:
        raise wrong(
            cx,
            codes.UNKNOWN_NAME,
            f"`{s.default.name}` is not offered here, so it cannot be the default",
            s.default.span,
            did_you_mean(s.default.name.text, seen) or f"offered here: {', '.join(seen)}",
        )
    orelse = cx.block(s.orelse, env)
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
    index = unit(cx, "actions", name, typed_params, decl.steps, env, offer.span)
    spans = {c.name.text: c.name.span for c in decl.choose}
    spans.update({c.name.text: c.name.span for c in decl.let})
    spans.update({p.name.text: a.span for p, a in zip(decl.given, offer.args, strict=True)})
    given = [Given(v, spans[n], f"`{n}` of `{name}`") for n, v in params]
    check_run(cx, index, name, given, env, offer.span)
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
                body_code.extend(atomic_code(cx, step.body, (offer.span, offer.span)))
            cx.atomics[effect] = typed.Atomic(effect, made.params, tuple(body_code))
    return typed.Alternative(
        site, (), (typed.Run(index, args),), rule, label, effect, args if longest else ()
    )
