"""Where lies what is kept of things that tables say: looked up at once, not thing by thing.

`count(man of me at tray(me))` looks up whose men and which tray by the same player: for each player it is
one number, and its address follows from the player.
"""

from __future__ import annotations

from collections.abc import Callable

from ludex.backends.wasm import asm, values
from ludex.backends.wasm.asm import Ex, const
from ludex.backends.wasm.emitter import Unit
from ludex.ir.walk import alike
from ludex.typed import expr as e
from ludex.typed.tables import Dimension, Table
from ludex.typed.types import EntityType


def looked_up(u: Unit, things: tuple[e.Expr, ...], kept: Callable[[tuple[int, ...]], int]) -> Ex | None:
    """The address of what is kept of some things, of which one at least is looked up by an entity, and
    others by the same, or constant; None of other things. If any is none, there are zeros, as long as a set
    of locations.

    `kept` gives the address for things that are not none.
    """
    tables: list[Table | int] = []
    first: e.Lookup | None = None
    for thing in things:
        match thing:
            case e.Const(value):
                tables.append(value)
            case e.Lookup(name, (index,)) if isinstance(index.type, EntityType):
                if first is not None and not (alike(index, first.index[0]) and u.c.facts.total(index)):
                    return None  # each is computed for itself, and costs its ticks
                table = u.c.tables[name]
                if not table.values or (first is not None and table.dims != _dims(u, first)):
                    return None
                tables.append(table)
                first = thing if first is None or thing.lifted else first
            case _:
                return None
    if first is None:
        return None
    zeros = u.c.constant("nothing", lambda: bytes(8 * u.plan.places.size))
    rows: list[int] = []
    for i in range(_dims(u, first)[0].size):
        row = tuple(t if isinstance(t, int) else t.values[i] for t in tables)
        rows.append(kept(row) if all(row) else zeros)
    return _row(u, first, rows, zeros)


def _dims(u: Unit, lookup: e.Lookup) -> tuple[Dimension, ...]:
    return u.c.tables[lookup.table].dims


def _row(u: Unit, lookup: e.Lookup, rows: list[int], zeros: int) -> Ex:
    """The address for what a table is looked up by."""
    (dim,) = u.c.tables[lookup.table].dims
    index = u.f.keep(values.value(u, lookup.index[0]))
    step = rows[1] - rows[0] if len(rows) > 1 else 0
    if all(row == rows[0] + i * step for i, row in enumerate(rows)) and step >= 0:
        at = index * step + (rows[0] - dim.base * step)
    else:
        at = asm.load(index * 4, u.c.integers(("addresses", tuple(rows)), rows) - 4 * dim.base)
    return asm.choose(index, at, const(zeros)) if lookup.lifted else at
