"""The order of piles, as functions of the module: the same as `interpreter.piles`, in instructions.

An ordered pile is a known head, an unknown middle and a known tail; see `ir.layout`.
"""

from __future__ import annotations

from ludex.backends.wasm import asm, occupants
from ludex.backends.wasm.asm import Ex, Function, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.shapes import Shape, Words


def word(u: Unit, name: str) -> int:
    at = u.plan.base(name)
    assert at is not None
    return at


def take(c: Emitter) -> Function:
    """(card, pile): closes the gap of a card that is no longer counted among the pile's."""

    def build(u: Unit) -> None:
        f = u.f
        card, pile = f.param(0), f.param(1)
        order, head, tail = word(u, "@order"), word(u, "@head"), word(u, "@tail")
        k = f.keep(asm.load(card * 4, order))
        f.store(card * 4, order, 0)
        under = f.keep(_below(u, card))
        set_below(u, card, const(0))
        with f.when(_known_top(u, pile).compare("eq", card)):
            set_top(u, pile, under)
        with f.when(k.compare("gt_s", 0)):
            size = f.keep(asm.load(pile * 4, head))
            f.store(pile * 4, head, size - 1)
            with f.when(k.compare("lt_s", size)):
                others, _ = occupants.row_of(u, pile)
                with u.each(others) as other:
                    above = asm.load(other * 4, order)
                    with f.when(above.compare("gt_s", k)):
                        f.store(other * 4, order, above - 1)
                    with f.when(_below(u, other).compare("eq", card)):
                        set_below(u, other, under)
            f.otherwise()
            with f.when(k):
                f.store(pile * 4, tail, asm.load(pile * 4, tail) - 1)
                others, _ = occupants.row_of(u, pile)
                with u.each(others) as other:
                    below = asm.load(other * 4, order)
                    with f.when(below.compare("lt_s", k)):
                        f.store(other * 4, order, below + 1)
                f.otherwise()
                f.do(asm.call(settle(u.c), pile))

    return c.made("take", ["i32", "i32"], [], build)


def take_top(u: Unit, card: Ex, pile: Ex) -> None:
    """The same, of the top card: nothing is above it, so that none is counted anew."""
    f = u.f
    order, head = word(u, "@order"), word(u, "@head")
    size = f.keep(asm.load(pile * 4, head))
    with f.when(asm.load(card * 4, order).compare("eq", size) & size.compare("gt_s", 0)):
        f.store(pile * 4, head, size - 1)
        set_top(u, pile, _below(u, card))
        forget(u, card)
        f.otherwise()
        f.do(asm.call(take(u.c), card, pile))


def put_on(u: Unit, card: Ex, pile: Ex) -> None:
    """Numbers a card that was just added on top of a pile."""
    f, head = u.f, word(u, "@head")
    size = f.keep(asm.load(pile * 4, head) + 1)
    f.store(pile * 4, head, size)
    f.store(card * 4, word(u, "@order"), size)
    set_below(u, card, _known_top(u, pile))
    set_top(u, pile, card)


def put_under(u: Unit, card: Ex, pile: Ex) -> None:
    """The same at the bottom. Of a known head each card is counted up: from the top down as far as is known
    what lies below, `left` others without that."""
    f = u.f
    order, head, tail = word(u, "@order"), word(u, "@head"), word(u, "@tail")
    size = f.keep(asm.load(pile * 4, head))
    cards, _ = occupants.row_of(u, pile)
    with f.when((occupants.count_of(cards) - 1).compare("gt_s", size)):
        end = f.keep(asm.load(pile * 4, tail) + 1)
        f.store(pile * 4, tail, end)
        f.store(card * 4, order, const(0) - end)
        f.otherwise()
        f.store(pile * 4, head, size + 1)
        left, other, lowest = f.local(), f.local(), f.local()
        f.set(left, size)
        f.set(other, _known_top(u, pile))
        f.set(lowest, 0)
        with f.block() as unknown, f.loop() as again:
            f.jump(unknown, other.eqz())
            k = f.keep(asm.load(other * 4, order))
            f.store(other * 4, order, k + 1)
            f.set(left, k - 1)
            f.set(lowest, other)
            f.set(other, _below(u, other))
            f.jump(again)
        with f.when(left):
            with u.each(cards) as other:
                k = f.keep(asm.load(other * 4, order))
                with f.when(k.compare("le_s", left)):
                    f.store(other * 4, order, k + 1)
                    with f.when(k.compare("eq", 1)):
                        set_below(u, other, card)
            f.otherwise()
            with f.when(lowest):
                set_below(u, lowest, card)
                f.otherwise()
                set_top(u, pile, card)
        f.store(card * 4, order, 1)


def settle(c: Emitter) -> Function:
    """If the middle has become empty, the head takes over the tail."""

    def build(u: Unit) -> None:
        f = u.f
        pile = f.param(0)
        order, head, tail = word(u, "@order"), word(u, "@head"), word(u, "@tail")
        top, end = f.keep(asm.load(pile * 4, head)), f.keep(asm.load(pile * 4, tail))
        with f.when(end.eqz()):
            f.leave()
        cards, _ = occupants.row_of(u, pile)
        with f.when(occupants.count_of(cards).compare("gt_s", top + end)):
            f.leave()
        with u.each(cards) as card:
            k = f.keep(asm.load(card * 4, order))
            f.store(card * 4, order, asm.choose(k.compare("gt_s", 0), k + end, k + end + 1))
        f.store(pile * 4, head, top + end)
        f.store(pile * 4, tail, 0)

    return c.made("settle", ["i32"], [], build)


def depth(u: Unit, card: Ex) -> Ex:
    """Sorts the cards of a pile from the top down, as a 64-bit key (ascending)."""
    if not occupants.orders(u.c):
        return card.extend()
    k = u.f.keep(asm.load(card * 4, word(u, "@order")))
    rank = asm.choose(k.compare("gt_s", 0), const(0), asm.choose(k.eqz(), const(1), const(2)))
    within = asm.choose(k.eqz(), card, const(0) - k)
    return rank.extend().shl(40) + within.extend()


def next_down(u: Unit, left: Words, key: Ex) -> Ex:
    """The card of a set that lies uppermost; 0 of none. `key` is a local for its depth."""
    f = u.f
    best, own = f.local(), f.local("i64")
    f.set(best, 0)
    with u.each(left) as card:
        f.set(own, depth(u, card))
        with f.when(best.eqz() | own.compare("lt_s", key)):
            f.set(best, card)
            f.set(key, own)
    return best


def exclude(u: Unit, from_: tuple[Ex, ...], shape: Shape, element: Ex) -> None:
    for i, local in enumerate(from_):
        u.f.set(local, local & (u.bit(element, shape, i) ^ -1))


def shuffle(c: Emitter) -> Function:
    """The order of a pile becomes unknown; that of no card or one is known all the same."""

    def build(u: Unit) -> None:
        f = u.f
        pile = f.param(0)
        if not occupants.orders(c):
            return
        order, head, tail = word(u, "@order"), word(u, "@head"), word(u, "@tail")
        with f.when(occupants.flag(c, pile, "ordered")):
            cards, _ = occupants.row_of(u, pile)
            known = f.keep(occupants.count_of(cards).compare("eq", 1))
            with u.each(cards) as card:
                f.store(card * 4, order, known)
                set_below(u, card, const(0))
            f.store(pile * 4, head, known)
            f.store(pile * 4, tail, 0)
            set_top(u, pile, const(0))

    return c.made("shuffle", ["i32"], [], build)


def reverse(c: Emitter) -> Function:
    def build(u: Unit) -> None:
        f = u.f
        pile = f.param(0)
        if not occupants.orders(c):
            return
        order, head, tail = word(u, "@order"), word(u, "@head"), word(u, "@tail")
        with f.when(occupants.flag(c, pile, "ordered").eqz()):
            f.leave()
        set_top(u, pile, const(0))
        cards, _ = occupants.row_of(u, pile)
        top, end = f.keep(asm.load(pile * 4, head)), f.keep(asm.load(pile * 4, tail))
        with f.when(occupants.count_of(cards).compare("gt_s", top + end)):
            with u.each(cards) as card:
                f.store(card * 4, order, const(0) - asm.load(card * 4, order))
                set_below(u, card, const(0))
            f.store(pile * 4, head, end)
            f.store(pile * 4, tail, top)
            f.leave()
        with u.each(cards) as card:
            f.store(card * 4, order, top + 1 - asm.load(card * 4, order))
            set_below(u, card, const(0))

    return c.made("reverse", ["i32"], [], build)


def _known_top(u: Unit, pile: Ex) -> Ex:
    """The top card of an ordered pile, if that is known without looking; else 0."""
    assert u.plan.tops is not None
    return asm.load(pile * 4, u.plan.tops)


def set_top(u: Unit, pile: Ex, card: Ex) -> None:
    """Keeps what is the top card of an ordered pile now, or (0) that it is to be looked up."""
    assert u.plan.tops is not None
    u.f.store(pile * 4, u.plan.tops, card)


def _below(u: Unit, card: Ex) -> Ex:
    """The card just below one of a pile's known head, if that is known without looking; else 0."""
    return asm.load(card * 4, u.plan.below)


def set_below(u: Unit, card: Ex, lower: Ex) -> None:
    u.f.store(card * 4, u.plan.below, lower)


def forget(u: Unit, card: Ex) -> None:
    """Of a card that is in no ordered pile any more."""
    u.f.store(card * 4, word(u, "@order"), 0)
    set_below(u, card, const(0))


def empty(u: Unit, pile: Ex) -> None:
    """Of an ordered pile in which nothing lies any more."""
    with u.f.when(occupants.flag(u.c, pile, "ordered")):
        for name in ("@head", "@tail"):
            u.f.store(pile * 4, word(u, name), 0)
        set_top(u, pile, const(0))


def top_of(u: Unit, pile: Ex, site: int, *, ordered: bool) -> Ex:
    """The top card of a pile. `ordered`: the pile keeps an order, and is not none."""
    looked_up = Ex(asm.call(top(u.c), pile, const(site)))
    if not ordered or not occupants.orders(u.c):
        return looked_up
    card = u.f.local()
    known = Ex((*_known_top(u, pile).ops, ("local.tee", card.ops[0][1])))
    return asm.branch(known, card, looked_up)


def top(c: Emitter) -> Function:
    """(pile, site): the top card."""

    def build(u: Unit) -> None:
        from ludex.backends.wasm.sets import lowest

        f = u.f
        pile, site = f.param(0), f.param(1)
        cards, _ = occupants.row_of(u, pile)
        with f.when(occupants.any_of(cards).eqz() | pile.eqz()):
            u.fault("empty", site)
        if occupants.orders(c):
            ordered = occupants.flag(c, pile, "ordered")
            with f.when(ordered & occupants.count_of(cards).compare("ne", 1)):
                known = f.keep(asm.load(pile * 4, word(u, "@head")))
                with f.when(known), u.each(cards) as card:
                    at = asm.load(card * 4, word(u, "@order"))
                    with f.when(at.compare("eq", known)):
                        set_top(u, pile, card)
                        f.give(card)
        f.give(lowest(cards))

    return c.made("top", ["i32", "i32"], ["i32"], build)


def top_set(c: Emitter) -> Function:
    """(pile, count): the words of the set of the topmost cards."""
    shape = c.plan.occupants

    def build(u: Unit) -> None:
        f = u.f
        pile, count = f.param(0), f.param(1)
        cards, _ = occupants.row_of(u, pile)
        made = tuple(f.local("i64") for _ in range(shape.size))
        left = tuple(f.local("i64") for _ in range(shape.size))
        for local, word in zip(left, cards.words, strict=True):
            f.set(local, word)
        with f.when(count.compare("ge_s", occupants.count_of(cards))):
            for word in cards.words:
                f.do(word.ops)
            f.leave()
        rest, key = f.keep(count), f.local("i64")
        with f.block() as done, f.loop() as again:
            f.jump(done, rest.compare("le_s", 0))
            card = next_down(u, Words(shape, left), key)
            exclude(u, left, shape, card)
            for i, local in enumerate(made):
                f.set(local, local | u.bit(card, shape, i))
            f.set(rest, rest - 1)
            f.jump(again)
        for local in made:
            f.do(local.ops)
        f.leave()

    return c.made("top set", ["i32", "i32"], ["i64"] * shape.size, build)
