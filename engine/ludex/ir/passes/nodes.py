"""Expressions that only passes bring in: they read what a back end keeps beside the state."""

from __future__ import annotations

from ludex.node import node
from ludex.typed.expr import Expr
from ludex.typed.types import SetType


@node
class Holders:
    """The locations that hold any of `mask`: whole kinds of movables, or faces of tokens."""

    mask: int
    type: SetType


@node
class OptionMask:
    """What a condition of a level amounts to: the values of its parameter that pass."""

    rule: int
    set: Expr
