"""Statements: what runs between decisions.

A tick is counted for each member of a `For` (before its guard is tested), for each turn of a
`Loop` that begins, and for each `RunAtomic`. `Store` evaluates its indices, then its value,
then tests both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, assert_never

from ludex.backends.interpreter.expressions import procedure_call
from ludex.backends.interpreter.folds import domain, weight
from ludex.backends.interpreter.indexing import address
from ludex.backends.interpreter.memory import Act, read_set, write_set
from ludex.backends.machine import Ended, Entered, FacesShown, Fault, Revealed, Said, Stored, Words, viewers
from ludex.ir import code as s
from ludex.ir.layout import Field
from ludex.typed import expr as e
from ludex.typed.types import BoolType, IntType, SetType

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler


def code(c: Compiler, statements: s.Code) -> Act | None:
    """A sequence; true if a `Break` was met. None if there is nothing to do."""
    parts = tuple(statement(c, part) for part in statements)
    if not parts:
        return None
    if len(parts) == 1:
        return parts[0]
    if any(_breaks(part) for part in statements):

        def run_until(w: Words) -> bool:
            return any(part(w) for part in parts)

        return run_until
    if len(parts) == 2:
        first, second = parts

        def run_two(w: Words) -> None:
            first(w)
            second(w)

        return run_two

    def run(w: Words) -> None:
        for part in parts:
            part(w)

    return run


def _breaks(statement: s.Stmt) -> bool:
    """Whether a statement may leave the loop around it."""
    if isinstance(statement, s.If):
        return any(map(_breaks, statement.then)) or any(map(_breaks, statement.orelse))
    return isinstance(statement, s.Break)


def statement(c: Compiler, st: s.Stmt) -> Act:
    piles, context = c.piles, c.context
    match st:
        case s.SetVar(var, value):
            return assign(c, var, value)
        case s.Store():
            return store(c, st)
        case s.MoveOne():
            thing, target, under, site = c.word(st.thing), c.word(st.target), st.under, st.site
            return lambda w: piles.move(w, thing(w), target(w), under, site)
        case s.MoveAll():
            things, target, under, site = c.word(st.things), c.word(st.target), st.under, st.site
            return lambda w: piles.move_all(w, things(w), target(w), under, site)
        case s.MoveTokens():
            args, site = c.values((st.count, st.face, st.source, st.target)), st.site

            def move_tokens(w: Words) -> None:
                count, face, source, target = args(w)
                piles.move_tokens(w, count, face, source, target, site)

            return move_tokens
        case s.MoveAllTokens():
            args, site = c.values((st.faces, st.source, st.target)), st.site

            def move_all_tokens(w: Words) -> None:
                faces, source, target = args(w)
                piles.move_all_tokens(w, faces, source, target, site)

            return move_all_tokens
        case s.ShufflePile(pile):
            where = c.word(pile)
            return lambda w: piles.shuffle(w, where(w))
        case s.ReversePile(pile):
            where = c.word(pile)
            return lambda w: piles.reverse(w, where(w))
        case s.If():
            return branch(c, st)
        case s.For():
            return for_each(c, st)
        case s.Loop():
            return loop(c, st)
        case s.Break():
            return lambda w: True
        case s.RunAtomic(name, arguments):
            return procedure_call(c, name, arguments)
        case s.Reveal():
            return reveal(c, st)
        case s.Announce():
            return announce(c, st)
        case s.NoteRecord(record, site):
            return c.records.note(record, site)
        case s.ForgetRecord(record):
            return c.records.forget(record)
        case s.Enter(rule):

            def enter(w: Words) -> None:
                context.rule = rule
                context.applied[rule] += 1
                if context.events is not None:
                    context.events.append(Entered(rule))

            return enter
        case s.Resume(rule):

            def resume(w: Words) -> None:
                context.rule = rule

            return resume
        case _:
            assert_never(st)


def assign(c: Compiler, var: int, value: e.Expr) -> Act:
    f = c.word(value)
    if c.plain(var):
        slot = c.slot(var)

        def run(w: Words) -> None:
            w[slot] = f(w)

        return run
    write = c.writer(var)
    return lambda w: write(w, f(w))


def branch(c: Compiler, st: s.If) -> Act:
    test = c.expr(st.test)
    then = code(c, st.then) or (lambda w: None)
    orelse = code(c, st.orelse)
    if orelse is None:
        return lambda w: then(w) if test(w) else None
    other = orelse
    return lambda w: then(w) if test(w) else other(w)


def turn(c: Compiler, body: s.Code, least: int = 0) -> Callable[[], None]:
    """A tick, and effort by the size of what is done in each turn."""
    context, effort = c.context, least + 2 * weight(body)
    tick, spend = context.tick, context.spend

    def run() -> None:
        tick()
        spend(effort)

    return run


def for_each(c: Compiler, st: s.For) -> Act:
    items = domain(c, st.domain)
    guard = None if st.guard is None else c.expr(st.guard)
    write, plain, slot = c.writer(st.var), c.plain(st.var), c.slot(st.var)
    body, tick = code(c, st.body), turn(c, st.body)

    def run(w: Words) -> None:
        for x in items(w):
            tick()
            if plain:
                w[slot] = x
            else:
                write(w, x)
            if (guard is None or guard(w)) and body is not None and body(w):
                return

    return run


def loop(c: Compiler, st: s.Loop) -> Act:
    count = None if st.count is None else c.expr(st.count)
    test = None if st.test is None else c.expr(st.test)
    body, tick = code(c, st.body), turn(c, st.body)

    def run(w: Words) -> None:
        left = -1 if count is None else max(count(w), 0)
        while left != 0 and (test is None or test(w)):
            tick()
            if body is not None and body(w):
                return
            left -= 1

    return run


def reveal(c: Compiler, st: s.Reveal) -> Act:
    things, to, context = c.word(st.things), c.word(st.to), c.context
    dice = sum(k.mask for k in c.program.world.kinds if k.category == "die")
    face, players, everyone = c.memory.base("@face") or 0, c.program.world.players.mask, c.piles.everyone

    def run(w: Words) -> None:
        shown, audience = things(w), to(w)
        if context.events is None:
            return
        audience = (everyone if audience == players else audience) & context.witnesses
        if shown & dice:
            faces = tuple((die, w[face + die]) for die in c.members(shown & dice))
            context.events.append(FacesShown(faces, audience, context.rule))
        if shown & ~dice:
            context.events.append(Revealed(shown & ~dice, audience, context.rule))

    return run


def announce(c: Compiler, st: s.Announce) -> Act:
    parts = tuple(part if isinstance(part, str) else (c.word(part), part.type) for part in st.parts)
    to, context, everyone = (None if st.to is None else c.word(st.to)), c.context, c.piles.everyone

    def run(w: Words) -> None:
        if context.events is not None:
            context.spend(8)
            said = tuple(part if isinstance(part, str) else (part[0](w), part[1]) for part in parts)
            audience = everyone if to is None else to(w)
            context.events.append(Said(said, audience & context.witnesses, context.rule))

    return run


def store(c: Compiler, st: s.Store) -> Act:
    field = c.memory.fields[st.field]
    at = address(c, field.offset, field.width, field.dims, st.index, st.site, False, f"`{field.name}`")
    find = (lambda w: at) if isinstance(at, int) else at
    value, site, context = c.word(st.value), st.site, c.context
    told = _listener(c, field)
    always = field.role == "face" or field.audience != "all"
    if isinstance(field.type, SetType):
        width, base = field.width, field.set_base

        def store_set(w: Words) -> None:
            k, x = find(w), value(w)
            old = read_set(w, k, width, base)
            if not write_set(w, k, width, base, x):
                raise Fault("range", site, f"`{field.name}` cannot hold such a set")
            if told is not None and context.events is not None and (always or x != old):
                told(w, k, old, x)

        return store_set
    lo, hi = field.lo, field.hi
    sure = isinstance(st.value.type, BoolType) or _within(st.value.type, lo, hi)
    if field.role == "place":
        return _store_place(c, find, value)
    if field.name == "@tokens":
        return _store_tokens(c, field, find, value)

    def store_word(w: Words) -> None:
        k, x = find(w), value(w)
        if not (sure or lo <= x <= hi):
            raise Fault("range", site, f"`{field.name}` takes {lo}..{hi}, not {x}")
        if told is not None and context.events is not None and (always or w[k] != x):
            told(w, k, w[k], x)
        w[k] = x

    if told is None and sure:

        def store_plainly(w: Words) -> None:
            k = find(w)
            w[k] = value(w)

        return store_plainly
    return store_word


def _within(type_: object, lo: int, hi: int) -> bool:
    return isinstance(type_, IntType) and lo <= type_.lo and type_.hi <= hi


def _store_place(c: Compiler, find: Callable[[Words], int], value: Callable[[Words], int]) -> Act:
    """Setting places outright (only before a game begins): the occupants follow."""
    place, derived, nowhere = c.memory.base("@place") or 0, c.memory.derived, c.memory.nowhere

    def run(w: Words) -> None:
        k, target = find(w), value(w)
        bit, source = 1 << (k - place), w[k]
        w[derived + source if source else nowhere] &= ~bit
        w[k] = target
        w[derived + target if target else nowhere] |= bit

    return run


def _store_tokens(
    c: Compiler, field: Field, find: Callable[[Words], int], value: Callable[[Words], int]
) -> Act:
    """Setting numbers of tokens outright (only before a game begins): who holds some follows."""
    places, faces = field.dims
    holders = c.memory.holders + faces.base

    def run(w: Words) -> None:
        k, number = find(w), value(w)
        place, face = divmod(k - field.offset, faces.size)
        w[k] = number
        bit = 1 << places.base + place
        w[holders + face] = w[holders + face] | bit if number else w[holders + face] & ~bit

    return run


def _listener(c: Compiler, field: Field) -> Callable[[Words, int, int, int], None] | None:
    """Tells of a change of a field that means something to players: not the engine's own."""
    context = c.context
    if field.name == "@ended_by":

        def ended(w: Words, k: int, old: int, new: int) -> None:
            if context.events is not None and new:
                context.events.append(Ended(new - 1))

        return ended
    if field.role in ("frame", "record") or (field.name.startswith("@") and field.role != "face"):
        return None
    seen_by = _seen_by(c, field)

    def stored(w: Words, k: int, old: int, new: int) -> None:
        if context.events is None:
            return
        index, rest = [], (k - field.offset) // field.width
        for dim in reversed(field.dims):
            rest, i = divmod(rest, dim.size)
            index.append(dim.base + i)
        index.reverse()
        seen = seen_by(index) & context.witnesses
        context.events.append(Stored(field.name, tuple(index), old, new, seen, context.rule))

    return stored


def _seen_by(c: Compiler, field: Field) -> Callable[[list[int]], int]:
    """Who sees an element of a field, by its index; of a die as its kind says."""
    everyone = c.piles.everyone
    if field.role == "face":
        masks: dict[int, int] = {}
        for kind in c.program.world.kinds:
            if kind.category == "die":
                masks.update(zip(kind.ids, viewers(kind, everyone), strict=True))
        return lambda index: masks[index[0]]
    owner = field.owner_dim
    if field.audience == "owner" and owner is not None:
        return lambda index: 1 << index[owner]
    mask = everyone if field.audience == "all" else 0
    return lambda index: mask
