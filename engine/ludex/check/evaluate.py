"""Values of constant expressions, computed while checking: tables, counts, start places.

An expression is compiled to nested Python functions of an environment (variable → value), so
that computing a table of many cells walks the tree once only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TypeAlias, cast

from ludex.check.arithmetic import NotConstant, arithmetic, bit, compare, fit, holds
from ludex.check.geometry import clearance, segments_cross
from ludex.check.loops import Budget, Computed, Known, Loops, Values, conjuncts
from ludex.typed import expr as x
from ludex.typed.tables import Function
from ludex.typed.types import EntityType, IntType


class Evaluator:
    """Computes expressions that read no state."""

    def __init__(self, known: Known, budget: Budget) -> None:
        self.known = known
        self.budget = budget
        self.loops = Loops(known, budget, self.compiled)
        self._bodies: dict[str, Computed] = {}

    def value(self, e: x.Expr, env: Values) -> int:
        if isinstance(e, x.Const):
            return e.value
        return int(self.compiled(e, env)(env))

    def elements(self, domain: x.Domain, env: Values) -> Iterable[int]:
        return self.loops.domain(domain, frozenset(env))(env)

    def family(self, f: x.Expr, env: Values) -> tuple[int, ...]:
        """The sets of a family, each once, in order."""
        return self.loops.family(f, frozenset(env))(env)

    def compiled(self, e: x.Expr, scope: Collection[int]) -> Computed:
        """`e` as a function of the variables in `scope`. Raises NotConstant if it is none."""
        handler = _COMPILERS.get(type(e))
        if handler is None:
            raise NotConstant(type(e).__name__)
        return handler(self, e, frozenset(scope))

    # ------------------------------------------------------------------------ expressions

    def _const(self, e: x.Const, scope: frozenset[int]) -> Computed:
        value = e.value
        return lambda env: value

    def _var(self, e: x.Var, scope: frozenset[int]) -> Computed:
        var = e.id
        if var not in scope:
            raise NotConstant("a variable")
        return lambda env: env[var]

    def _lookup(self, e: x.Lookup, scope: frozenset[int]) -> Computed:
        table = self.known.tables[e.table]
        values = table.values
        offset = self.loops.offset(table.dims, e.index, scope)
        if not e.lifted:
            return lambda env: values[offset(env)]
        # where a thing that is none stands in the index, the element is none
        things = [self.compiled(i, scope) for i in e.index if isinstance(i.type, EntityType)]
        return lambda env: values[offset(env)] if all(thing(env) for thing in things) else 0

    def _arithmetic(self, e: x.Arithmetic, scope: frozenset[int]) -> Computed:
        op, a, b = e.op, self.compiled(e.left, scope), self.compiled(e.right, scope)
        return lambda env: arithmetic(op, a(env), b(env))

    def _comparison(self, e: x.Comparison, scope: frozenset[int]) -> Computed:
        op, a, b = e.op, self.compiled(e.left, scope), self.compiled(e.right, scope)
        if op == "eq":
            return lambda env: a(env) == b(env)
        if op == "ne":
            return lambda env: a(env) != b(env)
        return lambda env: compare(op, a(env), b(env))

    def _negation(self, e: x.Negation, scope: frozenset[int]) -> Computed:
        a = self.compiled(e.operand, scope)
        return lambda env: not a(env)

    def _junction(self, e: x.Junction, scope: frozenset[int]) -> Computed:
        parts = [self.compiled(o, scope) for o in e.operands]
        if len(parts) == 2:
            a, b = parts
            if e.op == "and":
                return lambda env: 1 if a(env) and b(env) else 0
            return lambda env: 1 if a(env) or b(env) else 0
        if e.op == "and":
            return lambda env: all(p(env) for p in parts)
        return lambda env: any(p(env) for p in parts)

    def _select(self, e: x.Select, scope: frozenset[int]) -> Computed:
        test, a, b = (self.compiled(part, scope) for part in (e.test, e.then, e.orelse))
        return lambda env: a(env) if test(env) else b(env)

    def _set_operation(self, e: x.SetOperation, scope: frozenset[int]) -> Computed:
        a, b = self.compiled(e.left, scope), self.compiled(e.right, scope)
        if e.op == "union":
            return lambda env: a(env) | b(env)
        if e.op == "inter":
            return lambda env: a(env) & b(env)
        return lambda env: a(env) & ~b(env)

    def _singleton(self, e: x.Singleton, scope: frozenset[int]) -> Computed:
        a = self.compiled(e.element, scope)
        if isinstance(e.element.type, IntType):
            return lambda env: bit(a(env))
        if e.keep_none:
            return lambda env: 1 << a(env)
        return lambda env: 1 << v if (v := a(env)) else 0

    def _int_range(self, e: x.IntRange, scope: frozenset[int]) -> Computed:
        a, b = self.compiled(e.lo, scope), self.compiled(e.hi, scope)

        def members(env: Values) -> int:
            lo, hi = a(env), b(env)
            return (bit(hi) << 1) - bit(lo) if lo <= hi else 0

        return members

    def _in_range(self, e: x.InRange, scope: frozenset[int]) -> Computed:
        v, lo, hi = (self.compiled(part, scope) for part in (e.element, e.lo, e.hi))
        return lambda env: lo(env) <= v(env) <= hi(env)

    def _membership(self, e: x.Membership, scope: frozenset[int]) -> Computed:
        a, s = self.compiled(e.element, scope), self.compiled(e.set, scope)
        return lambda env: holds(s(env), a(env))

    def _subset(self, e: x.Subset, scope: frozenset[int]) -> Computed:
        a, b = self.compiled(e.left, scope), self.compiled(e.right, scope)
        return lambda env: a(env) & ~b(env) == 0

    def _size(self, e: x.Size, scope: frozenset[int]) -> Computed:
        s = self.compiled(e.set, scope)
        return lambda env: s(env).bit_count()

    def _pick(self, e: x.Pick, scope: frozenset[int]) -> Computed:
        s, how = self.compiled(e.set, scope), e.how

        def pick(env: Values) -> int:
            mask = s(env)
            if mask == 0:
                if how == "first":
                    return 0
                raise NotConstant("empty set")
            if how == "the" and mask & (mask - 1):
                raise NotConstant("several")
            return (mask & -mask).bit_length() - 1

        return pick

    def _apply(self, e: x.Apply, scope: frozenset[int]) -> Computed:
        function = self.known.functions.get(e.function)
        if function is None or function.recursive:
            raise NotConstant("recursion")
        args = [(p, self.compiled(a, scope)) for p, a in zip(function.params, e.args, strict=True)]
        body = self._body(function)

        def call(env: Values) -> int:
            self.budget.spend(1)
            return body({p: a(env) for p, a in args})

        return call

    def _body(self, function: Function) -> Computed:
        """A definition's body, compiled once however often it is used."""
        made = self._bodies.get(function.name)
        if made is None:
            made = self._bodies[function.name] = self.compiled(function.body, function.params)
        return made

    def _next_seat(self, e: x.NextSeat, scope: frozenset[int]) -> Computed:
        players = self.known.kinds["player"]
        seat, way, steps = (self.compiled(part, scope) for part in (e.player, e.direction, e.steps))

        def following(env: Values) -> int:
            p = seat(env)
            return p and players.base + (p - players.base + way(env) * steps(env)) % players.count

        return following

    def _geometry(self, e: x.Geometry, scope: frozenset[int]) -> Computed:
        points = self.known.points
        args = [self.compiled(a, scope) for a in e.args]

        def distance(env: Values) -> int:
            a, b, c = (points[arg(env)] for arg in args)
            return clearance(a, b, c)

        def crossing(env: Values) -> int:
            a, b, c, d = (points[arg(env)] for arg in args)
            return segments_cross(a, b, c, d)

        return distance if e.name == "clearance" else crossing

    def _family_member(self, e: x.FamilyMember, scope: frozenset[int]) -> Computed:
        s, family = self.compiled(e.set, scope), self.loops.family(e.family, scope)
        return lambda env: s(env) in family(env)

    # ------------------------------------------------------------------------------ folds

    def _fold(self, e: x.Fold, scope: frozenset[int]) -> Computed:
        if e.kind == "any" and e.value is not None:
            test = x.Junction("and", (*conjuncts(e.guard), *conjuncts(e.value)))
            passing = self.loops.passing(e.bindings, test, scope)
            return lambda env: any(True for _ in passing(env))
        inner = scope | {b.var for b in e.bindings}
        loop = self.loops.passing(e.bindings, e.guard, scope)
        value = None if e.value is None else self.compiled(e.value, inner)
        key = None if e.key is None else self.compiled(e.key, inner)
        default = None if e.default is None else self.compiled(e.default, scope)
        match e.kind:
            case "count":
                return lambda env: sum(1 for _ in loop(env))
            case "all" if value is not None:
                return lambda env: all(value(at) for at in loop(env))
            case "sum" if value is not None:
                return lambda env: fit(sum(value(at) for at in loop(env)))
        assert value is not None

        numbers = e.value is not None and isinstance(e.value.type, IntType)

        def members(env: Values) -> int:
            result = 0
            for at in loop(env):
                v = value(at)
                if numbers:
                    result |= bit(v)
                elif v:
                    result |= 1 << v
            return result

        def union(env: Values) -> int:
            result = 0
            for at in loop(env):
                result |= value(at)
            return result

        def chosen(env: Values) -> int:
            found = [(value(at), 0 if key is None else key(at)) for at in loop(env)]
            if found:
                return _chosen(e.kind, found)
            if default is not None:
                return default(env)
            if e.kind in ("first", "most", "least"):
                return 0
            raise NotConstant("empty")

        return members if e.kind == "set" else union if e.kind == "union" else chosen


def _chosen(kind: x.FoldKind, found: list[tuple[int, int]]) -> int:
    """The value that `min`, `max`, `most`, `least`, `the` or `first` takes of (value, key) pairs."""
    match kind:
        case "min":
            return min(v for v, _ in found)
        case "max":
            return max(v for v, _ in found)
        case "most":
            return max(found, key=lambda pair: pair[1])[0]
        case "least":
            return min(found, key=lambda pair: pair[1])[0]
        case "the" if len(found) > 1:
            raise NotConstant("several")
        case _:
            return found[0][0]


_Compiler: TypeAlias = Callable[[Evaluator, x.Expr, frozenset[int]], Computed]
_COMPILERS = cast(
    "dict[type, _Compiler]",
    {
        x.Const: Evaluator._const,
        x.Var: Evaluator._var,
        x.Lookup: Evaluator._lookup,
        x.Arithmetic: Evaluator._arithmetic,
        x.Comparison: Evaluator._comparison,
        x.Negation: Evaluator._negation,
        x.Junction: Evaluator._junction,
        x.Select: Evaluator._select,
        x.SetOperation: Evaluator._set_operation,
        x.Singleton: Evaluator._singleton,
        x.IntRange: Evaluator._int_range,
        x.InRange: Evaluator._in_range,
        x.Membership: Evaluator._membership,
        x.Subset: Evaluator._subset,
        x.Size: Evaluator._size,
        x.Pick: Evaluator._pick,
        x.Fold: Evaluator._fold,
        x.Apply: Evaluator._apply,
        x.NextSeat: Evaluator._next_seat,
        x.Geometry: Evaluator._geometry,
        x.FamilyMember: Evaluator._family_member,
    },
)
"""What computes each sort of expression; those that read the state are missing."""
