"""Records of earlier positions; the hash is specified in `interpreter.records`."""

from __future__ import annotations

import struct
from collections.abc import Callable

from ludex.backends.wasm import asm
from ludex.backends.wasm.asm import Ex, Function, choose, const
from ludex.backends.wasm.emitter import Unit
from ludex.backends.wasm.plan import FILTER, STATE, Kept
from ludex.backends.wasm.shapes import Shape, Words, reshaped, span
from ludex.ir import recorded
from ludex.ir.layout import Field, RecordLayout
from ludex.ir.passes.local import Local
from ludex.ir.reads import reads
from ludex.rng import derive
from ludex.typed import expr as e
from ludex.typed.types import BoolType, EntityType, IntType, SetType, Type

SHARES = 1024
"""Of values at places, so many at most, it is looked up what they add to a hash."""

FEW = 16
"""Of numbers only those below this."""


def _share(u: Unit, block: Ex, number: Ex | int) -> Ex:
    """What a block adds to the hash; `number` is its number times 2**32."""
    f = u.f
    value = f.keep(block)
    if isinstance(number, int):
        number = const(number, "i64")
    z = f.keep((value.extend(signed=False) | number) + 0x9E3779B97F4A7C15)
    z = f.keep((z ^ z.shr(30)) * 0xBF58476D1CE4E5B9)
    z = f.keep((z ^ z.shr(27)) * 0x94D049BB133111EB)
    return choose(value, z ^ z.shr(31), const(0, "i64"))


def _share_at(u: Unit, expr: e.Expr, first: int, count: int, place: Ex) -> Ex:
    """What the block adds whose number is `first` and how far behind the first of `count` places one lies:
    the value there. Small values are looked up."""
    from ludex.backends.wasm import values

    f = u.f
    value = f.keep(values.value(u, expr))
    size, sure = _looked_up(u, expr.type, count)
    if not size:
        return _share(u, value, place.extend(signed=False).shl(32) + (first << 32))
    table = u.c.constant(("shares", first, count, size), lambda: _shares(first, count, size))
    found = asm.load((place * size + value).shl(3), table, "i64")
    if sure:
        return found
    share = f.local("i64")
    with f.when(value.compare("lt_u", size)):
        f.set(share, found)
        f.otherwise()
        f.set(share, _share(u, value, place.extend(signed=False).shl(32) + (first << 32)))
    return share


def _looked_up(u: Unit, type_: Type, places: int) -> tuple[int, bool]:
    """(of how many values, from 0, it is looked up what they add; whether there are no others)."""
    match type_:
        case BoolType():
            size, sure = 2, True
        case EntityType():
            size, sure = span(u.world, type_)[1] + 1, True
        case IntType(lo, hi):
            size, sure = (hi + 1, True) if lo >= 0 and hi < FEW else (FEW, False)
        case _:
            return 0, False
    return (size, sure) if size * places <= SHARES else (0, False)


def _shares(first: int, count: int, size: int) -> bytes:
    """For each place and value what it adds."""
    shares = (
        derive(number << 32 | value, 0) if value else 0
        for number in range(first, first + count)
        for value in range(size)
    )
    return struct.pack(f"<{count * size}Q", *shares)


def _hash(u: Unit, name: str) -> Function:
    """The hash of the present position."""
    record = next(r for r in u.c.program.records if r.name == name)

    def build(unit: Unit) -> None:
        from ludex.backends.wasm import folds, sets, values

        f = unit.f
        total, n = f.local("i64"), f.local("i64")
        kept = unit.plan.kept.get(name)
        firsts = {number for number, _ in kept.parts} if kept is not None else set()
        if kept is not None:
            _refresh(unit, kept)
            f.set(total, asm.load(const(0), kept.total, "i64"))

        def add(block: Ex) -> None:
            f.set(total, total + _share(unit, block, n))
            f.set(n, n + (1 << 32))

        def take(part: recorded.Part) -> Callable[[object], None]:
            def visit(_: object) -> None:
                if part.first is not None and not part.bindings and not isinstance(part.value.type, SetType):
                    f.set(total, total + _share_at(unit, part.value, part.first, 1, const(0)))
                    f.set(n, part.first + 1 << 32)
                elif not isinstance(part.value.type, SetType):
                    add(values.value(unit, part.value))
                else:
                    shape = Shape(0, (part.blocks + 1) // 2)
                    found = unit.kept(reshaped(sets.words(unit, part.value), shape))
                    for i in range(part.blocks):
                        add(found.words[i // 2].shr(32 * (i % 2)).wrap())

            return visit

        for part in recorded.parts(unit.c.program, record):
            if part.first in firsts:
                continue
            if part.first is not None:
                f.set(n, part.first << 32)
            folds.each(unit, part.bindings, None, take(part), part.value)
        f.give(total)

    return u.c.made(f"hash {name}", [], ["i64"], build)


def _refresh(u: Unit, kept: Kept) -> None:
    """Looks again at the places where something may have changed."""
    f = u.f
    domain = kept.domain
    shape = kept.places
    own = shape.words((1 << domain.stop) - (1 << domain.start))
    touched = tuple(
        asm.load(const(0), kept.touched + 8 * i, "i64") & word for i, word in enumerate(own)
    )
    words = u.kept(reshaped(u.kept(Words(shape, touched)), Shape(domain.start, (len(domain) + 63) // 64)))
    change, now = f.local("i64"), f.local("i64")
    f.set(change, 0)
    with u.each(words) as place:
        f.set(now, 0)
        for number, part in kept.parts:

            def add(number: int = number, part: Local = part) -> None:
                u.write(part.var, place)
                here = f.keep(place - part.first)
                f.set(now, now + _share_at(u, part.value, number, part.count, here))

            if range(part.first, part.first + part.count) == domain:
                add()
            else:
                with f.when((place - part.first).compare("lt_u", part.count)):
                    add()
        at = f.keep(place * 8)
        offset = kept.shares - 8 * domain.start
        f.set(change, change + now - asm.load(at, offset, "i64"))
        f.store(at, offset, now)
    f.store(const(0), kept.total, asm.load(const(0), kept.total, "i64") + change)
    for i in range(shape.size):
        f.store(const(0), kept.touched + 8 * i, const(0, "i64"))


def rebuild(u: Unit) -> None:
    """The state was replaced: what is kept for records is to be looked at again, everywhere."""
    for kept in u.plan.kept.values():
        for i in range(kept.places.size):
            u.f.store(const(0), kept.touched + 8 * i, const(-1, "i64"))
    for name, at in u.plan.filters.items():
        _, length, _ = _layout(u, name)
        with u.f.when(asm.load(const(0), length)):
            u.f.do((*const(at).ops, *const(-1).ops, *const(FILTER).ops, ("memory.fill",)))


def touch(u: Unit, place: Ex) -> None:
    """Something may have changed at a place."""
    for kept in u.plan.kept.values():
        at = place - kept.places.base
        offset = u.f.keep(const(0) if kept.places.size == 1 else at.shr(6).shl(3))
        bit = const(1, "i64").shl(at.extend(signed=False))
        u.f.store(offset, kept.touched, asm.load(offset, kept.touched, "i64") | bit)


def touch_all(u: Unit, places: Ex) -> None:
    """The same at some places, where all are in one word."""
    for kept in u.plan.kept.values():
        u.f.store(const(0), kept.touched, asm.load(const(0), kept.touched, "i64") | places)


def touches(u: Unit, field: Field) -> bool:
    """Whether the hash of a record changes with a field."""
    parts = [part for kept in u.plan.kept.values() for _, part in kept.parts]
    return any(field.name in part.of_places or field.name in part.of_things for part in parts)


def touch_stored(u: Unit, field: Field, index: Ex) -> None:
    """An element of a field has changed, whose number is `index` (of its only dimension)."""
    parts = [part for kept in u.plan.kept.values() for _, part in kept.parts]
    if any(field.name in part.of_places for part in parts):
        touch(u, index)
    if any(field.name in part.of_things for part in parts):
        place = u.plan.base("@place")
        assert place is not None
        at = u.f.keep(asm.load(index * 4, place))
        with u.f.when(at):
            touch(u, at)


def _layout(u: Unit, name: str) -> tuple[RecordLayout, int, int]:
    """(layout, address of the length, address of the trail)."""
    layout = next(r for r in u.c.program.layout.records if r.name == name)
    return layout, STATE + 4 * layout.offset, u.plan.trails[name]


def _bit(u: Unit, name: str, own: Ex) -> tuple[Ex, Ex]:
    """(offset of the filter's word for a hash, the hash's bit in it)."""
    offset = u.f.keep((own.shr(6) & (FILTER // 8 - 1)).wrap().shl(3))
    return offset, u.f.keep(const(1, "i64").shl(own))


def note(u: Unit, name: str, site: int) -> None:
    f, filter_ = u.f, u.plan.filters[name]
    layout, length, trail = _layout(u, name)
    n = f.keep(asm.load(const(0), length))
    with f.when(n.compare("ge_s", layout.keep)):
        u.fault("record", site)
    own = u.noted[name] = f.keep(Ex(asm.call(_hash(u, name)), "i64"))
    for other in [other for other in u.noted if _speaks_of(u, other, name)]:
        del u.noted[other]
    f.store(n * 8, trail, own)
    f.store(const(0), length, n + 1)
    offset, bit = _bit(u, name, own)
    before = f.keep(asm.load(offset, filter_, "i64"))
    f.store(offset, filter_, before | bit)
    f.store(const(0), filter_ + FILTER, choose((before & bit).eqz(), n + 1, const(0)))


def _speaks_of(u: Unit, name: str, other: str) -> bool:
    """Whether the positions of a record depend on what stands in another."""
    record = next(r for r in u.c.program.records if r.name == name)
    return f"@record:{other}" in reads(record, u.c.functions)


def forget(u: Unit, name: str) -> None:
    f = u.f
    _, length, trail = _layout(u, name)
    n = f.keep(asm.load(const(0), length))
    with f.when(n):
        f.do((*const(trail).ops, *const(0).ops, *(n * 8).ops, ("memory.fill",)))
        f.store(const(0), length, 0)
        f.do((*const(u.plan.filters[name]).ops, *const(0).ops, *const(FILTER).ops, ("memory.fill",)))


def seen(u: Unit, name: str) -> Ex:
    f, filter_ = u.f, u.plan.filters[name]
    _, length, trail = _layout(u, name)
    found = f.local()

    def emit() -> None:
        own = u.noted.get(name) or f.keep(Ex(asm.call(_hash(u, name)), "i64"))
        left = f.keep(asm.load(const(0), length))
        with f.block() as done:
            offset, bit = _bit(u, name, own)
            f.set(found, 0)
            f.jump(done, (asm.load(offset, filter_, "i64") & bit).eqz())
            with f.when(asm.load(const(0), filter_ + FILTER).compare("eq", left) & left.compare("ne", 0)):
                f.set(found, 1)
                f.jump(done, asm.load(left * 8, trail - 8, "i64").compare("eq", own))
                f.set(found, 0)
            with f.loop() as again:
                f.jump(done, left.eqz())
                f.set(left, left - 1)
                f.set(found, found + asm.load(left * 8, trail, "i64").compare("eq", own))
                f.jump(again)

    return Ex((*u.part(emit), *found.ops))
