"""Definitions: checked once by themselves, tabulated or put in place where that is cheap."""

from __future__ import annotations

from ludex import limits
from ludex.check import codes
from ludex.check.arithmetic import NotConstant, TooLong
from ludex.check.coercions import argument, check_local, fit, plain, wrong, wrong_number
from ludex.check.context import Context, Env, Signature
from ludex.check.elaborated import Bag, Direction, Elaborated, Ints, Seats
from ludex.check.mentions import mentions_me
from ludex.check.substitute import small, substitute
from ludex.check.type_refs import param_type
from ludex.node import replace
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.tables import Function, Table
from ludex.typed.types import INT, BoolType, EntityType, FamilyType, IntType, SetType


def signature(cx: Context, decl: ast.Define, span: Span) -> Signature:
    """The definition checked by itself, once; then its signature is known."""
    name = decl.name.text
    known = cx.signatures.get(name)
    if known is not None:
        return known
    params = tuple(param_type(cx, p.type) for p in decl.params)
    if name in cx.in_progress:
        # recursion: the result is taken to be a number; the body is checked against that
        cx.reentered.append(name)
        return Signature(params, INT, mentions_me(cx, decl), False)
    first_reentered = len(cx.reentered)
    cx.in_progress.append(name)
    state_reads, me_reads = cx.state_reads, cx.me_reads
    first_variable = len(cx.variables)
    outer_reach, cx.reach = cx.reach, cx.depth
    in_setup, cx.in_setup = cx.in_setup, False
    try:
        me = cx.new_var("me", EntityType(("player",)))
        variables = [cx.new_var(p.name.text, t) for p, t in zip(decl.params, params, strict=True)]
        env = Env(me=me)
        for p, v in zip(decl.params, variables, strict=True):
            check_local(cx, p.name.text, p.name.span, env)
            env = env.bind(p.name.text, v)
        found = cx.elaborate(decl.body, env)
        if isinstance(found, Direction):
            body: x.Expr = found.value
        elif isinstance(found, Bag | Seats | Ints):
            body = plain(cx, found, decl.body)
        else:
            body = found
    finally:
        cx.in_progress.pop()
        cx.in_setup = in_setup
        cx.heights[name] = cx.reach - cx.depth
        cx.reach = max(cx.reach, outer_reach)
    around = set(cx.reentered[first_reentered:])  # definitions that it leads back to
    recursive = name in around or not around.isdisjoint(cx.in_progress)
    if recursive and not isinstance(body.type, IntType):
        raise wrong(
            cx, codes.WRONG_TYPE, f"`{name}` calls itself, so its result must be a number", decl.name.span
        )
    uses_me = mentions_me(cx, decl) if recursive else cx.me_reads > me_reads
    static = cx.state_reads == state_reads and not uses_me and not recursive
    result = body.type if not recursive else INT
    made = Signature(params, result, uses_me, static)
    cx.signatures[name] = made
    used = ((me.id,) if uses_me else ()) + tuple(v.id for v in variables)
    inner = tuple(i for i in range(first_variable, len(cx.variables)) if i not in used)
    cx.functions[name] = Function(name, used, body, recursive, used + inner)
    if static and isinstance(result, FamilyType):
        _family_table(cx, name, decl)
    elif static and decl.params and all(isinstance(t, EntityType) for t in params):
        _tabulate(cx, name, made)
    if isinstance(found, Direction):
        cx.signatures[name] = replace(made, result=IntType(-1, 1))
        cx.symbols.setdefault(f"@direction:{name}", cx.symbols[name])
    return cx.signatures[name]


def _family_table(cx: Context, name: str, decl: ast.Define) -> None:
    try:
        with cx.budget.half():
            sets = cx.evaluator.family(cx.functions[name].body, {})
    except TooLong:
        raise wrong(cx, codes.TOO_LARGE, f"`{name}` makes too many sets", decl.name.span) from None
    except NotConstant:
        return
    cx.tables[f"@family:{name}"] = Table(f"@family:{name}", (), families=(sets,))


def _tabulate(cx: Context, name: str, made: Signature) -> None:
    """A definition that reads no state becomes a table, if it is not too large."""
    if not isinstance(made.result, IntType | BoolType | EntityType | SetType):
        return
    dims = []
    size = 1
    for t in made.params:
        assert isinstance(t, EntityType)
        if t.optional or not t.kinds or any(k not in cx.kinds for k in t.kinds):
            return
        d = cx.span_dimension(t.kinds)
        dims.append(d)
        size *= d.size
    if size > limits.MAX_TABLE_CELLS:
        return
    function = cx.functions[name]
    cells: list[int] = []
    members = [cx.mask(t.kinds) for t in made.params if isinstance(t, EntityType)]

    def fill(depth: int, env: dict[int, int]) -> None:
        if depth == len(dims):
            cells.append(int(compute(env)))
            return
        d = dims[depth]
        for i in range(d.base, d.base + d.size):
            if not members[depth] >> i & 1:
                rest = 1
                for later in dims[depth + 1 :]:
                    rest *= later.size
                cells.extend([0] * rest)
                continue
            env[function.params[depth]] = i
            fill(depth + 1, env)

    try:
        with cx.budget.half():
            compute = cx.evaluator.compiled(function.body, function.params)
            cx.budget.spend(size)
            fill(0, {})
    except NotConstant:
        return
    cx.add_table(f"@define:{name}", tuple(dims), tuple(cells))


def apply(cx: Context, decl: ast.Define, args: list[tuple[x.Expr, Span]], env: Env, span: Span) -> Elaborated:
    name = decl.name.text
    outer_reads = cx.state_reads, cx.me_reads
    made = signature(cx, decl, span)
    cx.state_reads, cx.me_reads = outer_reads
    cx.reach_to(cx.heights.get(name, 0), span)
    if len(args) != len(made.params):
        raise wrong_number(cx, name, tuple(str(t) for t in made.params), len(args), span)
    lifted = False
    checked: list[x.Expr] = []
    table = f"@define:{name}"
    taken = fit if table in cx.tables else argument
    for (arg, arg_span), t in zip(args, made.params, strict=True):
        checked.append(taken(cx, arg, t, arg_span, f"`{name}`"))
    if not made.static:
        cx.state_reads += 1
    if f"@family:{name}" in cx.tables:
        return x.FamilyLookup(f"@family:{name}", (), made.result, cx.site(span))
    result = made.result
    if table in cx.tables:
        e = cx.fold(x.Lookup(table, tuple(checked), result, cx.site(span), lifted))
        return Direction(e) if f"@direction:{name}" in cx.symbols else e
    if made.uses_me:
        if env.me is None:
            raise wrong(
                cx,
                codes.NO_ME,
                f"`{name}` speaks of `me`, but nobody is on turn here",
                span,
                "go through the players, or give the definition a player as a parameter",
            )
        cx.me_reads += 1
        checked.insert(0, env.me)
    function = cx.functions.get(name)
    body = _inline(cx, function, checked) if function is not None else None
    if body is None:
        body = x.Apply(name, tuple(checked), result)
        if made.static:
            body = cx.fold(body)
        cx.applied.add(name)
    return Direction(body) if f"@direction:{name}" in cx.symbols else body


def _inline(cx: Context, function: Function, args: list[x.Expr]) -> x.Expr | None:
    """The body itself, where that is cheap: no parameters, or plain arguments and a small body."""
    if function.name not in cx.inlined:
        cx.inlined[function.name] = not function.recursive and small(function.body)
    if not cx.inlined[function.name]:
        return None
    if not all(isinstance(a, x.Var | x.Const) for a in args):
        return None
    return substitute(cx, function, dict(zip(function.params, args, strict=True)))
