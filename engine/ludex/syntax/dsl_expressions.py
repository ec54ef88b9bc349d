"""Builders of expressions, types, signatures and domains.

May import: `diagnostics`, `limits`, `ast`, `codes_dsl`, `dsl_builder`.
"""

from __future__ import annotations

from typing import Any, Final

from ludex.diagnostics import normalise
from ludex.limits import INT_MAX
from ludex.node import node, replace
from ludex.source import Span
from ludex.syntax import ast, codes_dsl
from ludex.syntax.dsl_builder import (
    Builder,
    BuilderFunction,
    Domain,
    Kids,
    Ranking,
    Signature,
    first,
    plain_node,
)
from ludex.syntax.dsl_parser import Tree

FROM_FUNCTIONS: Final = ("region", "next")
"""The functions whose `x from S` binds x instead of naming seats in a direction."""

COMPARISONS: Final = frozenset({"compare", "member", "not_member", "within", "is_", "is_not"})


@node
class Arguments:
    args: tuple[ast.Expr, ...] = ()
    binders: tuple[ast.Binder, ...] = ()
    where: ast.Expr | None = None
    by: ast.Expr | None = None
    orelse: ast.Expr | None = None


# ------------------------------------------------------------------------- entry points


def _domain(b: Builder, k: Kids, t: Tree) -> Domain:
    expr, where = k
    inner = t.children[0]
    bare = isinstance(inner, Tree) and inner.rule == "member"
    if bare and isinstance(expr, ast.Member) and isinstance(expr.left, ast.Name):
        return Domain(False, ast.Ident(expr.left.id, expr.left.span), expr.right, where)
    return Domain(False, None, expr, where)


def _optional_domain(b: Builder, k: Kids, t: Tree) -> Domain:
    return replace(_domain(b, k, t), optional=True)


def _signature(b: Builder, k: Kids, t: Tree) -> Signature:
    return Signature(b.ident(k[0]), k[1] or ())


def _params(b: Builder, k: Kids, t: Tree) -> tuple[ast.Param, ...]:
    return tuple(p for p in k if p is not None)


def _ranking(b: Builder, k: Kids, t: Tree) -> Ranking:
    return Ranking(k[0].text == "most", k[1])


# ------------------------------------------------------------------------- expressions


def _cond(b: Builder, k: Kids, t: Tree) -> ast.Cond:
    test, then, *elifs, orelse = k
    span = b.tree_span(t)
    for elif_test, elif_then, elif_span in reversed(elifs):
        orelse = ast.Cond(elif_test, elif_then, orelse, elif_span.to(span))
    return ast.Cond(test, then, orelse, span)


def _elif_expr(b: Builder, k: Kids, t: Tree) -> tuple[Any, Any, Span]:
    return k[0], k[1], b.tree_span(t)


def _try(b: Builder, k: Kids, t: Tree) -> ast.Try:
    return ast.Try(b.ident(k[0]), plain_arguments(b, k[1], t), k[2], b.tree_span(t))


def _or(b: Builder, k: Kids, t: Tree) -> ast.Logic:
    for child in t.children:
        if isinstance(child, Tree) and child.rule == "and_":
            b.error(
                codes_dsl.DSL_MIXED_LOGIC,
                "`and` and `or` are mixed without parentheses",
                b.tree_span(child),
                "put parentheses round this part, or round the `or` that you mean",
            )
            break
    return ast.Logic("or", tuple(k), b.tree_span(t))


def _and(b: Builder, k: Kids, t: Tree) -> ast.Logic:
    return ast.Logic("and", tuple(k), b.tree_span(t))


def _check_chain(b: Builder, t: Tree) -> None:
    left = t.children[0]
    if isinstance(left, Tree) and left.rule in COMPARISONS:
        b.error(
            codes_dsl.DSL_CHAINED_COMPARISON,
            "a comparison has two sides, and this has three",
            b.tree_span(t),
            "`a < b and b < c`; or put parentheses round a comparison that is itself compared",
        )


def _compare(b: Builder, k: Kids, t: Tree) -> ast.Compare:
    _check_chain(b, t)
    return ast.Compare(k[1].text, k[0], k[2], b.tree_span(t))


def _member(*, negated: bool) -> BuilderFunction:
    def make(b: Builder, k: Kids, t: Tree) -> ast.Member:
        _check_chain(b, t)
        return ast.Member(k[0], k[1], negated, b.tree_span(t))

    return make


def _within(b: Builder, k: Kids, t: Tree) -> ast.Within:
    _check_chain(b, t)
    return ast.Within(k[0], k[1], b.tree_span(t))


def _is(*, negated: bool) -> BuilderFunction:
    def make(b: Builder, k: Kids, t: Tree) -> ast.Is:
        _check_chain(b, t)
        return ast.Is(k[0], k[1].text, negated, b.tree_span(t))

    return make


def _binary(b: Builder, k: Kids, t: Tree) -> ast.Binary:
    return ast.Binary(k[1].text, k[0], k[2], b.tree_span(t))


def _call(b: Builder, k: Kids, t: Tree) -> ast.Call:
    func, a = k
    args: tuple[ast.Expr, ...] = a.args
    start: ast.Expr | None = None
    if (
        isinstance(func, ast.Name)
        and func.id in FROM_FUNCTIONS
        and len(args) == 1
        and isinstance(args[0], ast.SeatsFrom)
        and isinstance(args[0].direction, ast.Name)
    ):
        start, args = args[0].start, (args[0].direction,)
    return ast.Call(func, args, b.tree_span(t), a.binders, start, a.where, a.by, a.orelse)


def _args(b: Builder, k: Kids, t: Tree) -> Arguments:
    return k[0] or Arguments()


def _arguments(b: Builder, k: Kids, t: Tree) -> Arguments:
    *args, binders, where, by, orelse = k
    return Arguments(tuple(args), binders or (), where, by, orelse)


def _binders(b: Builder, k: Kids, t: Tree) -> tuple[ast.Binder, ...]:
    return tuple(k)


def _name(b: Builder, k: Kids, t: Tree) -> ast.Name:
    return ast.Name(normalise(k[0].text), b.tree_span(t))


def _int(b: Builder, k: Kids, t: Tree) -> ast.Int:
    digits: str = k[0].text
    value = int(digits) if len(digits) <= 20 else INT_MAX + 1
    if value > INT_MAX:
        b.error(
            codes_dsl.DSL_NUMBER_TOO_LARGE, f"numbers are at most {INT_MAX}", b.tree_span(t)
        )
    return ast.Int(value, b.tree_span(t))


def _bool(value: bool) -> BuilderFunction:
    return lambda b, k, t: ast.Bool(value, b.tree_span(t))


def _none(b: Builder, k: Kids, t: Tree) -> ast.NoneLiteral:
    return ast.NoneLiteral(b.tree_span(t))


# -------------------------------------------------------------------------------- types


def _union(b: Builder, k: Kids, t: Tree) -> ast.TypeRef:
    return ast.TypeRef(False, False, tuple(b.ident(x) for x in k), b.tree_span(t))


def _range_type(b: Builder, k: Kids, t: Tree) -> ast.TypeRef:
    span = b.tree_span(t)
    return ast.TypeRef(False, False, ast.Range(k[0], k[1], span), span)


def _optional_type(b: Builder, k: Kids, t: Tree) -> ast.TypeRef:
    base: ast.TypeRef = k[0]
    return replace(base, optional=True, span=b.tree_span(t))


def _set_type(b: Builder, k: Kids, t: Tree) -> ast.TypeRef:
    base: ast.TypeRef = k[0]
    return replace(base, set_of=True, span=b.tree_span(t))


def _param(b: Builder, k: Kids, t: Tree) -> ast.Param:
    return ast.Param(k[0], b.ident(k[1]), b.tree_span(t))


def plain_arguments(b: Builder, arguments: Arguments | None, t: Tree) -> tuple[ast.Expr, ...]:
    """The arguments of an offer, a procedure: no comprehension may stand there."""
    if arguments is None:
        return ()
    if arguments != Arguments(arguments.args):
        b.error(
            codes_dsl.DSL_UNEXPECTED,
            "only values may stand between these parentheses, separated by commas",
            b.tree_span(t),
        )
    return arguments.args


EXPRESSIONS: Final[dict[str, BuilderFunction]] = {
    "start_expression": first,
    "start_domain": _domain,
    "start_optional_domain": _optional_domain,
    "start_type": first,
    "start_signature": _signature,
    "start_ranking": _ranking,
    "where": first,
    "cond": _cond,
    "elif_expr": _elif_expr,
    "try_": _try,
    "or_": _or,
    "and_": _and,
    "not_": plain_node(ast.Not),
    "compare": _compare,
    "member": _member(negated=False),
    "not_member": _member(negated=True),
    "within": _within,
    "is_": _is(negated=False),
    "is_not": _is(negated=True),
    "seats_from": plain_node(ast.SeatsFrom),
    "range": plain_node(ast.Range),
    "binary": _binary,
    "neg": plain_node(ast.Neg),
    "at": plain_node(ast.At),
    "of": plain_node(ast.Of),
    "attr": plain_node(ast.Attr),
    "call": _call,
    "name": _name,
    "int": _int,
    "true": _bool(True),
    "false": _bool(False),
    "none": _none,
    "paren": first,
    "args": _args,
    "arguments": _arguments,
    "for_": _binders,
    "by": first,
    "else_": first,
    "binder": plain_node(ast.Binder),
    "params": _params,
    "param": _param,
    "optional_type": _optional_type,
    "set_type": _set_type,
    "union": _union,
    "range_type": _range_type,
}
