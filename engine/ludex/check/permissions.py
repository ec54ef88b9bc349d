"""What may stand where: leaving constructs, and what a sealed choice forbids."""

from __future__ import annotations

from ludex.check import codes
from ludex.check.coercions import describe, wrong
from ludex.check.context import Context, Env
from ludex.source import Span
from ludex.typed import expr as x
from ludex.typed.types import PLAYER, EntityType, SetType


def no_secret(cx: Context, env: Env, span: Span) -> None:
    if env.secret is not None:
        raise wrong(
            cx,
            codes.IN_SECRET,
            "this cannot be done inside `secretly ask`",
            span,
            "do it before or after: inside, each player acts alone and unseen",
        )


def leave(cx: Context, what: str, span: Span, env: Env) -> None:
    no_secret(cx, env, span)
    if what != "game":
        unit = cx.unit_stack[-1] if cx.unit_stack else -1
        cx.unit_leaves.setdefault(unit, []).append((what, span))


def check_players(cx: Context, e: x.Expr, span: Span) -> None:
    if not isinstance(e.type, SetType) or e.type.element not in (PLAYER, EntityType(())):
        raise wrong(cx, codes.WRONG_TYPE, f"players are needed, this is {describe(e.type)}", span)
