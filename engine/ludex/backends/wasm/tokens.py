"""Moving tokens: the same as `interpreter.piles`, in instructions.

There is a function for each way of moving: what the program says of number, source and target need
not be asked while it runs.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace

from ludex.backends.wasm import asm, moves, occupants, sets, values
from ludex.backends.wasm.asm import Ex, Function, Instruction, Label, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.typed import code as s
from ludex.typed import expr as e
from ludex.typed.types import EntityType, SetType, Type
from ludex.typed.world import Kind


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a move beforehand."""

    count: int = 0
    """How many, 0 if not known."""
    source: int = 0
    """From where, 0 if not known."""
    allowed: bool = False
    """The target may hold such tokens, unless it is none."""
    single: bool | None = None
    """Whether the target holds one thing at most; None if not known."""


def move(u: Unit, st: s.MoveTokens) -> tuple[Instruction, ...]:
    """Some tokens of one face go somewhere."""
    known = _known(u, st)
    if u.c.is_only(st, lambda other: _known(u, other)):
        return u.part(lambda: _move_here(u, st, known))
    ops: list[Instruction] = []
    for part, given in ((st.count, known.count), (st.face, 0), (st.source, known.source), (st.target, 0)):
        if not given:
            ops.extend(values.value(u, part).ops)
    return (*ops, *const(st.site).ops, ("call", mover(u.c, known)))


def move_all(u: Unit, st: s.MoveAllTokens) -> None:
    """All tokens of some faces go somewhere. Mostly there are none: then there is nothing to be called."""
    f = u.f
    assert isinstance(st.faces.type, SetType)
    known = _held(u, st.faces.type.element, st.target.type)
    mover_ = mover(u.c, known)

    def go(face: Ex, source: Ex, target: Ex) -> None:
        here = f.keep(occupants.tokens_at(u.c, source, face))
        with f.when(here):
            f.do(asm.call(mover_, here, face, source, target, const(st.site)))

    if isinstance(st.faces, e.Singleton) and not st.faces.keep_none:
        face = f.keep(values.value(u, st.faces.element))
        source, target = f.keep(values.value(u, st.source)), f.keep(values.value(u, st.target))
        with f.when(source.compare("ne", 0) & face.compare("ne", 0)):
            go(face, source, target)
        return
    found = sets.words(u, st.faces)
    source, target = f.keep(values.value(u, st.source)), f.keep(values.value(u, st.target))
    with f.when(source.compare("ne", 0)), u.each(found) as one:
        go(one, source, target)


def _move_here(u: Unit, st: s.MoveTokens, known: Known) -> None:
    """The only move of its kind is no function."""
    f = u.f
    asked = (st.count, st.face, st.source, st.target)
    count, face, source, target = (f.keep(values.value(u, part)) for part in asked)
    with f.block() as done:
        _move(u, known, done, count, face, source, target, const(st.site))


def _known(u: Unit, st: s.MoveTokens) -> Known:
    known = _held(u, st.face.type, st.target.type)
    return replace(known, count=_constant(st.count), source=_constant(st.source))


def _held(u: Unit, face: Type, target: Type) -> Known:
    """Whether the places of a type hold tokens of a type of faces."""
    faces, targets = _kinds(u, face), _kinds(u, target)
    single = {kind.capacity == 1 for kind in targets}
    return Known(
        allowed=all(place.may_hold(kind) for place in targets for kind in faces),
        single=single.pop() if len(single) == 1 else None,
    )


def _constant(expr: e.Expr) -> int:
    return max(expr.value, 0) if isinstance(expr, e.Const) else 0


def _kinds(u: Unit, type_: Type) -> list[Kind]:
    assert isinstance(type_, EntityType)
    return [u.world.kind(name) for name in type_.kinds]


def mover(c: Emitter, known: Known = Known()) -> Function:
    """(count, face, source, target, site), but for what is known: as `MoveTokens`."""

    def build(u: Unit) -> None:
        f = u.f
        params = iter(range(5))
        count = const(known.count) if known.count else f.param(next(params))
        face = f.param(next(params))
        source = const(known.source) if known.source else f.param(next(params))
        target, site = f.param(next(params)), f.param(next(params))
        with f.block() as done:
            _move(u, known, done, count, face, source, target, site)

    given = (known.count, known.source).count(0)
    return c.made(f"move tokens {astuple(known)}", ["i32"] * (3 + given), [], build)


def _move(
    u: Unit, known: Known, done: Label, count: Ex, face: Ex, source: Ex, target: Ex, site: Ex
) -> None:
    """All in locals or constants; jumps where nothing moves."""
    f, c = u.f, u.c
    f.jump(done, face.eqz())
    here = _tokens_at(u, source, face)
    too_few = count.compare("gt_s", here)
    if not known.count:
        too_few = count.compare("lt_s", 0) | too_few
    with f.when(too_few):
        u.fault("tokens", site)
    if not known.count:
        f.jump(done, count.eqz())
    if not known.allowed:
        moves.check_place(u, face, target, site)
    else:
        with f.when(target.eqz()):
            u.fault("place", site)
    if known.single is not False:
        _check_room(u, known, count, source, target, site)
    left = f.keep(here - count)
    _store(u, source, face, left)
    # read again: it may be where they come from
    there = f.keep(asm.load(*occupants.tokens_address(c, target, face)) + count)
    _store(u, target, face, there)
    occupants.note_moved(u, face, source, left, target, there)


def _tokens_at(u: Unit, place: Ex, face: Ex) -> Ex:
    """How many tokens of a face are at a location, 0 at none."""
    f = u.f
    if place.constant is not None:
        return f.keep(occupants.tokens_at(u.c, place, face))
    here = f.local()
    f.set(here, 0)
    with f.when(place.compare("ne", 0)):
        f.set(here, occupants.tokens_at(u.c, place, face))
    return here


def _store(u: Unit, place: Ex, face: Ex, number: Ex) -> None:
    address, offset = occupants.tokens_address(u.c, place, face)
    u.f.store(address, offset, number)


def _check_room(u: Unit, known: Known, count: Ex, source: Ex, target: Ex, site: Ex) -> None:
    """Faults `capacity` where the target holds one thing at most, and has something or gets more."""
    f = u.f
    single = const(1) if known.single else occupants.flag(u.c, target, "single")
    if single.constant == 0:
        return
    with f.when(single & source.compare("ne", target)):
        full = occupants.has_tokens(u, target)
        if any(kind.count for kind in u.plan.movables):
            row, _ = occupants.row_of(u, target)
            full = full | occupants.any_of(row)
        if known.count != 1:
            full = full | count.compare("gt_s", 1)
        with f.when(full):
            u.fault("capacity", site)
