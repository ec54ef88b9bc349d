"""What a name may stand for, once it has been declared."""

from __future__ import annotations

from typing import TypeAlias

from ludex.node import node
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import IntType, Type
from ludex.typed.world import Track


@node
class KindSymbol:
    """A kind, or a union of kinds."""

    kinds: tuple[str, ...]
    span: Span


@node
class RangeSymbol:
    """A named range of integers."""

    type: IntType
    span: Span


@node
class ValueSymbol:
    """A constant value: an entity's name, an option, a plain constant."""

    value: x.Expr
    span: Span
    option: bool = False


@node
class LazySymbol:
    """A constant not computed yet."""

    decl: ast.ConstantDecl
    span: Span


@node
class TableSymbol:
    table: str
    type: Type
    span: Span
    family: bool = False


@node
class StateSymbol:
    variable: typed.StateVariable
    span: Span


@node
class DefineSymbol:
    decl: ast.Define
    span: Span


@node
class TrackSymbol:
    track: Track
    kinds: tuple[str, ...]
    span: Span


@node
class ActionSymbol:
    decl: ast.Action
    span: Span


@node
class ProcedureSymbol:
    decl: ast.Procedure
    span: Span


@node
class RecordSymbol:
    decl: ast.Record
    span: Span


@node
class DiagramSymbol:
    decl: ast.Diagram
    span: Span


Symbol: TypeAlias = (
    KindSymbol
    | RangeSymbol
    | ValueSymbol
    | LazySymbol
    | TableSymbol
    | StateSymbol
    | DefineSymbol
    | TrackSymbol
    | ActionSymbol
    | ProcedureSymbol
    | RecordSymbol
    | DiagramSymbol
)
