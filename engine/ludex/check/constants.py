"""Constants and tables: values folded for the player count and options at hand."""

from __future__ import annotations

from ludex.check import codes
from ludex.check.coercions import describe, plain, value, wrong
from ludex.check.context import Context, Env
from ludex.check.elaborated import Direction
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.types import BoolType, EntityType, IntType, Type


def constant_value(cx: Context, node: ast.Expr) -> x.Const:
    e = cx.elaborate(node, Env())
    v = e.value if isinstance(e, Direction) else e
    folded = cx.fold(plain(cx, v, node))
    if not isinstance(folded, x.Const):
        raise wrong(cx, codes.CONSTANT_NEEDED, "this must be known when the game is loaded", node.span)
    return folded


def integer_constant(cx: Context, node: ast.Expr, what: str, lo: int, hi: int) -> int:
    e = constant_value(cx, node)
    if not isinstance(e.type, IntType):
        raise wrong(cx, codes.WRONG_TYPE, f"{what} must be a number, this is {describe(e.type)}", node.span)
    if not lo <= e.value <= hi:
        raise wrong(cx, codes.OUT_OF_RANGE, f"{what} must be {lo} to {hi}, not {e.value}", node.span)
    return e.value


def value_text(cx: Context, value: int, t: Type) -> str:
    """A value as it is written."""
    if isinstance(t, BoolType):
        return "true" if value else "false"
    return str(value) if isinstance(t, IntType) else cx.names[value]


def check_selector(cx: Context, node: ast.Expr, t: Type) -> None:
    """What `by:` chooses by must be such that its values can be written as keys."""
    if not isinstance(t, IntType | BoolType | EntityType):
        raise wrong(
            cx,
            codes.WRONG_TYPE,
            f"`by` chooses by a number, an option or a thing, not by {describe(t)}",
            node.span,
        )


def key_value(cx: Context, key: ast.Ident, t: Type) -> int:
    """The value of a key of a table or `by:`: a number, true/false, or a name."""
    if isinstance(t, BoolType) and key.text in ("true", "false"):
        return int(key.text == "true")
    text = key.text
    if text.lstrip("-").isdigit():
        return int(text)
    e = cx.fold(value(cx, ast.Name(text, key.span), Env()))
    if not isinstance(e, x.Const):
        raise wrong(cx, codes.CONSTANT_NEEDED, f"`{text}` is not constant", key.span)
    return e.value
