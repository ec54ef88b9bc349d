"""Drawing an option without listing all: where offers are sets, or nothing but a condition.

The number of options is the number of elements; the k-th is found by counting bits. It is the
option that listing would have put at place k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ludex.backends.wasm import asm, code, sets, values
from ludex.backends.wasm.asm import Ex, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.generators import bounded
from ludex.backends.wasm.occupants import count_of
from ludex.backends.wasm.plan import POLICY, values_of_parameter
from ludex.backends.wasm.shapes import Words, span
from ludex.ir import program as p
from ludex.limits import MAX_OPTIONS
from ludex.typed import expr as e
from ludex.typed.types import SetType

if TYPE_CHECKING:
    from ludex.backends.wasm import options

FEW = 8
"""Constants that are asked one after the other without a loop."""


def countable(c: Emitter, decide: p.Decide) -> bool:
    """Whether all offers of a decision are sets, and none has late conditions."""
    return not decide.longest and all(_is_set(c, option.site) for option in decide.options)


def _is_set(c: Emitter, site: e.OptionSite) -> bool:
    if site.late or len(site.levels) > 2:
        return False
    return len(site.levels) == 1 or is_set(c, site.levels[1])


def is_set(c: Emitter, level: e.OptionLevel) -> bool:
    """Whether the values that a level lets pass are a set that is had sooner than they are listed."""
    binding = level.binding
    return (
        binding is not None
        and not binding.collapse
        and not isinstance(binding.type, SetType)
        and values_of_parameter(binding) is not None
        and all(_is_simple(c, item) for item in level.items)
    )


def _is_simple(c: Emitter, item: e.OptionLet | e.OptionMask | e.OptionGuard) -> bool:
    match item:
        case e.OptionMask():
            return True
        case e.OptionLet(value=value):
            return c.facts.total(value)
        case e.OptionGuard(test=test, answer=answer):
            return answer is None and values.quick(c, test)


def pick(u: Unit, decide: p.Decide) -> None:
    """Gives the address of the record of an option that is drawn, 0 if there is none."""
    f, at = u.f, const(u.plan.chosen)

    def drawn(i: int, values: options.Values) -> None:
        f.store(at, 0, i)
        for (value,) in values:
            f.store(at, 4, value)
        f.give(at)

    draw(u, decide, drawn)
    f.give(0)


def draw(u: Unit, decide: p.Decide, drawn: Callable[[int, options.Values], None]) -> None:
    """Draws an option: `drawn` gets its offer and its values, and leaves. Goes on behind it if there is
    none."""
    from ludex.backends.wasm import options

    f = u.f
    offers: list[_Offer] = []
    u.offered = lambda i: offers[i].count
    u.own = frozenset[int]().union(*(options.own_variables(option.site) for option in decide.options))
    for option in decide.options:
        offers.append(_Offer(u, option.site))
    all_ = offers[0].count
    if len(offers) > 1:
        all_ = f.local()
        f.set(all_, offers[0].count)
        for offer in offers[1:]:
            f.set(all_, all_ + offer.count)
        with f.when(all_.compare("gt_s", MAX_OPTIONS)):
            u.fault("options", -1)
    possible = [(i, offer) for i, offer in enumerate(offers) if offer.is_possible]
    if not possible:
        return
    with f.when(all_):
        k = bounded(f, const(POLICY), all_)
        for i, offer in possible[:-1]:
            with f.when(k.compare("lt_s", offer.count)):
                drawn(i, _values(u, offer, k))
            f.set(k, k - offer.count)
        i, offer = possible[-1]
        drawn(i, _values(u, offer, k))


def _values(u: Unit, offer: _Offer, k: Ex) -> options.Values:
    """Value number k of an offer's parameter, if it has one."""
    return [] if offer.words is None else [(element(u, offer.words, k, offer.type),)]


class _Offer:
    """The options of an offer: how many, and the set of the values of its parameter if it has one."""

    is_possible: bool = False
    """Whether no condition is known to fail always."""
    words: Words | None = None
    type: SetType

    def __init__(self, u: Unit, site: e.OptionSite) -> None:
        f = u.f
        self.count = f.local()
        f.set(self.count, 0)

        def found() -> None:
            self.is_possible = True
            if len(site.levels) == 1:
                f.set(self.count, 1)
                return
            self.type = type_of(site)
            made: list[Ex] = []
            with passing(u, site) as words:
                for word in words.words:
                    made.append(f.local("i64"))
                    f.set(made[-1], word)
                f.set(self.count, count_of(Words(words.shape, tuple(made))))
            # they are read only where the count is not 0
            self.words = Words(words.shape, tuple(made))

        _under(u, site.levels[0].items, found)


def _under(u: Unit, items: tuple[object, ...], then: object, i: int = 0) -> None:
    """Does what follows if the conditions hold that ask of no parameter."""
    from ludex.backends.wasm import options

    assert callable(then)
    if i == len(items):
        then()
        return
    item = items[i]
    if isinstance(item, e.OptionLet):
        code.assign(u, item.var, item.value)
        _under(u, items, then, i + 1)
    elif isinstance(item, e.OptionGuard):
        options.guarded(u, item, lambda: _under(u, items, then, i + 1))
    else:
        _under(u, items, then, i + 1)


def type_of(site: e.OptionSite) -> SetType:
    """The type of the set that an offer ends in."""
    binding = site.levels[-1].binding
    assert binding is not None
    type_ = values_of_parameter(binding)
    assert type_ is not None
    return type_


@contextmanager
def passing(u: Unit, site: e.OptionSite) -> Iterator[Words]:
    """The values of an offer's last parameter that pass; skipped if there are none. What is refused is
    counted."""
    from ludex.backends.wasm import options

    level = site.levels[-1]
    assert level.binding is not None
    domain = level.binding.domain
    if isinstance(domain, e.SetDomain):
        words = sets.words(u, domain.set)
    else:
        assert isinstance(domain, e.RangeDomain)
        assert isinstance(domain.lo, e.Const) and isinstance(domain.hi, e.Const)
        shape = u.plan.shape(type_of(site))
        words = Words(shape, tuple(shape.words((2 << domain.hi.value) - (1 << domain.lo.value))))
    masks = [item for item in level.items if isinstance(item, e.OptionMask)]
    with options.narrowed(u, words, masks) as kept:
        guarded = any(isinstance(item, e.OptionGuard) for item in level.items)
        yield _asked(u, site, kept) if guarded else kept


def _asked(u: Unit, site: e.OptionSite, words: Words) -> Words:
    """Those of the last parameter's values that the conditions let pass, each of which is asked."""
    from ludex.backends.wasm import options

    f, level = u.f, site.levels[-1]
    assert level.binding is not None
    unneeded = options.spared(u, site)
    made = tuple(f.local("i64") for _ in words.words)
    for local in made:
        f.set(local, 0)
    for x in _each(u, words):
        u.spend(u.c.cost.candidate(site, level))
        u.write(level.binding.var, x)
        passes = const(1)
        for item in level.items:
            if isinstance(item, e.OptionLet) and item.var not in unneeded:
                code.assign(u, item.var, item.value)
            elif isinstance(item, e.OptionGuard):
                holds = f.keep(values.value(u, item.test))
                if u.c.counting:
                    at, refused = u.c.applied, passes & holds.eqz()
                    f.store(at, 4 * item.rule, asm.load(at, 4 * item.rule) + refused)
                passes = f.keep(passes & holds)
        for i, local in enumerate(made):
            f.set(local, local | asm.choose(passes, u.bit(x, words.shape, i), const(0, "i64")))
    return Words(words.shape, made)


def _each(u: Unit, words: Words) -> Iterator[Ex]:
    """The elements of a set, ascending: of a few constants one after the other, else in a loop."""
    known = [word.constant for word in words.words]
    if None not in known:
        mask = sum((word & (1 << 64) - 1) << 64 * i for i, word in enumerate(known) if word is not None)
        if mask.bit_count() <= FEW:
            yield from (const(words.shape.base + i) for i in range(mask.bit_length()) if mask >> i & 1)
            return
    with u.each(words) as x:
        yield x


def element(u: Unit, words: Words, k: Ex, type_: SetType) -> Ex:
    """Element number k, counted from 0, of a set of a type that has so many."""
    f = u.f
    first, last = span(u.world, type_.element)
    if words.shape.size == 1:
        return _bit(u, last + 1 - first, words.words[0].shr(first - words.shape.base), k) + first
    found = f.local()
    left = f.local()
    f.set(left, k)
    with f.block() as done:
        for i, word in enumerate(words.words):
            n = f.keep(word.unary("popcnt").wrap())
            with f.when(left.compare("lt_s", n)):
                f.set(found, _bit(u, 64, word, left) + (words.shape.base + 64 * i))
                f.jump(done)
            f.set(left, left - n)
    return found


def _bit(u: Unit, used: int, word: Ex, k: Ex) -> Ex:
    """The position of bit number k that is set in a word, of which only the lowest bits are used."""
    if used <= 16:
        return _bit_of_few(u, used, word, k)
    width = 32 if used <= 32 else 64

    def build(own: Unit) -> None:
        own.f.give(_bit_of_few(own, width, own.f.param(0), own.f.param(1)))

    return Ex(asm.call(u.c.made(f"bit {width}", ["i64", "i32"], ["i32"], build), word, k))


def _bit_of_few(u: Unit, used: int, word: Ex, k: Ex) -> Ex:
    """By halves down to a byte, and by a table."""
    f = u.f
    at, n, beyond, rest, left = f.local(), f.local(), f.local(), f.local(), f.local("i64")
    f.set(at, 0)
    f.set(rest, k)
    f.set(left, word)
    half = next((half for half in (32, 16, 8) if used > half), 4)
    while half >= 8:
        f.set(n, (left & ((1 << half) - 1)).unary("popcnt").wrap())
        f.set(beyond, rest.compare("ge_s", n))
        f.set(rest, rest - asm.choose(beyond, n, const(0)))
        f.set(at, at + beyond * half)
        f.set(left, left.shr((beyond * half).extend(signed=False)))
        half //= 2
    table = u.c.constant("bits of bytes", _bits_of_bytes)
    return at + asm.load_byte((left.wrap() & 0xFF).shl(3) + rest, table)


def _bits_of_bytes() -> bytes:
    """For each byte and k the position of its bit number k that is set."""
    return b"".join(bytes([i for i in range(8) if byte >> i & 1]).ljust(8, b"\0") for byte in range(256))
