"""Who stands how: scoring lines, ranking keys and ranks of all seats, into the results."""

from __future__ import annotations

from collections.abc import Callable

from ludex.backends.wasm import asm, values
from ludex.backends.wasm.asm import Ex, const
from ludex.backends.wasm.emitter import Unit
from ludex.backends.wasm.plan import STATE
from ludex.typed.expr import Expr

IN_A_ROW = 2
"""Of up to so many seats each has its own code; of more it is a loop, which is compiled sooner."""


def each_seat(u: Unit, visit: Callable[[Ex], None]) -> None:
    """`visit` for the number of each seat, from 0."""
    f = u.f
    _, n = u.player_kind()
    if n <= IN_A_ROW:
        for number in range(n):
            visit(const(number))
        return
    seat = f.local()
    f.set(seat, 0)
    with f.loop() as again:
        visit(seat)
        f.set(seat, seat + 1)
        f.jump(again, seat.compare("lt_s", n))


def lines_and_keys(u: Unit) -> None:
    """The scoring lines of each seat, and by what it is ranked."""
    first, _ = u.player_kind()

    def visit(seat: Ex) -> None:
        at = const(4 * seat.constant) if seat.constant is not None else u.f.keep(seat * 4)
        for line in u.c.program.scoring:
            u.write(line.me, seat + first)
        _lines(u, at)
        for key in u.c.program.ranking:
            u.write(key.me, seat + first)
        _keys(u, at)

    each_seat(u, visit)


def valued(u: Unit, me: int, value: Expr) -> None:
    """A value for each seat, in the place of the ranks. `me`: the variable that stands for the player."""
    first, _ = u.player_kind()

    def visit(seat: Ex) -> None:
        u.write(me, seat + first)
        u.f.store(seat * 4, u.plan.ranks, values.value(u, value))

    each_seat(u, visit)


def _lines(u: Unit, at: Ex) -> None:
    """The lines of the seat whose words lie at this offset in each row."""
    plan = u.plan
    _, n = u.player_kind()
    before = plan.fields.get("@lines")
    for i, line in enumerate(u.c.program.scoring):
        value = values.value(u, line.value)
        if before is not None:
            value = value + asm.load(at, STATE + 4 * (before.offset + i * n))
        u.f.store(at, plan.lines + 4 * i * n, value)


def _keys(u: Unit, at: Ex) -> None:
    plan, program = u.plan, u.c.program
    _, n = u.player_kind()
    lines, totals = plan.fields.get("@lines"), plan.fields.get("@total")
    for i, key in enumerate(program.ranking):
        if key.value is None:
            value = const(0)
            for j in range(len(program.scoring)):
                value = value + asm.load(at, plan.lines + 4 * j * n)
                if lines is not None:
                    value = value - asm.load(at, STATE + 4 * (lines.offset + j * n))
        else:
            value = values.value(u, key.value)
        if totals is not None:
            value = value + asm.load(at, STATE + 4 * (totals.offset + i * n))
        u.f.store(at, plan.keys + 4 * i * n, value)


def ranks(u: Unit) -> None:
    """1 + how many stand before: by decree if there is one, else by the keys in order."""
    f, plan = u.f, u.plan
    _, n = u.player_kind()
    result = plan.fields.get("@result")
    decreed, won = const(0), const(0)
    if result is not None:
        words = [asm.load(const(0), STATE + 4 * (result.offset + seat)) for seat in range(n)]
        for word in words:
            decreed = decreed | word
            won = won | _has_won(word)
    decreed, won = f.keep(decreed), f.keep(won)

    def merit(seat: Ex) -> Ex:
        if result is None:
            return const(0)
        word = f.keep(asm.load(seat * 4, STATE + 4 * result.offset))
        return f.keep(asm.choose(won, _has_won(word), word.compare("ne", 2)))

    def place(seat: Ex) -> None:
        rank, own = f.local(), merit(seat)
        f.set(rank, 1)

        def against(other: Ex) -> None:
            if other == seat and seat.constant is not None:
                return
            by_decree = merit(other).compare("gt_s", own)
            f.set(rank, rank + asm.choose(decreed, by_decree, _stands_before(u, other, seat)))

        each_seat(u, against)
        f.store(seat * 4, plan.ranks, rank)

    each_seat(u, place)


def _has_won(result: Ex) -> Ex:
    return result.compare("eq", 1) | result.compare("eq", 3)


def _stands_before(u: Unit, one: Ex, other: Ex) -> Ex:
    """Whether a seat's keys are better than another's; of no seat than its own."""
    plan, program = u.plan, u.c.program
    _, n = u.player_kind()
    before = const(0)
    for i in reversed(range(len(program.ranking))):
        ours = asm.load(one * 4, plan.keys + 4 * i * n)
        theirs = asm.load(other * 4, plan.keys + 4 * i * n)
        better = "gt_s" if program.ranking[i].most else "lt_s"
        before = ours.compare(better, theirs) | (ours.compare("eq", theirs) & before)
    return before
