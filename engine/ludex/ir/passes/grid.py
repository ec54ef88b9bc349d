"""Expressions of a few variables that have a few values each, computed for all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TypeAlias

from ludex.ir.passes.analysis import COMPARED
from ludex.typed import expr as e
from ludex.typed.tables import Dimension, Function, Table
from ludex.typed.types import INT_MAX, INT_MIN

Column: TypeAlias = list["int | None"]
"""A value for each row, None where there is a fault."""

_COMPUTED: dict[e.ArithmeticOp, Callable[[int, int], int]] = {
    "add": int.__add__, "sub": int.__sub__, "mul": int.__mul__, "min": min, "max": max,
}  # fmt: skip


COMPUTABLE = (
    e.Const, e.Var, e.Lookup, e.Arithmetic, e.Comparison, e.Negation, e.Junction, e.Select, e.Membership,
    e.Apply,
)  # fmt: skip
"""What an expression that can be computed so is made of."""


class Unknown(Exception):
    """An expression that depends on more than constants and these variables, or is no word."""


class Grid:
    """All combinations of the values of some variables, the last one's changing fastest."""

    def __init__(
        self,
        variables: list[int],
        dims: list[Dimension],
        tables: dict[str, Table],
        functions: dict[str, Function],
    ) -> None:
        self._tables, self._functions = tables, functions
        self.rows = 1
        for dim in dims:
            self.rows *= dim.size
        self._variables, self._dims = variables, dims
        self._values: dict[int, Column] | None = None
        self._own: dict[int, Column] = {}
        """Of the parameters of the function that is looked into."""

    def _value(self, var: int) -> Column:
        if var in self._own:
            return self._own[var]
        if self._values is None:
            combinations = product(*(range(dim.base, dim.base + dim.size) for dim in self._dims))
            columns = [list[int | None](column) for column in zip(*combinations, strict=True)]
            self._values = dict(zip(self._variables, columns, strict=True))
        if var not in self._values:
            raise Unknown
        return self._values[var]

    def column(self, expr: e.Expr) -> Column:
        match expr:
            case e.Const(value):
                return [value] * self.rows
            case e.Var(var):
                return self._value(var)
            case e.Lookup():
                return self._lookup(expr)
            case e.Arithmetic(op, left, right) if op in _COMPUTED:
                compute = _COMPUTED[op]
                pairs = zip(self.column(left), self.column(right), strict=True)
                exact = [None if a is None or b is None else compute(a, b) for a, b in pairs]
                return [x if x is not None and INT_MIN <= x <= INT_MAX else None for x in exact]
            case e.Comparison(op, left, right):
                compare = COMPARED[op]
                pairs = zip(self.column(left), self.column(right), strict=True)
                return [None if a is None or b is None else int(compare(a, b)) for a, b in pairs]
            case e.Negation(operand):
                return [None if x is None else int(not x) for x in self.column(operand)]
            case e.Junction(op, operands):
                return self._junction(op == "and", operands)
            case e.Select(test, then, orelse):
                three = zip(self.column(test), self.column(then), self.column(orelse), strict=True)
                return [None if t is None else a if t else b for t, a, b in three]
            case e.Membership(element, e.Const(mask)):
                return [None if x is None else mask >> x & 1 for x in self.column(element)]
            case e.Apply(name, args):
                return self._applied(self._functions[name], [self.column(arg) for arg in args])
            case _:
                raise Unknown

    def _applied(self, function: Function, args: list[Column]) -> Column:
        """What a function gives for the values of its parameters; of a fault among these none."""
        if function.recursive:
            raise Unknown
        outside = self._own
        self._own = dict(zip(function.params, args, strict=True))
        try:
            found = self.column(function.body)
        finally:
            self._own = outside
        return [None if None in row[1:] else row[0] for row in zip(found, *args, strict=True)]

    def _junction(self, every: bool, operands: tuple[e.Expr, ...]) -> Column:
        made: Column = [int(every)] * self.rows
        for operand in operands:
            pairs = zip(made, self.column(operand), strict=True)
            made = [x if a == every else a for a, x in pairs]
        return made

    def _lookup(self, expr: e.Lookup) -> Column:
        table = self._tables[expr.table]
        if not table.values or expr.lifted:
            raise Unknown
        at: Column = [0] * self.rows
        for dim, index in zip(table.dims, expr.index, strict=True):
            at = [
                a * dim.size + x - dim.base
                if a is not None and x is not None and dim.base <= x < dim.base + dim.size
                else None
                for a, x in zip(at, self.column(index), strict=True)
            ]
        return [None if a is None else table.values[a] for a in at]
