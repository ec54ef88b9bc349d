"""Conditions on state items: of which an item has a value, as sets that back ends keep up."""

from __future__ import annotations

from ludex.ir.layout import Field
from ludex.typed import expr as e
from ludex.typed.types import EntityType, SetType

MAX_KEPT = 4096
"""So many elements times values a state item may have for sets to be kept of it."""

FEW = 4
"""Of up to so many values the sets are united rather than each element tested."""


def having(field: Field, type_: SetType, whole: int, value: e.Expr) -> e.Expr | None:
    """Which elements of a state item, indexed by all of a type and nothing else, have a value."""
    if field.role != "state" or len(field.dims) != 1 or isinstance(field.type, SetType):
        return None
    (dim,) = field.dims
    values = field.hi - field.lo + 1
    if values * dim.size > MAX_KEPT or whole != (1 << dim.size) - 1 << dim.base:
        return None
    if field.lo > 0 and _may_be_none(value):
        return None  # that which has no value yet
    return e.Having(field.name, value, type_)


def having_any(field: Field, type_: SetType, whole: int, values: int) -> e.Expr | None:
    """Which elements have one of a few values (bits)."""
    if isinstance(field.type, SetType) or values.bit_count() > FEW:
        return None
    made: e.Expr | None = None
    for value in range(values.bit_length()):
        if values >> value & 1:
            part = having(field, type_, whole, e.Const(value, field.type))
            if part is None:
                return None
            made = part if made is None else e.SetOperation("union", made, part, type_)
    return made


def _may_be_none(value: e.Expr) -> bool:
    if isinstance(value, e.Const):
        return value.value == 0
    return isinstance(value.type, EntityType) and value.type.optional
