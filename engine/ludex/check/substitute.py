"""Putting arguments for the parameters of a definition, with fresh variables for its own."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from ludex.check.context import Context
from ludex.typed import expr as x
from ludex.typed.tables import Function

SMALL = 24
"""Nodes up to which a body is put in place of a call."""
N = TypeVar("N")


def small(e: object, limit: int = SMALL) -> bool:
    return _count(e, limit) <= limit


def _count(e: object, limit: int) -> int:
    if isinstance(e, tuple):
        total = 0
        for item in e:
            total += _count(item, limit)
            if total > limit:
                break
        return total
    if not is_dataclass(e) or type(e).__module__ != x.__name__:
        return 0
    total = 1
    for f in fields(e):
        total += _count(getattr(e, f.name), limit)
        if total > limit:
            break
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
        return tuple(replace_variables(cx, item, args, renamed, own) for item in e)  # type: ignore[return-value]
    if not is_dataclass(e) or type(e).__module__ != x.__name__:
        return e
    changes: dict[str, Any] = {}
    for f in fields(e):
        old = getattr(e, f.name)
        if f.name == "var":
            changes[f.name] = _fresh(cx, old, renamed, own)
        elif isinstance(old, tuple) or (is_dataclass(old) and type(old).__module__ == x.__name__):
            changes[f.name] = replace_variables(cx, old, args, renamed, own)
    return replace(e, **changes)  # type: ignore[type-var]
