"""Whose turn it is, where it may be nobody's: there `me` of end conditions and records is nobody."""

from __future__ import annotations

from ludex.ir.walk import nodes
from ludex.node import replace
from ludex.typed import expr as x
from ludex.typed.types import PLAYER

PLAYER_OF_TURN = x.Load("active", (), PLAYER, -1)
"""Read only where there is one: all that is said of values of this type holds then."""

_ACTIVE = replace(PLAYER_OF_TURN, type=replace(PLAYER, optional=True))

SOMEBODYS_TURN = x.Comparison("ne", _ACTIVE, x.Const(0, _ACTIVE.type))


def recorded(value: x.Expr) -> x.Expr:
    """A value that a record compares; where it is nobody's turn, what speaks of `me` is all the same."""
    if value == PLAYER_OF_TURN:
        return _ACTIVE
    if not any(n == PLAYER_OF_TURN for n in nodes(value)):
        return value
    return x.Select(SOMEBODYS_TURN, value, x.Const(0, value.type), value.type)
