"""Images: what a few elements lead to is united, rather than asked of each value whether it leads there.

`any(t in crossed_by(s) where t in laid)`, asked of each s: a table says for each t which s it is in the row
of, so that the rows of the few in `laid`, united, answer for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludex.ir.passes.analysis import conjuncts
from ludex.ir.walk import reads
from ludex.typed import expr as e
from ludex.typed.tables import Dimension, Table
from ludex.typed.types import EntityType, SetType

if TYPE_CHECKING:
    from ludex.ir.passes.conditions import Conditions

WORD = 64
"""Elements of a set that are handled at once."""


def image(c: Conditions, var: int, type_: SetType, binding: e.Binding, tests: list[e.Expr]) -> e.Expr | None:
    """The values of the variable for which some element of a table's row passes the tests, if those that
    pass are fewer, whatever the row, than the values that would be asked."""
    match binding.domain:
        case e.SetDomain(e.Lookup(_, (e.Var(id_),), SetType(EntityType((kind,), optional=False))) as row):
            if id_ != var or row.lifted:
                return None
        case _:
            return None
    table, element = c.tables[row.table], EntityType((kind,))
    if table.dims[0].kind is None or not tests or any(var in reads(test) for test in tests):
        return None
    few: e.Expr | None = None
    for test in tests:
        part = c.passing(binding.var, element, test)
        if part is None:
            return None
        few = part if few is None else e.SetOperation("inter", few, part, SetType(element))
    assert few is not None
    asked, led_to = c.whole(type_), c.whole(SetType(element))
    if 2 * _most(c, few) * _words(asked) >= asked.bit_count() * _words(led_to):
        return None
    united = e.Lookup(_turned(c, table, asked, led_to), (e.Var(binding.var, element),), type_, row.site)
    loop = e.Binding(binding.var, e.SetDomain(few))
    return e.Fold("union", (loop,), None, united, None, None, type_, -1)


def _turned(c: Conditions, table: Table, asked: int, led_to: int) -> str:
    """A table of the values that have each element in their row."""
    name = f"@image:{table.name}:{asked:x}"
    if name not in c.tables:
        base, first = (led_to & -led_to).bit_length() - 1, table.dims[0].base
        rows = [0] * led_to.bit_count()
        for i, row in enumerate(table.values):
            for k in range(len(rows)):
                if row >> base + k & asked >> first + i & 1:
                    rows[k] |= 1 << first + i
        kind = c.kind_of(base)
        c.tables[name] = Table(name, (Dimension(kind.base, kind.count, kind.name),), tuple(rows))
    return name


def _words(mask: int) -> int:
    return ((mask // (mask & -mask)).bit_length() + WORD - 1) // WORD if mask else 0


def _most(c: Conditions, set_: e.Expr) -> int:
    """How many elements a set has at most."""
    assert isinstance(set_.type, SetType)
    match set_:
        case e.Const(mask):
            return mask.bit_count()
        case e.Occupants(mask=mask):
            return mask.bit_count()
        case e.Holders(mask) if not mask & c.tokens:
            return mask.bit_count()
        case e.SetOperation("inter", left, right):
            return min(_most(c, left), _most(c, right))
        case e.SetOperation("diff", left):
            return _most(c, left)
        case e.SetOperation("union", left, right):
            return _most(c, left) + _most(c, right)
        case e.Select(_, then, orelse):
            return max(_most(c, then), _most(c, orelse))
        case e.Var(var) if var in c.lets:
            return _most(c, c.lets[var])
        case e.Fold("set", (e.Binding(var, e.SetDomain(domain)),), guard, e.Var(own)) if own == var:
            parts = (c.passing(var, set_.type.element, test) for test in conjuncts(guard))
            return min(_most(c, part) for part in (domain, *parts) if part is not None)
        case _:
            return c.whole(set_.type).bit_count() if isinstance(set_.type.element, EntityType) else WORD**2
