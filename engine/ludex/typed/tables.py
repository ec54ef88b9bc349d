"""What the checker makes besides trees: tables, variables, functions, rules and sites."""

from __future__ import annotations

from ludex.node import node
from ludex.source import Span
from ludex.typed.expr import Expr
from ludex.typed.types import Type


@node
class Dimension:
    """Index values `base` to `base + size - 1` (entity ids or integers)."""

    base: int
    size: int
    kind: str | None
    """The kind that indexes it; None for integers (then an index may be out of range)."""


@node
class Table:
    """A constant table, row-major. `families` or `sequences` (ordered rays) instead of `values`."""

    name: str
    dims: tuple[Dimension, ...]
    values: tuple[int, ...] = ()
    families: tuple[tuple[int, ...], ...] = ()
    sequences: tuple[tuple[int, ...], ...] = ()


@node
class Function:
    """A pure function. `variables` are all it binds (parameters first), for saving on recursion."""

    name: str
    params: tuple[int, ...]
    body: Expr
    recursive: bool
    variables: tuple[int, ...]


@node
class VariableInfo:
    """A variable as checked: its name (for people) and type. Its home is lowering's to choose."""

    name: str
    type: Type


@node
class Rule:
    """A named rule: its address, what kind it is, where it is written and what it cites.

    `kind`: step | condition | end | scoring | ranking | invariant | action | procedure | until.
    """

    path: str
    name: str
    kind: str
    span: Span
    cites: tuple[str, ...] = ()
    note: str | None = None


@node
class Site:
    """Where a fault may happen: the rule (index, -1 for none) and the position."""

    rule: int
    span: Span
