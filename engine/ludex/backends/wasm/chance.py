"""Chance events: drawing an outcome as `sample_outcome` does, and making one happen.

Outcomes in order are the things that may come out, ascending, each merged into the first that
is interchangeable with it. A draw is one number below how many things there are; it falls to
the first outcome whose weight exceeds what is left of it.
"""

from __future__ import annotations

from collections.abc import Callable

from ludex.backends.wasm import asm, collapse, folds, occupants, piles, values
from ludex.backends.wasm.asm import Ex, Function, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.plan import CHANCE
from ludex.backends.wasm.shapes import Words
from ludex.ir import program as p


def wait(u: Unit, block: int, chance: p.Chance) -> None:
    """Faults `empty` where nothing can come out."""
    if isinstance(chance.event, p.RollChance):
        return
    site = chance.event.site if isinstance(chance.event, p.MemberChance) else -1
    with u.f.when(Ex(asm.call(_weight(u.c, block, chance))).eqz()):
        u.fault("empty", site)


def _weight(c: Emitter, block: int, chance: p.Chance) -> Function:
    """How many things may come out."""

    def build(u: Unit) -> None:
        if isinstance(chance.event, p.DrawChance):
            pile = u.f.keep(values.value(u, chance.event.pile))
            u.f.give(_middle_size(u, pile))
            return
        total = u.f.local()
        u.f.set(total, 0)
        _each(u, chance, lambda x: u.f.set(total, total + 1))
        u.f.give(total)

    return c.made(f"weight {block}", [], ["i32"], build)


def sample(c: Emitter, block: int, chance: p.Chance) -> Function:
    """Draws an outcome."""

    def build(u: Unit) -> None:
        f, event = u.f, chance.event
        if isinstance(event, p.RollChance):
            in_order = sorted(event.faces, key=event.faces.index)
            faces = c.integers(("die", block), in_order)
            roll = Ex(asm.call(c.bounded, const(CHANCE), const(len(in_order))))
            f.give(asm.load(roll * 4, faces))
            return
        rest, mine = f.local(), f.local()
        f.set(mine, Ex(asm.call(_weight(c, block, chance))))
        with f.when(mine.eqz()):
            u.fault("empty", event.site if isinstance(event, p.MemberChance) else -1)
        f.set(rest, Ex(asm.call(c.bounded, const(CHANCE), mine)))
        if isinstance(event, p.DrawChance) and _in_a_row(c):
            _draw_in_a_row(u, chance, rest)
            return
        merging = _Merging(u, event)

        def visit(x: Ex) -> None:
            if not merging.needed:
                with f.when(rest.eqz()):
                    f.give(x)
                f.set(rest, rest - 1)
                return
            f.set(mine, Ex(asm.call(_share(c, block, chance), x)))
            with f.when(mine.compare("ne", 0)):
                with f.when(rest.compare("lt_s", mine)):
                    f.give(x)
                f.set(rest, rest - mine)

        _each(u, chance, visit)

    return c.made(f"sample {block}", [], ["i32"], build)


def _middle_size(u: Unit, pile: Ex) -> Ex:
    """How many cards of a pile (in a local) are in its unknown middle."""
    row, _ = u.plan.row()
    at = u.f.keep(pile * (8 * u.plan.occupants.size))
    total = const(0, "i64")
    for i in range(u.plan.occupants.size):
        total = total + asm.load(at, row + 8 * i, "i64").unary("popcnt")
    head, tail = u.plan.base("@head"), u.plan.base("@tail")
    if head is None or tail is None:
        return total.wrap()
    return total.wrap() - (asm.load(pile * 4, head) + asm.load(pile * 4, tail))


def _in_a_row(c: Emitter) -> bool:
    """Whether all movables of one face have ids in a row."""
    copies = [c.program.world.copies[i] for kind in c.plan.movables for i in kind.ids]
    return copies == sorted(copies)


def _draw_in_a_row(u: Unit, chance: p.Chance, rest: Ex) -> None:
    """Returns the first card in the middle of the face of the card that the number falls to."""
    f = u.f
    copies = u.c.integers("copies", u.world.copies)
    first, face = f.local(), f.local()
    f.set(face, -1)

    def visit(card: Ex) -> None:
        own = f.keep(asm.load(card * 4, copies))
        with f.when(own.compare("ne", face)):
            f.set(face, own)
            f.set(first, card)
        with f.when(rest.eqz()):
            f.give(first)
        f.set(rest, rest - 1)

    _each(u, chance, visit)


def _share(c: Emitter, block: int, chance: p.Chance) -> Function:
    """(thing): how many are merged into it; 0 if it is merged into an earlier one."""

    def build(u: Unit) -> None:
        f = u.f
        thing, n = f.param(0), f.local()
        f.set(n, 0)
        merging = _Merging(u, chance.event)

        def visit(x: Ex) -> None:
            with f.when(merging.same(thing, x)):
                with f.when(x.compare("lt_s", thing)):
                    f.give(0)
                f.set(n, n + 1)

        _each(u, chance, visit)
        f.give(n)

    return c.made(f"share {block}", ["i32"], ["i32"], build)


def give_merged(u: Unit, chance: p.Chance, thing: Ex) -> None:
    """Returns the first that may come out and is the same as a thing, if the thing may come out."""
    f = u.f
    merging = _Merging(u, chance.event)
    found, there = f.local(), f.local()
    f.set(found, 0)
    f.set(there, 0)

    def visit(x: Ex) -> None:
        f.set(there, there | x.compare("eq", thing))
        same = merging.same(thing, x) if merging.needed else x.compare("eq", thing)
        with f.when(asm.branch(found.eqz(), same, const(0))):
            f.set(found, x)

    _each(u, chance, visit)
    f.give(asm.choose(there, found, const(0)))


class _Merging:
    """Which things count as one outcome: of a draw those of one face, else the interchangeable."""

    def __init__(self, u: Unit, event: p.RollChance | p.MemberChance | p.DrawChance) -> None:
        self._u = u
        self._copies = u.world.copies
        self._classes = None
        if isinstance(event, p.MemberChance):
            self._classes = collapse.of_type(u, event.type)
            self.needed = self._classes is not None
        else:
            self.needed = any(self._copies[i] != i for kind in u.plan.movables for i in kind.ids)

    def same(self, a: Ex, b: Ex) -> Ex:
        u = self._u
        faces = u.c.integers("copies", self._copies)
        alike = asm.load(a * 4, faces).compare("eq", asm.load(b * 4, faces))
        if self._classes is None:
            return alike if self.needed else a.compare("eq", b)
        more = self._classes.interchangeable(a, b)
        return a.compare("eq", b) | asm.branch(alike, more, const(0))


def _each(u: Unit, chance: p.Chance, visit: Callable[[Ex], None]) -> None:
    """Whatever may come out, ascending."""
    f, event = u.f, chance.event
    match event:
        case p.DrawChance(pile):
            where = f.keep(values.value(u, pile))
            row, _ = u.plan.row()
            shape = u.plan.occupants
            at = f.keep(where * (8 * shape.size))
            cards = Words(shape, tuple(f.keep(asm.load(at, row + 8 * i, "i64")) for i in range(shape.size)))
            order = u.plan.base("@order")
            with u.each(cards) as card:
                if order is None:
                    visit(card)
                else:
                    unordered = occupants.flag(u.c, where, "ordered").eqz()
                    with f.when(asm.load(card * 4, order).eqz() | unordered):
                        visit(card)
        case p.MemberChance(var, domain, guard):
            with folds.going_through(u, var, domain):
                x = f.keep(u.read(var))
                if guard is None:
                    visit(x)
                else:
                    with f.when(values.value(u, guard)):
                        visit(x)
        case p.RollChance():
            raise TypeError("a die has faces")


def resolve(c: Emitter, block: int, chance: p.Chance) -> Function:
    """(outcome): it happens; the block to go on at."""

    def build(u: Unit) -> None:
        happened(u, chance, u.f.param(0))
        u.f.give(chance.next)

    return c.made(f"resolve {block}", ["i32"], ["i32"], build)


def happened(u: Unit, chance: p.Chance, outcome: Ex) -> None:
    """What an outcome (in a local) changes."""
    f, c = u.f, u.c
    f.do(asm.set_global(c.rule, chance.rule))
    if isinstance(chance.event, p.DrawChance):
        pile = f.keep(values.value(u, chance.event.pile))
        order, head = u.plan.base("@order"), u.plan.base("@head")
        if order is not None and head is not None:
            with f.when(occupants.flag(c, pile, "ordered")):
                f.store(outcome * 4, order, 1)
                f.store(pile * 4, head, 1)
                piles.set_top(u, pile, outcome)
                f.do(asm.call(piles.settle(c), pile))
    if chance.var >= 0:
        u.write(chance.var, outcome)
