"""What is said of a place alone: expressions that change only with what lies there.

`(man at s).owner` for every square s can be kept up square by square: after a move only two
squares are to be looked at again.
"""

from __future__ import annotations

from dataclasses import dataclass

from ludex.ir.passes.facts import Facts
from ludex.ir.program import Program
from ludex.typed import expr as e


@dataclass(frozen=True, slots=True)
class Local:
    """An expression over the places of a stretch of ids, and whatever else it changes with there."""

    var: int
    first: int
    count: int
    value: e.Expr
    of_places: frozenset[str]
    """Fields by place: a place's element changes it there."""
    of_things: frozenset[str]
    """Fields by piece or card: an element changes it where that lies."""


def local(
    program: Program, facts: Facts, bindings: tuple[e.Binding, ...], value: e.Expr
) -> Local | None:
    """How an expression for all values of its bindings is one of each place alone, if it is, and can
    neither fault nor cost ticks."""
    if len(bindings) != 1 or not facts.total(value):
        return None
    match bindings[0].domain:
        case e.SetDomain(e.Const(mask)) if mask:
            first, count = (mask & -mask).bit_length() - 1, mask.bit_count()
        case _:
            return None
    places = [i for kind in program.world.kinds if kind.is_location for i in kind.ids]
    if mask != ((1 << count) - 1) << first or not set(range(first, first + count)) <= set(places):
        return None
    reader = _Reader(program, bindings[0].var)
    if not reader.is_local(value):
        return None
    return Local(
        bindings[0].var, first, count, value, frozenset(reader.of_places), frozenset(reader.of_things)
    )


class _Reader:
    """Goes through an expression and collects what it changes with."""

    def __init__(self, program: Program, var: int) -> None:
        self._var = var
        self._fields = {f.name: f for f in program.layout.fields}
        self._movable = {k.name for k in program.world.kinds if k.is_movable}
        self._things: set[int] = set()
        """Variables of things that lie here."""
        self._bound = {var}
        self.of_places: set[str] = set()
        self.of_things: set[str] = set()

    def is_local(self, node: e.Expr) -> bool:
        match node:
            case e.Const():
                return True
            case e.Var(var):
                return var in self._bound
            case e.Load(name, index):
                return len(index) == 1 and self._is_local_field(name, index[0])
            case e.Lookup(_, index):
                return all(map(self.is_local, index))
            case e.Occupants(place) | e.TokenAt(place):
                return self._is_place(place)
            case e.TokenCount(faces, place):
                return self.is_local(faces) and self._is_place(place)
            case e.Arithmetic(_, left, right) | e.Comparison(_, left, right) | e.SetOperation(_, left, right):
                return self.is_local(left) and self.is_local(right)
            case e.Negation(operand):
                return self.is_local(operand)
            case e.Junction(_, operands):
                return all(map(self.is_local, operands))
            case e.Select(test, then, orelse):
                return self.is_local(test) and self.is_local(then) and self.is_local(orelse)
            case e.InRange(element, lo, hi):
                return self.is_local(element) and self.is_local(lo) and self.is_local(hi)
            case e.Membership(element, set_):
                return self.is_local(element) and self.is_local(set_)
            case e.Subset(left, right):
                return self.is_local(left) and self.is_local(right)
            case e.Singleton(element):
                return self.is_local(element)
            case e.Size(set_) | e.Pick(_, set_):
                return self.is_local(set_)
            case e.Fold(_, bindings, guard, value, key, default):
                inside = all(map(self._goes_through, bindings))
                return inside and all(x is None or self.is_local(x) for x in (guard, value, key, default))
            case _:
                return False

    def _goes_through(self, binding: e.Binding) -> bool:
        self._bound.add(binding.var)
        match binding.domain:
            case e.SetDomain(set_):
                if self._lies_here(set_):
                    self._things.add(binding.var)
                return self.is_local(set_)
            case _:
                return False

    def _is_place(self, node: e.Expr) -> bool:
        return isinstance(node, e.Var) and node.id == self._var

    def _is_local_field(self, name: str, index: e.Expr) -> bool:
        """Of the place, or of a thing that lies there."""
        dims = self._fields[name].dims
        if self._is_place(index):
            self.of_places.add(name)
            return self._fields[name].role == "state"
        if dims[0].kind in self._movable and self.is_local(index) and self._is_thing_here(index):
            self.of_things.add(name)
            return self._fields[name].role == "state"
        return False

    def _is_thing_here(self, node: e.Expr) -> bool:
        match node:
            case e.Var(var):
                return var in self._things
            case e.Pick(_, set_):
                return self._lies_here(set_)
            case e.Fold("first" | "most" | "least", bindings, value=value, default=None):
                found = e.Var(bindings[-1].var, node.type) if value is None else value
                return self._is_thing_here(found)
            case _:
                return False

    def _lies_here(self, set_: e.Expr) -> bool:
        match set_:
            case e.Occupants(place):
                return self._is_place(place)
            case e.SetOperation("inter", left, right):
                return (self._lies_here(left) and self.is_local(right)) or (
                    self._lies_here(right) and self.is_local(left)
                )
            case e.SetOperation("diff", left, right):
                return self._lies_here(left) and self.is_local(right)
            case _:
                return False
