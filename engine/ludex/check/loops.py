"""Going through domains while constants are computed: sets, ranges, seats, sets of sets.

An expression is compiled to nested Python functions of an environment (variable → value), so
that computing a table of many cells walks the tree once only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import combinations, pairwise
from typing import Protocol, TypeAlias

from ludex.check.arithmetic import NotConstant, TooLong, bits
from ludex.typed import expr as x
from ludex.typed.tables import Dimension, Function, Table
from ludex.typed.types import BOOL
from ludex.typed.world import Kind

Values: TypeAlias = dict[int, int]
Computed: TypeAlias = Callable[[Values], int]
Elements: TypeAlias = Callable[[Values], Iterable[int]]
Sets: TypeAlias = Callable[[Values], tuple[int, ...]]


class Known(Protocol):
    """The constants that are known so far; more of them with every declaration that is checked."""

    @property
    def kinds(self) -> Mapping[str, Kind]: ...
    @property
    def tables(self) -> Mapping[str, Table]: ...
    @property
    def functions(self) -> Mapping[str, Function]: ...
    @property
    def points(self) -> Mapping[int, tuple[int, int]]: ...


class Budget:
    """How many elements may still be gone through while a definition is loaded."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise TooLong

    @contextmanager
    def half(self) -> Iterator[None]:
        """At most half of what is left may be spent here, where a game can do without the result."""
        kept = self.left - self.left // 2
        self.left //= 2
        try:
            yield
        finally:
            self.left = kept + max(0, self.left)


class Loops:
    """Compiles what an expression goes through; the expressions within are compiled by `compiled`."""

    def __init__(
        self, known: Known, budget: Budget, compiled: Callable[[x.Expr, Collection[int]], Computed]
    ) -> None:
        self.known = known
        self.budget = budget
        self.compiled = compiled

    # ------------------------------------------------------------------ domains, families

    def domain(self, domain: x.Domain, scope: frozenset[int]) -> Elements:
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
                return self.family(f, scope)
            case x.SeatsDomain(direction, start):
                players = self.known.kinds["player"]
                way, first = self.compiled(direction, scope), self.compiled(start, scope)

                def seats(env: Values) -> list[int]:
                    d, s = way(env), first(env) - players.base
                    return [players.base + (s + d * i) % players.count for i in range(players.count)]

                return seats

    def family(self, f: x.Expr, scope: frozenset[int]) -> Sets:
        match f:
            case x.FamilyLookup(name, index):
                table = self.known.tables[name]
                offset = self.offset(table.dims, index, scope)
                return lambda env: table.families[offset(env)]
            case x.SetOperation("union", left, right):
                a, b = self.family(left, scope), self.family(right, scope)
                return lambda env: tuple(dict.fromkeys((*a(env), *b(env))))
            case x.Fold("union", bindings, guard, value) if value is not None:
                inner = scope | {b.var for b in bindings}
                sets = self.family(value, inner)
                loop = self.passing(bindings, guard, scope)

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
                        self.budget.spend(1 + n)
                        found.append(sum(1 << e for _, e in chosen))
                return tuple(found)
            members.sort()
            for n in sizes:
                for i in range(len(members) - n + 1):
                    window = members[i : i + n]
                    self.budget.spend(1 + n)
                    if all(b[0] == a[0] + 1 for a, b in pairwise(window)):
                        found.append(sum(1 << e for _, e in window))
            return tuple(found)

        return made

    def passing(
        self, bindings: tuple[x.Binding, ...], guard: x.Expr | None, scope: frozenset[int]
    ) -> Callable[[Values], Iterator[Values]]:
        """Goes through all combinations that pass; each is the same environment, changed in place."""
        if len(bindings) == 1:
            return self._single(bindings[0], guard, scope)
        domains: list[tuple[int, Elements]] = []
        for b in bindings:
            domains.append((b.var, self.domain(b.domain, scope)))
            scope = scope | {b.var}
        test = None if guard is None else self.compiled(guard, scope)

        def level(env: Values, depth: int) -> Iterator[Values]:
            if depth == len(domains):
                self.budget.spend(1)
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
        for part in conjuncts(guard):
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
                self.budget.spend(1 + mask.bit_length() // 256)
                return bits(mask) if mask else ()

            within: Elements = members
        else:
            within = self.domain(binding.domain, scope)

        def run(env: Values) -> Iterator[Values]:
            env = dict(env)
            for element in within(env):
                env[var] = element
                self.budget.spend(1)
                if all(test(env) for test in tests):
                    yield env
            self.budget.spend(1)

        return run

    def _row(self, e: x.Expr, var: int, scope: frozenset[int]) -> Computed | None:
        """For a table of truth values indexed by `var`: all values of it for which it holds."""
        if not isinstance(e, x.Lookup) or e.type != BOOL or e.lifted:
            return None
        at = [k for k, i in enumerate(e.index) if isinstance(i, x.Var) and i.id == var]
        if len(at) != 1:
            return None
        table = self.known.tables[e.table]
        dim, stride = table.dims[at[0]], 1
        for later in table.dims[at[0] + 1 :]:
            stride *= later.size
        first = x.Const(dim.base, e.index[at[0]].type)
        try:
            offset = self.offset(table.dims, (*e.index[: at[0]], first, *e.index[at[0] + 1 :]), scope)
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

    def offset(
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


def conjuncts(guard: x.Expr | None) -> tuple[x.Expr, ...]:
    if guard is None:
        return ()
    return guard.operands if isinstance(guard, x.Junction) and guard.op == "and" else (guard,)
