"""Inverses: a loop that looks for what leads to one place goes through what can lead there only.

`any(t in aims(m, s) for s in square, ...)` with a table of what each s leads to: the table of what leads to
each t gives the squares that may pass at all. What is asked of each stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from ludex.ir.passes.analysis import conjuncts, rewritten
from ludex.ir.passes.conditions import intersection
from ludex.ir.passes.facts import Facts
from ludex.ir.program import Program
from ludex.ir.walk import classes, inside, nodes, reads
from ludex.node import replace
from ludex.typed import expr as e
from ludex.typed.tables import Dimension, Table
from ludex.typed.types import EntityType, SetType


class Inverses:
    """Rewrites aggregates; `tables` grows with what that needs."""

    def __init__(self, program: Program) -> None:
        self._world = program.world
        self._facts = Facts(program)
        self.tables: dict[str, Table] = {t.name: t for t in program.tables}

    def change(self, node: object) -> object | None:
        """For `rewrite`."""
        if not isinstance(node, e.Fold):
            return None
        tests = conjuncts(node.guard) + (conjuncts(node.value) if node.kind == "any" else [])
        if not any(isinstance(n, e.Membership) for n in nodes(tuple(tests), classes(e.Membership))):
            return None
        if not all(map(self._facts.total, tests)) or not all(map(self._facts.is_fixed, node.bindings)):
            return None
        bound = frozenset(binding.var for binding in node.bindings)
        fewer = tuple(self._fewer(binding, tests, bound) for binding in node.bindings)
        return inside(replace(node, bindings=fewer), self.change) if fewer != node.bindings else None

    def _fewer(self, binding: e.Binding, tests: list[e.Expr], bound: frozenset[int]) -> e.Binding:
        match binding.domain:
            case e.SetDomain(set_) if not isinstance(set_, e.Singleton):
                assert isinstance(set_.type, SetType)
                element = set_.type.element
            case _:
                return binding
        if not isinstance(element, EntityType) or element.optional or len(element.kinds) > 1:
            return binding
        search = _Search(self, binding.var, set_.type, bound)
        found = [one for one in map(search.needed, tests) if one is not None]
        return replace(binding, domain=e.SetDomain(intersection(set_, found))) if found else binding

    def is_fixed(self, expr: e.Expr, bound: frozenset[int]) -> bool:
        """Whether an expression can be evaluated ahead of the loops, as one of things that are there."""
        return bound.isdisjoint(reads(expr)) and self._facts.total(expr) and self._facts.self_reliant(expr)

    def dimension(self, expr: e.Expr) -> Dimension | None:
        """An index by the values of an expression that is never none."""
        match expr.type:
            case EntityType((kind,), optional=False):
                found = self._world.kind(kind)
                return Dimension(found.base, found.count, found.name)
            case _:
                return None


class _Search:
    """For one variable: the sets in which it is wherever a test holds."""

    def __init__(self, inverses: Inverses, var: int, type_: SetType, bound: frozenset[int]) -> None:
        self._inverses = inverses
        self._var = var
        self._type = type_
        self._bound = bound

    def needed(self, test: e.Expr) -> e.Expr | None:
        """None if nothing is known."""
        match test:
            case e.Junction("and", operands):
                known = [one for one in map(self.needed, operands) if one is not None]
                return intersection(known[0], known[1:]) if known else None
            case e.Junction("or", operands):
                return self._any([self.needed(operand) for operand in operands])
            case e.Select(_, then, orelse):
                return self._any([self.needed(then), self.needed(orelse)])
            case e.Membership(_, e.Select(when, _, e.Const(0))):
                return self.needed(when)
            case e.Membership(element, e.Lookup() as row):
                return self._led_to(element, row) if self._var in reads(row) else self._joined(element, row)
            case _:
                return None

    def _any(self, sets: list[e.Expr | None]) -> e.Expr | None:
        made: e.Expr | None = None
        for one in sets:
            if one is None:
                return None
            made = one if made is None else e.SetOperation("union", made, one, self._type)
        return made

    def _led_to(self, element: e.Expr, row: e.Lookup) -> e.Expr | None:
        """`x in T[.., s, ..]`: what T has x for."""
        dim = self._inverses.dimension(element)
        if dim is None or not self._inverses.is_fixed(element, self._bound):
            return None
        return self._turned("led to", row, (dim,), (element,))

    def _joined(self, element: e.Expr, row: e.Lookup) -> e.Expr | None:
        """`T[.., s, ..] in D`: what T has anything for, none of which is in D."""
        if not isinstance(element, e.Lookup) or isinstance(element.type, SetType):
            return None
        assert isinstance(row.type, SetType)
        kinds = row.type.element
        if not isinstance(kinds, EntityType) or kinds.optional:
            return None
        return self._turned("joined", element, (), ())

    def _turned(
        self,
        name: str,
        row: e.Lookup,
        by: tuple[Dimension, ...],
        last: tuple[e.Expr, ...],
    ) -> e.Expr | None:
        """A table, indexed by the others of its indices and by what is wanted, of the values of the variable
        for which it has that."""
        own = [i for i, index in enumerate(row.index) if isinstance(index, e.Var) and index.id == self._var]
        others = tuple(index for i, index in enumerate(row.index) if i not in own)
        table = self._inverses.tables[row.table]
        if len(own) != 1 or row.lifted or not table.values:
            return None
        fixed = all(self._inverses.is_fixed(x, self._bound) for x in others)
        if not fixed or not all(isinstance(x.type, EntityType) for x in others):
            return None
        (at,) = own
        dim = table.dims[at]
        if dim != self._inverses.dimension(row.index[at]):
            return None
        made = ":".join((f"@{name}", table.name, str(at), *(str(dim.kind) for dim in by)))
        if made not in self._inverses.tables:
            inner = prod(later.size for later in table.dims[at + 1 :])
            width = prod(new.size for new in by)
            rows = [0] * (len(table.values) // dim.size * width)
            for place, value in enumerate(table.values):
                outer, i = divmod(place // inner, dim.size)
                first = (outer * inner + place % inner) * width
                for k in _members(value, by[0]) if by else range(value != 0):
                    rows[first + k] |= 1 << dim.base + i
            dims = (*table.dims[:at], *table.dims[at + 1 :], *by)
            self._inverses.tables[made] = Table(made, dims, tuple(rows))
        return e.Lookup(made, (*others, *last), self._type, row.site)


def _members(mask: int, dim: Dimension) -> Iterator[int]:
    """The members of a set within a dimension, counted from its first."""
    mask = mask >> dim.base & (1 << dim.size) - 1
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def turned(program: Program) -> Program:
    """The program with loops that look for what leads to one place shortened."""
    inverses = Inverses(program)
    made = rewritten(program, inverses.change, e.Fold)
    return replace(made, tables=tuple(inverses.tables.values()))
