"""Values of constant expressions, computed while checking: tables, counts, start places.

An expression is compiled to nested Python functions of an environment (variable → value), so
that computing a table of many cells walks the tree once only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import combinations, pairwise
from typing import TypeAlias, cast

from ludex.check.arithmetic import NotConstant, TooLong, arithmetic, bits, compare, fit
from ludex.check.geometry import clearance, segments_cross
from ludex.typed import expr as x
from ludex.typed.tables import Dimension, Function, Table
from ludex.typed.types import BOOL
from ludex.typed.world import Kind

Values: TypeAlias = dict[int, int]
Computed: TypeAlias = Callable[[Values], int]
Elements: TypeAlias = Callable[[Values], Iterable[int]]
Sets: TypeAlias = Callable[[Values], tuple[int, ...]]


class Evaluator:
    """Computes expressions that read no state. `budget` bounds the elements gone through in all."""

    def __init__(
        self,
        kinds: Mapping[str, Kind],
        tables: Mapping[str, Table],
        functions: Mapping[str, Function],
        points: Callable[[], Mapping[int, tuple[int, int]]],
        budget: int,
    ) -> None:
        self.kinds = kinds
        self.tables = tables
        self.functions = functions
        self.points = points
        self.budget = budget
        self._bodies: dict[str, Computed] = {}

    def value(self, e: x.Expr, env: Values) -> int:
        if isinstance(e, x.Const):
            return e.value
        return int(self.compiled(e, env)(env))

    def elements(self, domain: x.Domain, env: Values) -> Iterable[int]:
        return self._domain(domain, frozenset(env))(env)

    def family(self, f: x.Expr, env: Values) -> tuple[int, ...]:
        """The sets of a family, each once, in order."""
        return self._family(f, frozenset(env))(env)

    def compiled(self, e: x.Expr, scope: Collection[int]) -> Computed:
        """`e` as a function of the variables in `scope`. Raises NotConstant if it is none."""
        handler = _COMPILERS.get(type(e))
        if handler is None:
            raise NotConstant(type(e).__name__)
        return handler(self, e, frozenset(scope))

    @contextmanager
    def half(self) -> Iterator[None]:
        """At most half of what is left may be spent here, where a game can do without the result."""
        kept = self.budget - self.budget // 2
        self.budget //= 2
        try:
            yield
        finally:
            self.budget = kept + max(0, self.budget)

    def spend(self, amount: int) -> None:
        self.budget -= amount
        if self.budget < 0:
            raise TooLong

    # ------------------------------------------------------------------ domains, families

    def _domain(self, domain: x.Domain, scope: frozenset[int]) -> Elements:
        match domain:
            case x.SetDomain(x.Const(mask)):
                fixed = tuple(bits(mask))
                return lambda env: fixed
            case x.SetDomain(s):
                made = self.compiled(s, scope)
                return lambda env: tuple(bits(made(env)))
            case x.RangeDomain(lo, hi):
                a, b = self.compiled(lo, scope), self.compiled(hi, scope)
                return lambda env: range(a(env), b(env) + 1)
            case x.FamilyDomain(f):
                return self._family(f, scope)
            case x.SeatsDomain(direction, start):
                players = self.kinds["player"]
                way, first = self.compiled(direction, scope), self.compiled(start, scope)

                def seats(env: Values) -> list[int]:
                    d, s = way(env), first(env) - players.base
                    return [players.base + (s + d * i) % players.count for i in range(players.count)]

                return seats

    def _family(self, f: x.Expr, scope: frozenset[int]) -> Sets:
        match f:
            case x.FamilyLookup(name, index):
                table = self.tables[name]
                offset = self._offset(table.dims, index, scope)
                return lambda env: table.families[offset(env)]
            case x.SetOperation("union", left, right):
                a, b = self._family(left, scope), self._family(right, scope)
                return lambda env: tuple(dict.fromkeys((*a(env), *b(env))))
            case x.Fold("union", bindings, guard, value) if value is not None:
                inner = scope | {b.var for b in bindings}
                sets = self._family(value, inner)
                loop = self._loop(bindings, guard, scope)

                def union(env: Values) -> tuple[int, ...]:
                    found: dict[int, None] = {}
                    for at in loop(env):
                        found.update(dict.fromkeys(sets(at)))
                    return tuple(found)

                return union
            case x.Family():
                return self._made_family(f, scope)
        raise NotConstant("family")

    def _made_family(self, f: x.Family, scope: frozenset[int]) -> Sets:
        within = self.compiled(f.set, scope)
        inner = scope | {f.var}
        guard = None if f.guard is None else self.compiled(f.guard, inner)
        key = None if f.key is None else self.compiled(f.key, inner)

        def made(env: Values) -> tuple[int, ...]:
            members: list[tuple[int, int]] = []
            for e in bits(within(env)):
                at = {**env, f.var: e}
                if guard is None or guard(at):
                    members.append((0 if key is None else key(at), e))
            found: list[int] = []
            sizes = range(f.lo, min(f.hi, len(members)) + 1)
            if f.how == "subsets":
                for n in sizes:
                    for chosen in combinations(members, n):
                        self.spend(1 + n)
                        found.append(sum(1 << e for _, e in chosen))
                return tuple(found)
            members.sort()
            for n in sizes:
                for i in range(len(members) - n + 1):
                    window = members[i : i + n]
                    self.spend(1 + n)
                    if all(b[0] == a[0] + 1 for a, b in pairwise(window)):
                        found.append(sum(1 << e for _, e in window))
            return tuple(found)

        return made

    def _loop(
        self, bindings: tuple[x.Binding, ...], guard: x.Expr | None, scope: frozenset[int]
    ) -> Callable[[Values], Iterator[Values]]:
        """Goes through all combinations that pass; each is the same environment, changed in place."""
        if len(bindings) == 1:
            return self._single(bindings[0], guard, scope)
        domains: list[tuple[int, Elements]] = []
        for b in bindings:
            domains.append((b.var, self._domain(b.domain, scope)))
            scope = scope | {b.var}
        test = None if guard is None else self.compiled(guard, scope)

        def level(env: Values, depth: int) -> Iterator[Values]:
            if depth == len(domains):
                self.spend(1)
                if test is None or test(env):
                    yield env
                return
            var, members = domains[depth]
            for element in members(env):
                env[var] = element
                yield from level(env, depth + 1)

        return lambda env: level(dict(env), 0)

    def _single(
        self, binding: x.Binding, guard: x.Expr | None, scope: frozenset[int]
    ) -> Callable[[Values], Iterator[Values]]:
        """One variable: conditions that are tables over it narrow its domain as a whole."""
        var = binding.var
        rest: list[x.Expr] = []
        rows: list[Computed] = []
        for part in _conjuncts(guard):
            row = self._row(part, var, scope) if isinstance(binding.domain, x.SetDomain) else None
            if row is None:
                rest.append(part)
            else:
                rows.append(row)
        tests = [self.compiled(part, scope | {var}) for part in rest]
        if rows:
            assert isinstance(binding.domain, x.SetDomain)
            whole = self.compiled(binding.domain.set, scope)

            def members(env: Values) -> Iterable[int]:
                mask = whole(env)
                for row in rows:
                    mask &= row(env)
                self.spend(1)
                return bits(mask) if mask else ()

            within: Elements = members
        else:
            within = self._domain(binding.domain, scope)

        def run(env: Values) -> Iterator[Values]:
            env = dict(env)
            for element in within(env):
                env[var] = element
                self.budget -= 1
                if all(test(env) for test in tests):
                    yield env
            self.spend(1)

        return run

    def _row(self, e: x.Expr, var: int, scope: frozenset[int]) -> Computed | None:
        """For a table of truth values indexed by `var`: all values of it for which it holds."""
        if not isinstance(e, x.Lookup) or e.type != BOOL or e.lifted:
            return None
        at = [k for k, i in enumerate(e.index) if isinstance(i, x.Var) and i.id == var]
        if len(at) != 1:
            return None
        table = self.tables[e.table]
        dim, stride = table.dims[at[0]], 1
        for later in table.dims[at[0] + 1 :]:
            stride *= later.size
        first = x.Const(dim.base, e.index[at[0]].type)
        try:
            offset = self._offset(table.dims, (*e.index[: at[0]], first, *e.index[at[0] + 1 :]), scope)
        except NotConstant:
            return None
        made: dict[int, int] = {}

        def row(env: Values) -> int:
            start = offset(env)
            mask = made.get(start)
            if mask is None:
                cells = table.values[start : start + stride * dim.size : stride]
                mask = made[start] = sum(1 << (dim.base + k) for k, cell in enumerate(cells) if cell)
            return mask

        return row

    # ------------------------------------------------------------------------ expressions

    def _offset(
        self, dims: tuple[Dimension, ...], index: tuple[x.Expr, ...], scope: frozenset[int]
    ) -> Computed:
        parts = [(d.base, d.size, self.compiled(i, scope)) for d, i in zip(dims, index, strict=True)]
        if len(parts) == 1:
            base, size, only = parts[0]

            def single(env: Values) -> int:
                at = only(env) - base
                if 0 <= at < size:
                    return at
                raise NotConstant("index outside the table")

            return single

        def offset(env: Values) -> int:
            result = 0
            for base, size, part in parts:
                at = part(env) - base
                if not 0 <= at < size:
                    raise NotConstant("index outside the table")
                result = result * size + at
            return result

        return offset

    def _const(self, e: x.Const, scope: frozenset[int]) -> Computed:
        value = e.value
        return lambda env: value

    def _var(self, e: x.Var, scope: frozenset[int]) -> Computed:
        var = e.id
        if var not in scope:
            raise NotConstant("a variable")
        return lambda env: env[var]

    def _lookup(self, e: x.Lookup, scope: frozenset[int]) -> Computed:
        table = self.tables[e.table]
        values = table.values
        offset = self._offset(table.dims, e.index, scope)
        if not e.lifted:
            return lambda env: values[offset(env)]
        parts = [self.compiled(i, scope) for i in e.index]
        return lambda env: values[offset(env)] if all(p(env) for p in parts) else 0

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
        a, keep = self.compiled(e.element, scope), e.keep_none

        def single(env: Values) -> int:
            v = a(env)
            return 1 << v if v or keep else 0

        return single

    def _int_range(self, e: x.IntRange, scope: frozenset[int]) -> Computed:
        a, b = self.compiled(e.lo, scope), self.compiled(e.hi, scope)

        def members(env: Values) -> int:
            lo, hi = a(env), b(env)
            if hi < lo:
                return 0
            if lo < 0 or hi > 1023:
                raise NotConstant("range")
            return ((1 << (hi - lo + 1)) - 1) << lo

        return members

    def _in_range(self, e: x.InRange, scope: frozenset[int]) -> Computed:
        v, lo, hi = (self.compiled(part, scope) for part in (e.element, e.lo, e.hi))
        return lambda env: lo(env) <= v(env) <= hi(env)

    def _membership(self, e: x.Membership, scope: frozenset[int]) -> Computed:
        a, s = self.compiled(e.element, scope), self.compiled(e.set, scope)
        return lambda env: s(env) >> a(env) & 1

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
        function = self.functions.get(e.function)
        if function is None or function.recursive:
            raise NotConstant("recursion")
        args = [(p, self.compiled(a, scope)) for p, a in zip(function.params, e.args, strict=True)]
        body = self._body(function)

        def call(env: Values) -> int:
            self.spend(1)
            return body({p: a(env) for p, a in args})

        return call

    def _body(self, function: Function) -> Computed:
        """A definition's body, compiled once however often it is used."""
        made = self._bodies.get(function.name)
        if made is None:
            made = self._bodies[function.name] = self.compiled(function.body, function.params)
        return made

    def _next_seat(self, e: x.NextSeat, scope: frozenset[int]) -> Computed:
        players = self.kinds["player"]
        seat, way, steps = (self.compiled(part, scope) for part in (e.player, e.direction, e.steps))

        def following(env: Values) -> int:
            p = seat(env)
            return p and players.base + (p - players.base + way(env) * steps(env)) % players.count

        return following

    def _geometry(self, e: x.Geometry, scope: frozenset[int]) -> Computed:
        points = self.points()
        args = [self.compiled(a, scope) for a in e.args]

        def distance(env: Values) -> int:
            a, b, c = (points[arg(env)] for arg in args)
            return clearance(a, b, c)

        def crossing(env: Values) -> int:
            a, b, c, d = (points[arg(env)] for arg in args)
            return segments_cross(a, b, c, d)

        return distance if e.name == "clearance" else crossing

    def _family_member(self, e: x.FamilyMember, scope: frozenset[int]) -> Computed:
        s, family = self.compiled(e.set, scope), self._family(e.family, scope)
        return lambda env: s(env) in family(env)

    # ------------------------------------------------------------------------------ folds

    def _fold(self, e: x.Fold, scope: frozenset[int]) -> Computed:
        if e.kind == "any" and e.value is not None:
            test = x.Junction("and", (*_conjuncts(e.guard), *_conjuncts(e.value)))
            passing = self._loop(e.bindings, test, scope)
            return lambda env: any(True for _ in passing(env))
        inner = scope | {b.var for b in e.bindings}
        loop = self._loop(e.bindings, e.guard, scope)
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

        def members(env: Values) -> int:
            result = 0
            for at in loop(env):
                v = value(at)
                if v:
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


def _conjuncts(guard: x.Expr | None) -> tuple[x.Expr, ...]:
    if guard is None:
        return ()
    return guard.operands if isinstance(guard, x.Junction) and guard.op == "and" else (guard,)


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
