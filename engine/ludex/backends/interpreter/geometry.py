"""What lies where: occupants, tops, tokens, regions, sights, seats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludex.backends.interpreter.folds import weight
from ludex.backends.interpreter.memory import Fn
from ludex.backends.interpreter.narrowing import mask_of
from ludex.backends.machine import Words
from ludex.typed import expr as e

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler


def occupancy(c: Compiler, expr: e.Occupants | e.Top | e.TopSet | e.UnknownTop) -> Fn:
    piles, derived = c.piles, c.memory.derived
    match expr:
        case e.Occupants(e.Const(place), mask):
            fixed = derived + place
            return lambda w: w[fixed] & mask
        case e.Occupants(e.Var(id_), mask) if c.plain(id_):
            slot = c.slot(id_)
            return lambda w: w[derived + w[slot]] & mask
        case e.Occupants():
            where, mask = c.expr(expr.place), expr.mask
            return lambda w: w[derived + where(w)] & mask
        case e.Top():
            pile, site = c.expr(expr.pile), expr.site
            return lambda w: piles.top(w, pile(w), site)
        case e.TopSet():
            pile, count = c.expr(expr.pile), c.expr(expr.count)
            return lambda w: piles.top_set(w, pile(w), count(w))
        case e.UnknownTop():
            pile = c.expr(expr.pile)
            return lambda w: piles.unknown_top(w, pile(w))


def region(c: Compiler, expr: e.Region) -> Fn:
    """Each element is tested once, in ascending order within each wave from the starts."""
    starts, members, slot, context = c.expr(expr.starts), c.members, c.slot(expr.var), c.context
    table = c.tables[expr.neighbors]
    base, near = table.dims[0].base, table.values
    passing = (lambda w: -1) if expr.guard is None else mask_of(c, expr.var, expr.guard)
    if expr.guard is None or passing is not None:
        allowed = passing or (lambda w: -1)

        def spread(w: Words) -> int:
            rest = allowed(w)
            wave, inside = starts(w) & rest, 0
            while wave:
                inside |= wave
                following = 0
                context.spend(2 * wave.bit_count())
                for x in members(wave):
                    following |= near[x - base]
                wave = following & rest & ~inside
            return inside

        return spread
    guard, each = c.expr(expr.guard), 2 * weight(expr.guard)

    def fill(w: Words) -> int:
        wave, tested, inside = starts(w), 0, 0
        while wave:
            tested |= wave
            following = 0
            context.spend(each * wave.bit_count())
            for x in members(wave):
                w[slot] = x
                if guard(w):
                    inside |= 1 << x
                    following |= near[x - base]
            wave = following & ~tested
        return inside

    return fill


def sights(c: Compiler, expr: e.Sights) -> Fn:
    space, directions, members, piles = c.expr(expr.space), c.expr(expr.directions), c.members, c.piles
    table = c.tables[expr.rays]
    first, second = table.dims
    rays = table.sequences

    def look(w: Words) -> int:
        at, mask = space(w), 0
        if not at:
            return 0
        row = (at - first.base) * second.size - second.base
        for direction in members(directions(w)):
            for x in rays[row + direction]:
                mask |= 1 << x
                if piles.occupied(w, x):
                    break
        return mask

    return look


def holders(c: Compiler, mask: int) -> Fn:
    """Where movables are, by their places; where tokens are is kept by face."""
    place, movables = c.memory.base("@place"), sum(kind.mask for kind in c.memory.movables)
    things = () if place is None else tuple(place + thing for thing in c.members(mask & movables))
    faces = tuple(c.memory.holders + face for face in c.members(mask & ~movables))

    def run(w: Words) -> int:
        found = 0
        for slot in things:
            found |= 1 << w[slot]
        for slot in faces:
            found |= w[slot]
        return found & ~1

    return run


def holders_by(c: Compiler, expr: e.HoldersBy) -> Fn:
    table = next(t for t in c.program.tables if t.name == expr.table)
    held = holders(c, expr.mask)
    leads = tuple((1 << table.dims[0].base + i, place) for i, place in enumerate(table.values))

    def run(w: Words) -> int:
        places = held(w)
        return sum(bit for bit, place in leads if places >> place & 1)

    return run


def holders_of(c: Compiler, face: e.Expr, least: int) -> Fn:
    one, base = c.expr(face), c.memory.holders
    members, slot_of = c.members, c.piles.token_slot

    def run(w: Words) -> int:
        here = one(w)
        return w[base + here] & ~1 if here else 0

    def several(w: Words) -> int:
        here, found = one(w), 0
        for place in members(run(w)):
            if w[slot_of(place, here)] >= least:
                found |= 1 << place
        return found

    return run if least == 1 else several


def next_seat(c: Compiler, expr: e.NextSeat) -> Fn:
    player, direction, steps = c.expr(expr.player), c.expr(expr.direction), c.expr(expr.steps)
    base, n = c.program.world.players.base, c.program.world.players.count

    def run(w: Words) -> int:
        p, d, k = player(w), direction(w), steps(w)
        return base + (p - base + d * k) % n if p else 0

    return run
