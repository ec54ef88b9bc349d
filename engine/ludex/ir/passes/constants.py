"""Constants: what depends on nothing but constants is computed here, what depends on a thing alone
is tabulated.

Options and the number of players are constants of a program; inlining brings more of them
together. `union(rays(s, d) for d in direction)` is a row for each s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ludex.ir.passes.analysis import COMPARED, rewritten
from ludex.ir.program import Program
from ludex.ir.walk import inside, reads
from ludex.node import replace
from ludex.typed import code as s
from ludex.typed import expr as e
from ludex.typed.tables import Dimension, Table
from ludex.typed.types import MAX_SET_NUMBER, EntityType, SetType

MAX_ROWS = 4096

_SETS: dict[e.SetOp, Callable[[int, int], int]] = {
    "union": int.__or__,
    "inter": int.__and__,
    "diff": lambda a, b: a & ~b,
}


class Constants:
    """Rewrites expressions; `tables` grows with what is tabulated."""

    def __init__(self, program: Program) -> None:
        self._world = program.world
        self._seats = program.world.players
        self.tables = {t.name: t for t in program.tables}
        self._ways: dict[type, Callable[[Any], e.Expr]] = {
            e.NextSeat: self._seat, e.Comparison: self._comparison, e.Negation: self._negation,
            e.Junction: self._junction, e.Select: self._select, e.Lookup: self._lookup,
            e.SetOperation: self._operation, e.Singleton: self._combined, e.Fold: self._fold,
        }  # fmt: skip

    def change(self, node: object) -> object | None:
        """For `rewrite`."""
        if isinstance(node, e.TokenCount | s.MoveAllTokens) and isinstance(node.faces, e.Singleton):
            # one face is not made a set
            return replace(inside(node, self.change), faces=inside(node.faces, self.change))
        way = self._ways.get(node.__class__)
        return None if way is None else way(inside(node, self.change))

    def _negation(self, node: e.Negation) -> e.Expr:
        operand = node.operand
        return e.Const(int(not operand.value), node.type) if isinstance(operand, e.Const) else node

    def _select(self, node: e.Select) -> e.Expr:
        if isinstance(node.test, e.Const):
            return node.then if node.test.value else node.orelse
        return node

    def _seat(self, node: e.NextSeat) -> e.Expr:
        direction, steps = node.direction, node.steps
        if not isinstance(direction, e.Const) or not isinstance(steps, e.Const):
            return node
        first, n = self._seats.base, self._seats.count
        far = direction.value * steps.value % n
        if isinstance(node.player, e.Const):
            player = node.player.value
            return e.Const(player and (player - first + far) % n + first, node.type)
        if not isinstance(node.player.type, EntityType):
            return node
        name = f"@seat:{far}"
        row = tuple((i + far) % n + first for i in range(n))
        self.tables[name] = Table(name, (Dimension(first, n, self._seats.name),), row)
        return e.Lookup(name, (node.player,), node.type, -1, node.player.type.optional)

    def _comparison(self, node: e.Comparison) -> e.Expr:
        left, right = node.left, node.right
        if isinstance(left, e.Const) and isinstance(right, e.Const):
            return e.Const(int(COMPARED[node.op](left.value, right.value)), node.type)
        return node

    def _junction(self, node: e.Junction) -> e.Expr:
        every = node.op == "and"
        left: list[e.Expr] = []
        for part in node.operands:
            if not isinstance(part, e.Const):
                left.append(part)
            elif bool(part.value) != every:
                left.append(part)
                break
        if not left:
            return e.Const(int(every), node.type)
        return left[0] if len(left) == 1 else e.Junction(node.op, tuple(left))

    def _lookup(self, node: e.Lookup) -> e.Expr:
        table = self.tables[node.table]
        if not table.values or node.lifted or not all(isinstance(i, e.Const) for i in node.index):
            return node
        at = 0
        for dim, index in zip(table.dims, node.index, strict=True):
            assert isinstance(index, e.Const)
            if not 0 <= index.value - dim.base < dim.size:
                return node  # it faults
            at = at * dim.size + index.value - dim.base
        return e.Const(table.values[at], node.type)

    def _operation(self, node: e.SetOperation) -> e.Expr:
        left, right = node.left, node.right
        if isinstance(left, e.Const) and isinstance(right, e.Const):
            return e.Const(_SETS[node.op](left.value, right.value), node.type)
        if node.op == "inter":
            for one, other in ((left, right), (right, left)):
                if isinstance(other, e.Const) and one.type == node.type and self._within(one, other.value):
                    return one
        return self._combined(node)

    def _combined(self, node: e.SetOperation | e.Singleton) -> e.Expr:
        """Of rows of tables of one index a row of a table: `slanting[me] | {forward[me]}`."""
        operands = (node.left, node.right) if isinstance(node, e.SetOperation) else (node.element,)
        rows = [operand for operand in operands if isinstance(operand, e.Lookup)]
        if not rows or not all(isinstance(operand, e.Lookup | e.Const) for operand in operands):
            return node
        index, dims = rows[0].index, self.tables[rows[0].table].dims
        for row in rows:
            table = self.tables[row.table]
            if row.lifted or not table.values or (row.index, table.dims) != (index, dims):
                return node
        if not all(map(_is_entity, index)):
            return node
        size = len(self.tables[rows[0].table].values)
        columns = [
            self.tables[operand.table].values if isinstance(operand, e.Lookup) else (operand.value,) * size
            for operand in operands
            if isinstance(operand, e.Lookup | e.Const)
        ]
        said = [
            operand.table if isinstance(operand, e.Lookup) else f"{operand.value:x}"
            for operand in operands
            if isinstance(operand, e.Lookup | e.Const)
        ]
        if isinstance(node, e.Singleton):
            name, (column,) = f"@one:{node.keep_none}:{said[0]}", columns
            if not all(0 <= value <= MAX_SET_NUMBER for value in column):
                return node  # that faults
            made = tuple(1 << value if value or node.keep_none else 0 for value in column)
        else:
            name = f"@{node.op}:({said[0]}):({said[1]})"
            made = tuple(_SETS[node.op](a, b) for a, b in zip(*columns, strict=True))
        self.tables.setdefault(name, Table(name, dims, made))
        return e.Lookup(name, index, node.type, rows[0].site)

    def _within(self, set_: e.Expr, mask: int) -> bool:
        """Whether a set has no elements outside a mask, whatever the state."""
        match set_:
            case e.Const(value) | e.Occupants(mask=value):
                return not value & ~mask
            case e.SetOperation("inter", left, right):
                return self._within(left, mask) or self._within(right, mask)
            case e.SetOperation("diff", left, _):
                return self._within(left, mask)
            case e.SetOperation("union", left, right) | e.Select(_, left, right):
                return self._within(left, mask) and self._within(right, mask)
            case e.Lookup(table):
                return all(not value & ~mask for value in self.tables[table].values)
            case e.Var(type=type_) | e.Fold(type=type_) | e.Singleton(type=type_, keep_none=False):
                element = type_.element if isinstance(type_, SetType) else None
                return isinstance(element, EntityType) and all(
                    not self._world.kind(name).mask & ~mask for name in element.kinds
                )
            case _:
                return False

    def _fold(self, fold: e.Fold) -> e.Expr:
        own = fold.value is None
        match fold:
            case e.Fold("set", (binding,), None, value) if own or _is(value, binding.var):
                domain = binding.domain
                if isinstance(domain, e.SetDomain) and domain.set.type == fold.type:
                    element = domain.set.type.element if isinstance(domain.set.type, SetType) else None
                    if not isinstance(element, EntityType) or not element.optional:  # none is no element
                        return domain.set
            case e.Fold("union", (e.Binding(var, e.SetDomain(over)),), None, e.Lookup() as row):
                if isinstance(over, e.Const | e.Lookup):
                    return self._united(fold, var, over, row)
        return fold

    def _united(self, fold: e.Fold, var: int, over: e.Const | e.Lookup, row: e.Lookup) -> e.Expr:
        """A table of sets, united over one of its indices: over the same elements, or those in a row of
        another table."""
        own = [i for i, index in enumerate(row.index) if _is(index, var)]
        rest = tuple(index for index in row.index if not _is(index, var))
        table = self.tables[row.table]
        if len(own) != 1 or row.lifted or not table.values or not isinstance(fold.type, SetType):
            return fold
        outer = () if isinstance(over, e.Const) else over.index
        if not all(_is_entity(i) and var not in reads(i) for i in (*outer, *rest)):
            return fold
        dims: tuple[Dimension, ...]
        masks: list[int]
        if isinstance(over, e.Const):
            name, dims, masks = f"{over.value:x}", (), [over.value]
        elif over.lifted or not self.tables[over.table].values:
            return fold
        else:
            name, dims, masks = over.table, self.tables[over.table].dims, list(self.tables[over.table].values)
        (at,) = own
        dim = table.dims[at]
        if any(mask & ~(((1 << dim.size) - 1) << dim.base) for mask in masks):
            return fold
        name = f"@united:{table.name}:{at}:{name}"
        if name not in self.tables:
            columns = len(table.values) // dim.size
            if len(masks) * columns > MAX_ROWS:
                return fold
            rows = tuple(made for mask in masks for made in _over(table, at, mask))
            self.tables[name] = Table(name, (*dims, *table.dims[:at], *table.dims[at + 1 :]), rows)
        return e.Lookup(name, (*outer, *rest), fold.type, row.site)


def _over(table: Table, at: int, mask: int) -> list[int]:
    """The sets of a table united over the elements of a mask in one dimension, by the other dimensions."""
    dim = table.dims[at]
    inner = 1
    for later in table.dims[at + 1 :]:
        inner *= later.size
    rows = []
    for outer in range(0, len(table.values), inner * dim.size):
        for k in range(inner):
            made = 0
            for i in range(dim.size):
                if mask >> dim.base + i & 1:
                    made |= table.values[outer + i * inner + k]
            rows.append(made)
    return rows


def _is_entity(index: e.Expr) -> bool:
    """Whether an index is an entity that is there, and is computed without fault."""
    if not isinstance(index.type, EntityType) or index.type.optional:
        return False
    match index:
        case e.Var():
            return True
        case e.Lookup(index=inner, lifted=False):
            return all(map(_is_entity, inner))
        case _:
            return False


def _is(expr: e.Expr | None, var: int) -> bool:
    return isinstance(expr, e.Var) and expr.id == var


def folded(program: Program) -> Program:
    """The program with its constants computed."""
    constants = Constants(program)
    made = rewritten(program, constants.change)
    return replace(made, tables=tuple(constants.tables.values()))
