"""Domain narrowing: conditions on a loop's variable become part of what it runs over.

`count(k in knight where owner(k) == me)` need test no knight: the knights of each owner are a
table of sets. Only conditions that can neither fault nor have effects are taken, and none from
behind one that may fault, so which fault happens first does not change.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from ludex.ir.passes.analysis import conjuncts, simplified, total
from ludex.ir.program import Program
from ludex.ir.walk import reads, rewrite
from ludex.typed import expr as e
from ludex.typed.tables import Dimension, Table
from ludex.typed.types import BOOL, BoolType, EntityType, IntType, SetType, Type
from ludex.typed.world import Kind

FEW = 4
"""Occupants of up to so many locations are united rather than each thing's place looked up."""

MAX_COLUMN = 1024
"""Values of a table by which its rows are put into sets."""


class Narrowing:
    """Finds the set of the values of a variable that pass a test. `tables` grows with what that needs."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.tables: dict[str, Table] = {t.name: t for t in program.tables}
        self._locations = tuple(k for k in program.world.kinds if k.is_location)

    def split(self, var: int, type_: Type, tests: list[e.Expr]) -> tuple[list[e.Expr], list[e.Expr]]:
        """(sets that the tests at their places amount to, the tests that remain, in order)."""
        found: list[e.Expr] = []
        rest: list[e.Expr] = []
        safe = True
        for test in tests:
            passing = self.passing(var, type_, test) if safe else None
            if passing is not None:
                found.append(passing)
            else:
                rest.append(test)
                safe = safe and total(test)
        return found, rest

    def passing(self, var: int, type_: Type, test: e.Expr) -> e.Expr | None:
        """The values of the variable that pass, as a set of its type."""
        if isinstance(type_, EntityType) and not type_.optional:
            return self._passing(var, SetType(type_), test)
        return None

    def _whole(self, type_: SetType) -> int:
        assert isinstance(type_.element, EntityType)
        return sum(self._program.world.kind(name).mask for name in type_.element.kinds)

    def _not(self, set_: e.Expr, type_: SetType) -> e.Expr:
        whole = self._whole(type_)
        if isinstance(set_, e.Const):
            return e.Const(whole & ~set_.value, type_)
        return e.SetOperation("diff", e.Const(whole, type_), set_, type_)

    def _passing(self, var: int, type_: SetType, test: e.Expr) -> e.Expr | None:
        match test:
            case e.Const(value):
                return e.Const(self._whole(type_) if value else 0, type_)
            case e.Comparison("eq" | "ne", left, right):
                found = self._equal(var, type_, left, right)
                if found is None:
                    found = self._equal(var, type_, right, left)
                if found is not None:
                    return found if test.op == "eq" else self._not(found, type_)
            case e.Membership(element, set_):
                found = self._member(var, type_, element, set_)
                if found is not None:
                    return found
            case e.Negation(operand):
                inner = self._passing(var, type_, operand)
                return None if inner is None else self._not(inner, type_)
            case e.Junction():
                found = self._junction(var, type_, test)
                if found is not None:
                    return found
            case e.Lookup() if isinstance(test.type, BoolType):
                found = self._column(var, type_, test, lambda value: value != 0)
                if found is not None:
                    return found
        if total(test) and var not in reads(test):
            return e.Select(test, e.Const(self._whole(type_), type_), e.Const(0, type_), type_)
        return None

    def _junction(self, var: int, type_: SetType, test: e.Junction) -> e.Expr | None:
        simple = simplified(test)
        if not isinstance(simple, e.Junction):
            return self._passing(var, type_, simple)
        made: e.Expr | None = None
        for operand in simple.operands:
            part = self._passing(var, type_, operand)
            if part is None:
                return None
            op: e.SetOp = "inter" if simple.op == "and" else "union"
            made = part if made is None else e.SetOperation(op, made, part, type_)
        return made

    # ------------------------------------------------------------------------------ comparisons

    def _equal(self, var: int, type_: SetType, side: e.Expr, other: e.Expr) -> e.Expr | None:
        """`side` depends on the variable in a known way, `other` not at all."""
        if var in reads(other) or not total(other):
            return None
        match side:
            case e.Var(id_) if id_ == var:
                if isinstance(other.type, EntityType):
                    return e.SetOperation(
                        "inter", e.Singleton(other, SetType(other.type)), e.Const(self._whole(type_), type_), type_
                    )
            case e.Lookup():
                if isinstance(other, e.Const):
                    return self._column(var, type_, side, lambda value: value == other.value)
                return self._by_value(var, type_, side, other)
            case e.Load("@place", (e.Var(id_),)) if id_ == var:
                if isinstance(other.type, EntityType) and not other.type.optional:
                    return e.Occupants(other, self._whole(type_), type_)
        return None

    def _own(self, var: int, side: e.Lookup) -> bool:
        return not side.lifted and len(side.index) == 1 and isinstance(side.index[0], e.Var) and side.index[0].id == var

    def _column(self, var: int, type_: SetType, side: e.Lookup, wanted: object) -> e.Expr | None:
        """A table that is indexed by the variable alone, and which of its values are wanted."""
        assert callable(wanted)
        table = self.tables[side.table]
        if not self._own(var, side) or table.dims[0].kind is None:
            return None
        base = table.dims[0].base
        mask = sum(1 << base + i for i, value in enumerate(table.values) if wanted(value))
        return e.Const(mask & self._whole(type_), type_)

    def _by_value(self, var: int, type_: SetType, side: e.Lookup, other: e.Expr) -> e.Expr | None:
        """A table of the rows with each value, looked up with the value that is wanted."""
        table = self.tables[side.table]
        if not self._own(var, side) or table.dims[0].kind is None or not table.values:
            return None
        dim = self._values(other.type)
        if dim is None:
            return None
        base, whole = table.dims[0].base, self._whole(type_)
        name = f"@where:{table.name}:{dim.base}:{dim.size}:{whole:x}"
        if name not in self.tables:
            rows = [0] * dim.size
            for i, value in enumerate(table.values):
                if dim.base <= value < dim.base + dim.size:
                    rows[value - dim.base] |= 1 << base + i & whole
            self.tables[name] = Table(name, (dim,), tuple(rows))
        return e.Lookup(name, (other,), type_, side.site)

    def _values(self, type_: Type) -> Dimension | None:
        """All values of a type in a row, if they are few."""
        match type_:
            case EntityType((kind,), optional=False):
                found = self._program.world.kind(kind)
                return Dimension(found.base, found.count, found.name)
            case IntType(lo, hi) if 0 <= hi - lo < MAX_COLUMN:
                return Dimension(lo, hi - lo + 1, None)
            case BoolType():
                return Dimension(0, 2, None)
            case _:
                return None

    # ------------------------------------------------------------------------------- membership

    def _member(self, var: int, type_: SetType, element: e.Expr, set_: e.Expr) -> e.Expr | None:
        if var in reads(set_) or not total(set_):
            return None
        match element:
            case e.Var(id_) if id_ == var:
                return e.SetOperation("inter", set_, e.Const(self._whole(type_), type_), type_)
            case e.Lookup() if isinstance(set_, e.Const):
                mask = set_.value
                return self._column(var, type_, element, lambda value: value >= 0 and mask >> value & 1)
            case e.Load("@place", (e.Var(id_),)) if id_ == var and isinstance(set_, e.Const):
                return self._occupants(type_, set_.value)
        return None

    def _occupants(self, type_: SetType, places: int) -> e.Expr | None:
        """Who is at one of a few places, or not at one of the few others where such things may be."""
        assert isinstance(type_.element, EntityType)
        kinds = [self._program.world.kind(name) for name in type_.element.kinds]
        possible = 0
        for place in self._locations:
            if any(may_hold(place, kind) for kind in kinds):
                possible |= place.mask
        others, here = possible & ~places, possible & places
        if others.bit_count() < min(FEW, here.bit_count()):
            return self._not(self._at(type_, others), type_)
        return self._at(type_, here) if here.bit_count() <= FEW else None

    def _at(self, type_: SetType, places: int) -> e.Expr:
        made: e.Expr | None = None
        mask = self._whole(type_)
        for place in range(places.bit_length()):
            if places >> place & 1:
                kind = self._program.world.kind_of(place)
                here = e.Occupants(e.Const(place, EntityType((kind.name,))), mask, type_)
                made = here if made is None else e.SetOperation("union", made, here, type_)
        return made if made is not None else e.Const(0, type_)


def may_hold(place: Kind, thing: Kind) -> bool:
    """Whether things of a kind may be at locations of another."""
    if place.category == "box":
        return True
    if thing.places:
        return place.name in thing.places
    return not place.holds or thing.name in place.holds


def intersection(domain: e.Expr, sets: list[e.Expr]) -> e.Expr:
    """The elements of a domain that are in all the sets."""
    made = domain
    for set_ in sets:
        if isinstance(made, e.Const) and isinstance(set_, e.Const):
            made = e.Const(made.value & set_.value, made.type)
        else:
            made = e.SetOperation("inter", made, set_, domain.type)
    return made


def narrowed(program: Program) -> Program:
    """The program with the loops of its aggregates narrowed."""
    narrowing = Narrowing(program)

    def change(node: object) -> object | None:
        if not isinstance(node, e.Fold):
            return None
        return _fold(narrowing, node, change)

    made = {
        name: rewrite(getattr(program, name), change)
        for name in ("functions", "atomics", "blocks", "scoring", "ranking", "payoff", "records", "invariants")
    }
    return replace(program, tables=tuple(narrowing.tables.values()), **cast(dict[str, object], made))  # type: ignore[arg-type]


def _fold(narrowing: Narrowing, fold: e.Fold, change: object) -> e.Fold:
    assert callable(change)

    def inside(tree: object) -> object:
        return rewrite(tree, change)

    last = fold.bindings[-1]
    tests = conjuncts(fold.guard)
    value = fold.value
    if fold.kind == "any" and value is not None:
        tests, value = tests + conjuncts(value), None
    elif fold.kind == "all" and value is not None:
        # all(P where G) is not any(not P where G)
        refuted = e.Fold("any", fold.bindings, fold.guard, e.Negation(value), None, None, BOOL, fold.site)
        return cast(e.Fold, e.Negation(cast(e.Expr, _fold(narrowing, refuted, change))))
    domain = last.domain
    if isinstance(domain, e.SetDomain) and isinstance(domain.set.type, SetType):
        found, rest = narrowing.split(last.var, domain.set.type.element, tests)
        if found:
            domain, tests = e.SetDomain(intersection(domain.set, found)), rest
    guard = None if not tests else tests[0] if len(tests) == 1 else e.Junction("and", tuple(tests))
    bindings = (*fold.bindings[:-1], e.Binding(last.var, cast(e.Domain, domain)))
    if fold.kind == "any" and fold.value is not None and value is None and guard is not None:
        value, guard = guard, None
    return e.Fold(
        fold.kind,
        cast(tuple[e.Binding, ...], inside(bindings)),
        cast("e.Expr | None", inside(guard)),
        cast("e.Expr | None", inside(value)),
        cast("e.Expr | None", inside(fold.key)),
        cast("e.Expr | None", inside(fold.default)),
        fold.type,
        fold.site,
    )
