"""What may be asked in another order, or at another time: what has no fault and costs no tick."""

from __future__ import annotations

from typing import TypeGuard

from ludex.ir.layout import Dimension
from ludex.ir.passes.analysis import total
from ludex.ir.passes.reliance import Reliance
from ludex.ir.program import Program, Variable
from ludex.node import replace
from ludex.typed import expr as e
from ludex.typed.types import INT_MAX, EntityType, IntType, SetType, Type


def worth_ahead(node: object) -> TypeGuard[e.Expr]:
    """Whether it pays to evaluate an expression ahead of a loop: aggregates, calls, and sets that are
    not constant."""
    if isinstance(node, e.Fold | e.Apply):
        return True
    held = e.Holders | e.HoldersBy | e.HoldersOf | e.Having | e.Occupants
    sets = held | e.SetOperation | e.Shifted | e.Select | e.Lookup
    return isinstance(node, sets) and isinstance(node.type, SetType)


class Variables:
    """The variables of a program and those that a pass adds: registers of their own."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._new: list[Variable] = []

    def new(self, name: str, type_: Type) -> int:
        self._new.append(Variable(name, type_, False, self._program.registers + len(self._new)))
        return len(self._program.variables) + len(self._new) - 1

    def added_to(self, program: Program) -> Program:
        return replace(
            program,
            variables=(*program.variables, *self._new),
            registers=program.registers + len(self._new),
        )


class Facts:
    """Knows the functions and fields of a program."""

    def __init__(self, program: Program) -> None:
        self._world = program.world
        self._functions = {f.name: f for f in program.functions}
        self._fields = {f.name: f for f in program.layout.fields}
        self._tables = {t.name: t.dims for t in program.tables}
        self.self_reliant = Reliance(program).self_reliant
        self._total: dict[str, bool] = {}
        self._found: dict[int, tuple[e.Expr, bool]] = {}
        """By identity, with the expression, which must live on."""

    def total(self, expr: e.Expr) -> bool:
        """As `analysis.total`, looking into functions and aggregates too."""
        found = self._found.get(id(expr))
        if found is None:
            found = self._found[id(expr)] = expr, self._is_total(expr)
        return found[1]

    def _is_total(self, expr: e.Expr) -> bool:
        match expr:
            case e.Apply(name, args):
                if name not in self._total:
                    function = self._functions[name]
                    self._total[name] = False  # while it is looked at: recursion costs ticks
                    self._total[name] = not function.recursive and self.total(function.body)
                return self._total[name] and all(map(self.total, args))
            case e.Fold(kind, bindings, guard, value, key, default):
                parts = [x for x in (guard, value, key, default) if x is not None]
                sure = (
                    kind in ("any", "all", "count", "union", "first", "most", "least")
                    or (kind == "set" and isinstance(_element(expr), EntityType))
                    or (kind == "sum" and self.bounded(expr))
                )
                return sure and all(map(self.total, parts)) and all(map(self.is_fixed, bindings))
            case e.Junction():
                return all(map(self.total, expr.operands))
            case e.Negation(operand):
                return self.total(operand)
            case e.Comparison(_, left, right):
                return self.total(left) and self.total(right)
            case e.Select(test, then, orelse):
                return self.total(test) and self.total(then) and self.total(orelse)
            case e.SetOperation() | e.Subset():
                return self.total(expr.left) and self.total(expr.right)
            case e.Membership(element, set_):
                return self.total(element) and self.total(set_)
            case e.Load(name, index):
                return self._within(self._fields[name].dims, index)
            case e.Lookup(name, index):
                return self._within(self._tables.get(name, ()), index)
            case e.Singleton(element):
                return isinstance(element.type, EntityType) and self.total(element)
            case e.Pick("first", set_) | e.Size(set_):
                return self.total(set_)
            case e.Occupants(place) | e.TokenAt(place):
                return self.total(place)
            case e.TokenCount(faces, place):
                return self.total(faces) and self.total(place)
            case e.Arithmetic(op, left, right):
                sure = not expr.checked and op not in ("div", "mod")
                return sure and self.total(left) and self.total(right)
            case e.Sights(space, directions):
                return self.total(space) and self.total(directions)
            case e.NextSeat(player, direction, steps):
                return self.total(player) and self.total(direction) and self.total(steps)
            case e.Region(starts=starts, guard=guard):
                return self.total(starts) and (guard is None or self.total(guard))
            case e.Holders() | e.HoldersBy():
                return True
            case e.HoldersOf(face):
                return self.total(face)
            case e.Having(_, value):
                return self.total(value)
            case e.Shifted(set_, by, within):
                return self.total(set_) and self.total(by) and self.total(within)
            case _:
                return total(expr)

    def _within(self, dims: tuple[Dimension, ...], index: tuple[e.Expr, ...]) -> bool:
        """Whether indices can neither fault nor lie outside; `dims` is () of what a pass has added."""
        for i, expr in enumerate(index):
            sure = isinstance(expr.type, EntityType)
            if isinstance(expr.type, IntType) and dims:
                sure = dims[i].base <= expr.type.lo and expr.type.hi < dims[i].base + dims[i].size
            if not sure or not self.total(expr):
                return False
        return True

    def bounded(self, total: e.Fold) -> bool:
        """Whether a sum of tokens, which are not negative, is sure to be a number."""
        most = self._tokens(total.value)
        for binding in total.bindings:
            domain = binding.domain
            if not isinstance(domain, e.SetDomain) or not isinstance(domain.set.type, SetType):
                return False
            most *= self._size(domain.set.type.element)
        return 0 < most <= INT_MAX

    def _tokens(self, value: e.Expr | None) -> int:
        """How many there can be where tokens are counted; 0 of anything else."""
        if not isinstance(value, e.TokenCount) or not isinstance(value.faces.type, SetType):
            return 0
        return self._fields["@tokens"].hi * self._size(value.faces.type.element)

    def _size(self, type_: Type) -> int:
        """How many values there are of a type."""
        if isinstance(type_, IntType):
            return type_.hi - type_.lo + 1
        kinds = type_.kinds if isinstance(type_, EntityType) else ()
        return 1 + sum(self._world.kind(name).count for name in kinds)

    def is_fixed(self, binding: e.Binding | e.OptionBinding) -> bool:
        """Whether going through its domain can neither fault nor cost ticks."""
        match binding.domain:
            case e.SetDomain(set_):
                return self.total(set_)
            case e.FamilyDomain(e.FamilyLookup(index=index)):
                return all(isinstance(i.type, EntityType) and self.total(i) for i in index)
            case e.RangeDomain(lo, hi):
                return self.total(lo) and self.total(hi)
            case e.SeatsDomain(direction, start):
                return self.total(direction) and self.total(start)
            case _:
                return False


def _element(fold: e.Fold) -> object:
    return fold.type.element if isinstance(fold.type, SetType) else None
