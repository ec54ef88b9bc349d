"""Values of constant expressions, computed while checking: tables, counts, start places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from ludex.typed import expr as x
from ludex.typed.types import INT_MAX, INT_MIN

if TYPE_CHECKING:
    from ludex.check.context import Context


class NotConstant(Exception):
    """The expression reads the state, or faults."""


def bits(mask: int) -> Iterator[int]:
    """The elements of a set, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Evaluator:
    """Walks an expression that reads no state. `budget` bounds the nodes visited in all."""

    def __init__(self, context: Context, budget: int) -> None:
        self.context = context
        self.budget = budget

    def value(self, e: x.Expr, env: dict[int, int]) -> int:
        self.budget -= 1
        if self.budget < 0:
            raise NotConstant("too long a computation")
        handler = _HANDLERS.get(type(e))
        if handler is None:
            raise NotConstant(type(e).__name__)
        return handler(self, e, env)

    def elements(self, domain: x.Domain, env: dict[int, int]) -> Iterator[int]:
        match domain:
            case x.SetDomain(s):
                yield from bits(self.value(s, env))
            case x.RangeDomain(lo, hi):
                yield from range(self.value(lo, env), self.value(hi, env) + 1)
            case x.FamilyDomain(f):
                yield from self.family(f, env)
            case x.SeatsDomain(direction, start):
                players = self.context.kinds["player"]
                d, s = self.value(direction, env), self.value(start, env)
                for i in range(players.count):
                    yield players.base + (s - players.base + d * i) % players.count

    def family(self, f: x.Expr, env: dict[int, int]) -> tuple[int, ...]:
        """The sets of a family, each once, in order."""
        match f:
            case x.FamilyLookup(name, index, _, _):
                table = self.context.tables[name]
                return table.families[self._offset(table.dims, index, env)]
            case x.SetOperation("union", left, right, _):
                return tuple(dict.fromkeys((*self.family(left, env), *self.family(right, env))))
            case x.Fold("union", bindings, guard, value, _, _, _, _) if value is not None:
                found: dict[int, None] = {}
                inner = dict(env)

                def loop(depth: int) -> None:
                    if depth == len(bindings):
                        if guard is None or self.value(guard, inner):
                            found.update(dict.fromkeys(self.family(value, inner)))
                        return
                    for e in self.elements(bindings[depth].domain, inner):
                        inner[bindings[depth].var] = e
                        loop(depth + 1)

                loop(0)
                return tuple(found)
            case x.Family():
                return self._made_family(f, env)
        raise NotConstant("family")

    def _made_family(self, f: x.Family, env: dict[int, int]) -> tuple[int, ...]:
        members = []
        for e in bits(self.value(f.set, env)):
            inner = {**env, f.var: e}
            if f.guard is None or self.value(f.guard, inner):
                members.append((0 if f.key is None else self.value(f.key, inner), e))
        found = []
        if f.how == "subsets":
            for n in range(f.lo, min(f.hi, len(members)) + 1):
                for chosen in combinations(members, n):
                    self.budget -= 1
                    if self.budget < 0:
                        raise NotConstant("too many sets")
                    found.append(sum(1 << e for _, e in chosen))
            return tuple(found)
        members.sort()
        for n in range(f.lo, min(f.hi, len(members)) + 1):
            for i in range(len(members) - n + 1):
                window = members[i : i + n]
                if all(b[0] == a[0] + 1 for a, b in zip(window, window[1:], strict=False)):
                    found.append(sum(1 << e for _, e in window))
        return tuple(found)

    def _geometry(self, e: x.Geometry, env: dict[int, int]) -> int:
        from ludex.check.builtins import geometry_value

        return geometry_value(self.context, e.name, [self.value(a, env) for a in e.args])

    def _offset(self, dims: tuple[object, ...], index: tuple[x.Expr, ...], env: dict[int, int]) -> int:
        offset = 0
        for dim, i in zip(dims, index, strict=True):
            at = self.value(i, env) - dim.base  # type: ignore[attr-defined]
            if not 0 <= at < dim.size:  # type: ignore[attr-defined]
                raise NotConstant("index outside the table")
            offset = offset * dim.size + at  # type: ignore[attr-defined]
        return offset

    def _lookup(self, e: x.Lookup, env: dict[int, int]) -> int:
        table = self.context.tables[e.table]
        if e.lifted and any(self.value(i, env) == 0 for i in e.index):
            return 0
        return table.values[self._offset(table.dims, e.index, env)]

    def _var(self, e: x.Var, env: dict[int, int]) -> int:
        if e.id not in env:
            raise NotConstant("a variable")
        return env[e.id]

    def _arithmetic(self, e: x.Arithmetic, env: dict[int, int]) -> int:
        return arithmetic(e.op, self.value(e.left, env), self.value(e.right, env))

    def _select(self, e: x.Select, env: dict[int, int]) -> int:
        return self.value(e.then if self.value(e.test, env) else e.orelse, env)

    def _junction(self, e: x.Junction, env: dict[int, int]) -> int:
        if e.op == "and":
            return int(all(self.value(o, env) for o in e.operands))
        return int(any(self.value(o, env) for o in e.operands))

    def _in_range(self, e: x.InRange, env: dict[int, int]) -> int:
        v = self.value(e.element, env)
        return int(self.value(e.lo, env) <= v <= self.value(e.hi, env))

    def _set_operation(self, e: x.SetOperation, env: dict[int, int]) -> int:
        a, b = self.value(e.left, env), self.value(e.right, env)
        return a | b if e.op == "union" else a & b if e.op == "inter" else a & ~b

    def _singleton(self, e: x.Singleton, env: dict[int, int]) -> int:
        v = self.value(e.element, env)
        return 1 << v if v or e.keep_none else 0

    def _int_range(self, e: x.IntRange, env: dict[int, int]) -> int:
        lo, hi = self.value(e.lo, env), self.value(e.hi, env)
        if hi < lo:
            return 0
        if lo < 0 or hi > 1023:
            raise NotConstant("range")
        return ((1 << (hi - lo + 1)) - 1) << lo

    def _membership(self, e: x.Membership, env: dict[int, int]) -> int:
        return (self.value(e.set, env) >> self.value(e.element, env)) & 1

    def _subset(self, e: x.Subset, env: dict[int, int]) -> int:
        return int(self.value(e.left, env) & ~self.value(e.right, env) == 0)

    def _pick(self, e: x.Pick, env: dict[int, int]) -> int:
        mask = self.value(e.set, env)
        if mask == 0:
            if e.how == "first":
                return 0
            raise NotConstant("empty set")
        if e.how == "the" and mask & (mask - 1):
            raise NotConstant("several")
        return (mask & -mask).bit_length() - 1

    def _apply(self, e: x.Apply, env: dict[int, int]) -> int:
        function = self.context.functions.get(e.function)
        if function is None:
            raise NotConstant("recursion")
        inner = {p: self.value(a, env) for p, a in zip(function.params, e.args, strict=True)}
        return self.value(function.body, inner)

    def _next_seat(self, e: x.NextSeat, env: dict[int, int]) -> int:
        players = self.context.kinds["player"]
        p = self.value(e.player, env)
        if p == 0:
            return 0
        step = self.value(e.direction, env) * self.value(e.steps, env)
        return players.base + (p - players.base + step) % players.count

    def _family_member(self, e: x.FamilyMember, env: dict[int, int]) -> int:
        return int(self.value(e.set, env) in self.family(e.family, env))

    def _fold(self, e: x.Fold, env: dict[int, int]) -> int:
        found: list[tuple[int, int]] = []
        env = dict(env)

        def loop(depth: int) -> Iterator[tuple[int, int]]:
            if depth == len(e.bindings):
                if e.guard is None or self.value(e.guard, env):
                    value = 0 if e.value is None else self.value(e.value, env)
                    yield value, (0 if e.key is None else self.value(e.key, env))
                return
            binding = e.bindings[depth]
            for element in self.elements(binding.domain, env):
                env[binding.var] = element
                yield from loop(depth + 1)

        if e.kind == "any":
            return int(any(v for v, _ in loop(0)))
        if e.kind == "all":
            return int(all(v for v, _ in loop(0)))
        found = list(loop(0))
        return self._folded(e, found, env)

    def _folded(self, e: x.Fold, found: list[tuple[int, int]], env: dict[int, int]) -> int:
        values = [v for v, _ in found]
        match e.kind:
            case "count":
                return len(values)
            case "sum":
                return _fit(sum(values))
            case "set":
                result = 0
                for v in values:
                    if v:
                        result |= 1 << v
                return result
            case "union":
                result = 0
                for v in values:
                    result |= v
                return result
            case "the" if len(values) > 1:
                raise NotConstant("several")
        if not values:
            if e.default is not None:
                return self.value(e.default, env)
            if e.kind in ("first", "most", "least"):
                return 0
            raise NotConstant("empty")
        if e.kind in ("min", "max"):
            return min(values) if e.kind == "min" else max(values)
        if e.kind in ("most", "least"):
            best = max(k for _, k in found) if e.kind == "most" else min(k for _, k in found)
            return next(v for v, k in found if k == best)
        return values[0]


def _fit(value: int) -> int:
    if not INT_MIN <= value <= INT_MAX:
        raise NotConstant("overflow")
    return value


def arithmetic(op: str, a: int, b: int) -> int:
    """The exact result; raises NotConstant where it would fault."""
    if op in ("div", "mod") and b == 0:
        raise NotConstant("division by zero")
    match op:
        case "add":
            return _fit(a + b)
        case "sub":
            return _fit(a - b)
        case "mul":
            return _fit(a * b)
        case "div":
            return _fit(a // b)
        case "mod":
            return a % b
        case "min":
            return min(a, b)
        case _:
            return max(a, b)


def compare(op: str, a: int, b: int) -> bool:
    match op:
        case "eq":
            return a == b
        case "ne":
            return a != b
        case "lt":
            return a < b
        case "le":
            return a <= b
        case "gt":
            return a > b
        case _:
            return a >= b


_Handler = Callable[[Evaluator, "x.Expr", dict[int, int]], int]
_HANDLERS: dict[type, _Handler] = {
    x.Const: lambda s, e, env: e.value,  # type: ignore[union-attr,return-value]
    x.Var: Evaluator._var,  # type: ignore[dict-item]
    x.Lookup: Evaluator._lookup,  # type: ignore[dict-item]
    x.Arithmetic: Evaluator._arithmetic,  # type: ignore[dict-item]
    x.Comparison: lambda s, e, env: int(compare(e.op, s.value(e.left, env), s.value(e.right, env))),  # type: ignore[union-attr,arg-type]
    x.Negation: lambda s, e, env: int(not s.value(e.operand, env)),  # type: ignore[union-attr,arg-type]
    x.Junction: Evaluator._junction,  # type: ignore[dict-item]
    x.Select: Evaluator._select,  # type: ignore[dict-item]
    x.SetOperation: Evaluator._set_operation,  # type: ignore[dict-item]
    x.Singleton: Evaluator._singleton,  # type: ignore[dict-item]
    x.IntRange: Evaluator._int_range,  # type: ignore[dict-item]
    x.InRange: Evaluator._in_range,  # type: ignore[dict-item]
    x.Membership: Evaluator._membership,  # type: ignore[dict-item]
    x.Subset: Evaluator._subset,  # type: ignore[dict-item]
    x.Size: lambda s, e, env: s.value(e.set, env).bit_count(),  # type: ignore[union-attr,arg-type]
    x.Pick: Evaluator._pick,  # type: ignore[dict-item]
    x.Fold: Evaluator._fold,  # type: ignore[dict-item]
    x.Apply: Evaluator._apply,  # type: ignore[dict-item]
    x.NextSeat: Evaluator._next_seat,  # type: ignore[dict-item]
    x.Geometry: Evaluator._geometry,  # type: ignore[dict-item]
    x.FamilyMember: Evaluator._family_member,  # type: ignore[dict-item]
}
