"""Reach: things are not looked for where no move ever brings any of their kind.

A space may hold whatever was not told to be elsewhere. Of an island on which tokens lie it is asked whether
a card lies there, too; but cards go from hand to pile only.
"""

from __future__ import annotations

from collections.abc import Iterable

from ludex.ir.passes.analysis import rewritten
from ludex.ir.passes.facts import Facts
from ludex.ir.program import Program
from ludex.ir.walk import classes, inside, nodes
from ludex.node import replace
from ludex.typed import code as s
from ludex.typed import expr as e
from ludex.typed.types import EntityType, SetType, Type


class Reach:
    """Rewrites what is asked of who lies somewhere."""

    def __init__(self, program: Program) -> None:
        self._world = program.world
        self._tables = {t.name: t for t in program.tables}
        self._facts = Facts(program)
        self._reached = {kind.name: 0 for kind in program.world.kinds if kind.is_movable}
        """By kind of movable the locations that moves lead to."""
        for node in nodes((program.blocks, program.atomics), classes(s.MoveOne, s.MoveAll, s.Store)):
            match node:
                case s.MoveOne(thing, target) | s.MoveAll(thing, target):
                    self._moved(self._kinds(thing), self._places(target))
                case s.Store("@place", (thing,), place):
                    self._moved(self._kinds(thing), self._places(place))

    def _moved(self, kinds: Iterable[str], places: int) -> None:
        for name in kinds:
            if name in self._reached:
                self._reached[name] |= places

    def _kinds(self, things: e.Expr) -> tuple[str, ...]:
        """The kinds that a thing, or things of a set, may be of."""
        if isinstance(things, e.Const) and not isinstance(things.type, SetType):
            return (self._world.kind_of(things.value).name,) if things.value else ()
        type_ = things.type.element if isinstance(things.type, SetType) else things.type
        return type_.kinds if isinstance(type_, EntityType) else tuple(self._reached)

    def _places(self, place: e.Expr) -> int:
        """The locations that an expression may give."""
        match place:
            case e.Const(value):
                return 1 << value & ~1
            case e.Select(_, then, orelse):
                return self._places(then) | self._places(orelse)
            case e.Lookup(name) if self._tables[name].values:
                return sum(1 << value for value in {*self._tables[name].values} if value > 0)
            case _:
                return self._whole(place.type)

    def _whole(self, type_: Type) -> int:
        kinds = map(self._world.kind, type_.kinds) if isinstance(type_, EntityType) else self._world.kinds
        return sum(kind.mask for kind in kinds)

    def change(self, node: object) -> object | None:
        """For `rewrite`."""
        if not isinstance(node, e.Occupants):
            return None
        node, places = inside(node, self.change, classes(e.Occupants)), self._places(node.place)
        mask = node.mask
        for name, reached in self._reached.items():
            if not reached & places:
                mask &= ~self._world.kind(name).mask
        if mask == 0 and self._facts.total(node.place):
            return e.Const(0, node.type)
        return replace(node, mask=mask) if mask else node


def reached(program: Program) -> Program:
    """The program in which nothing is looked for where it never is."""
    return rewritten(program, Reach(program).change, e.Occupants)
