"""`f(x)`, `x.f` and `f of x`: definitions, state, tables, kinds, tracks, functions, `try`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ludex import limits
from ludex.check import build, codes
from ludex.check.comprehensions import COMPREHENSIONS, comprehension
from ludex.check.context import (
    ActionSymbol,
    Context,
    DefineSymbol,
    Env,
    KindSymbol,
    LazySymbol,
    ProcedureSymbol,
    RecordSymbol,
    Signature,
    StateSymbol,
    TableSymbol,
    TrackSymbol,
)
from ludex.check.expressions import (
    Bag,
    Direction,
    Elaborated,
    Ints,
    Seats,
    Wrong,
    as_entity,
    attribute,
    describe,
    elaborate,
    kind_attribute,
    plain,
    value,
    wrong,
)
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.tables import Dimension, Function, Table
from ludex.typed.types import (
    BOOL,
    INT,
    BoolType,
    EntityType,
    FamilyType,
    IntType,
    SetType,
    Type,
)


def call(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    from ludex.check.builtins import BUILTINS

    if not isinstance(node.func, ast.Name):
        if isinstance(node.func, ast.Attr) and node.is_plain:
            base = value(cx, node.func.base, env)
            rest = [(value(cx, a, env), a.span) for a in node.args]
            return call_values(
                cx, node.func.name.text, node.func.name.span, [(base, node.func.base.span), *rest], env, node.span
            )
        raise wrong(cx, codes.NOT_CALLABLE, "only a name can be followed by arguments", node.span)
    name = node.func.id
    if name in env.names:
        raise wrong(cx, codes.NOT_CALLABLE, f"`{name}` is a value: it takes no arguments", node.span)
    if name in COMPREHENSIONS and not isinstance(cx.symbols.get(name), DefineSymbol | StateSymbol | TableSymbol):
        return comprehension(cx, node, name, env)
    builtin = BUILTINS.get(name)
    if name in cx.symbols and not isinstance(cx.symbols[name], ActionSymbol | ProcedureSymbol):
        builtin = None  # a definition of that name comes first; an action never stands in an expression
    if builtin is not None:
        return builtin(cx, node, env)
    if not node.is_plain:
        raise wrong(
            cx, codes.WRONG_ARGUMENTS, f"`{name}` takes plain arguments, not `for`, `where`, `by` or `from`",
            node.span, f"the functions that do are {', '.join(sorted(COMPREHENSIONS))}",
        )
    return call_name(cx, name, node.func.span, node.args, env, node.span)


def call_name(
    cx: Context, name: str, name_span: Span, args: tuple[ast.Expr, ...], env: Env, span: Span
) -> Elaborated:
    symbol = cx.symbols.get(name)
    if isinstance(symbol, KindSymbol):
        values = []
        for a in args:
            v = elaborate(cx, a, env)
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
            from ludex.check.constants import force

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
                cx, codes.EFFECT_IN_DEFINITION, f"`{name}` does something: it cannot stand in an expression",
                span, f"a step can say `run {name}`" if isinstance(symbol, ProcedureSymbol)
                else f"`can({name})` asks whether it is possible",
            )
        case None:
            if len(args) == 1 and isinstance(args[0][0].type, EntityType):
                t = args[0][0].type
                found = kind_attribute(cx, args[0][0], t, name, name_span) if t.kinds else None
                if found is not None:
                    return found
            from ludex.check.builtins import BUILTINS

            if name in ("roll", "random", "draw", "shuffle", "move"):
                raise wrong(
                    cx, codes.EFFECT_IN_DEFINITION, f"`{name}` has an effect: it cannot stand inside an expression",
                    span, "give it a line of its own in a step: `let a = roll(die)`",
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
        cx, codes.MAY_BE_NONE, "what this is asked of may be none", span, "test it first: `… is not none and …`"
    )


def indices(
    cx: Context, name: str, dims: list[Dimension], args: list[tuple[x.Expr, Span]], span: Span, lift: bool = False
) -> tuple[tuple[x.Expr, ...], bool]:
    """Arguments as indices of a field or table, checked against its dimensions."""
    if len(args) != len(dims):
        raise wrong(
            cx, codes.WRONG_ARGUMENTS, f"`{name}` takes {_count(len(dims))}, not {len(args)}", span,
            f"`{name}({', '.join(d.kind or 'number' for d in dims)})`",
        )
    result, lifted = [], False
    for dim, (arg, arg_span) in zip(dims, args, strict=True):
        if dim.kind is None:
            if not isinstance(arg.type, IntType):
                raise wrong(
                    cx, codes.WRONG_ARGUMENTS, f"`{name}` takes a number here, this is {describe(arg.type)}", arg_span
                )
            if arg.type.hi < dim.base or arg.type.lo >= dim.base + dim.size:
                raise wrong(
                    cx, codes.OUT_OF_RANGE,
                    f"`{name}` takes {dim.base}..{dim.base + dim.size - 1} here, this is {arg.type}", arg_span,
                )
            result.append(arg)
            continue
        kinds = tuple(dim.kind.split(" or "))
        optional = isinstance(arg.type, EntityType) and arg.type.optional and bool(arg.type.kinds)
        if not isinstance(arg.type, EntityType) or not set(arg.type.kinds) <= set(kinds):
            raise wrong(
                cx, codes.WRONG_ARGUMENTS, f"`{name}` takes a {dim.kind} here, this is {describe(arg.type)}", arg_span
            )
        if optional and lift:
            lifted = True
            result.append(arg)
        else:
            result.append(as_entity(cx, arg, arg_span, kinds))
    return tuple(result), lifted


def _count(n: int) -> str:
    return "no arguments" if n == 0 else "one argument" if n == 1 else f"{n} arguments"


# --------------------------------------------------------------------- making entities


def construct(
    cx: Context, name: str, kinds: tuple[str, ...], args: list[tuple[x.Expr, Span]], span: Span
) -> Elaborated:
    """`KIND(fields)`: the entity with these fields; with fewer, all that have them."""
    if len(kinds) != 1:
        raise wrong(cx, codes.NOT_CALLABLE, f"`{name}` is several kinds: name one of them", span)
    kind = cx.need_kind(kinds[0])
    if kind is None:
        raise wrong(cx, codes.CYCLE, f"`{name}` is used before it can be made", span)
    fields = [kind.attribute(f) for f in kind.fields] or [kind.attribute("number")]
    dims = []
    for f in fields:
        if f is None:
            dims.append(Dimension(1, kind.count, None))
        elif isinstance(f.type, EntityType):
            dims.append(cx.span_dimension(f.type.kinds))
        else:
            dims.append(Dimension(min(f.values), max(f.values) - min(f.values) + 1, None))
    if not 0 < len(args) <= len(dims):
        raise wrong(
            cx, codes.WRONG_ARGUMENTS, f"`{name}` takes {_count(len(dims))}, not {len(args)}", span,
            f"`{name}({', '.join(kind.fields or ('number',))})`",
        )
    whole = len(args) == len(dims)
    dims = dims[: len(args)]
    table = f"@make:{kind.name}:{len(args)}"
    if table not in cx.tables:
        size = 1
        for d in dims:
            size *= d.size
        if size > limits.MAX_TABLE_CELLS:
            raise wrong(cx, codes.TOO_LARGE, f"`{name}` has too many combinations of fields", span)
        cells = [0] * size
        for i, e in enumerate(kind.ids):
            at = 0
            for f, d in zip(fields, dims, strict=False):
                at = at * d.size + ((f.values[i] if f is not None else i + 1) - d.base)
            cells[at] = e if whole else cells[at] | 1 << e
        cx.add_table(table, tuple(dims), tuple(cells))
    index, lifted = indices(cx, name, dims, args, span, lift=True)
    if kind.fields and kind.fields[len(args) - 1] == "n" and not cx.in_setup:
        cx.copies_read.add(kind.name) if not isinstance(index[-1], x.Const) else None
    if not whole:
        return cx.fold(x.Lookup(table, index, SetType(EntityType((kind.name,))), cx.site(span), lifted))
    holes = 0 in cx.tables[table].values
    e = cx.fold(x.Lookup(table, index, EntityType((kind.name,), holes or lifted), cx.site(span), lifted))
    if isinstance(e, x.Const):
        if e.value == 0:
            raise wrong(cx, codes.OUT_OF_RANGE, f"there is no such {name}", span)
        return x.Const(e.value, EntityType((kind.name,)))
    return e


# ------------------------------------------------------------------------- definitions


def param_type(cx: Context, ref: ast.TypeRef) -> Type:
    from ludex.check.declarations import resolve_type

    return resolve_type(cx, ref)


def signature(cx: Context, decl: ast.Define, span: Span) -> Signature:
    """The definition checked by itself, once; then its signature is known."""
    name = decl.name.text
    known = cx.signatures.get(name)
    if known is not None:
        return known
    params = tuple(param_type(cx, p.type) for p in decl.params)
    if name in cx.in_progress:
        # recursion: the result is taken to be a number; the body is checked against that
        cx.signatures[name] = Signature(params, INT, True, False)
        return cx.signatures[name]
    cx.in_progress.append(name)
    state_reads, me_reads = cx.state_reads, cx.me_reads
    first_variable = len(cx.variables)
    in_setup, cx.in_setup = cx.in_setup, False
    try:
        me = cx.new_var("me", EntityType(("player",)))
        variables = [cx.new_var(p.name.text, t) for p, t in zip(decl.params, params, strict=True)]
        env = Env(me=me)
        for p, v in zip(decl.params, variables, strict=True):
            check_local(cx, p.name.text, p.name.span, env)
            env = env.bind(p.name.text, v)
        found = elaborate(cx, decl.body, env)
        if isinstance(found, Direction):
            body: x.Expr = found.value
        elif isinstance(found, Bag | Seats | Ints):
            body = plain(cx, found, decl.body)
        else:
            body = found
    finally:
        cx.in_progress.pop()
        cx.in_setup = in_setup
    recursive = name in cx.signatures
    if recursive and not isinstance(body.type, IntType):
        raise wrong(
            cx, codes.WRONG_TYPE, f"`{name}` calls itself, so its result must be a number", decl.name.span
        )
    uses_me = cx.me_reads > me_reads or recursive
    static = cx.state_reads == state_reads and not uses_me and not recursive
    result = body.type if not recursive else INT
    made = Signature(params, result, uses_me, static)
    cx.signatures[name] = made
    used = ((me.id,) if uses_me else ()) + tuple(v.id for v in variables)
    inner = tuple(i for i in range(first_variable, len(cx.variables)) if i not in used)
    cx.functions[name] = Function(name, used, body, recursive, used + inner)
    if static and isinstance(result, FamilyType):
        _family_table(cx, name)
    elif static and decl.params and all(isinstance(t, EntityType) for t in params):
        _tabulate(cx, name, made)
    if isinstance(found, Direction):
        cx.signatures[name] = replace(made, result=IntType(-1, 1))
        cx.symbols.setdefault(f"@direction:{name}", cx.symbols[name])
    return cx.signatures[name]


def _family_table(cx: Context, name: str) -> None:
    from ludex.check.evaluate import NotConstant

    try:
        sets = cx.evaluator.family(cx.functions[name].body, {})
    except NotConstant:
        return
    cx.tables[f"@family:{name}"] = Table(f"@family:{name}", (), families=(sets,))


def _tabulate(cx: Context, name: str, made: Signature) -> None:
    """A definition that reads no state becomes a table, if it is not too large."""
    from ludex.check.evaluate import NotConstant

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
            cells.append(cx.evaluator.value(function.body, env))
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
        fill(0, {})
    except NotConstant:
        return
    cx.add_table(f"@define:{name}", tuple(dims), tuple(cells))


def apply(
    cx: Context, decl: ast.Define, args: list[tuple[x.Expr, Span]], env: Env, span: Span
) -> Elaborated:
    name = decl.name.text
    outer_reads = cx.state_reads, cx.me_reads
    made = signature(cx, decl, span)
    cx.state_reads, cx.me_reads = outer_reads
    if len(args) != len(made.params):
        raise wrong(
            cx, codes.WRONG_ARGUMENTS, f"`{name}` takes {_count(len(made.params))}, not {len(args)}", span,
            f"it is declared as `{name}({', '.join(f'{t} {p.name}' for p, t in zip(decl.params, made.params, strict=True))})`"
            if decl.params else None,
        )
    lifted = False
    checked: list[x.Expr] = []
    for (arg, arg_span), t in zip(args, made.params, strict=True):
        checked.append(fit(cx, arg, t, arg_span, f"`{name}`"))
    if not made.static:
        cx.state_reads += 1
    if f"@family:{name}" in cx.tables:
        return x.FamilyLookup(f"@family:{name}", (), made.result, cx.site(span))
    table = f"@define:{name}"
    result = made.result
    if table in cx.tables:
        e = cx.fold(x.Lookup(table, tuple(checked), result, cx.site(span), lifted))
        return Direction(e) if f"@direction:{name}" in cx.symbols else e
    if made.uses_me:
        if env.me is None:
            raise wrong(
                cx, codes.NO_ME, f"`{name}` speaks of `me`, but nobody is on turn here", span,
                "go through the players, or give the definition a player as a parameter",
            )
        cx.me_reads += 1
        checked.insert(0, env.me)
    function = cx.functions.get(name)
    e = _inline(cx, function, checked) if function is not None else None
    if e is None:
        e = cx.fold(x.Apply(name, tuple(checked), result)) if made.static else x.Apply(name, tuple(checked), result)
    return Direction(e) if f"@direction:{name}" in cx.symbols else e


def _inline(cx: Context, function: Function, args: list[x.Expr]) -> x.Expr | None:
    """The body itself, where that is cheap: no parameters, or plain arguments and a small body."""
    from ludex.check.substitute import small, substitute

    if function.recursive or not small(function.body):
        return None
    if not all(isinstance(a, x.Var | x.Const) for a in args):
        return None
    return substitute(cx, function, dict(zip(function.params, args, strict=True)))


def fit(cx: Context, e: x.Expr, t: Type, span: Span, what: str) -> x.Expr:
    """`e` as a value of type `t`, for parameters, assignments and arguments."""
    match t:
        case IntType():
            if not isinstance(e.type, IntType):
                raise wrong(cx, codes.WRONG_ARGUMENTS, f"{what} takes a number here, this is {describe(e.type)}", span)
            if e.type.hi < t.lo or e.type.lo > t.hi:
                raise wrong(cx, codes.OUT_OF_RANGE, f"{what} takes {t} here, this is {e.type}", span)
        case BoolType():
            if e.type != BOOL:
                raise wrong(
                    cx, codes.WRONG_ARGUMENTS, f"{what} takes a condition here, this is {describe(e.type)}", span
                )
        case EntityType(kinds, optional):
            if not isinstance(e.type, EntityType) or not set(e.type.kinds) <= set(kinds):
                raise wrong(
                    cx, codes.WRONG_ARGUMENTS,
                    f"{what} takes {describe(t)} here, this is {describe(e.type)}", span,
                )
            if e.type.optional and not optional:
                raise wrong(
                    cx, codes.MAY_BE_NONE, f"{what} takes {describe(t)} here, this may be none", span,
                    "test it first: `… is not none`",
                )
        case SetType():
            if isinstance(e.type, EntityType):
                return fit(cx, x.Singleton(e, build.set_of(e.type)), t, span, what)
            if not isinstance(e.type, SetType):
                raise wrong(cx, codes.WRONG_ARGUMENTS, f"{what} takes a set here, this is {describe(e.type)}", span)
        case _:
            if e.type != t and not isinstance(e.type, FamilyType):
                raise wrong(cx, codes.WRONG_ARGUMENTS, f"{what} takes {t} here, this is {describe(e.type)}", span)
    return e


def check_local(cx: Context, name: str, span: Span, env: Env) -> None:
    """A local name must not already mean something."""
    if name in env.names or name in cx.symbols or name in ("me", "players"):
        cx.error(
            codes.SHADOWED_NAME, f"`{name}` already means something here", span, "choose another name"
        )


# --------------------------------------------------------------------------------- try


def hypothetical(cx: Context, node: ast.Try, env: Env) -> x.Expr:
    from ludex.check.statements import atomic_procedure

    symbol = cx.symbols.get(node.procedure.text)
    if not isinstance(symbol, ProcedureSymbol):
        known = {n for n, s in cx.symbols.items() if isinstance(s, ProcedureSymbol)}
        cx.unknown(node.procedure.text, node.procedure.span, known, "procedure")
        raise Wrong
    cx.used.add(node.procedure.text)
    cx.state_reads += 1
    args = procedure_args(cx, symbol.decl, node.args, env, node.span)
    name, uses_me = atomic_procedure(cx, symbol.decl, env, node.span)
    if uses_me and env.me is not None:
        args = (env.me, *args)
    body = plain(cx, elaborate(cx, node.body, env), node.body)
    return x.Hypothetical(name, args, body, body.type)


def procedure_args(
    cx: Context, decl: ast.Procedure, args: tuple[ast.Expr, ...], env: Env, span: Span
) -> tuple[x.Expr, ...]:
    if len(args) != len(decl.params):
        raise wrong(
            cx, codes.WRONG_ARGUMENTS,
            f"`{decl.name}` takes {_count(len(decl.params))}, not {len(args)}", span,
        )
    result = []
    for p, a in zip(decl.params, args, strict=True):
        result.append(fit(cx, value(cx, a, env), param_type(cx, p.type), a.span, f"`{decl.name}`"))
    return tuple(result)


Builtin = Callable[[Context, ast.Call, Env], Elaborated]
__all__ = ["Builtin", "RecordSymbol", "apply", "attribute", "call", "call_name", "call_values", "fit", "hypothetical"]
