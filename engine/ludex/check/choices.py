"""`choose` in its forms: one thing, a number of things, a weighted subset, amounts.

What is chosen together is staged element by element, each a decision of its own, with the
bounds narrowed so that the total stays reachable.
"""

from __future__ import annotations

from ludex.check import build, codes
from ludex.check.actions import check_candidates, collapses
from ludex.check.coercions import (
    as_integer,
    boolean,
    check_local,
    describe,
    domain,
    fit,
    integer,
    value,
    wrong,
)
from ludex.check.context import Context, Env
from ludex.check.demands import check_asked, check_visible, picked_from
from ludex.check.elaborated import Ints, Wrong
from ludex.check.narrowing import facts, lasting
from ludex.check.substitute import replace_variables
from ludex.node import replace
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import code
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import EntityType, IntType, SetType, Type


def _me(cx: Context, env: Env, span: Span) -> x.Expr:
    if env.me is None:
        raise wrong(
            cx,
            codes.NO_ME,
            "nobody is there to choose: nobody is on turn here",
            span,
            "go through the players and `ask` them",
        )
    cx.me_reads += 1
    check_asked(cx, env, span)
    return env.me


def choose(cx: Context, s: ast.Choose, env: Env) -> list[typed.Stmt]:
    if s.count is not None:
        return _choose_number(cx, s, env)
    me = _me(cx, env, s.span)
    check_local(cx, s.var.text, s.var.span, env)
    d, t = domain(cx, s.domain, env)
    check_visible(cx, d, env, s.domain.span, f"what may be chosen as `{s.var}`")
    picked = cx.new_var(s.var.text, t)
    inner = env.bind(s.var.text, picked)
    items: tuple[x.OptionGuard, ...] = ()
    if s.where is not None:
        test = boolean(cx, s.where, inner)
        check_visible(cx, test, inner, s.where.span, "the condition of this choice")
        items = (x.OptionGuard(cx.rule, test),)
        narrowed = facts(cx, s.where, True).get(s.var.text)
        t = narrowed or t
    binding = x.OptionBinding(s.var.text, picked.id, d, collapses(cx, t), t)
    site = x.OptionSite("choose", (x.OptionLevel(None, ()), x.OptionLevel(binding, items)), ())
    check_candidates(cx, site, s.domain.span)
    var = cx.new_var(s.var.text, t)
    picked_from(cx, var, d)
    body_env = env.bind(s.var.text, var)
    if s.where is not None:
        body_env = body_env.narrowed(lasting(cx, s.where, body_env, True))
    body = cx.block(s.body, body_env)
    alternative = typed.Alternative(site, ((var.id, x.Var(picked.id, t)),), body, cx.rule)
    default = None
    if s.default is not None:
        given = value(cx, s.default, env)
        default = fit(cx, given, t, s.default.span, f"`{s.var}`", codes.WRONG_TYPE)
        check_visible(cx, default, env, s.default.span, "the default of this choice")
    orelse = cx.block(s.orelse, env)
    chosen = -1 if default is None else 0
    return [typed.Decision(me, (alternative,), chosen, False, orelse, cx.rule, default)]


def _members(
    cx: Context, var: ast.Ident, domain_node: ast.Expr, where: ast.Expr | None, env: Env
) -> tuple[x.Expr, EntityType | IntType]:
    """The set to choose from, `where` applied."""
    check_local(cx, var.text, var.span, env)
    d, t = domain(cx, domain_node, env)
    if not isinstance(t, EntityType | IntType):
        raise wrong(
            cx, codes.NOT_A_SET, f"a set is needed, this goes through {describe(t)}", domain_node.span
        )
    if isinstance(t, EntityType) and not t.kinds:
        if cx.report.errors:
            raise Wrong  # what it holds could not be made, which has been reported
        raise wrong(cx, codes.NOT_A_SET, "nothing can ever be in this set", domain_node.span)
    bound = cx.new_var(var.text, t)
    guard = boolean(cx, where, env.bind(var.text, bound)) if where is not None else None
    check_visible(cx, (d, guard), env, domain_node.span, "what may be chosen from")
    st = SetType(EntityType(t.kinds) if isinstance(t, EntityType) else t)
    if guard is None and isinstance(d, x.SetDomain):
        return d.set, t
    binding = x.Binding(bound.id, d)
    return x.Fold("set", (binding,), guard, bound, None, None, st, cx.site(domain_node.span)), t


def _bounds(
    cx: Context, node: ast.Expr | None, env: Env, lo: int, hi: int, what: str
) -> tuple[x.Expr, x.Expr]:
    """The least and greatest that is allowed; `what` this bounds."""
    if node is None:
        return build.integer(lo), build.integer(hi)
    e = cx.elaborate(node, env)
    if isinstance(e, Ints):
        found = e.lo, e.hi
    else:
        n = as_integer(cx, e, node)
        found = n, n
    check_visible(cx, found, env, node.span, what)
    return found


def _one(cx: Context, e: x.Expr, t: EntityType | IntType) -> x.Expr:
    st = SetType(EntityType(t.kinds) if isinstance(t, EntityType) else t)
    return x.Singleton(e, st, isinstance(t, IntType))


def _alternative(
    cx: Context, name: str, shown: x.Expr, t: Type, test: x.Expr, body: typed.Block
) -> typed.Alternative:
    """`take(c)`: one option, if `test` holds."""
    var = cx.new_var("it", t)
    one = x.Singleton(shown, build.set_of(t), isinstance(t, IntType))
    binding = x.OptionBinding("it", var.id, x.SetDomain(one), False, t)
    level = x.OptionLevel(None, (x.OptionGuard(cx.rule, test),))
    site = x.OptionSite(name, (level, x.OptionLevel(binding, ())), ())
    return typed.Alternative(site, (), body, cx.rule)


def choose_several(cx: Context, s: ast.ChooseSeveral, env: Env) -> list[typed.Stmt]:
    me = _me(cx, env, s.span)
    members, t = _members(cx, s.var, s.domain, s.where, env)
    size_lo, size_hi = _bounds(cx, s.size, env, 0, 1023, "how many may be chosen")
    lo, hi = _bounds(cx, s.total, env, 0, 2**31 - 1, "the total of what may be chosen")
    weigh = cx.new_var(s.var.text, t)
    weight: x.Expr = build.integer(0)
    if s.weight is not None:
        weight = integer(cx, s.weight, env.bind(s.var.text, weigh))
        check_visible(cx, weight, env, s.weight.span, "the weight")
    else:
        lo, hi = build.integer(0), build.integer(0)
    return _staged(
        cx, s.var, t, members, (weigh, weight), (lo, hi), (size_lo, size_hi), me, s.body, s.orelse, env
    )


def _choose_number(cx: Context, s: ast.Choose, env: Env) -> list[typed.Stmt]:
    """`choose 3 c in S`: picks in increasing order, so that each set can be made in one way."""
    me = _me(cx, env, s.span)
    members, t = _members(cx, s.var, s.domain, s.where, env)
    assert s.count is not None
    n = integer(cx, s.count, env)
    check_visible(cx, n, env, s.count.span, "how many must be chosen")
    st = SetType(EntityType(t.kinds) if isinstance(t, EntityType) else t)
    rest, taken = cx.new_var("rest", st), cx.new_var("taken", st)
    left = cx.new_var("left", IntType(0, 1023))
    picked = cx.new_var(s.var.text, t)
    # an element may be picked if enough others come after it
    later = build.set_operation("inter", rest, _after(cx, picked, t, st, s.span), st)
    enough = build.comparison(
        "ge", build.size(later), build.arith("sub", left, build.integer(1), cx.site(s.span))
    )
    binding = x.OptionBinding(s.var.text, picked.id, x.SetDomain(rest), False, t)
    level = x.OptionLevel(binding, (x.OptionGuard(cx.rule, enough),))
    site = x.OptionSite("choose", (x.OptionLevel(None, ()), level), ())
    chosen = cx.new_var(s.var.text, t)
    later_than = build.set_operation("inter", rest, _after(cx, chosen, t, st, s.span), st)
    then: typed.Block = (
        code.SetVar(taken.id, build.set_operation("union", taken, _one(cx, chosen, t), st)),
        code.SetVar(rest.id, later_than),
        code.SetVar(left.id, build.arith("sub", left, build.integer(1), cx.site(s.span))),
    )
    alternative = typed.Alternative(site, ((chosen.id, picked),), then, cx.rule)
    decide = typed.Decision(me, (alternative,), -1, False, (), cx.rule)
    body = _each_taken(cx, s.var, t, taken, members, s.body, env)
    start: typed.Block = (
        code.SetVar(taken.id, x.Const(0, st)),
        code.SetVar(left.id, n),
        typed.Loop(None, build.comparison("gt", left, build.integer(0)), (decide,)),
        *body,
    )
    possible = build.comparison("ge", build.size(rest), n)
    return [code.SetVar(rest.id, members), typed.If(possible, start, cx.block(s.orelse, env))]


def _after(cx: Context, v: x.Var, t: EntityType | IntType, st: SetType, span: Span) -> x.Expr:
    """All values of the type that come after `v`."""
    if isinstance(t, IntType):
        next_one = build.arith("add", v, build.integer(1), cx.site(span))
        return x.IntRange(next_one, build.integer(min(t.hi, 1023)), st, cx.site(span))
    dim = cx.span_dimension(t.kinds)
    table = f"@after:{'|'.join(t.kinds)}"
    if table not in cx.tables:
        whole = cx.mask(t.kinds)
        cells = tuple(whole >> (i + 1) << (i + 1) for i in range(dim.base, dim.base + dim.size))
        cx.add_table(table, (dim,), cells)
    return x.Lookup(table, (v,), st, cx.site(span))


def _each_taken(
    cx: Context,
    var: ast.Ident,
    t: EntityType | IntType,
    taken: x.Expr,
    members: x.Expr,
    body: ast.Block,
    env: Env,
) -> typed.Block:
    each = cx.new_var(var.text, t)
    picked_from(cx, each, x.SetDomain(members))
    inner = replace(env.bind(var.text, each), loop=True)
    return (typed.For(each.id, x.SetDomain(taken), None, cx.block(body, inner)),)


def _staged(
    cx: Context,
    var: ast.Ident,
    t: EntityType | IntType,
    members: x.Expr,
    weighed: tuple[x.Var, x.Expr],
    total: tuple[x.Expr, x.Expr],
    size: tuple[x.Expr, x.Expr],
    me: x.Expr,
    body: ast.Block,
    orelse: ast.Block,
    env: Env,
) -> list[typed.Stmt]:
    """Each element in order: take it or leave it, as long as the totals stay reachable."""
    site = cx.site(var.span)
    st = SetType(EntityType(t.kinds) if isinstance(t, EntityType) else t)
    number = IntType(-(2**31), 2**31 - 1)
    rest, taken = cx.new_var("rest", st), cx.new_var("taken", st)
    lo, hi = cx.new_var("lo", number), cx.new_var("hi", number)
    least, most = cx.new_var("least", number), cx.new_var("most", number)
    each = cx.new_var(var.text, t)
    weigh, weight = weighed
    own = replace_variables(cx, weight, {weigh.id: each}, {}, frozenset())

    def minus(a: x.Expr, b: x.Expr) -> x.Expr:
        return build.arith("sub", a, b, site)

    one = build.integer(1)

    def reachable(s: x.Expr, w: x.Expr, n: x.Expr) -> x.Expr:
        return x.Reachable(weigh.id, s, weight, minus(lo, w), minus(hi, w), minus(least, n), minus(most, n))

    zero = build.integer(0)
    after = build.set_operation("diff", rest, _one(cx, each, t), st)
    take: typed.Block = (
        code.SetVar(taken.id, build.set_operation("union", taken, _one(cx, each, t), st)),
        code.SetVar(lo.id, minus(lo, own)),
        code.SetVar(hi.id, minus(hi, own)),
        code.SetVar(least.id, minus(least, one)),
        code.SetVar(most.id, minus(most, one)),
    )
    decide = typed.Decision(
        me,
        (
            _alternative(cx, "take", each, t, reachable(rest, own, one), take),
            _alternative(cx, "leave", each, t, reachable(rest, zero, zero), ()),
        ),
        -1,
        False,
        (),
        cx.rule,
    )
    loop = typed.For(each.id, x.SetDomain(rest), None, (code.SetVar(rest.id, after), decide))
    start: list[typed.Stmt] = [
        code.SetVar(rest.id, members),
        code.SetVar(lo.id, total[0]),
        code.SetVar(hi.id, total[1]),
        code.SetVar(least.id, size[0]),
        code.SetVar(most.id, size[1]),
        code.SetVar(taken.id, x.Const(0, st)),
    ]
    done = (loop, *_each_taken(cx, var, t, taken, members, body, env))
    start.append(typed.If(reachable(rest, zero, zero), done, cx.block(orelse, env)))
    return start


def choose_amounts(cx: Context, s: ast.ChooseAmounts, env: Env) -> list[typed.Stmt]:
    """An amount for each element, in order, so that the total stays within its bounds.

    What was chosen is kept in a list by position, for the bodies run after all choices.
    """
    me = _me(cx, env, s.span)
    site = cx.site(s.span)
    members, t = _members(cx, s.var, s.domain, s.where, env)
    check_local(cx, s.amount.text, s.amount.span, env)
    if not isinstance(t, EntityType):
        raise wrong(cx, codes.NOT_A_SET, "amounts are chosen for things, not numbers", s.domain.span)
    st = SetType(EntityType(t.kinds))
    number = IntType(-(2**31), 2**31 - 1)
    rest, whole = cx.new_var("rest", st), cx.new_var("whole", st)
    lo, hi = cx.new_var("lo", number), cx.new_var("hi", number)
    each = cx.new_var(s.var.text, t)
    inner = env.bind(s.var.text, each)
    least, most = _bounds(cx, s.each, inner, 0, 0, "what an amount may be")
    t_lo, t_hi = _bounds(cx, s.total, env, 0, 0, "the total of the amounts")
    other = cx.new_var(s.var.text, t)

    def total_of(e: x.Expr) -> x.Expr:
        value_of = replace_variables(cx, e, {each.id: other}, {}, frozenset())
        binding = x.Binding(other.id, x.SetDomain(rest))
        return x.Fold("sum", (binding,), None, value_of, None, None, number, site)

    def minus(a: x.Expr, b: x.Expr) -> x.Expr:
        return build.arith("sub", a, b, site)

    amounts = cx.amount_list(t, s.span)
    picked = cx.new_var(s.amount.text, IntType(-(2**31), 2**31 - 1))
    low = build.arith("max", least, minus(lo, total_of(most)), site)
    high = build.arith("min", most, minus(hi, total_of(least)), site)
    binding = x.OptionBinding(s.amount.text, picked.id, x.RangeDomain(low, high), False, picked.type)
    shown = cx.new_var("for", t)
    one = x.Singleton(each, st)
    for_binding = x.OptionBinding("for", shown.id, x.SetDomain(one), False, t)
    option = x.OptionSite(
        "amount", (x.OptionLevel(None, ()), x.OptionLevel(for_binding, ()), x.OptionLevel(binding, ())), ()
    )
    kept = cx.new_var(s.amount.text, number)
    then: typed.Block = (
        code.Store(amounts, (each,), kept, site),
        code.SetVar(lo.id, minus(lo, kept)),
        code.SetVar(hi.id, minus(hi, kept)),
    )
    alternative = typed.Alternative(option, ((kept.id, picked),), then, cx.rule)
    decide = typed.Decision(me, (alternative,), -1, False, (), cx.rule)
    after = build.set_operation("diff", rest, one, st)
    loop = typed.For(each.id, x.SetDomain(rest), None, (code.SetVar(rest.id, after), decide))
    each2 = cx.new_var(s.var.text, t)
    n = cx.new_var(s.amount.text, number)
    body_env = replace(env.bind(s.var.text, each2).bind(s.amount.text, n), loop=True)
    load = x.Load(amounts, (each2,), number, site)
    run = typed.For(
        each2.id,
        x.SetDomain(whole),
        None,
        (
            code.SetVar(n.id, load),
            code.Store(amounts, (each2,), build.integer(0), site),
            *cx.block(s.body, body_env),
        ),
    )
    possible = build.junction(
        "and", [build.comparison("le", total_of(least), hi), build.comparison("ge", total_of(most), lo)]
    )
    return [
        code.SetVar(rest.id, members),
        code.SetVar(whole.id, rest),
        code.SetVar(lo.id, t_lo),
        code.SetVar(hi.id, t_hi),
        typed.If(possible, (loop, run), cx.block(s.orelse, env)),
    ]
