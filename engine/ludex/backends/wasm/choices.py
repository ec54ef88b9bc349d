"""Drawing an option without listing all: where offers are sets, or nothing but a condition.

The number of options is the number of elements; the k-th is found by counting bits. It is the
option that listing would have put at place k.
"""

from __future__ import annotations

from ludex.backends.wasm import asm, code, sets
from ludex.backends.wasm.asm import Ex, Function, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.shapes import Words
from ludex.ir import program as p
from ludex.typed import expr as e
from ludex.typed.types import SetType


def countable(decide: p.Decide) -> bool:
    """Whether all offers of a decision are sets, and none has late conditions."""
    return not decide.longest and all(_is_set(option.site) for option in decide.options)


def _is_set(site: e.OptionSite) -> bool:
    if site.late or len(site.levels) > 2:
        return False
    if len(site.levels) == 1:
        return site.levels[0].binding is None
    first, last = site.levels
    binding = last.binding
    return (
        first.binding is None
        and binding is not None
        and not binding.collapse
        and isinstance(binding.domain, e.SetDomain)
        and not isinstance(binding.type, SetType)
        and not any(isinstance(item, e.OptionGuard) for item in last.items)
    )


def pick(c: Emitter, block: int, decide: p.Decide) -> Function:
    """(address of a generator): draws an option; the address of its record, 0 if there is none."""

    def build(u: Unit) -> None:
        f = u.f
        offers = [_Offer(u, option.site) for option in decide.options]
        total, k = f.local(), f.local()
        f.set(total, 0)
        for offer in offers:
            f.set(total, total + offer.count)
        with f.when(total.eqz()):
            f.give(0)
        f.set(k, Ex(asm.call(c.bounded, f.param(0), total)))
        at = const(c.plan.options)
        for i, offer in enumerate(offers):
            with f.when(k.compare("lt_s", offer.count)):
                f.store(at, 0, i)
                if offer.words is not None:
                    f.store(at, 4, _element(u, offer.words, k))
                f.give(at)
            f.set(k, k - offer.count)
        f.give(0)

    return c.made(f"pick {block}", ["i32"], ["i32"], build)


class _Offer:
    """The options of an offer: how many, and the set of the values of its parameter if it has one."""

    def __init__(self, u: Unit, site: e.OptionSite) -> None:
        f = u.f
        self.count = f.local()
        self.words: Words | None = None
        f.set(self.count, 0)

        def found() -> None:
            if len(site.levels) == 1:
                f.set(self.count, 1)
                return
            self.words = _passing(u, site.levels[1])
            total = const(0, "i64")
            for word in self.words.words:
                total = total + word.unary("popcnt")
            f.set(self.count, total.wrap())

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


def _passing(u: Unit, level: e.OptionLevel) -> Words:
    """The values that pass; what is refused is counted."""
    from ludex.backends.wasm import options

    assert level.binding is not None and isinstance(level.binding.domain, e.SetDomain)
    words = sets.words(u, level.binding.domain.set)
    made = tuple(u.f.local("i64") for _ in words.words)
    for local in made:
        u.f.set(local, 0)
    masks = [item for item in level.items if isinstance(item, e.OptionMask)]
    with options.narrowed(u, words, masks) as kept:
        for local, word in zip(made, kept.words, strict=True):
            u.f.set(local, word)
    return Words(words.shape, made)


def _element(u: Unit, words: Words, k: Ex) -> Ex:
    """Element number k, counted from 0, of a set that has so many."""
    f = u.f
    if words.shape.size == 1:
        return Ex(asm.call(_bit(u.c), words.words[0], k)) + words.shape.base
    found = f.local()
    left = f.local()
    f.set(left, k)
    with f.block() as done:
        for i, word in enumerate(words.words):
            n = f.keep(word.unary("popcnt").wrap())
            with f.when(left.compare("lt_s", n)):
                f.set(found, Ex(asm.call(_bit(u.c), word, left)) + (words.shape.base + 64 * i))
                f.jump(done)
            f.set(left, left - n)
    return found


def _bit(c: Emitter) -> Function:
    """(word, k): the position of bit number k that is set, by halves."""

    def build(u: Unit) -> None:
        f = u.f
        word, k = f.param(0), f.param(1)
        at, n, beyond = f.local(), f.local(), f.local()
        f.set(at, 0)
        for width in (32, 16, 8, 4, 2, 1):
            f.set(n, (word & ((1 << width) - 1)).unary("popcnt").wrap())
            f.set(beyond, k.compare("ge_s", n))
            f.set(k, k - asm.choose(beyond, n, const(0)))
            f.set(at, at + beyond * width)
            f.set(word, word.shr((beyond * width).extend(signed=False)))
        f.give(at)

    return c.made("bit", ["i64", "i32"], ["i32"], build)
