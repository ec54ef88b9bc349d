"""Leading: for which elements a table has a location that holds something is kept up, not asked of each.

`s.a is not empty`, asked of each gap s between two islands: when a stone comes to an island or leaves it,
the gaps that begin there join those that begin at a stone, or are no longer among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludex.typed import expr as e
from ludex.typed.types import SetType

if TYPE_CHECKING:
    from ludex.ir.passes.conditions import Conditions

MOST = 1024
"""Elements of a table, each of which is a bit of what is kept up."""


def leading(c: Conditions, var: int, type_: SetType, element: e.Lookup, set_: e.Expr) -> e.Expr | None:
    """The values of the variable, the only index of a table, for which its element is a location that holds
    any of some things."""
    within = -1
    match set_:
        case e.SetOperation("inter", inner, e.Const(within)):
            set_ = inner
    match set_:
        case e.Holders(mask):
            pass
        case e.HoldersOf(e.Const(face), least=1) if face:
            mask = 1 << face
        case _:
            return None
    inside = c.column(var, type_, element, lambda value: value > 0 and within >> value & 1)
    if inside is None or len(c.tables[element.table].values) > MOST:
        return None
    return e.SetOperation("inter", e.HoldersBy(element.table, mask, type_), inside, type_)
