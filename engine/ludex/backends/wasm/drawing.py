"""Drawing an option uniformly at random, as a playout does at a decision.

Late conditions are tested on what was drawn: a refused candidate is replaced by the last one, and
another is drawn. The longest-run rule is the last late condition. Where nothing passes, the
decision does not exist, and no random number was used for it.
"""

from __future__ import annotations

from ludex.backends.wasm import asm, choices, longest, options, rows
from ludex.backends.wasm.asm import Ex, Function, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.plan import POLICY
from ludex.ir import program as p
from ludex.typed import expr as e


def drawn(c: Emitter, block: int, decide: p.Decide) -> Function:
    """The address of the record of an option, 0 if there is none."""

    def build(u: Unit) -> None:
        if choices.countable(c, decide):
            choices.pick(u, decide)
            return
        f = u.f
        n, k = f.local(), f.local()
        fits = rows.fit(c, decide)
        if fits:
            end = rows.list_rows(u, decide, n)
        else:
            _list(u, block, decide, n)
        with f.when(n.eqz()):
            f.give(0)
        generator = [f.keep(asm.load(const(0), POLICY + 4 * i)) for i in range(4)] if has_late(decide) else []
        f.set(k, Ex(asm.call(c.bounded, const(POLICY), n)))
        if not fits:
            _from_list(u, block, decide, n, k, generator)
            return
        rows.find(u, decide, k, end)
        if generator:
            with f.block() as refused:
                options.test_late(u, decide, const(c.plan.chosen), refused)
                f.give(c.plan.chosen)
            _list_again(u, block, decide)
            _replace(u, n, k)
            with f.when(n.eqz()):
                _restore(u, generator)
                f.give(0)
            f.set(k, Ex(asm.call(c.bounded, const(POLICY), n)))
            _from_list(u, block, decide, n, k, generator)
        else:
            f.give(c.plan.chosen)

    return c.made(f"drawn {block}", [], ["i32"], build)


def has_late(decide: p.Decide) -> bool:
    """Whether anything is asked of candidates only once they are drawn."""
    return decide.longest or any(option.site.late for option in decide.options)


def sure(c: Emitter, decide: p.Decide) -> bool:
    """Whether looking for options can neither fault nor cost ticks."""
    if has_late(decide):
        return False
    for level in (level for option in decide.options for level in option.site.levels):
        if level.binding is not None and not c.facts.is_fixed(level.binding):
            return False
        for item in level.items:
            match item:
                case e.OptionLet(value=asked) | e.OptionGuard(test=asked) | e.OptionMask(set=asked):
                    if not c.facts.total(asked):
                        return False
    return True


def _list(u: Unit, block: int, decide: p.Decide, n: Ex) -> None:
    """Lists all candidates, and counts them."""
    f, c = u.f, u.c
    f.do(asm.set_global(c.found, c.plan.options))
    options.list_offers(u, decide, full=False)
    f.set(n, (c.found - c.plan.options)._binary("div_u", c.plan.stride))


def _list_again(u: Unit, block: int, decide: p.Decide) -> None:
    """Lists all candidates once their number is known: what that took, and what is refused, was counted
    then."""
    f, c = u.f, u.c
    applied, ticks, work = f.keep(c.applied), f.keep(c.ticks), f.keep(c.work)
    f.do(asm.set_global(c.applied, c.plan.unseen))
    _list(u, block, decide, f.local())
    f.do(asm.set_global(c.applied, applied))
    f.do(asm.set_global(c.ticks, ticks))
    f.do(asm.set_global(c.work, work))


def _from_list(u: Unit, block: int, decide: p.Decide, n: Ex, k: Ex, generator: list[Ex]) -> None:
    """Gives number k of n candidates, or one that is drawn in its place."""
    f, c, stride = u.f, u.c, u.c.plan.stride
    if not generator:
        f.give(k * stride + c.plan.options)
        return
    at = f.local()
    runs = longest.Drawn(u, block, decide, n) if decide.longest else None
    with f.loop() as again:
        f.set(at, k * stride + c.plan.options)
        with f.block() as refused:
            options.test_late(u, decide, at, refused)
            if runs is not None:
                runs.test(at, refused)
            f.give(at)
        _replace(u, n, k)
        with f.when(n.eqz()):
            _restore(u, generator)
            f.give(0)
        f.set(k, Ex(asm.call(c.bounded, const(POLICY), n)))
        f.jump(again)


def _replace(u: Unit, n: Ex, k: Ex) -> None:
    """Of n candidates number k is gone: the last one takes its place."""
    f, stride, first = u.f, u.c.plan.stride, u.c.plan.options
    f.set(n, n - 1)
    last, at, i = f.keep(n * stride), f.keep(k * stride), f.local()
    f.set(i, 0)
    with f.loop() as copying:
        f.store(at + i, first, asm.load(last + i, first))
        f.set(i, i + 4)
        f.jump(copying, i.compare("lt_u", stride))


def _restore(u: Unit, generator: list[Ex]) -> None:
    for i, word in enumerate(generator):
        u.f.store(const(0), POLICY + 4 * i, word)
