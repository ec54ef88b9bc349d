"""Which values an expression may have, as far as constants, bound variables and the words tell.

A small abstract evaluator: it serves labels (everything bound, hence one value) and the
analysis of what a scoring line reads (`secrets`). It never faults; None stands for "cannot
tell", which is always a right answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TypeAlias

from ludex.game.naming import bits
from ludex.game.position import element, number_of
from ludex.ir.program import Program, Table
from ludex.typed.expr import (
    Apply,
    Arithmetic,
    Comparison,
    Const,
    Domain,
    Expr,
    InRange,
    Junction,
    Load,
    Lookup,
    Membership,
    Negation,
    NextSeat,
    RangeDomain,
    SeatsDomain,
    Select,
    SetDomain,
    SetOperation,
    Singleton,
    Var,
)
from ludex.typed.types import EntityType, SetType, Type

Values: TypeAlias = frozenset[int] | None
Environment: TypeAlias = Mapping[int, Values]

_MAX_VALUES = 1024
"""Larger sets of possible values are given up as unknown."""

_MAX_DEPTH = 12
"""Calls within calls that are followed."""

_BOTH = frozenset((0, 1))


class Evaluator:
    """Possible values of the expressions of one program."""

    __slots__ = ("_fields", "_functions", "_tables", "_variables", "program")

    def __init__(self, program: Program) -> None:
        self.program = program
        self._tables = {t.name: t for t in program.tables}
        self._functions = {f.name: f for f in program.functions}
        self._fields = {f.name: f for f in program.layout.fields}
        self._variables = program.variables

    def members(self, type: Type) -> Values:
        """All values of an entity type."""
        if not isinstance(type, EntityType):
            return None
        found = {i for name in type.kinds for i in self.program.world.kind(name).ids}
        return frozenset(found | {0}) if type.optional else frozenset(found)

    def bound(
        self,
        function: str,
        args: Sequence[Expr],
        env: Environment,
        words: Sequence[int] | None,
        depth: int = 0,
    ) -> tuple[dict[int, Values], Expr]:
        """The environment and body of a call."""
        target = self._functions[function]
        values = [self.of(arg, env, words, depth) for arg in args]
        return dict(zip(target.params, values, strict=False)), target.body

    def domain(self, domain: Domain, env: Environment, words: Sequence[int] | None) -> Values:
        """What the variable of a binding over this domain may be."""
        match domain:
            case SetDomain(expr):
                sets = self.of(expr, env, words)
                if sets is not None:
                    return frozenset(i for mask in sets for i in bits(mask))
                return self.members(expr.type.element) if isinstance(expr.type, SetType) else None
            case RangeDomain(lo, hi):
                low, high = self.of(lo, env, words), self.of(hi, env, words)
                if not low or not high or max(high) - min(low) >= _MAX_VALUES:
                    return None
                return frozenset(range(min(low), max(high) + 1))
            case SeatsDomain():
                return frozenset(self.program.world.players.ids)
            case _:
                return None

    def of(self, expr: Expr, env: Environment, words: Sequence[int] | None = None, depth: int = 0) -> Values:
        """The possible values of an expression, None if that cannot be told."""
        if depth > _MAX_DEPTH * 8:
            return None
        deeper = depth + 1
        match expr:
            case Const(value):
                return frozenset((value,))
            case Var(id, type):
                return self._variable(id, type, env, words)
            case Load(name, index, lifted=lifted):
                return self._load(name, [self.of(i, env, words, deeper) for i in index], words, lifted=lifted)
            case Lookup(name, index, lifted=lifted):
                return self._lookup(name, [self.of(i, env, words, deeper) for i in index], lifted=lifted)
            case Select(test, then, orelse):
                tests = self.of(test, env, words, deeper)
                if tests == frozenset((1,)):
                    return self.of(then, env, words, deeper)
                if tests == frozenset((0,)):
                    return self.of(orelse, env, words, deeper)
                return _union(self.of(then, env, words, deeper), self.of(orelse, env, words, deeper))
            case Apply(function, args):
                if depth > _MAX_DEPTH:
                    return None
                inner, body = self.bound(function, args, env, words, deeper)
                return self.of(body, inner, words, depth + 4)
            case Negation(operand):
                values = self.of(operand, env, words, deeper)
                return None if values is None else frozenset(1 - v for v in values)
            case Junction(op, operands):
                return _junction(op, [self.of(o, env, words, deeper) for o in operands])
            case NextSeat(player, direction, steps):
                values = _combine(
                    self._seat, *(self.of(e, env, words, deeper) for e in (player, direction, steps))
                )
                return values if values is not None else frozenset(self.program.world.players.ids)
            case Singleton(value, keep_none=keep):
                single = self.of(value, env, words, deeper)
                return (
                    None
                    if single is None
                    else frozenset(1 << v if v or keep else 0 for v in single if v >= 0)
                )
            case InRange(value, lo, hi):
                return _combine(
                    lambda x, a, b: int(a <= x <= b),
                    *(self.of(e, env, words, deeper) for e in (value, lo, hi)),
                )
            case Arithmetic() | Comparison() | SetOperation():
                return _binary(
                    expr.op, self.of(expr.left, env, words, deeper), self.of(expr.right, env, words, deeper)
                )
            case Membership(member, container):
                return _combine(
                    lambda x, s: int(x >= 0 and s >> x & 1),
                    self.of(member, env, words, deeper),
                    self.of(container, env, words, deeper),
                )
            case _:
                return None

    def _variable(self, id: int, type: Type, env: Environment, words: Sequence[int] | None) -> Values:
        if id in env:
            return env[id]
        variable = self._variables[id]
        if words is not None and variable.frame and not isinstance(type, SetType):
            return frozenset((words[variable.word],))
        return None

    def _load(self, name: str, index: list[Values], words: Sequence[int] | None, *, lifted: bool) -> Values:
        if words is None:
            return None
        field = self._fields[name]

        def read(*at: int) -> int:
            if lifted and 0 in at:
                return 0
            number = number_of(field, at)
            return 0 if number is None else element(field, words, number)

        return _combine(read, *index)

    def _lookup(self, name: str, index: list[Values], *, lifted: bool) -> Values:
        table = self._tables[name]
        if not table.values:
            return None
        return _combine(lambda *at: 0 if lifted and 0 in at else _cell(table, at), *index)

    def _seat(self, player: int, direction: int, steps: int) -> int:
        players = self.program.world.players
        return (
            0 if player == 0 else players.base + (player - players.base + direction * steps) % players.count
        )


def _cell(table: Table, index: Sequence[int]) -> int:
    number = 0
    for dimension, value in zip(table.dims, index, strict=True):
        if not dimension.base <= value < dimension.base + dimension.size:
            return 0
        number = number * dimension.size + value - dimension.base
    return table.values[number]


def _union(left: Values, right: Values) -> Values:
    return None if left is None or right is None else left | right


def _combine(function: object, *operands: Values) -> Values:
    """All results of a function over the product of its operands' values."""
    assert callable(function)
    size = 1
    known: list[frozenset[int]] = []
    for operand in operands:
        if operand is None:
            return None
        known.append(operand)
        size *= len(operand)
    if size > _MAX_VALUES:
        return None
    return frozenset(int(function(*values)) for values in product(*known))


def _junction(op: str, operands: list[Values]) -> Values:
    decisive, neutral = (0, 1) if op == "and" else (1, 0)
    result = {neutral}
    for values in operands:
        if values == frozenset((decisive,)):
            return values
        if values is None or decisive in values:
            result.add(decisive)
        if values is not None and neutral not in values:
            result.discard(neutral)
    return frozenset(result)


def _binary(op: str, left: Values, right: Values) -> Values:
    if op in ("div", "mod") and (right is None or 0 in right):
        return None
    result = _combine(_OPERATORS[op], left, right)
    if result is None and op in ("eq", "ne", "lt", "le", "gt", "ge"):
        return _BOTH
    return result


_OPERATORS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "min": min,
    "max": max,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "union": lambda a, b: a | b,
    "inter": lambda a, b: a & b,
    "diff": lambda a, b: a & ~b,
}
