"""Preimages: the values for which a table has an element of a set are the set, shifted.

`card(me, d) in hand(me)`, asked of each d: where the cards of a player have ids in a row, as what is
declared together has, one shift of the set of his cards answers for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludex.ir.walk import reads
from ludex.typed import expr as e
from ludex.typed.tables import Dimension, Table
from ludex.typed.types import EntityType, IntType, SetType

if TYPE_CHECKING:
    from ludex.ir.passes.conditions import Conditions

MOST_SHIFTS = 2
"""Ways in which a row of a table may be in a row."""

WORD = 64
"""Elements of the sets, at most: from the first to the last."""


def preimage(c: Conditions, var: int, type_: SetType, element: e.Lookup, set_: e.Expr) -> e.Expr | None:
    """The values of the variable, one index of a table, for which its element is in a set, if the set can
    be shifted for that. The set can neither fault nor depends on the variable."""
    own = [i for i, index in enumerate(element.index) if isinstance(index, e.Var) and index.id == var]
    rest = tuple(index for i, index in enumerate(element.index) if i not in own)
    table = c.tables[element.table]
    if len(own) != 1 or element.lifted or not all(map(is_sure, element.index, table.dims)):
        return None
    if not all(c.facts.total(x) and var not in reads(x) for x in rest):
        return None
    if not isinstance(set_.type, SetType) or not _is_sure_type(set_.type.element):
        return None
    elements, whole = c.whole(set_.type), c.whole(type_)
    if _span(elements) > WORD or _span(whole) > WORD:
        return None
    (at,) = own
    name = _tables(c, table, at, elements, whole)
    if name is None:
        return None
    made: e.Expr = e.Const(0, type_)
    for n in range(MOST_SHIFTS):
        shifts = c.tables.get(f"{name}:by {n}")
        if shifts is None:
            break
        if n and not isinstance(set_, e.Occupants | e.Var | e.Load):
            return None  # it would be made twice
        by = e.Lookup(shifts.name, rest, IntType(min(shifts.values), max(shifts.values)), element.site)
        part = e.Shifted(set_, by, e.Lookup(f"{name}:within {n}", rest, type_, element.site), type_)
        made = e.SetOperation("union", made, part, type_) if n else part
    return made


def is_sure(index: e.Expr, dim: Dimension) -> bool:
    """Whether a table has the index."""
    if isinstance(index, e.Const):
        return dim.base <= index.value < dim.base + dim.size
    if isinstance(index.type, IntType):
        return dim.base <= index.type.lo and index.type.hi < dim.base + dim.size
    return isinstance(index.type, EntityType)


def _is_sure_type(type_: object) -> bool:
    return isinstance(type_, EntityType) and not type_.optional


def _span(mask: int) -> int:
    """From the first to the last element."""
    return (mask // (mask & -mask)).bit_length() if mask else 0


def _tables(c: Conditions, table: Table, at: int, elements: int, whole: int) -> str | None:
    """The name under which tables say, for the other indices, by how much a set is shifted, and for which
    values; None if there are too many shifts."""
    dim = table.dims[at]
    if dim.kind is None:
        return None
    name = f"@turned:{table.name}:{at}:{elements:x}:{whole:x}"
    if f"{name}:by 0" in c.tables:
        return name
    inner = 1
    for later in table.dims[at + 1 :]:
        inner *= later.size
    rows: list[list[tuple[int, int]]] = []
    for outer in range(0, len(table.values), inner * dim.size):
        for k in range(inner):
            shifts: dict[int, int] = {}
            for i, value in enumerate(table.values[outer + k : outer + inner * dim.size : inner]):
                x = dim.base + i
                if value > 0 and elements >> value & 1 and whole >> x & 1:
                    shifts[x - value] = shifts.get(x - value, 0) | 1 << x
                    if len(shifts) > MOST_SHIFTS:
                        return None
            rows.append(list(shifts.items()))
    dims = (*table.dims[:at], *table.dims[at + 1 :])
    for n in range(max(1, *map(len, rows))):
        found = [row[n] if n < len(row) else (0, 0) for row in rows]
        c.tables[f"{name}:by {n}"] = Table(f"{name}:by {n}", dims, tuple(by for by, _ in found))
        c.tables[f"{name}:within {n}"] = Table(f"{name}:within {n}", dims, tuple(mask for _, mask in found))
    return name
