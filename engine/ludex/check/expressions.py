"""Expressions: names resolved, types inferred, optional values tested, constants folded."""

from __future__ import annotations

from ludex.check import build, codes
from ludex.check.attributes import at
from ludex.check.builtins import BUILTINS, builtin_value, value_names
from ludex.check.calls import attribute, call_name, call_values, of
from ludex.check.coercions import as_integer, boolean, integer, me, value, wrong
from ludex.check.comprehensions import COMPREHENSIONS, comprehension
from ludex.check.constant_tables import force
from ludex.check.context import Context, Env
from ludex.check.elaborated import Bag, Direction, Elaborated, Ints, Wrong
from ludex.check.narrowing import narrow
from ludex.check.operators import binary, compare, cond, is_, logic, member, seats, within
from ludex.check.symbols import (
    ActionSymbol,
    DefineSymbol,
    DiagramSymbol,
    KindSymbol,
    LazySymbol,
    ProcedureSymbol,
    RangeSymbol,
    RecordSymbol,
    StateSymbol,
    TableSymbol,
    TrackSymbol,
    ValueSymbol,
)
from ludex.check.units import hypothetical
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.types import NONE, TrackType


def call(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    if not isinstance(node.func, ast.Name):
        if isinstance(node.func, ast.Attr) and node.is_plain:
            base = value(cx, node.func.base, env)
            rest = [(value(cx, a, env), a.span) for a in node.args]
            return call_values(
                cx,
                node.func.name.text,
                node.func.name.span,
                [(base, node.func.base.span), *rest],
                env,
                node.span,
            )
        raise wrong(cx, codes.NOT_CALLABLE, "only a name can be followed by arguments", node.span)
    name = node.func.id
    if name in env.names:
        raise wrong(
            cx,
            codes.NOT_CALLABLE,
            f"`{name}` is a value: it takes no arguments",
            node.span,
            "leave the parentheses out",
        )
    if name in COMPREHENSIONS and not isinstance(
        cx.symbols.get(name), DefineSymbol | StateSymbol | TableSymbol
    ):
        return comprehension(cx, node, name, env)
    builtin = BUILTINS.get(name)
    if name in cx.symbols and not isinstance(cx.symbols[name], ActionSymbol | ProcedureSymbol):
        builtin = None  # a definition of that name comes first; an action never stands in an expression
    if builtin is not None:
        return builtin(cx, node, env)
    if not node.is_plain:
        raise wrong(
            cx,
            codes.WRONG_ARGUMENTS,
            f"`{name}` takes plain arguments, not `for`, `where`, `by` or `from`",
            node.span,
            f"the functions that do are {', '.join(sorted(COMPREHENSIONS))}",
        )
    return call_name(cx, name, node.func.span, node.args, env, node.span)


def expression(cx: Context, node: ast.Expr, env: Env) -> Elaborated:
    match node:
        case ast.Int(v, _):
            return build.integer(v)
        case ast.Bool(v, _):
            return build.TRUE if v else build.FALSE
        case ast.NoneLiteral():
            return x.Const(0, NONE)
        case ast.Name():
            return narrow(cx, name(cx, node, env), node, env)
        case ast.Attr(base, attr, _):
            return narrow(cx, attribute(cx, value(cx, base, env), attr.text, attr.span, env), node, env)
        case ast.Call():
            return narrow(cx, call(cx, node, env), node, env)
        case ast.Of():
            return of(cx, node, env)
        case ast.At():
            return at(cx, node, env)
        case ast.Cond():
            return cond(cx, node, env)
        case ast.Logic():
            return logic(cx, node, env)
        case ast.Not(operand, _):
            return build.negation(boolean(cx, operand, env))
        case ast.Compare():
            return compare(cx, node, env)
        case ast.Member():
            return member(cx, node, env)
        case ast.Within(left, right, _):
            return within(cx, left, right, env)
        case ast.Is():
            return is_(cx, node, env)
        case ast.Range(lo, hi, span):
            return Ints(integer(cx, lo, env), integer(cx, hi, env), span)
        case ast.SeatsFrom():
            return seats(cx, node, env)
        case ast.Binary():
            return binary(cx, node, env)
        case ast.Neg(operand, span):
            e = cx.elaborate(operand, env)
            if isinstance(e, Direction):
                return Direction(build.arith("mul", e.value, build.integer(-1), cx.site(span)))
            return cx.fold(build.arith("sub", build.integer(0), as_integer(cx, e, operand), cx.site(span)))
        case ast.Try():
            return hypothetical(cx, node, env)


def name(cx: Context, node: ast.Name, env: Env) -> Elaborated:
    local = env.names.get(node.id)
    if local is not None:
        if isinstance(local, x.Var) and local.id in cx.stand_ins:
            raise Wrong
        return local
    if node.id == "me":
        return me(cx, node.span, env)
    symbol = cx.symbols.get(node.id)
    cx.used.add(node.id)
    match symbol:
        case ValueSymbol(v, _, option):
            cx.option_reads += option
            return v
        case LazySymbol():
            return force(cx, node.id)
        case KindSymbol(kinds, _):
            if len(kinds) == 1:
                kind = cx.need_kind(kinds[0])
                if kind is None:
                    if node.id in cx.failed:
                        raise Wrong
                    raise wrong(cx, codes.CYCLE, f"`{node.id}` is used before it can be made", node.span)
                if kind.category == "token":
                    return Bag(cx.kind_set(kinds), None, kinds[0])
                single = cx.single(kinds[0])
                if single is not None:
                    return single
            return cx.kind_set(tuple(k for k in kinds if cx.need_kind(k) is not None))
        case RangeSymbol(t, _):
            return Ints(build.integer(t.lo), build.integer(t.hi), node.span)
        case TrackSymbol(track, _, _):
            return x.Const(0, TrackType(track.name))
        case DefineSymbol() | StateSymbol() | TableSymbol():
            return call_name(cx, node.id, node.span, (), env, node.span)
        case ActionSymbol() | ProcedureSymbol() | RecordSymbol() | DiagramSymbol():
            if node.id in cx.failed:
                raise Wrong
            what = type(symbol).__name__.removesuffix("Symbol").lower()
            article = "an" if what == "action" else "a"
            raise wrong(cx, codes.WRONG_TYPE, f"`{node.id}` is {article} {what}, not a value", node.span)
        case None:
            built_in = builtin_value(cx, node.id, env)
            if built_in is not None:
                return built_in
            known = {*cx.symbols, *env.names, "me", *value_names(cx)}
            cx.unknown(node.id, node.span, known)
            raise Wrong
