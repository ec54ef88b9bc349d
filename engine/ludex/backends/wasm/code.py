"""Statements: structured code that runs to its end without suspending."""

from __future__ import annotations

from itertools import islice
from typing import TypeGuard, assert_never

from ludex.backends.wasm import (
    asm,
    elements,
    folds,
    moves,
    occupants,
    piles,
    records,
    sets,
    together,
    tokens,
    values,
)
from ludex.backends.wasm.asm import Instruction, const
from ludex.backends.wasm.emitter import Unit
from ludex.backends.wasm.plan import STATE
from ludex.ir import code as s
from ludex.ir.passes.analysis import total as is_total
from ludex.typed import expr as e
from ludex.typed.types import BoolType, EntityType, IntType, SetType

MANY = 8
"""Moves of constant things to constant places in a row, from which on they are a loop over a table."""


def code(u: Unit, statements: s.Code) -> None:
    u.noted = {}
    at = 0
    while at < len(statements):
        moved: list[s.MoveOne] = []
        for st in islice(statements, at, None):
            if not _is_constant(st) or (moved and st.under != moved[0].under):
                break
            moved.append(st)
        if len(moved) >= MANY:
            u.noted = {}
            move_constants(u, moved)
            at += len(moved)
        else:
            statement(u, statements[at])
            at += 1


def _is_constant(st: s.Stmt) -> TypeGuard[s.MoveOne]:
    return isinstance(st, s.MoveOne) and isinstance(st.thing, e.Const) and isinstance(st.target, e.Const)


def move_constants(u: Unit, moved: list[s.MoveOne]) -> None:
    """Moves one after another, all on top or all to the bottom: as a game begins, all that has a place of its
    own goes there."""
    f, c = u.f, u.c
    words: list[int] = []
    for st in moved:
        assert isinstance(st.thing, e.Const) and isinstance(st.target, e.Const)
        words.extend((st.thing.value, st.target.value, st.site))
    at, first = f.local(), c.integers(("moves", tuple(words)), words)
    f.set(at, first)
    move = moves.move(c, moves.Known(under=moved[0].under))
    with f.loop() as again:
        f.do(asm.call(move, *(asm.load(at, 4 * i) for i in range(3))))
        f.set(at, at + 12)
        f.jump(again, at.compare("lt_u", first + 4 * len(words)))


def statement(u: Unit, st: s.Stmt) -> None:
    f, c = u.f, u.c
    if not isinstance(st, s.NoteRecord | s.Enter | s.Resume | s.If):
        u.noted = {}
    match st:
        case s.SetVar(var, expr):
            assign(u, var, expr)
        case s.Store():
            store(u, st)
        case s.MoveOne():
            moves.move_one(u, st)
        case s.MoveAll():
            together.move_all(u, st)
        case s.MoveTokens():
            f.do(tokens.move(u, st))
        case s.MoveAllTokens():
            tokens.move_all(u, st)
        case s.ShufflePile(pile):
            f.do((*values.value(u, pile).ops, ("call", piles.shuffle(c))))
        case s.ReversePile(pile):
            f.do((*values.value(u, pile).ops, ("call", piles.reverse(c))))
        case s.If(test, then, orelse):
            with f.when(values.value(u, test)):
                code(u, then)
                if orelse:
                    f.otherwise()
                    code(u, orelse)
            u.noted = {}
        case s.For():
            for_each(u, st)
        case s.Loop():
            loop(u, st)
        case s.Break():
            f.jump(u.breaks[-1])
        case s.RunAtomic(name, args):
            f.do(run(u, name, args))
        case s.Reveal() | s.Announce():
            pass  # what is told is told by the interpreter
        case s.NoteRecord(record, site):
            records.note(u, record, site)
        case s.ForgetRecord(record):
            records.forget(u, record)
        case s.Enter(rule):
            enter(u, rule)
        case s.Resume(rule):
            f.do(asm.set_global(u.c.rule, rule))
        case _:
            assert_never(st)


def enter(u: Unit, rule: int) -> None:
    u.f.do(asm.set_global(u.c.rule, rule))
    count(u, rule)


def count(u: Unit, rule: int) -> None:
    """One more for the coverage of a rule."""
    if u.c.counting:
        at = u.c.applied
        u.f.store(at, 4 * rule, asm.load(at, 4 * rule) + 1)


def assign(u: Unit, var: int, expr: e.Expr) -> None:
    if isinstance(expr.type, SetType):
        u.write_set(var, sets.words(u, expr))
    else:
        u.write(var, values.value(u, expr))


def run(u: Unit, name: str, args: tuple[e.Expr, ...]) -> tuple[Instruction, ...]:
    """A call of an atomic procedure; one tick."""
    atomic = u.c.atomics[name]

    def build(unit: Unit) -> None:
        unit.take_params(atomic.params)
        code(unit, atomic.body)

    made = u.c.made(f"procedure {name}", u.types(atomic.params), [], build)
    ticking = u.part(lambda: u.tick(atomic.body))
    return (*values.passed(u, atomic.params, args), *ticking, ("call", made))


def for_each(u: Unit, st: s.For) -> None:
    f = u.f
    if elements.fill(u, st):
        return
    if isinstance(st.domain, e.SetDomain) and st.guard is None and all(map(_plain, st.body)):
        # nothing can come between the turns: their ticks are counted at once
        things = sets.words(u, st.domain.set)
        total = things.words[0].unary("popcnt")
        for word in things.words[1:]:
            total = total + word.unary("popcnt")
        u.take_ticks(total.wrap())
        with u.each(things) as x:
            u.write(st.var, x)
            code(u, st.body)
        return
    with f.block() as done:
        u.breaks.append(done)
        with folds.going_through(u, st.var, st.domain):
            u.tick(st.body, st.guard)
            if st.guard is None:
                code(u, st.body)
            else:
                with f.when(values.value(u, st.guard)):
                    code(u, st.body)
        u.breaks.pop()


def _plain(st: s.Stmt) -> bool:
    """Whether a statement can neither fault nor cost a tick, and enters no rule."""
    match st:
        case s.SetVar(_, value):
            return is_total(value)
        case s.Store(_, index, value):
            simple = isinstance(value.type, BoolType) or isinstance(value, e.Const)
            return (
                simple
                and is_total(value)
                and all(isinstance(i.type, EntityType) and is_total(i) for i in index)
            )
        case _:
            return False


def loop(u: Unit, st: s.Loop) -> None:
    f = u.f
    with f.block() as done:
        left = None
        if st.count is not None:
            left = f.local()
            f.set(left, values.value(u, st.count))
        u.breaks.append(done)
        with f.loop() as again:
            if left is not None:
                f.jump(done, left.compare("le_s", 0))
            if st.test is not None:
                f.jump(done, values.value(u, st.test).eqz())
            u.tick(st.body, st.test)
            code(u, st.body)
            if left is not None:
                f.set(left, left - 1)
            f.jump(again)
        u.breaks.pop()


def store(u: Unit, st: s.Store) -> None:
    f = u.f
    field = u.plan.fields[st.field]
    ops, address, offset, _ = values.element(
        u, STATE + 4 * field.offset, 4 * field.width, field.dims, st.index, st.site, False
    )
    f.do(ops)
    if address.constant is None:
        address = f.keep(address)
    if isinstance(field.type, SetType):
        u.pack(address, offset, field.width, field.set_base, sets.words(u, st.value), st.site)
        return
    value = f.keep(values.value(u, st.value))
    if not _sure(st.value.type, field.lo, field.hi):
        outside = value.compare("lt_s", field.lo) | value.compare("gt_s", field.hi)
        if field.role == "place" or field.name == "@tokens":
            outside = const(0)
        if outside.constant is None:
            with f.when(outside):
                u.fault("range", st.site)
    if field.role == "place":
        _place(u, address, offset, value)
    own = len(field.dims) == 1 and field.role == "state"
    base = u.plan.base(field.name) if own else None
    if base is not None:
        elements.store(u, field, (address + (offset - base)).shr(2), value)
    f.store(address, offset, value)
    if base is not None:
        records.touch_stored(u, field, (address + (offset - base)).shr(2))
    if field.name == "@tokens":
        index = f.keep((address + (offset - STATE - 4 * field.offset)).shr(2))
        places, faces = field.dims
        place = f.keep(index._binary("div_u", faces.size) + places.base)
        face = f.keep(index._binary("rem_u", faces.size) + faces.base)
        occupants.note_tokens(u, place, face, value)


def _sure(type_: object, lo: int, hi: int) -> bool:
    if isinstance(type_, BoolType):
        return True
    return isinstance(type_, IntType) and lo <= type_.lo and type_.hi <= hi


def _place(u: Unit, address: asm.Ex, offset: int, value: asm.Ex) -> None:
    """Setting a place outright: the occupants follow. The thing is known from the address."""
    f = u.f
    base = u.plan.base("@place")
    assert base is not None
    thing = f.keep((address + (offset - base)).shr(2))
    shape, (row, width) = u.plan.occupants, u.plan.row()
    source = f.keep(asm.load(address, offset))
    at = thing - shape.base
    word = f.keep(const(0) if shape.size == 1 else at.shr(6).shl(3))
    bit = f.keep(const(1, "i64").shl(at.extend(signed=False)))
    for place, keep in ((source, False), (value, True)):
        with f.when(place.compare("ne", 0)):
            where = f.keep(place * width + word)
            old = asm.load(where, row, "i64")
            f.store(where, row, old | bit if keep else old & (bit ^ -1))
            if keep:
                occupants.hold(u, thing, place)
            else:
                occupants.leave(u, thing, place)
