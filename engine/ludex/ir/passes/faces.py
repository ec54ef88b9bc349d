"""Faces: a set of faces that always has one is asked as that one.

`count(man of p at s)` counts the tokens of a set of faces, which a table gives for each player. Where
each has one face, a table of faces takes its place, so that a single number is looked up.
"""

from __future__ import annotations

from typing import cast

from ludex.ir.passes.analysis import rewritten
from ludex.ir.program import Program
from ludex.ir.walk import rewrite
from ludex.node import replace
from ludex.typed import code as s
from ludex.typed import expr as e
from ludex.typed.tables import Table
from ludex.typed.types import EntityType, SetType


class Faces:
    """Rewrites what is said of faces; `tables` grows with tables of single ones."""

    def __init__(self, program: Program) -> None:
        self.tables = {t.name: t for t in program.tables}
        self._known: dict[str, str | None] = {}

    def change(self, node: object) -> object | None:
        """For `rewrite`."""
        match node:
            case e.TokenCount(faces, place):
                only = self._only(faces)
                if only is not None:
                    place = cast(e.Expr, rewrite(place, self.change))
                    return replace(node, faces=e.Singleton(only, faces.type), place=place)
            case s.MoveAllTokens(faces, source, target):
                only = self._only(faces)
                if only is not None:
                    source, target = (cast(e.Expr, rewrite(x, self.change)) for x in (source, target))
                    return s.MoveAllTokens(e.Singleton(only, faces.type), source, target, node.site)
            case e.Pick(_, set_):
                return self._only(set_)
        return None

    def _only(self, set_: e.Expr) -> e.Lookup | None:
        """The one element that a set taken from a table always has."""
        if not isinstance(set_, e.Lookup) or set_.lifted or not isinstance(set_.type, SetType):
            return None
        name = self._table(set_.table)
        element = set_.type.element
        if name is None or not isinstance(element, EntityType):
            return None
        index = cast(tuple[e.Expr, ...], rewrite(set_.index, self.change))
        # nobody may be `me` yet
        sure = all(isinstance(i, e.Const) for i in index)
        return e.Lookup(name, index, EntityType(element.kinds, not sure), set_.site, not sure)

    def _table(self, name: str) -> str | None:
        if name not in self._known:
            table = self.tables[name]
            single = all(mask > 1 and mask & (mask - 1) == 0 for mask in table.values)
            self._known[name] = f"@only:{name}" if table.values and single else None
            if self._known[name] is not None:
                ids = tuple(mask.bit_length() - 1 for mask in table.values)
                self.tables[f"@only:{name}"] = Table(f"@only:{name}", table.dims, ids)
        return self._known[name]


def faced(program: Program) -> Program:
    """The program with sets of one face as that face."""
    faces = Faces(program)
    made = rewritten(program, faces.change, e.TokenCount, e.Pick, s.MoveAllTokens)
    return replace(made, tables=tuple(faces.tables.values()))
