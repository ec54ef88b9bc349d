"""Domain narrowing: conditions on a loop's variable become part of what it runs over.

`count(k in knight where owner(k) == me)` need test no knight: the knights of each owner are a
table of sets. Only conditions that can neither fault nor have effects are taken, and none from
behind one that may fault, so which fault happens first does not change.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from ludex.ir.passes.analysis import conjuncts, simplified, total
from ludex.ir.passes.nodes import Holders
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
    """Finds the set of the values of a variable that pass a test. `tables` grows with what that needs.

    `holders`: masks of things and faces that sets of locations are asked for (`Holders`).
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self.tables: dict[str, Table] = {t.name: t for t in program.tables}
        self._functions = {f.name: f for f in program.functions}
        self._total: dict[str, bool] = {}
        self._locations = tuple(k for k in program.world.kinds if k.is_location)
        self.holders: set[int] = set()
        self._levels: dict[int, tuple[e.OptionLevel, list[tuple[int, e.Expr]], tuple[e.OptionLet | e.OptionGuard, ...]]] = {}

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
                safe = safe and self.total(test)
        return found, rest

    def total(self, expr: e.Expr) -> bool:
        """As `analysis.total`, looking into functions and aggregates too."""
        match expr:
            case e.Apply(name, args):
                if name not in self._total:
                    function = self._functions[name]
                    self._total[name] = False  # while it is looked at: recursion costs ticks
                    self._total[name] = not function.recursive and self.total(function.body)
                return self._total[name] and all(map(self.total, args))
            case e.Fold(kind, bindings, guard, value, key, default):
                parts = [x for x in (guard, value, key, default) if x is not None]
                sure = kind in ("any", "all", "count") or (kind == "set" and isinstance(_element(expr), EntityType))
                return sure and all(map(self.total, parts)) and all(map(self._fixed, bindings))
            case e.Junction():
                return all(map(self.total, expr.operands))
            case e.Negation(operand):
                return self.total(operand)
            case e.Comparison(_, left, right):
                return self.total(left) and self.total(right)
            case e.Select(test, then, orelse):
                return self.total(test) and self.total(then) and self.total(orelse)
            case Holders():
                return True
            case _:
                return total(expr)

    def _fixed(self, binding: e.Binding) -> bool:
        return isinstance(binding.domain, e.SetDomain) and self.total(binding.domain.set)

    def level(
        self, level: e.OptionLevel
    ) -> tuple[list[tuple[int, e.Expr]], tuple[e.OptionLet | e.OptionGuard, ...]]:
        """(what leading conditions of a parameter amount to: rule and set; what is left to do for each value).

        A condition may overtake lets that cannot fault and that it does not read.
        """
        found = self._levels.get(id(level))
        if found is None:
            found = self._levels[id(level)] = level, *self._level(level)
        return found[1], found[2]

    def _level(
        self, level: e.OptionLevel
    ) -> tuple[list[tuple[int, e.Expr]], tuple[e.OptionLet | e.OptionGuard, ...]]:
        binding = level.binding
        masks: list[tuple[int, e.Expr]] = []
        left: list[e.OptionLet | e.OptionGuard] = []
        if binding is None or not isinstance(binding.domain, e.SetDomain):
            return masks, level.items
        overtaken: set[int] = set()
        for i, item in enumerate(level.items):
            if isinstance(item, e.OptionLet):
                if not self.total(item.value):
                    return masks, (*left, *level.items[i:])
                overtaken.add(item.var)
                left.append(item)
                continue
            if not overtaken.isdisjoint(reads(item.test)):
                return masks, (*left, *level.items[i:])
            found, rest = self.split(binding.var, binding.type, conjuncts(item.test))
            if found:
                masks.append((item.rule, intersection(found[0], found[1:])))
            if rest:
                test = rest[0] if len(rest) == 1 else e.Junction("and", tuple(rest))
                return masks, (*left, e.OptionGuard(item.rule, test), *level.items[i + 1 :])
        return masks, tuple(left)

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
            case e.Comparison() if (found := self._holding(var, type_, test)) is not None:
                return found
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
                if found is None:
                    found = self._row(var, type_, test)
                if found is not None:
                    return found
            case e.Select(when, then, orelse):
                found = self._select(var, type_, when, then, orelse)
                if found is not None:
                    return found
            case e.Fold("any", (binding,), guard, value):
                found = self._union(var, type_, binding, conjuncts(guard) + conjuncts(value))
                if found is not None:
                    return found
        if self.total(test) and var not in reads(test):
            return e.Select(test, e.Const(self._whole(type_), type_), e.Const(0, type_), type_)
        return None

    def _select(self, var: int, type_: SetType, when: e.Expr, then: e.Expr, orelse: e.Expr) -> e.Expr | None:
        chosen = self._passing(var, type_, when)
        if chosen is None:
            return None
        a, b = self._passing(var, type_, then), self._passing(var, type_, orelse)
        if a is None or b is None:
            return None
        yes = e.SetOperation("inter", chosen, a, type_)
        return e.SetOperation("union", yes, e.SetOperation("diff", b, chosen, type_), type_)

    def _union(self, var: int, type_: SetType, binding: e.Binding, tests: list[e.Expr]) -> e.Expr | None:
        """What some element of a domain lets pass, if that can be told without trying each value."""
        if not self._fixed(binding) or var in reads(binding.domain):
            return None
        alone = [test for test in tests if var not in reads(test)]
        if len(alone) == len(tests) or not all(map(self.total, tests)):
            return None
        made: e.Expr | None = None
        for test in tests:
            if var not in reads(test):
                continue
            part = self._passing(var, type_, test)
            if part is None:
                return None
            made = part if made is None else e.SetOperation("inter", made, part, type_)
        guard = None if not alone else alone[0] if len(alone) == 1 else e.Junction("and", tuple(alone))
        united = e.Fold("union", (binding,), guard, made, None, None, type_, -1)
        return narrowed_fold(self, united)

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

    def _row(self, var: int, type_: SetType, side: e.Lookup) -> e.Expr | None:
        """A table of truth values of which the variable is one index: the sets of its rows."""
        own = [i for i, index in enumerate(side.index) if isinstance(index, e.Var) and index.id == var]
        rest = tuple(index for i, index in enumerate(side.index) if i not in own)
        if len(own) != 1 or side.lifted or not all(self.total(x) and var not in reads(x) for x in rest):
            return None
        if not all(isinstance(x.type, EntityType) for x in rest):
            return None
        table = self.tables[side.table]
        (at,) = own
        dim = table.dims[at]
        if dim.kind is None and not isinstance(side.index[at].type, EntityType):
            return None
        inner = 1
        for later in table.dims[at + 1 :]:
            inner *= later.size
        whole = self._whole(type_)
        name = f"@rows:{table.name}:{at}:{whole:x}"
        if name not in self.tables:
            rows: list[int] = []
            for outer in range(0, len(table.values), inner * dim.size):
                for k in range(inner):
                    column = table.values[outer + k : outer + inner * dim.size : inner]
                    rows.append(sum(1 << dim.base + i for i, value in enumerate(column) if value) & whole)
            dims = (*table.dims[:at], *table.dims[at + 1 :])
            self.tables[name] = Table(name, dims, tuple(rows))
        return e.Lookup(name, rest, type_, side.site)

    def _holding(self, var: int, type_: SetType, test: e.Comparison) -> e.Expr | None:
        """Whether a location, which is the variable, holds any of some things or tokens."""
        mask, some = _presence(test, var)
        if mask == 0 or not self._held_whole(mask):
            return None
        self.holders.add(mask)
        held = e.SetOperation("inter", cast(e.Expr, Holders(mask, type_)), e.Const(self._whole(type_), type_), type_)
        return held if some else self._not(held, type_)

    def _held_whole(self, mask: int) -> bool:
        """Whether a mask is made of whole kinds of movables, or of faces of tokens."""
        for kind in self._program.world.kinds:
            here = mask & kind.mask
            if here and not (kind.category == "token" or (kind.is_movable and here == kind.mask)):
                return False
            mask &= ~kind.mask
        return True

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


def _element(fold: e.Fold) -> object:
    return fold.type.element if isinstance(fold.type, SetType) else None


def _presence(test: e.Comparison, var: int) -> tuple[int, bool]:
    """(what is asked for, whether some or none) of a test whether the variable holds anything; (0, …) of others."""

    def is_own(place: e.Expr) -> bool:
        return isinstance(place, e.Var) and place.id == var

    left, right = test.left, test.right
    if not isinstance(right, e.Const):
        return 0, False
    if isinstance(left, e.Occupants) and is_own(left.place) and right.value == 0 and test.op in ("eq", "ne"):
        return left.mask, test.op == "ne"
    counted = 0
    if isinstance(left, e.TokenCount) and is_own(left.place) and isinstance(left.faces, e.Const):
        counted = left.faces.value
    elif isinstance(left, e.Size) and isinstance(left.set, e.Occupants) and is_own(left.set.place):
        counted = left.set.mask
    elif isinstance(left, e.TokenAt) and is_own(left.place) and right.value == 0 and test.op in ("eq", "ne"):
        return left.mask, test.op == "ne"
    some = {("gt", 0): True, ("ne", 0): True, ("ge", 1): True, ("eq", 0): False, ("le", 0): False, ("lt", 1): False}
    asked = some.get((test.op, right.value))
    return (counted, asked) if asked is not None else (0, False)


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


def narrowed(program: Program, narrowing: Narrowing) -> Program:
    """The program with the loops of its aggregates narrowed."""

    def change(node: object) -> object | None:
        return narrowed_fold(narrowing, node) if isinstance(node, e.Fold) else None

    made = {
        name: rewrite(getattr(program, name), change)
        for name in ("functions", "atomics", "blocks", "scoring", "ranking", "payoff", "records", "invariants")
    }
    return replace(program, tables=tuple(narrowing.tables.values()), **cast(dict[str, object], made))  # type: ignore[arg-type]


def narrowed_fold(narrowing: Narrowing, fold: e.Fold) -> e.Expr:
    """An aggregate with its last loop narrowed, and so those within it."""

    def change(node: object) -> object | None:
        return narrowed_fold(narrowing, node) if isinstance(node, e.Fold) else None

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
        return e.Negation(narrowed_fold(narrowing, refuted))
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
