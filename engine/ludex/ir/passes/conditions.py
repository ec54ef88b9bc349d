"""Conditions as sets: the values of a variable that pass a test, without trying each.

Only of conditions that can neither fault nor have effects.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from ludex.ir.passes.analysis import conjuncts, refuted, simplified
from ludex.ir.passes.facts import Facts, Variables
from ludex.ir.passes.images import image
from ludex.ir.passes.leading import leading
from ludex.ir.passes.preimages import is_sure, preimage
from ludex.ir.passes.presence import holding
from ludex.ir.passes.stored import compared, having, having_any, keepable
from ludex.ir.program import Decide, Program
from ludex.ir.walk import reads
from ludex.node import replace
from ludex.typed import expr as e
from ludex.typed.tables import Dimension, Table
from ludex.typed.types import BoolType, EntityType, IntType, SetType, Type

FEW = 4
"""Occupants of up to so many locations are united rather than each thing's place looked up."""

MAX_NUMBER = 64
"""Numbers below which are narrowed as sets."""

MAX_COLUMN = 1024
"""Values of a table by which its rows are put into sets."""


class Conditions:
    """Finds the set of the values of a variable that pass a test.

    `tables` and `variables` grow with what that needs.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.facts = Facts(program)
        self.tables: dict[str, Table] = {t.name: t for t in program.tables}
        self._fields = keepable(program.layout.fields)
        self._locations = tuple(k for k in program.world.kinds if k.is_location)
        self.variables = Variables(program)
        self.tokens = sum(k.mask for k in program.world.kinds if k.category == "token")
        self.kind_of = program.world.kind_of

    @cached_property
    def lets(self) -> dict[int, e.Expr]:
        """What the names that offers give stand for."""
        ends = (block.end for block in self.program.blocks)
        sites = (option.site for end in ends if isinstance(end, Decide) for option in end.options)
        items = (item for site in sites for level in site.levels for item in level.items)
        return {item.var: item.value for item in items if isinstance(item, e.OptionLet)}

    def passing(self, var: int, type_: Type, test: e.Expr) -> e.Expr | None:
        """The values of the variable that pass, as a set of its type."""
        if isinstance(type_, IntType):
            return self._of_number(var, SetType(type_), test) if is_few(type_) else None
        if not isinstance(type_, EntityType):
            return None
        if type_.optional:
            return self._of_optional(var, SetType(type_), test)
        return self._passing(var, SetType(type_), test)

    def _of_optional(self, var: int, type_: SetType, test: e.Expr) -> e.Expr | None:
        """Of what may be none: only whether it is in a set."""
        match test:
            case e.Membership(e.Var(id_), set_) if id_ == var and var not in reads(set_):
                return set_ if self.facts.total(set_) and set_.type == type_ else None
            case _:
                return None

    def _of_number(self, var: int, type_: SetType, test: e.Expr) -> e.Expr | None:
        """Of a number: what a state item has for it, or a table."""
        match test:
            case e.Negation(operand):
                inner = self._of_number(var, type_, operand)
                return None if inner is None else self.without(inner, type_)
            case e.Comparison(op, e.Load(name, (e.Var(id_),)), e.Const(value)) if id_ == var:
                field = self._fields.get(name)
                return None if field is None else compared(field, type_, self.whole(type_), op, value)
            case e.Lookup(type=BoolType()):
                return self._row(var, type_, test, lambda value: value != 0, "rows")
            case _:
                return None

    def whole(self, type_: SetType) -> int:
        if isinstance(type_.element, IntType):
            return (2 << type_.element.hi) - (1 << type_.element.lo)
        return sum(self.program.world.kind(name).mask for name in type_.element.kinds)

    def without(self, set_: e.Expr, type_: SetType) -> e.Expr:
        """All values that are not in a set."""
        whole = self.whole(type_)
        if isinstance(set_, e.Const):
            return e.Const(whole & ~set_.value, type_)
        return e.SetOperation("diff", e.Const(whole, type_), set_, type_)

    def _passing(self, var: int, type_: SetType, test: e.Expr) -> e.Expr | None:
        match test:
            case e.Const(value):
                return e.Const(self.whole(type_) if value else 0, type_)
            case e.Comparison() if (found := holding(self, var, type_, test)) is not None:
                return found
            case e.Comparison("eq" | "ne", left, right):
                found = self._equal(var, type_, left, right)
                if found is None:
                    found = self._equal(var, type_, right, left)
                if found is not None:
                    return found if test.op == "eq" else self.without(found, type_)
            case e.Membership(element, set_):
                found = self.member(var, type_, element, set_)
                if found is not None:
                    return found
            case e.Negation(operand):
                inner = self._passing(var, type_, operand)
                return None if inner is None else self.without(inner, type_)
            case e.Junction():
                found = self._junction(var, type_, test)
                if found is not None:
                    return found
            case e.Lookup() if isinstance(test.type, BoolType):
                found = self.column(var, type_, test, lambda value: value != 0)
                if found is None:
                    found = self._row(var, type_, test, lambda value: value != 0, "rows")
                if found is not None:
                    return found
            case e.Load(name, (e.Var(id_),)) if id_ == var and isinstance(test.type, BoolType):
                return having(self._fields.get(name), type_, self.whole(type_), e.Const(1, test.type))
            case e.Select(when, then, orelse):
                found = self._select(var, type_, when, then, orelse)
                if found is not None:
                    return found
            case e.Fold("any", (binding,), guard, value):
                tests = conjuncts(guard) + conjuncts(value)
                found = self._union(var, type_, binding, tests) or image(self, var, type_, binding, tests)
                if found is not None:
                    return found
            case e.Fold("all", (_,), _, value) if value is not None and var in reads(test):
                inner = self._passing(var, type_, replace(test, kind="any", value=refuted(value)))
                return None if inner is None else self.without(inner, type_)
        if self.facts.total(test) and var not in reads(test):
            return e.Select(test, e.Const(self.whole(type_), type_), e.Const(0, type_), type_)
        return None

    def _select(self, var: int, type_: SetType, when: e.Expr, then: e.Expr, orelse: e.Expr) -> e.Expr | None:
        a, b = self._passing(var, type_, then), self._passing(var, type_, orelse)
        if a is None or b is None:
            return None
        if var not in reads(when):
            return e.Select(when, a, b, type_) if self.facts.total(when) else None
        chosen = self._passing(var, type_, when)
        if chosen is None:
            return None
        yes = e.SetOperation("inter", chosen, a, type_)
        return e.SetOperation("union", yes, e.SetOperation("diff", b, chosen, type_), type_)

    def _union(self, var: int, type_: SetType, binding: e.Binding, tests: list[e.Expr]) -> e.Expr | None:
        """What some element of a domain lets pass, if that can be told without trying each value."""
        if not self.facts.is_fixed(binding) or var in reads(binding.domain):
            return None
        alone = [test for test in tests if var not in reads(test)]
        if len(alone) == len(tests) or not all(map(self.facts.total, tests)):
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
        return united

    def _junction(self, var: int, type_: SetType, test: e.Junction) -> e.Expr | None:
        simple = simplified(test)
        if not isinstance(simple, e.Junction):
            return self._passing(var, type_, simple)
        parts = [self._passing(var, type_, operand) for operand in simple.operands]
        found = [part for part in parts if part is not None]
        if len(found) < len(parts):
            return None
        if simple.op == "and":
            return intersection(found[0], found[1:])
        return self._united(found, type_)

    def _united(self, parts: list[e.Expr], type_: SetType) -> e.Expr:
        """What is in any of the parts; those behind a test of something else are evaluated as it allows."""
        first, *rest = parts
        if not rest:
            return first
        others = self._united(rest, type_)
        if (
            isinstance(first, e.Select)
            and is_switch(first)
            and first.then == e.Const(self.whole(type_), type_)
        ):
            return e.Select(first.test, first.then, others, type_)
        return e.SetOperation("union", first, others, type_)

    def _row(
        self, var: int, type_: SetType, side: e.Lookup, wanted: Callable[[int], bool], name: str
    ) -> e.Expr | None:
        """A table of which the variable is one index: for the others, whose values are wanted."""
        own = [i for i, index in enumerate(side.index) if isinstance(index, e.Var) and index.id == var]
        rest = tuple(index for i, index in enumerate(side.index) if i not in own)
        if len(own) != 1 or side.lifted or not all(self.facts.total(x) and var not in reads(x) for x in rest):
            return None
        table = self.tables[side.table]
        if not all(map(is_sure, side.index, table.dims)):
            return None
        (at,) = own
        dim = table.dims[at]
        inner = 1
        for later in table.dims[at + 1 :]:
            inner *= later.size
        whole = self.whole(type_)
        name = f"@{name}:{table.name}:{at}:{whole:x}"
        if name not in self.tables:
            rows: list[int] = []
            for outer in range(0, len(table.values), inner * dim.size):
                for k in range(inner):
                    column = table.values[outer + k : outer + inner * dim.size : inner]
                    found = (dim.base + i for i, value in enumerate(column) if wanted(value))
                    rows.append(sum(1 << x for x in found if x >= 0) & whole)
            dims = (*table.dims[:at], *table.dims[at + 1 :])
            self.tables[name] = Table(name, dims, tuple(rows))
        return e.Lookup(name, rest, type_, side.site)

    # ------------------------------------------------------------------------------ comparisons

    def _equal(self, var: int, type_: SetType, side: e.Expr, other: e.Expr) -> e.Expr | None:
        """`side` depends on the variable in a known way, `other` not at all."""
        if var in reads(other) or not self.facts.total(other):
            return None
        found = self._by_face(var, type_, side, other)
        if found is not None:
            return found
        if isinstance(other.type, EntityType) and not other.type.optional:
            found = self._of_occupant(var, type_, side, lambda x: e.Comparison("eq", x, other))
            if found is not None:
                return found
        match side:
            case e.Var(id_) if id_ == var:
                if isinstance(other.type, EntityType):
                    return e.SetOperation(
                        "inter",
                        e.Singleton(other, SetType(other.type)),
                        e.Const(self.whole(type_), type_),
                        type_,
                    )
            case e.Lookup():
                if isinstance(other, e.Const):
                    found = self.column(var, type_, side, lambda value: value == other.value)
                    if found is not None:
                        return found
                    name = f"rows of {other.value}"
                    return self._row(var, type_, side, lambda value: value == other.value, name)
                return self._by_value(var, type_, side, other)
            case e.Load("@place", (e.Var(id_),)) if id_ == var:
                if isinstance(other.type, EntityType) and not other.type.optional:
                    return e.Occupants(other, self.whole(type_), type_)
            case e.Load(name, (e.Var(id_),)) if id_ == var:
                return having(self._fields.get(name), type_, self.whole(type_), other)
        return None

    def _single(self, type_: SetType) -> bool:
        """Whether the values are locations that hold one thing at most."""
        assert isinstance(type_.element, EntityType)
        return all(self.program.world.kind(name).capacity == 1 for name in type_.element.kinds)

    def _of_occupant(
        self, var: int, type_: SetType, side: e.Expr, test: Callable[[e.Expr], e.Expr]
    ) -> e.Expr | None:
        """Where lies a thing that passes a test on an attribute of its own, asked of the only
        thing at the location that the variable is. The test must not hold where nothing lies."""
        if not isinstance(side, e.Load | e.Lookup) or len(side.index) != 1 or not self._single(type_):
            return None
        pick = side.index[0]
        if not (isinstance(pick, e.Pick) and pick.how == "first" and isinstance(pick.set, e.Occupants)):
            return None
        place = pick.set.place
        if not (isinstance(place, e.Var) and place.id == var) or not isinstance(pick.type, EntityType):
            return None
        thing = EntityType(pick.type.kinds)
        if any(not kind.is_movable for kind in map(self.program.world.kind, thing.kinds)):
            return None
        own = self.variables.new("occupant", thing)
        asked = test(replace(side, index=(e.Var(own, thing),), lifted=False))
        anywhere = EntityType(tuple(k.name for k in self._locations))
        lies = e.Load("@place", (e.Var(own, thing),), anywhere, -1)
        things: e.Expr = e.Const(pick.set.mask, SetType(thing))
        passing = self._passing(own, SetType(thing), asked)
        if passing is not None:
            things = intersection(things, [passing])
        binding = e.Binding(own, e.SetDomain(things))
        guard = asked if passing is None else None
        found = e.Fold("set", (binding,), guard, lies, None, None, SetType(anywhere), -1)
        whole = e.Const(self.whole(type_), type_)
        return e.SetOperation("inter", found, whole, type_)

    def _by_face(self, var: int, type_: SetType, side: e.Expr, other: e.Expr) -> e.Expr | None:
        """An attribute of the only thing at the location that the variable is, or a token itself:
        the spaces that hold what has it."""
        thing, values = side, None
        if isinstance(side, e.Lookup) and len(side.index) == 1:
            thing, values = side.index[0], self.tables[side.table]
            if len(values.dims) != 1 or values.dims[0].kind is None:
                return None
        if not self._single(type_) or not isinstance(other.type, EntityType):
            return None
        groups = self._groups(var, thing)
        if not 0 < len(groups) <= FEW:
            return None
        own: dict[int, int] = {}
        for group in groups:
            members = [i for i in range(group.bit_length()) if group >> i & 1]
            found = {i if values is None else values.values[i - values.dims[0].base] for i in members}
            if len(found) > 1:
                return None
            (value,) = found
            own[value] = own.get(value, 0) | group
        whole = e.Const(self.whole(type_), type_)

        def held(mask: int) -> e.Expr:
            return e.SetOperation("inter", e.Holders(mask, type_), whole, type_)

        made: e.Expr = e.Const(0, type_)
        if other.type.optional:
            made = self.without(held(sum(groups)), type_)
        for value in sorted(own, reverse=True):
            if isinstance(other, e.Const):
                if other.value == value:
                    return held(own[value])
                continue
            made = e.Select(
                e.Comparison("eq", other, e.Const(value, other.type)), held(own[value]), made, type_
            )
        return made

    def _groups(self, var: int, thing: e.Expr) -> list[int]:
        """What the only thing at a location may be: faces of tokens, or groups of movables."""
        match thing:
            case e.TokenAt(e.Var(id_), mask) if id_ == var:
                return [1 << i for i in range(mask.bit_length()) if mask >> i & 1]
            case e.Pick("first", e.Occupants(e.Var(id_), mask)) if id_ == var:
                kinds = [kind for kind in self.program.world.kinds if kind.mask & mask]
                groups = [group for kind in kinds for group in kind.groups]
                if all(kind.is_movable for kind in kinds) and sum(groups) == mask:
                    return groups
        return []

    def _own(self, var: int, side: e.Lookup) -> bool:
        return (
            not side.lifted
            and len(side.index) == 1
            and isinstance(side.index[0], e.Var)
            and side.index[0].id == var
        )

    def column(self, var: int, type_: SetType, side: e.Lookup, wanted: object) -> e.Expr | None:
        """A table that is indexed by the variable alone, and which of its values are wanted."""
        assert callable(wanted)
        table = self.tables[side.table]
        if not self._own(var, side) or table.dims[0].kind is None:
            return None
        base = table.dims[0].base
        mask = sum(1 << base + i for i, value in enumerate(table.values) if wanted(value))
        return e.Const(mask & self.whole(type_), type_)

    def _by_value(self, var: int, type_: SetType, side: e.Lookup, other: e.Expr) -> e.Expr | None:
        """A table of the rows with each value, looked up with the value that is wanted."""
        table = self.tables[side.table]
        if not self._own(var, side) or table.dims[0].kind is None or not table.values:
            return None
        dim = self._values(other.type)
        if dim is None:
            return None
        base, whole = table.dims[0].base, self.whole(type_)
        name = f"@where:{table.name}:{dim.base}:{dim.size}:{whole:x}"
        if name not in self.tables:
            rows = [0] * dim.size
            for i, value in enumerate(table.values):
                if dim.base <= value < dim.base + dim.size:
                    rows[value - dim.base] |= 1 << base + i & whole
            self.tables[name] = Table(name, (dim,), tuple(rows))
        lifted = isinstance(other.type, EntityType) and other.type.optional  # none: no row, no thing
        return e.Lookup(name, (other,), type_, side.site, lifted)

    def _values(self, type_: Type) -> Dimension | None:
        """All values of a type in a row, if they are few."""
        match type_:
            case EntityType((kind,)):
                found = self.program.world.kind(kind)
                return Dimension(found.base, found.count, found.name)
            case IntType(lo, hi) if 0 <= hi - lo < MAX_COLUMN:
                return Dimension(lo, hi - lo + 1, None)
            case BoolType():
                return Dimension(0, 2, None)
            case _:
                return None

    # ------------------------------------------------------------------------------- membership

    def member(self, var: int, type_: SetType, element: e.Expr, set_: e.Expr) -> e.Expr | None:
        if var in reads(set_) or not self.facts.total(set_):
            return None
        if isinstance(set_, e.Const) and not set_.value & 1 and isinstance(element.type, EntityType):
            found = self._of_occupant(var, type_, element, lambda x: e.Membership(x, set_))
            if found is not None:
                return found
        match element:
            case e.Var(id_) if id_ == var:
                return e.SetOperation("inter", set_, e.Const(self.whole(type_), type_), type_)
            case e.Lookup() if isinstance(set_, e.Const):
                mask = set_.value
                return self.column(var, type_, element, lambda value: value >= 0 and mask >> value & 1)
            case e.Lookup():
                found = preimage(self, var, type_, element, set_)
                return found if found is not None else leading(self, var, type_, element, set_)
            case e.Load("@place", (e.Var(id_),)) if id_ == var and isinstance(set_, e.Const):
                return self._occupants(type_, set_.value)
            case e.Load(name, (e.Var(id_),)) if id_ == var and isinstance(set_, e.Const):
                return having_any(self._fields.get(name), type_, self.whole(type_), set_.value)
        return None

    def _occupants(self, type_: SetType, places: int) -> e.Expr | None:
        """Who is at one of a few places, or not at one of the few others where such things may be."""
        assert isinstance(type_.element, EntityType)
        kinds = [self.program.world.kind(name) for name in type_.element.kinds]
        possible = 0
        for place in self._locations:
            if any(place.may_hold(kind) for kind in kinds):
                possible |= place.mask
        others, here = possible & ~places, possible & places
        few = max(FEW - 1, self.whole(type_).bit_count() // 4)
        if others.bit_count() <= min(few, here.bit_count() - 1):
            return self.without(self._at(type_, others), type_)
        return self._at(type_, here) if here.bit_count() <= FEW else None

    def _at(self, type_: SetType, places: int) -> e.Expr:
        made: e.Expr | None = None
        mask = self.whole(type_)
        for place in range(places.bit_length()):
            if places >> place & 1:
                kind = self.program.world.kind_of(place)
                here = e.Occupants(e.Const(place, EntityType((kind.name,))), mask, type_)
                made = here if made is None else e.SetOperation("union", made, here, type_)
        return made if made is not None else e.Const(0, type_)


def is_few(type_: IntType) -> bool:
    """Whether the numbers of a type are in one word of a set."""
    return 0 <= type_.lo <= type_.hi < MAX_NUMBER


def is_switch(set_: e.Select) -> bool:
    """Whether a set is constant or nothing, by a test: what stands behind may rely on the test."""
    return isinstance(set_.then, e.Const) and isinstance(set_.orelse, e.Const) and set_.orelse.value == 0


def intersection(domain: e.Expr, sets: list[e.Expr]) -> e.Expr:
    """The elements of a domain that are in all the sets, which are evaluated in order."""
    if isinstance(domain, e.Select) and is_switch(domain) and sets:
        return e.Select(domain.test, intersection(domain.then, sets), domain.orelse, domain.type)
    if not sets:
        return domain
    first, *rest = sets
    if isinstance(first, e.Select) and is_switch(first):
        inside = intersection(domain, [first.then, *rest])
        return e.Select(first.test, inside, e.Const(0, domain.type), domain.type)
    if isinstance(domain, e.Const) and isinstance(first, e.Const):
        return intersection(e.Const(domain.value & first.value, domain.type), rest)
    return e.SetOperation("inter", domain, intersection(first, rest), domain.type)
