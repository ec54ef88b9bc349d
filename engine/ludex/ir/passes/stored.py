"""Conditions on state items: of which an item has a value, as sets that back ends keep up."""

from __future__ import annotations

from collections.abc import Iterable

from ludex.ir.layout import Field
from ludex.ir.passes.analysis import COMPARED
from ludex.typed import expr as e
from ludex.typed.types import SetType

MAX_KEPT = 4096
"""So many elements times values a state item may have for sets to be kept of it."""

MAX_WORDS = 1 << 14
"""So many words of 64 bits the sets of all state items may take."""

FEW = 4
"""Of up to so many values the sets are united rather than each element tested."""


def keepable(fields: Iterable[Field]) -> dict[str, Field]:
    """The state items of which sets are kept, if they are asked for: the first that fit."""
    found, left = dict[str, Field](), MAX_WORDS
    for field in fields:
        if field.role == "state" and len(field.dims) == 1 and not isinstance(field.type, SetType):
            values = max(field.hi, 0) - min(field.lo, 0) + 1
            words = values * ((field.dims[0].size + 63) // 64)
            if values * field.dims[0].size <= MAX_KEPT and words <= left:
                found[field.name] = field
                left -= words
    return found


def having(field: Field | None, type_: SetType, whole: int, value: e.Expr) -> e.Expr | None:
    """Which elements of a state item, indexed by all of a type and nothing else, have a value."""
    if field is None:
        return None
    (dim,) = field.dims
    if dim.base < 0 or whole != (1 << dim.size) - 1 << dim.base:
        return None
    return e.Having(field.name, value, type_)


def having_any(field: Field | None, type_: SetType, whole: int, values: int) -> e.Expr | None:
    """Which elements have one of a few values (bits)."""
    if field is None:
        return None
    wanted = [value for value in range(values.bit_length()) if values >> value & 1]
    return _having_one_of(field, type_, whole, wanted) if wanted else None


def compared(field: Field, type_: SetType, whole: int, op: e.CompareOp, value: int) -> e.Expr | None:
    """Which elements of a state item of numbers compare so with a constant."""
    passes = COMPARED[op]
    those = [x for x in range(min(field.lo, 0), max(field.hi, 0) + 1) if passes(x, value)]
    others = [x for x in range(min(field.lo, 0), max(field.hi, 0) + 1) if not passes(x, value)]
    if len(others) < len(those):
        found = _having_one_of(field, type_, whole, others)
        return None if found is None else e.SetOperation("diff", e.Const(whole, type_), found, type_)
    return _having_one_of(field, type_, whole, those)


def _having_one_of(field: Field, type_: SetType, whole: int, values: list[int]) -> e.Expr | None:
    if len(values) > FEW:
        return None
    parts = [having(field, type_, whole, e.Const(value, field.type)) for value in values]
    made: e.Expr = e.Const(0, type_)
    for i, part in enumerate(parts):
        if part is None:
            return None
        made = e.SetOperation("union", made, part, type_) if i else part
    return made
