"""Putting arguments for the parameters of a definition, with fresh variables for its own."""

from __future__ import annotations

from typing import Any, TypeVar

from ludex.check.context import Context
from ludex.node import CONTENTS, parts, replace
from ludex.typed import expr as x
from ludex.typed.tables import Function
from ludex.typed.types import BoolType, EntityType, FamilyType, IntType, SetType

SMALL = 24
"""Nodes up to which a body is put in place of a call."""
_TYPES = frozenset((IntType, BoolType, EntityType, SetType, FamilyType))
N = TypeVar("N")


def small(e: object, limit: int = SMALL) -> bool:
    return _count(e, limit) <= limit


def _count(e: object, limit: int) -> int:
    """The nodes of an expression, types left out, counted up to a limit."""
    total = 0
    pending = [e]
    while pending and total <= limit:
        n = pending.pop()
        if isinstance(n, tuple):
            pending.extend(n)
        elif type(n) in CONTENTS and type(n) not in _TYPES:
            total += 1
            pending.extend(CONTENTS[type(n)](n))
    return total


def substitute(cx: Context, function: Function, args: dict[int, x.Expr]) -> x.Expr:
    """The body of a function with `args` for its parameters."""
    renamed: dict[int, int] = {}
    return replace_variables(cx, function.body, args, renamed, frozenset(function.variables))


def _fresh(cx: Context, var: int, renamed: dict[int, int], own: frozenset[int]) -> int:
    if var not in own:
        return var
    if var not in renamed:
        info = cx.variables[var]
        renamed[var] = cx.variable(info.name, info.type)
    return renamed[var]


def replace_variables(
    cx: Context, e: N, args: dict[int, x.Expr], renamed: dict[int, int], own: frozenset[int]
) -> N:
    if isinstance(e, x.Var):
        if e.id in args:
            given = args[e.id]
            # keep what tests have narrowed inside the body
            return replace(given, type=e.type) if isinstance(given, x.Var) else given  # type: ignore[return-value]
        return x.Var(_fresh(cx, e.id, renamed, own), e.type)  # type: ignore[return-value]
    if isinstance(e, tuple):
        return tuple([replace_variables(cx, item, args, renamed, own) for item in e])  # type: ignore[return-value]
    cls = type(e)
    if cls not in CONTENTS or cls in _TYPES:
        return e
    fields: list[Any] = []
    for name in parts(e):
        old = getattr(e, name)
        if name == "var":
            old = _fresh(cx, old, renamed, own)
        elif type(old) is tuple or type(old) in CONTENTS:
            old = replace_variables(cx, old, args, renamed, own)
        fields.append(old)
    return cls(*fields)
