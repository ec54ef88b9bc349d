"""Options in rows: of an offer's last parameter not each value is listed, but the set of all that pass.

A row is what the parameters before it are bound to, with that set and its size. So a decision counts
its options as fast as bits are counted, and looks only the one up that is drawn: it is the one that
listing would have put at that place.
"""

from __future__ import annotations

from ludex.backends.wasm import asm, choices, options
from ludex.backends.wasm.asm import Ex, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.occupants import count_of
from ludex.backends.wasm.plan import ROW_HEAD, bindings
from ludex.backends.wasm.shapes import Words, reshaped
from ludex.ir import program as p
from ludex.limits import MAX_OPTIONS
from ludex.typed import expr as e


def fit(c: Emitter, decide: p.Decide) -> bool:
    """Whether all offers of a decision end in a set, or have no parameters."""
    return not decide.longest and all(_ends_in_set(c, option.site) for option in decide.options)


def _ends_in_set(c: Emitter, site: e.OptionSite) -> bool:
    return len(site.levels) == 1 or choices.is_set(c, site.levels[-1])


def list_rows(u: Unit, decide: p.Decide, total: Ex) -> None:
    """Lists the rows of a decision, and counts its options."""
    f, c = u.f, u.c
    f.do(asm.set_global(c.found, c.plan.options))
    f.set(total, 0)
    before, offered = f.local(), dict[int, Ex]()
    asked = options.asked_again(decide)
    for i, option in enumerate(decide.options):
        own = Unit(c, f)  # each offer has its own variables
        own.offered = offered.__getitem__
        f.set(before, total)
        _list_offer(own, i, option.site, total)
        if i in asked:
            offered[i] = f.local()
            f.set(offered[i], total.compare("ne", before))


def _list_offer(u: Unit, index: int, site: e.OptionSite, total: Ex) -> None:
    f, c = u.f, u.c
    *outer, last = site.levels

    def add(count: Ex, words: tuple[Ex, ...]) -> None:
        f.store(c.found, 0, count)
        f.store(c.found, 4, index)
        offset = ROW_HEAD
        for level in outer:
            if level.binding is not None:
                offset = options.put(u, level.binding, c.found, offset)
        for i, word in enumerate(words):
            f.store(c.found, offset + 8 * i, word)
        # a row that has none is written over by the next: nobody can tell beforehand which do
        stride = const(c.plan.row_stride)
        step = stride if count.constant else asm.choose(count, stride, const(0))
        f.do(asm.set_global(c.found, c.found + step))
        f.set(total, total + count)
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


def find(u: Unit, decide: p.Decide, k: Ex) -> None:
    """Writes the record of option number k to `chosen`."""
    f, plan = u.f, u.plan
    at, left, count = f.local(), f.local(), f.local()
    f.set(at, plan.options)
    f.set(left, k)
    with f.block() as here, f.loop() as again:
        f.set(count, asm.load(at))
        f.jump(here, left.compare("lt_s", count))
        f.set(left, left - count)
        f.set(at, at + plan.row_stride)
        f.jump(again)
    offer = asm.load(at, 4)
    f.store(const(0), plan.chosen, offer)
    for i, option in enumerate(decide.options):
        if len(decide.options) == 1:
            _look_up(u, option.site, at, left)
        elif bindings(option.site):
            with f.when(offer.compare("eq", i)):
                _look_up(u, option.site, at, left)


def _look_up(u: Unit, site: e.OptionSite, at: Ex, k: Ex) -> None:
    """Writes the values of element number k of a row into the record."""
    f, plan = u.f, u.plan
    own = bindings(site)
    if not own:
        return
    outer = sum(plan.bytes_of(binding) for binding in own[:-1])
    for i in range(0, outer, 4):
        f.store(const(0), plan.chosen + 4 + i, asm.load(at, ROW_HEAD + i))
    type_ = choices.type_of(site)
    shape = plan.shape(type_)
    loads = (f.keep(asm.load(at, ROW_HEAD + outer + 8 * i, "i64")) for i in range(shape.size))
    chosen = choices.element(u, Words(shape, tuple(loads)), k, type_)
    f.store(const(0), plan.chosen + 4 + outer, chosen)
