"""Options in rows: of an offer's last parameter not each value is listed, but the set of all that pass.

A row is what the parameters before it are bound to, with that set, and how many options there are up to
its end. So a decision counts its options as fast as bits are counted, and looks only the one up that is
drawn: it is the one that listing would have put at that place.
"""

from __future__ import annotations

from collections.abc import Callable

from ludex.backends.wasm import asm, choices, options
from ludex.backends.wasm.asm import Ex, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.generators import bounded
from ludex.backends.wasm.occupants import count_of
from ludex.backends.wasm.plan import POLICY, ROW_HEAD, bindings
from ludex.backends.wasm.shapes import Words, reshaped
from ludex.ir import program as p
from ludex.limits import MAX_OPTIONS
from ludex.typed import expr as e

AT_ONCE = 4
"""Rows that are looked at together."""


def fit(c: Emitter, decide: p.Decide) -> bool:
    """Whether all offers of a decision end in a set, or have no parameters."""
    return not decide.longest and all(_ends_in_set(c, option.site) for option in decide.options)


def _ends_in_set(c: Emitter, site: e.OptionSite) -> bool:
    return len(site.levels) == 1 or choices.is_set(c, site.levels[-1])


def list_rows(u: Unit, decide: p.Decide, total: Ex) -> Ex:
    """Lists the rows of a decision, and counts its options; where the rows end."""
    f, c = u.f, u.c
    at = f.local()
    f.set(at, c.plan.options)
    f.set(total, 0)
    before, offered = f.local(), dict[int, Ex]()
    asked = options.asked_again(decide)
    for i, option in enumerate(decide.options):
        own = Unit(c, f)  # each offer has its own variables
        own.offered = offered.__getitem__
        f.set(before, total)
        _list_offer(own, i, option.site, at, total)
        if i in asked:
            offered[i] = f.local()
            f.set(offered[i], total.compare("ne", before))
    return at


def _list_offer(u: Unit, index: int, site: e.OptionSite, at: Ex, total: Ex) -> None:
    f, c = u.f, u.c
    *outer, last = site.levels

    def add(count: Ex, words: tuple[Ex, ...]) -> None:
        f.set(total, total + count)
        f.store(at, 0, total)
        f.store(at, 4, index)
        offset = ROW_HEAD
        for level in outer:
            if level.binding is not None:
                offset = options.put(u, level.binding, at, offset)
        for i, word in enumerate(words):
            f.store(at, offset + 8 * i, word)
        # a row that has none is written over by the next: nobody can tell beforehand which do
        stride = const(c.plan.row_stride)
        step = stride if count.constant else asm.choose(count, stride, const(0))
        f.set(at, at + step)
        with f.when(total.compare("gt_s", MAX_OPTIONS)):
            u.fault("options", -1)

    def row() -> None:
        with choices.passing(u, site) as words:
            kept = reshaped(words, u.plan.shape(choices.type_of(site)))
            add(f.keep(count_of(kept)), kept.words)

    if last.binding is None:
        options.nest(u, site, lambda: add(const(1), ()))
    else:
        options.nest(u, site, row, depth=len(outer))


def draw(u: Unit, decide: p.Decide, drawn: Callable[[int, options.Values], None]) -> None:
    """Draws an option: `drawn` gets its offer and its values, and leaves. Goes on behind it if there is
    none."""
    f = u.f
    n = f.local()
    end = list_rows(u, decide, n)
    with f.when(n):
        at, k = _row(u, bounded(f, const(POLICY), n), end)
        offer = asm.load(at, 4)
        *others, last = enumerate(decide.options)
        for i, option in others:
            with f.when(offer.compare("eq", i)):
                drawn(i, _values(u, option.site, at, k))
        drawn(last[0], _values(u, last[1].site, at, k))


def find(u: Unit, decide: p.Decide, k: Ex, end: Ex) -> None:
    """Writes the record of option number k to `chosen`."""
    f, plan = u.f, u.plan
    at, left = _row(u, k, end)
    offer = asm.load(at, 4)
    f.store(const(0), plan.chosen, offer)
    for i, option in enumerate(decide.options):
        if len(decide.options) == 1:
            _look_up(u, option.site, at, left)
        elif bindings(option.site):
            with f.when(offer.compare("eq", i)):
                _look_up(u, option.site, at, left)


def _row(u: Unit, k: Ex, end: Ex) -> tuple[Ex, Ex]:
    """(the address of the row that option number k is in, its number there), in locals. Which it is nobody
    can tell beforehand: some are passed at a time, without a jump."""
    f, stride, first = u.f, u.plan.row_stride, u.plan.options
    at, passed = f.local(), f.local()
    f.set(at, first)
    f.set(passed, 0)
    with f.loop() as again:
        for i in range(AT_ONCE):
            before = asm.load(at, i * stride).compare("le_s", k)
            if i:
                before = before & (at + i * stride).compare("lt_u", end)
            f.set(passed, passed + before)
        f.set(at, at + AT_ONCE * stride)
        f.jump(again, at.compare("lt_u", end))
    row = f.keep(passed * stride)
    earlier = asm.choose(passed, asm.load(row, first - stride), const(0))
    return f.keep(row + first), f.keep(k - earlier)


def _look_up(u: Unit, site: e.OptionSite, at: Ex, k: Ex) -> None:
    """Writes the values of element number k of a row into the record."""
    offset = u.plan.chosen + 4
    for words in _values(u, site, at, k):
        for word in words:
            u.f.store(const(0), offset, word)
            offset += 4 if word.type == "i32" else 8


def _values(u: Unit, site: e.OptionSite, at: Ex, k: Ex) -> options.Values:
    """The values of the parameters, the last of which is element number k of a row."""
    f, plan = u.f, u.plan
    *outer, last = bindings(site) or (None,)
    if last is None:
        return []
    offset = ROW_HEAD
    found: list[tuple[Ex, ...]] = []
    for binding in outer:
        assert binding is not None
        found.append(options.words_at(u, binding, at, offset))
        offset += plan.bytes_of(binding)
    type_ = choices.type_of(site)
    shape = plan.shape(type_)
    loads = (f.keep(asm.load(at, offset + 8 * i, "i64")) for i in range(shape.size))
    return [*found, (choices.element(u, Words(shape, tuple(loads)), k, type_),)]
