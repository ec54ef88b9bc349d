"""Moving all that lies in one place at once: a pile gathered back, a hand laid down.

One by one each thing would be taken off its pile, and found a place in the next, though nobody can tell
in which order: the target keeps none, and holds any number.
"""

from __future__ import annotations

from dataclasses import astuple, replace

from ludex.backends.wasm import asm, occupants, piles, sets, values
from ludex.backends.wasm.asm import Ex, Function, ValueType, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.moves import Known, known_of, move
from ludex.backends.wasm.shapes import Words
from ludex.typed import code as s


def move_all(u: Unit, st: s.MoveAll) -> None:
    """All things of a set go somewhere."""
    f = u.f
    known = replace(known_of(u, st.things, st.target), under=st.under)
    ops, words = sets.built(u, st.things, u.plan.occupants)
    f.do(ops)
    for word in words.words:
        f.do(word.ops)
    f.do(values.value(u, st.target).ops)
    f.do((*const(st.site).ops, ("call", _mover(u.c, known))))


def _mover(c: Emitter, known: Known) -> Function:
    """(the words of a set of things, target, site): as `MoveAll`.

    Ascending, but the turns that one ordered pile's cards have are taken from its top down. In what
    order they come matters to an ordered pile, and to what holds one thing: which of them is too many.
    """
    shape = c.plan.occupants

    def build(u: Unit) -> None:
        f = u.f
        things = Words(shape, tuple(f.param(i) for i in range(shape.size)))
        target, site = f.param(shape.size), f.param(shape.size + 1)

        def go(thing: Ex) -> None:
            f.do(asm.call(move(c, known), thing, target, site))

        if known.single is False and known.ordered is False:
            tells = const(0)
        else:
            tells = occupants.flag(c, target, "ordered") | occupants.flag(c, target, "single")
        if tells.constant != 1:
            with f.when(tells.eqz()):
                _move_at_once(u, known, things, target, site)
                with u.each(things) as thing:
                    go(thing)
                f.leave()
        if not occupants.orders(c):
            with u.each(things) as thing:
                go(thing)
            return
        if tells.constant == 0:
            return
        row, _ = u.plan.row()
        left = tuple(f.local("i64") for _ in range(shape.size))
        for local, word in zip(left, things.words, strict=True):
            f.set(local, word)
        key, end, chosen, pile = f.local("i64"), f.local(), f.local(), f.local()
        f.set(end, u.plan.sequence)
        with u.each(things) as thing:
            f.set(chosen, thing)
            f.set(pile, asm.load(thing * 4, piles.word(u, "@place")))
            with f.when(occupants.flag(c, pile, "ordered")):
                at = f.keep(pile * (8 * shape.size))
                here = [f.keep(asm.load(at, row + 8 * i, "i64") & word) for i, word in enumerate(left)]
                f.set(chosen, piles.next_down(u, Words(shape, tuple(here)), key))
                piles.exclude(u, left, shape, chosen)
            f.store(end, 0, chosen)
            f.set(end, end + 4)
        at = f.local()
        f.set(at, u.plan.sequence)
        with f.block() as done, f.loop() as again:
            f.jump(done, at.compare("ge_u", end))
            go(asm.load(at))
            f.set(at, at + 4)
            f.jump(again)

    types: list[ValueType] = ["i64"] * shape.size
    return c.made(f"move all {astuple(known)}", [*types, "i32", "i32"], [], build)


def _move_at_once(u: Unit, known: Known, things: Words, target: Ex, site: Ex) -> None:
    """Moves the things of a set at once and leaves the function, if they lie in one place. If that keeps
    an order, only if they are all that lies there: nothing is left whose order changes."""
    kind = None if known.kind is None else u.world.kind(known.kind)
    f, c, plan = u.f, u.c, u.plan
    place = plan.base("@place")
    assert place is not None
    ordered = occupants.orders(c)
    with f.when(occupants.any_of(things).eqz()):
        f.leave()
    source = f.keep(asm.load(sets.lowest(things) * 4, place))
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
        if not known.allowed:
            _check(u, things, target, site)
        row, width = plan.row()
        to = f.keep(target * width)
        for i, word in enumerate(left):
            f.store(at, row + 8 * i, word)
        for i, word in enumerate(things.words):
            f.store(to, row + 8 * i, asm.load(to, row + 8 * i, "i64") | word)
        if ordered:
            piles.empty(u, source)
        with u.each(occupants.of_kind(c, things, kind)) as thing:
            f.store(thing * 4, place, target)
            if ordered:
                piles.forget(u, thing)
            occupants.leave(u, thing, source, kind)
            occupants.hold(u, thing, target, kind)
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
        u.fault("place", site)
