"""Moving pieces and cards, as functions of the module: the same as `interpreter.piles`, in instructions.

There is a function for each way of moving: what the program says of thing and target need not be asked
while it runs.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace

from ludex.backends.wasm import asm, occupants, piles, places, values
from ludex.backends.wasm.asm import Ex, Function, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.typed import code as s
from ludex.typed import expr as e
from ludex.typed.types import EntityType, SetType
from ludex.typed.world import Kind


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a move beforehand."""

    kind: str | None = None
    """The kind of the thing."""
    top: bool = False
    """It is the top card of a pile that keeps an order."""
    allowed: bool = False
    """The target may hold it, and is not none."""
    single: bool | None = None
    """Whether the target holds one thing at most."""
    ordered: bool | None = None
    """Whether the target keeps an order."""
    under: bool = False
    """It goes to the bottom."""


def move_one(u: Unit, st: s.MoveOne) -> None:
    f = u.f
    known = _known(u, st)
    if u.c.is_only(st, lambda other: _known(u, other)):  # that is no function
        thing, target = f.keep(values.value(u, st.thing)), f.keep(values.value(u, st.target))
        _move(u, known, thing, target, const(st.site))
        return
    f.do(values.value(u, st.thing).ops)
    f.do(values.value(u, st.target).ops)
    f.do((*const(st.site).ops, ("call", move(u.c, known))))


def _known(u: Unit, st: s.MoveOne) -> Known:
    top = isinstance(st.thing, e.Top) and places.keeps_order(u, st.thing.pile)
    return replace(known_of(u, st.thing, st.target), top=top, under=st.under)


def known_of(u: Unit, things: e.Expr, target: e.Expr) -> Known:
    """What their types say of a thing, or the things of a set, and of where they go."""
    kinds, targets = _kinds(u, things), _kinds(u, target)
    single = {place.capacity == 1 for place in targets}
    ordered = {place.ordered for place in targets}
    return Known(
        kind=kinds[0].name if len(kinds) == 1 else None,
        allowed=_is_some(target) and all(place.may_hold(kind) for place in targets for kind in kinds),
        single=single.pop() if len(single) == 1 else None,
        ordered=ordered.pop() if len(ordered) == 1 else None,
    )


def _kinds(u: Unit, expr: e.Expr) -> list[Kind]:
    """What a thing, the things of a set, or a place may be of."""
    if isinstance(expr, e.Const):
        mask = expr.value if isinstance(expr.type, SetType) else 1 << expr.value
        return [kind for kind in u.world.kinds if kind.mask & mask]
    type_ = expr.type.element if isinstance(expr.type, SetType) else expr.type
    assert isinstance(type_, EntityType)
    return [u.world.kind(name) for name in type_.kinds]


def _is_some(expr: e.Expr) -> bool:
    if isinstance(expr, e.Const):
        return expr.value != 0
    return isinstance(expr.type, EntityType) and not expr.type.optional


def move(c: Emitter, known: Known) -> Function:
    """(thing, target, site): as `MoveOne`."""

    def build(u: Unit) -> None:
        _move(u, known, *(u.f.param(i) for i in range(3)))

    return c.made(f"move {astuple(known)}", ["i32"] * 3, [], build)


def _move(u: Unit, known: Known, thing: Ex, target: Ex, site: Ex) -> None:
    """All in locals or constants."""
    if known.top:
        _move_some(u, known, thing, target, site)
    else:
        with u.f.when(thing):
            _move_some(u, known, thing, target, site)


def _move_some(u: Unit, known: Known, thing: Ex, target: Ex, site: Ex) -> None:
    f, c = u.f, u.c
    kind = None if known.kind is None else u.world.kind(known.kind)
    if not known.allowed:
        check_place(u, thing, target, site)
    offset, bit = (f.keep(x) for x in occupants.bit_of_thing(c, thing, kind))
    row, width = u.plan.row()
    if known.single is not False:
        _check_room(u, known, offset, bit, target, site)
    place = u.plan.base("@place")
    assert place is not None
    source = f.keep(asm.load(thing * 4, place))
    from_ = f.keep(source * width + offset)
    with f.when(source.compare("ne", 0)):
        f.store(from_, row, asm.load(from_, row, "i64") ^ bit)
        occupants.leave(u, thing, source, kind)
        if known.top:
            piles.take_top(u, thing, source)
        elif occupants.orders(c):
            with f.when(occupants.flag(c, source, "ordered")):
                f.do(asm.call(piles.take(c), thing, source))
    to = f.keep(target * width + offset)
    f.store(to, row, asm.load(to, row, "i64") | bit)
    f.store(thing * 4, place, target)
    occupants.hold(u, thing, target, kind)
    if known.ordered is not False and occupants.orders(c):
        with f.when(occupants.flag(c, target, "ordered") if known.ordered is None else const(1)):
            (piles.put_under if known.under else piles.put_on)(u, thing, target)


def _check_room(u: Unit, known: Known, offset: Ex, bit: Ex, target: Ex, site: Ex) -> None:
    """Faults `capacity` where the target holds one thing at most, and has something else."""
    single = const(1) if known.single else occupants.flag(u.c, target, "single")
    if single.constant == 0:
        return
    with u.f.when(single):
        here, _ = occupants.row_of(u, target)
        others = const(0, "i64")
        for i, word in enumerate(here.words):
            own = bit if offset.constant == 8 * i else const(0, "i64")
            if offset.constant is None:
                own = asm.choose(offset.compare("eq", 8 * i), bit, const(0, "i64"))
            others = others | (word & (own ^ -1))
        with u.f.when(others.compare("ne", 0) | occupants.has_tokens(u, target)):
            u.fault("capacity", site)


def check_place(u: Unit, thing: Ex, target: Ex, site: Ex) -> None:
    """Faults `place` where the target may not hold such a thing."""
    world, c = u.world, u.c
    kinds = [k for k in world.kinds if k.is_movable or k.category == "token"]
    if all(place.may_hold(kind) for place in c.plan.locations for kind in kinds):
        test = const(0)
    else:
        size = world.size + 1
        number = bytearray(size)
        matrix = bytearray()
        for n, kind in enumerate(kinds):
            for i in kind.ids:
                number[i] = n
            line = bytearray(size)
            for place in c.plan.locations:
                if place.may_hold(kind):
                    for i in place.ids:
                        line[i] = 1
            matrix += line
        numbers = c.constant("kind numbers", lambda: bytes(number))
        allowed = c.constant("allowed", lambda: bytes(matrix))
        test = asm.load_byte(asm.load_byte(thing, numbers) * size + target, allowed).eqz()
    if not target.constant:
        test = test | target.eqz()
    if test.constant != 0:
        with u.f.when(test):
            u.fault("place", site)
