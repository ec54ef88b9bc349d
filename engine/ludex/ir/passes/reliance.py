"""Reliance: which expressions have a value only where a test says so.

After `k.place in town` the checker takes `k.place` for a town; what is looked up by it must not be looked up
sooner than that was tested: there may be no such element.
"""

from __future__ import annotations

from functools import cached_property

from ludex.ir import code
from ludex.ir.layout import Dimension
from ludex.ir.program import Program
from ludex.ir.walk import binds, nodes
from ludex.typed import expr as e
from ludex.typed.types import EntityType
from ludex.typed.world import Kind

NONE = 1
"""The bit of none in a mask of entities."""


class Reliance:
    """Knows what the expressions of a program may have for values, whatever has been tested."""

    def __init__(self, program: Program) -> None:
        self._world = program.world
        self._fields = {f.name: f for f in program.layout.fields}
        self._tables = {t.name: t for t in program.tables}
        self._functions = {f.name: f for f in program.functions}
        self._variables = program.variables
        self._first = program.blocks[0].code

    @cached_property
    def _boxed(self) -> set[str]:
        """Kinds of which something begins in the box."""
        box = self._world.kind("box")
        return {
            self._world.kind_of(st.thing.value).name
            for st in self._first
            if isinstance(st, code.MoveOne) and isinstance(st.thing, e.Const)
            if isinstance(st.target, e.Const) and box.mask >> st.target.value & 1
        }

    def self_reliant(self, expr: e.Expr) -> bool:
        """Whether nothing in it is taken as present that may be none, or for one kind that may be another."""
        own = binds(expr)
        for node in nodes(expr):
            match node:
                case e.Load(name, index, lifted=False):
                    there = self._are_there(index, self._fields[name].dims, own)
                case e.Lookup(name, index, lifted=False) if name in self._tables:
                    there = self._are_there(index, self._tables[name].dims, own)
                case _:
                    there = True
            if not there or not self._is_as_typed(node, own):
                return False
        return True

    def _is_as_typed(self, node: object, own: frozenset[int]) -> bool:
        """Whether what a test may have told of has a value of its type in any case."""
        match node:
            case e.Var() | e.Load() | e.Lookup() | e.Apply() | e.Fold():
                type_ = node.type
                return not isinstance(type_, EntityType) or not self._values(node, own) & ~self._mask(type_)
            case _:
                return True

    def _are_there(self, index: tuple[e.Expr, ...], dims: tuple[Dimension, ...], own: frozenset[int]) -> bool:
        """Whether there is an element for all entities that the indices may be."""
        return all(
            not self._values(i, own) >> dim.base + dim.size and self._values(i, own) % (1 << dim.base) == 0
            for i, dim in zip(index, dims, strict=True)
            if isinstance(i.type, EntityType)
        )

    def _values(self, expr: e.Expr, own: frozenset[int]) -> int:
        """The entities that an expression may have for a value; `own`: variables that it binds itself."""
        declared: object = expr.type
        match expr:
            case e.Const(value):
                return 1 << value
            case e.Var(id_) if id_ not in own and id_ < len(self._variables):
                declared = self._variables[id_].type
            case e.Load("@place", (thing,)):
                assert isinstance(thing.type, EntityType)
                kinds = [self._world.kind(name) for name in thing.type.kinds]
                return sum(k.mask for k in self._world.kinds if self._may_hold(k, kinds)) | expr.lifted
            case e.Load(name):
                declared = self._fields[name].type
            case e.Lookup(name) if name in self._tables and self._tables[name].values:
                return self._looked_up(expr, own) | expr.lifted
            case e.Apply(name):
                declared = self._functions[name].body.type
            case e.Fold("first" | "most" | "least", default=None):
                return self._mask(expr.type) | NONE
        lifted = isinstance(expr, e.Load) and expr.lifted
        return self._mask(declared if isinstance(declared, EntityType) else expr.type) | lifted

    def _looked_up(self, expr: e.Lookup, own: frozenset[int]) -> int:
        """What a table has in the rows that may be asked for."""
        table = self._tables[expr.table]
        rows = table.values
        if len(expr.index) == 1 and isinstance(expr.index[0].type, EntityType):
            asked = self._values(expr.index[0], own) >> table.dims[0].base
            rows = tuple(value for i, value in enumerate(rows) if asked >> i & 1)
        found = 0
        for value in set(rows):
            found |= 1 << value
        return found

    def _may_hold(self, place: Kind, things: list[Kind]) -> bool:
        """Whether any of some kinds of things may ever be there."""
        if place.category == "box":
            return any(not k.places or "box" in k.places or k.name in self._boxed for k in things)
        return place.is_location and any(place.may_hold(k) for k in things)

    def _mask(self, type_: object) -> int:
        assert isinstance(type_, EntityType)
        present = sum(self._world.kind(name).mask for name in type_.kinds)
        return present | NONE if type_.optional or not type_.kinds else present
