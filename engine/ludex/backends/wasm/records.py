"""Records of earlier positions; the hash is specified in `interpreter.records`."""

from __future__ import annotations

from collections.abc import Callable

from ludex.backends.interpreter.records import LANES
from ludex.backends.wasm import asm
from ludex.backends.wasm.asm import Ex, Function, const
from ludex.backends.wasm.emitter import Unit
from ludex.backends.wasm.plan import STATE
from ludex.backends.wasm.shapes import Shape, reshaped
from ludex.ir.layout import RecordLayout
from ludex.typed import expr as e
from ludex.typed.types import EntityType, SetType


def _blocks(u: Unit, value: e.Expr) -> int:
    """How many blocks a set gives."""
    assert isinstance(value.type, SetType)
    element = value.type.element
    top = u.world.size if isinstance(element, EntityType) else max(0, min(element.hi, 1023))
    return top // 32 + 1


def _hash(u: Unit, name: str) -> Function:
    """Leaves both halves: the low word, the high word."""
    record = next(r for r in u.c.program.records if r.name == name)

    def build(unit: Unit) -> None:
        from ludex.backends.wasm import folds, sets, values

        f = unit.f
        lanes = [f.local() for _ in LANES]
        n = f.local()
        f.set(n, 0)
        for h, lane in zip(lanes, LANES, strict=True):
            f.set(h, lane[0])

        def mix(block: Ex) -> None:
            block = f.keep(block)
            f.set(n, n + 4)
            for h, (_, c1, r1, c2, r2, add) in zip(lanes, LANES, strict=True):
                k = (block * c1).rotl(r1) * c2
                f.set(h, (h ^ k).rotl(r2) * 5 + add)

        def take(value: e.Expr) -> Callable[[object], None]:
            def visit(_: object) -> None:
                if not isinstance(value.type, SetType):
                    mix(values.value(unit, value))
                    return
                blocks = _blocks(unit, value)
                found = unit.kept(reshaped(sets.words(unit, value), Shape(0, (blocks + 1) // 2)))
                for i in range(blocks):
                    mix(found.words[i // 2].shr(32 * (i % 2)).wrap())

            return visit

        for bindings, value in record.parts:
            folds.each(unit, bindings, None, take(value), value)
        for h in lanes:
            f.set(h, h ^ n)
            f.set(h, (h ^ h.shr(16)) * 0x85EBCA6B)
            f.set(h, (h ^ h.shr(13)) * 0xC2B2AE35)
            f.set(h, h ^ h.shr(16))
        low, high = lanes
        f.give(low.extend(signed=False) | high.extend(signed=False).shl(32))

    return u.c.made(f"hash {name}", [], ["i64"], build)


def _layout(u: Unit, name: str) -> tuple[RecordLayout, int, int]:
    """(layout, address of the length, address of the trail)."""
    layout = next(r for r in u.c.program.layout.records if r.name == name)
    return layout, STATE + 4 * layout.offset, u.plan.trails[name]


def note(u: Unit, name: str, site: int) -> None:
    f = u.f
    layout, length, trail = _layout(u, name)
    n = f.keep(asm.load(const(0), length))
    with f.when(n.compare("ge_s", layout.keep)):
        u.fault("record", site)
    f.store(n * 8, trail, Ex(asm.call(_hash(u, name)), "i64"))
    f.store(const(0), length, n + 1)


def forget(u: Unit, name: str) -> None:
    f = u.f
    _, length, trail = _layout(u, name)
    n = asm.load(const(0), length)
    f.do((*const(trail).ops, *const(0).ops, *(n * 8).ops, ("memory.fill",)))
    f.store(const(0), length, 0)


def seen(u: Unit, name: str) -> Ex:
    f = u.f
    _, length, trail = _layout(u, name)
    found = f.local()

    def emit() -> None:
        own = f.keep(Ex(asm.call(_hash(u, name)), "i64"))
        left = f.keep(asm.load(const(0), length))
        f.set(found, 0)
        with f.block() as done, f.loop() as again:
            f.jump(done, left.compare("le_s", 0))
            f.set(left, left - 1)
            f.set(found, found + asm.load(left * 8, trail, "i64").compare("eq", own))
            f.jump(again)

    return Ex((*u.part(emit), *found.ops))
