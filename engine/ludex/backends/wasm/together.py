"""Moving all that lies in one place at once: a pile gathered back, a hand laid down.

One by one each thing would be taken off its pile, and found a place in the next, though nobody can tell
in which order: the target keeps none, and holds any number.
"""

from __future__ import annotations

from ludex.backends.wasm import asm, moves, occupants
from ludex.backends.wasm.asm import Ex, const
from ludex.backends.wasm.emitter import Unit
from ludex.backends.wasm.sets import lowest
from ludex.backends.wasm.shapes import Words


def move(u: Unit, things: Words, target: Ex, site: Ex) -> None:
    """Moves the things of a set at once and leaves the function, if they lie in one place. If that keeps
    an order, only if they are all that lies there: nothing is left whose order changes."""
    f, c, plan = u.f, u.c, u.plan
    place = plan.base("@place")
    assert place is not None
    ordered = occupants.orders(c)
    with f.when(occupants.any_of(things).eqz()):
        f.leave()
    source = f.keep(asm.load(lowest(things) * 4, place))
    here, at = occupants.row_of(u, source)
    left = [f.keep(word & (own ^ -1)) for word, own in zip(here.words, things.words, strict=True)]
    with f.block() as apart:
        others = const(0, "i64")
        for word, own in zip(here.words, things.words, strict=True):
            others = others | (own & (word ^ -1))
        f.jump(apart, others.compare("ne", 0))
        if ordered:
            any_left = occupants.any_of(Words(things.shape, tuple(left)))
            f.jump(apart, any_left & occupants.flag(c, source, "ordered"))
        _check(u, things, target, site)
        row, width = plan.row()
        to = f.keep(target * width)
        for i, word in enumerate(left):
            f.store(at, row + 8 * i, word)
        for i, word in enumerate(things.words):
            f.store(to, row + 8 * i, asm.load(to, row + 8 * i, "i64") | word)
        if ordered:
            moves.empty(u, source)
        with u.each(things) as thing:
            f.store(thing * 4, place, target)
            if ordered:
                moves.forget(u, thing)
            occupants.leave(u, thing, source)
            occupants.hold(u, thing, target)
        f.leave()


def _check(u: Unit, things: Words, target: Ex, site: Ex) -> None:
    """Faults `place` where the target may not hold one of them."""
    f, c = u.f, u.c
    wrong = target.eqz()
    for kind in c.plan.movables:
        allowed = bytearray(u.world.size + 1)
        for location in c.plan.locations:
            if location.may_hold(kind):
                for i in location.ids:
                    allowed[i] = 1
        if all(allowed[i] for location in c.plan.locations for i in location.ids):
            continue
        content = bytes(allowed)
        at = c.constant(("may hold", kind.name), lambda content=content: content)  # type: ignore[misc]
        some = const(0, "i64")
        for word, mask in zip(things.words, things.shape.words(kind.mask), strict=True):
            some = some | (word & mask)
        wrong = wrong | (some.compare("ne", 0) & asm.load_byte(target, at).eqz())
    with f.when(wrong):
        f.do(asm.call(c.fault, const(moves.fault_number("place")), site))
