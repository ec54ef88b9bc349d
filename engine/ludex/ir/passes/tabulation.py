"""Tabulation: what a condition computes of things and numbers that have few values is looked up.

`spot(me, way(me, from) + d)` is a row of a table for each player, point and number of a die; so is
`way(me, from) + d <= 24` a table of truth values, of which later passes make sets. A condition that stands
in front may refuse what could not be computed: there the table has nothing.
"""

from __future__ import annotations

from typing import TypeAlias, cast

from ludex.ir.passes.analysis import conjuncts, rewritten
from ludex.ir.passes.facts import Facts
from ludex.ir.passes.grid import COMPUTABLE, Column, Grid, Unknown
from ludex.ir.passes.narrowing import Item
from ludex.ir.program import Program
from ludex.ir.walk import nodes, reads, rewrite
from ludex.node import replace
from ludex.typed import expr as e
from ludex.typed.tables import Dimension, Table
from ludex.typed.types import BoolType, EntityType, IntType

MAX_ROWS = 2048
"""So many rows a table may have."""

Premises: TypeAlias = tuple[e.Expr, ...]
"""Tests that hold wherever an expression is evaluated."""


class Tabulation:
    """Rewrites offers; `tables` grows with what is tabulated."""

    def __init__(self, program: Program) -> None:
        self.tables = {t.name: t for t in program.tables}
        self._program = program
        self._facts = Facts(program)
        self._functions = {f.name: f for f in program.functions}

    def change(self, node: object) -> object | None:
        """For `rewrite`."""
        return self._site(node) if isinstance(node, e.OptionSite) else None

    def _site(self, site: e.OptionSite) -> e.OptionSite:
        lets: dict[int, e.Expr] = {}
        premises: Premises = ()
        levels: list[e.OptionLevel] = []
        for level in site.levels:
            items: list[Item] = []
            for item in level.items:
                items.append(self._item(item, lets, premises))
                if isinstance(item, e.OptionLet) and self._facts.total(item.value):
                    lets[item.var] = _seen_through(item.value, lets)
                elif isinstance(item, e.OptionGuard):
                    premises += tuple(_seen_through(test, lets) for test in conjuncts(item.test))
            binding = cast("e.OptionBinding | None", rewrite(level.binding, self.change))
            levels.append(e.OptionLevel(binding, tuple(items)))
        late = tuple(cast(e.OptionGuard, self._item(guard, lets, premises)) for guard in site.late)
        return e.OptionSite(site.name, tuple(levels), late)

    def _item(self, item: Item, lets: dict[int, e.Expr], premises: Premises) -> Item:
        if not isinstance(item, e.OptionGuard):
            return cast(Item, rewrite(item, self.change))
        return replace(item, test=self._tabulated(item.test, lets, premises))

    def _tabulated(self, expr: e.Expr, lets: dict[int, e.Expr], premises: Premises) -> e.Expr:
        """The expression with what can be tabulated looked up."""
        if not any(isinstance(n, e.Arithmetic) or _is_order(n) for n in nodes(_seen_through(expr, lets))):
            return cast(e.Expr, rewrite(expr, self.change))

        def change(node: object) -> object | None:
            if isinstance(node, e.OptionSite):
                return self._site(node)
            if isinstance(node, e.Hypothetical):
                return node  # another position, of which nothing is known here
            if not isinstance(node, e.Lookup | e.Arithmetic | e.Comparison | e.Select | e.Junction | e.Apply):
                return None
            found = self._looked_up(_seen_through(node, lets), premises)
            if found is None and isinstance(node, e.Junction):
                return self._parts(node, lets, premises)
            return found

        return cast(e.Expr, rewrite(expr, change))

    def _parts(self, junction: e.Junction, lets: dict[int, e.Expr], premises: Premises) -> e.Expr:
        """Each operand, which is evaluated only where those before it leave the answer open."""
        made: list[e.Expr] = []
        for operand in junction.operands:
            made.append(self._tabulated(operand, lets, premises))
            seen = _seen_through(operand, lets)
            premises += tuple(conjuncts(seen)) if junction.op == "and" else (e.Negation(seen),)
        return e.Junction(junction.op, tuple(made))

    def _looked_up(self, expr: e.Expr, premises: Premises) -> e.Lookup | None:
        """The row of a table that an expression is; None if it is no such, or one already."""
        parts = list(nodes(expr))
        if not any(isinstance(n, e.Arithmetic) or _is_order(n) for n in parts):
            return None
        if not all(isinstance(n, COMPUTABLE) for n in parts):
            return None
        variables = self._variables(expr)
        dims = [self._dimension(var) for var in variables]
        if not dims or None in dims:
            return None
        known = [dim for dim in dims if dim is not None]
        grid = Grid([var.id for var in variables], known, self.tables, self._functions)
        if grid.rows > MAX_ROWS:
            return None
        try:
            column = grid.column(expr)
        except Unknown:
            return None
        if None in column:
            column = _with_nothing(column, grid, [p for p in premises if reads(p) <= reads(expr)])
        return self._table(expr, variables, known, column)

    def _table(
        self, expr: e.Expr, variables: list[e.Var], dims: list[Dimension], column: Column
    ) -> e.Lookup | None:
        """`_NOTHING` stands where nobody asks."""
        there = [value for value in column if value is not None and value != _NOTHING]
        if None in column or not there:
            return None
        type_, nothing = expr.type, 0
        match type_:
            case IntType():
                type_, nothing = IntType(min(there), max(there)), min(there)
            case EntityType(kinds):
                type_ = EntityType(kinds, len(there) < len(column) or 0 in there)
            case BoolType():
                pass
            case _:
                return None
        values = tuple(nothing if value == _NOTHING else cast(int, value) for value in column)
        name = f"@tabulated:{len(self.tables)}"
        same = next((t for t in self.tables.values() if t.values == values and t.dims == tuple(dims)), None)
        if same is None:
            self.tables[name] = Table(name, tuple(dims), values)
        return e.Lookup(name if same is None else same.name, tuple(variables), type_, -1)

    def _variables(self, expr: e.Expr) -> list[e.Var]:
        """Those that it reads, in order of their numbers; entities as declared, as a test may have told more
        of them; of numbers that are read with several types none."""
        found: dict[int, e.Var] = {}
        for n in nodes(expr):
            if isinstance(n, e.Var):
                declared = self._program.variables[n.id].type
                var = e.Var(n.id, declared) if isinstance(declared, EntityType) else n
                if found.setdefault(n.id, var).type != var.type:
                    return []
        return [found[i] for i in sorted(found)]

    def _dimension(self, var: e.Var) -> Dimension | None:
        """The values of a variable, if they are few and known."""
        match var.type:
            case IntType(lo, hi) if 0 <= hi - lo < MAX_ROWS:
                return Dimension(lo, hi - lo + 1, None)
            case EntityType(kinds, optional=False) if kinds:
                ids = [i for name in kinds for i in self._program.world.kind(name).ids]
                if ids and len(ids) == max(ids) - min(ids) + 1:
                    return Dimension(min(ids), len(ids), " or ".join(kinds))
        return None


_NOTHING = -(1 << 40)
"""The value of what is evaluated nowhere."""


def _with_nothing(column: Column, grid: Grid, premises: list[e.Expr]) -> Column:
    """A column with nothing where some premise does not hold."""
    made = list(column)
    for premise in premises:
        try:
            holds = grid.column(premise)
        except Unknown:
            continue
        made = [_NOTHING if held == 0 else value for value, held in zip(made, holds, strict=True)]
    return made


def _is_order(node: object) -> bool:
    return isinstance(node, e.Comparison) and node.op in ("lt", "le", "gt", "ge")


def _seen_through(tree: e.Expr, lets: dict[int, e.Expr]) -> e.Expr:
    """With the values of what was computed before in the names' place."""
    if lets.keys().isdisjoint(reads(tree)):
        return tree
    return cast(e.Expr, rewrite(tree, lambda n: lets.get(n.id) if isinstance(n, e.Var) else None))


def tabulated(program: Program) -> Program:
    """The program with such expressions in the conditions of its offers looked up."""
    tabulation = Tabulation(program)
    made = rewritten(program, tabulation.change, e.OptionSite)
    return replace(made, tables=tuple(tabulation.tables.values()))
