"""Interchangeable pieces: of several that nothing tells apart, one is offered.

What is interchangeable is said in `interpreter.collapse`. Here a piece is compared only with
those of its face at its own place that this loop has already let pass.
"""

from __future__ import annotations

from dataclasses import dataclass

from ludex.backends.wasm import asm, sets
from ludex.backends.wasm.asm import Ex, Function, Label, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.plan import STATE
from ludex.backends.wasm.shapes import Words
from ludex.ir.layout import Field
from ludex.typed import expr as e
from ludex.typed.types import EntityType, SetType, Type
from ludex.typed.world import Kind


@dataclass(frozen=True, slots=True)
class Classes:
    """For one parameter: the things that stand for their class so far."""

    unit: Unit
    kinds: tuple[Kind, ...]
    known: tuple[Ex, ...]
    earlier: tuple[int, ...]

    def begin(self) -> None:
        for local in self.known:
            self.unit.f.set(local, 0)

    def alike(self, thing: Ex) -> Words:
        """Those known that may be like a thing: of its face, at its place."""
        u, c = self.unit, self.unit.c
        shape = u.plan.occupants
        world = c.program.world
        masks: dict[int, int] = {}
        for kind in u.plan.movables:
            for i in kind.ids:
                masks[world.copies[i]] = masks.get(world.copies[i], 0) | 1 << i
        ids = sorted(i for kind in u.plan.movables for i in kind.ids)
        faces = c.masks("faces", [masks[world.copies[i]] for i in range(ids[0], ids[-1] + 1)], shape)
        row, width = u.plan.row()
        place = u.plan.base("@place")
        assert place is not None
        at = u.f.keep(asm.load(thing * 4, place) * width)
        face = u.f.keep((thing - ids[0]) * width + faces)
        return Words(
            shape,
            tuple(
                u.f.keep(asm.load(at, row + 8 * i, "i64") & asm.load(face, 8 * i, "i64") & known)
                for i, known in enumerate(self.known)
            ),
        )

    def skip_if_known(self, thing: Ex, skip: Label) -> None:
        """Leaves for `skip` if the thing is like one that is known; else it is known from now on."""
        u, f = self.unit, self.unit.f
        thing = f.keep(thing)
        with f.when(thing):  # none is like none of them
            with u.each(self.alike(thing)) as other, f.block() as different:
                f.jump(different, Ex(asm.call(_same(u.c, self.kinds), thing, other)).eqz())
                f.jump(different, self._held(thing) | self._held(other))
                f.jump(skip)
            sets.include(u, self.known, u.plan.occupants, thing)

    def interchangeable(self, thing: Ex, other: Ex) -> Ex:
        """Of two things of one face."""
        same = Ex(asm.call(_same(self.unit.c, self.kinds), thing, other))
        return same & (self._held(thing) | self._held(other)).eqz()

    def _held(self, thing: Ex) -> Ex:
        u = self.unit
        found = Ex(asm.call(_held(u.c, self.kinds), thing))
        for var in self.earlier:
            type_ = u.c.variables[var].type
            if isinstance(type_, SetType):
                words = u.read_set(var)
                test = sets.within(u, thing, EntityType(tuple(k.name for k in self.kinds)), words.shape)
                inside = sets.bit_of(thing, words)
                found = found | (inside if test is None else asm.branch(test, inside, const(0)))
            else:
                found = found | u.read(var).compare("eq", thing)
        return found


def classes(u: Unit, binding: e.OptionBinding, before: tuple[e.OptionLevel, ...]) -> Classes | None:
    """None where no two values of the parameter can be interchangeable."""
    earlier: list[int] = []
    for level in before:
        if level.binding is not None:
            earlier.append(level.binding.var)
        earlier.extend(item.var for item in level.items if isinstance(item, e.OptionLet) and not item.aside)
    return of_type(u, binding.type, tuple(earlier))


def of_type(u: Unit, type_: Type, earlier: tuple[int, ...] = ()) -> Classes | None:
    if not isinstance(type_, EntityType):
        return None
    kinds = tuple(kind for kind in u.plan.movables if kind.name in type_.kinds)
    copies = u.world.copies
    faces = [copies[i] for kind in kinds for i in kind.ids]
    if len(set(faces)) == len(faces):
        return None
    names = frozenset(kind.name for kind in kinds)
    held = tuple(var for var in earlier if _may_hold(u.c.variables[var].type, names))
    known = tuple(u.f.local("i64") for _ in range(u.plan.occupants.size))
    return Classes(u, kinds, known, held)


def _may_hold(type_: Type, kinds: frozenset[str]) -> bool:
    element = type_.element if isinstance(type_, SetType) else type_
    return isinstance(element, EntityType) and not kinds.isdisjoint(element.kinds)


def _key(kinds: tuple[Kind, ...]) -> str:
    return " ".join(kind.name for kind in kinds)


def _same(c: Emitter, kinds: tuple[Kind, ...]) -> Function:
    """(two things of one face): whether all words that belong to them are equal."""

    def build(u: Unit) -> None:
        f = u.f
        x, y = f.param(0), f.param(1)
        for field in u.plan.fields.values():
            for position, dim in enumerate(field.dims):
                if dim.kind is None or not any(
                    dim.base < kind.base + kind.count and kind.base < dim.base + dim.size for kind in kinds
                ):
                    continue
                inner = field.width
                for later in field.dims[position + 1 :]:
                    inner *= later.size
                outer = field.size // (inner * dim.size)
                start = STATE + 4 * (field.offset - dim.base * inner)
                with f.when((x - dim.base).compare("lt_u", dim.size)):
                    _compare(u, x * (4 * inner), y * (4 * inner), start, inner, outer, 4 * inner * dim.size)
        f.give(1)

    return c.made(f"same {_key(kinds)}", ["i32", "i32"], ["i32"], build)


def _compare(u: Unit, x: Ex, y: Ex, start: int, inner: int, outer: int, stride: int) -> None:
    """Returns 0 if `inner` words at x and y differ in any of `outer` rows."""
    f = u.f
    a, b = f.keep(x), f.keep(y)
    if inner * outer == 1:
        with f.when(asm.load(a, start).compare("ne", asm.load(b, start))):
            f.give(0)
        return
    row, i = f.local(), f.local()
    f.set(row, 0)
    with f.loop() as rows:
        f.set(i, 0)
        with f.loop() as words:
            with f.when(asm.load(a + row + i, start).compare("ne", asm.load(b + row + i, start))):
                f.give(0)
            f.set(i, i + 4)
            f.jump(words, i.compare("lt_u", 4 * inner))
        f.set(row, row + stride)
        f.jump(rows, row.compare("lt_u", stride * outer))


def _held(c: Emitter, kinds: tuple[Kind, ...]) -> Function:
    """(thing): whether a state field or a frame word holds it."""
    names = frozenset(kind.name for kind in kinds)

    def build(u: Unit) -> None:
        f = u.f
        thing = f.param(0)
        for field in u.plan.fields.values():
            if _may_hold(field.type, names):
                _look(u, thing, field)
        fields = {field.offset for field in u.plan.fields.values()}
        for var, variable in enumerate(c.program.variables):
            if variable.frame and variable.word not in fields and _may_hold(variable.type, names):
                with f.when(u.read(var).compare("eq", thing)):
                    f.give(1)
        f.give(0)

    return c.made(f"held {_key(kinds)}", ["i32"], ["i32"], build)


def _look(u: Unit, thing: Ex, field: Field) -> None:
    f = u.f
    start, end = STATE + 4 * field.offset, STATE + 4 * (field.offset + field.size)
    if not isinstance(field.type, SetType):
        if field.count == 1:
            with f.when(asm.load(const(0), start).compare("eq", thing)):
                f.give(1)
            return
        at = f.local()
        f.set(at, start)
        with f.loop() as again:
            with f.when(asm.load(at).compare("eq", thing)):
                f.give(1)
            f.set(at, at + 4)
            f.jump(again, at.compare("lt_u", end))
        return
    bit = f.keep(thing - field.set_base)
    with f.when(bit.compare("lt_u", 32 * field.width)):
        at = f.local()
        f.set(at, bit.shr(5).shl(2) + start)
        with f.loop() as again:
            with f.when(asm.load(at).shr(bit & 31) & 1):
                f.give(1)
            f.set(at, at + 4 * field.width)
            f.jump(again, at.compare("lt_u", end))
