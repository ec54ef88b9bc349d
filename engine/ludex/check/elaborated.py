"""What an expression as written may turn out to be: a typed expression, or a form of its own
whose sense depends on where it stands (tokens, a range, an order of seats, a direction)."""

from __future__ import annotations

from typing import TypeAlias

from ludex.check import build
from ludex.node import node
from ludex.source import Span
from ludex.typed import expr as x
from ludex.typed.types import BagType, IntType, SeatsType, SetType, Type


class TooMuch(Exception):
    """A ceiling of the check is reached, and reported: nothing more is checked."""


class Wrong(Exception):
    """What is being elaborated has an error, which has been reported."""


@node
class Bag:
    """Tokens as written: faces (a set), perhaps at a location."""

    faces: x.Expr
    place: x.Expr | None
    kind: str

    @property
    def type(self) -> Type:
        return BagType(self.kind)


@node
class Seats:
    """`direction from start`."""

    domain: x.SeatsDomain

    @property
    def type(self) -> Type:
        return SeatsType()


@node
class Ints:
    """`lo..hi` before it is known whether a set or a domain is wanted."""

    lo: x.Expr
    hi: x.Expr
    span: Span

    @property
    def type(self) -> Type:
        return SetType(IntType(build.bounds(self.lo.type)[0], build.bounds(self.hi.type)[1]))


@node
class Direction:
    """`clockwise` or `counterclockwise`: value 1 or -1."""

    value: x.Expr

    @property
    def type(self) -> Type:
        return IntType(-1, 1)


Elaborated: TypeAlias = x.Expr | Bag | Seats | Ints | Direction
