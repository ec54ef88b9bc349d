"""How a built-in function is called."""

from __future__ import annotations

from collections.abc import Callable

from ludex.check import codes
from ludex.check.coercions import wrong
from ludex.check.context import Context, Env
from ludex.check.elaborated import Elaborated
from ludex.syntax import ast


def arity(cx: Context, node: ast.Call, lo: int, hi: int, usage: str) -> None:
    if not node.is_plain or not lo <= len(node.args) <= hi:
        raise wrong(cx, codes.WRONG_ARGUMENTS, f"this is used as `{usage}`", node.span)


Builtin = Callable[[Context, ast.Call, Env], Elaborated]
