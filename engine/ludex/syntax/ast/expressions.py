"""Names and expressions of the DSL."""

from __future__ import annotations

from typing import TypeAlias

from ludex.node import node
from ludex.source import Span


@node
class Ident:
    """A name where it was written. `text` is normalised (NFKC)."""

    text: str
    span: Span

    def __str__(self) -> str:
        return self.text


@node
class Name:
    id: str
    span: Span


@node
class Int:
    value: int
    span: Span


@node
class Bool:
    value: bool
    span: Span


@node
class NoneLiteral:
    span: Span


@node
class Cond:
    """`if TEST then A else B`; `elif` is nested in `orelse`."""

    test: Expr
    then: Expr
    orelse: Expr
    span: Span


@node
class Try:
    """`try PROCEDURE(args) then BODY`: the value of BODY after it, rolled back."""

    procedure: Ident
    args: tuple[Expr, ...]
    body: Expr
    span: Span


@node
class Logic:
    """`and` / `or` over two or more operands; the two never mix without parentheses."""

    op: str  # "and" | "or"
    operands: tuple[Expr, ...]
    span: Span


@node
class Not:
    operand: Expr
    span: Span


@node
class Compare:
    op: str  # "==" "!=" "<" "<=" ">" ">="
    left: Expr
    right: Expr
    span: Span


@node
class Member:
    """`LEFT in RIGHT` or `LEFT not in RIGHT`."""

    left: Expr
    right: Expr
    negated: bool
    span: Span


@node
class Within:
    """`LEFT within RIGHT`: subset."""

    left: Expr
    right: Expr
    span: Span


@node
class Is:
    """`X is none`, `X is empty`, and their negations."""

    operand: Expr
    what: str  # "none" | "empty"
    negated: bool
    span: Span


@node
class Range:
    """`LO..HI`, both included."""

    lo: Expr
    hi: Expr
    span: Span


@node
class SeatsFrom:
    """`DIRECTION from PLAYER`: all seats, once round."""

    direction: Expr
    start: Expr
    span: Span


@node
class Binary:
    op: str  # "+" "-" "*" "div" "mod"
    left: Expr
    right: Expr
    span: Span


@node
class Neg:
    operand: Expr
    span: Span


@node
class At:
    """`THING at PLACE`."""

    thing: Expr
    place: Expr
    span: Span


@node
class Of:
    """`LEFT of RIGHT`: things of a player, or an attribute (`owner of k` is `k.owner`)."""

    left: Expr
    right: Expr
    span: Span


@node
class Attr:
    base: Expr
    name: Ident
    span: Span


@node
class Binder:
    """`NAME in DOMAIN`."""

    var: Ident
    domain: Expr
    span: Span


@node
class Call:
    """`f(a, b)` and every comprehension, as written.

    `binders` come from `for x in S, y in T`. A comprehension without `for`,
    `count(x in S where C)`, has one argument, a `Member`; whether it binds `x` is the
    checker's to decide (it does if the function takes a set and `x` is no known name).
    `from_` is the `from START` of `region(q from START where C)` and `next(p from q where C)`:
    there `args` is the single name that is bound.
    """

    func: Expr
    args: tuple[Expr, ...]
    span: Span
    binders: tuple[Binder, ...] = ()
    from_: Expr | None = None
    where: Expr | None = None
    by: Expr | None = None
    orelse: Expr | None = None

    @property
    def is_plain(self) -> bool:
        return (
            not self.binders
            and self.from_ is None
            and self.where is None
            and self.by is None
            and self.orelse is None
        )


Expr: TypeAlias = (
    Name
    | Int
    | Bool
    | NoneLiteral
    | Cond
    | Try
    | Logic
    | Not
    | Compare
    | Member
    | Within
    | Is
    | Range
    | SeatsFrom
    | Binary
    | Neg
    | At
    | Of
    | Attr
    | Call
)
