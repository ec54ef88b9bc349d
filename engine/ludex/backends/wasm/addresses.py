"""Where lies what is kept of things that tables say: looked up at once, not thing by thing.

`count(man of me at tray(me))` looks up whose men and which tray by the same player: for each player it is
one number, and its address follows from the player.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ludex.backends.wasm import asm, values
from ludex.backends.wasm.asm import Ex, const
from ludex.backends.wasm.emitter import Unit
from ludex.ir.walk import alike
from ludex.typed import expr as e
from ludex.typed.tables import Dimension
from ludex.typed.types import EntityType


@dataclass(frozen=True, slots=True)
class Row:
    """What is looked up for each value of an index, which may be none if `lifted`: 0 is looked up then."""

    index: e.Expr
    dim: Dimension
    values: tuple[int, ...]
    lifted: bool


def looked_up(u: Unit, things: tuple[e.Expr, ...], kept: Callable[[tuple[int, ...]], int]) -> Ex | None:
    """The address of what is kept of some things, of which one at least is looked up by an entity, and
    others by the same, or constant; None of other things. If any is none, there are zeros, as long as a set
    of locations.

    `kept` gives the address for things that are not none.
    """
    found = [thing.value if isinstance(thing, e.Const) else _row(u, thing) for thing in things]
    rows = [one for one in found if isinstance(one, Row)]
    if None in found or not rows:
        return None
    first = rows[0]
    if len(rows) > 1 and not u.c.facts.total(first.index):
        return None  # each is computed for itself, and costs its ticks
    if any(row.dim != first.dim or not alike(row.index, first.index) for row in rows):
        return None
    zeros = u.c.constant("nothing", lambda: bytes(8 * u.plan.places.size))
    addresses: list[int] = []
    for i in range(first.dim.size):
        own = tuple(one.values[i] if isinstance(one, Row) else one or 0 for one in found)
        addresses.append(kept(own) if all(own) else zeros)
    return _address(u, first, addresses, zeros if any(row.lifted for row in rows) else None)


def _row(u: Unit, thing: e.Expr) -> Row | None:
    """What is looked up by an entity, or by what is: `men[opponent[me]]` for each player."""
    if not isinstance(thing, e.Lookup) or len(thing.index) != 1:
        return None
    (index,), table = thing.index, u.c.tables[thing.table]
    if not table.values or not isinstance(index.type, EntityType):
        return None
    (dim,) = table.dims
    inner = _row(u, index)
    if inner is not None and (thing.lifted or not inner.lifted):
        there = range(dim.base, dim.base + dim.size)
        if all(value in there or (value == 0 and thing.lifted) for value in inner.values):
            made = tuple(table.values[value - dim.base] if value else 0 for value in inner.values)
            return Row(inner.index, inner.dim, made, inner.lifted)
    return Row(index, dim, table.values, thing.lifted)


def _address(u: Unit, row: Row, addresses: list[int], nothing: int | None) -> Ex:
    """The address for a value of the index; `nothing` for none, if it may be none."""
    index, base = u.f.keep(values.value(u, row.index)), row.dim.base
    step = addresses[1] - addresses[0] if len(addresses) > 1 else 0
    if step >= 0 and all(at == addresses[0] + i * step for i, at in enumerate(addresses)):
        found = index * step + (addresses[0] - base * step)
    else:
        table = u.c.integers(("addresses", tuple(addresses)), addresses)
        found = asm.load(index * 4, table - 4 * base)
    return found if nothing is None else asm.choose(index, found, const(nothing))
