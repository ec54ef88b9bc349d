"""The longest-run rule: of all options only those are listed that begin a longest run of such.

A run is followed through hypothetical positions; how long the longest from a position is is
remembered, so that two orders of the same actions are followed once. A search ends with a run
than which none can be longer, where that is known.
"""

from __future__ import annotations

from ludex.backends.wasm import asm, code, options, snapshots, values
from ludex.backends.wasm.asm import Ex, Function, Label, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.plan import MEMO_ENTRIES, STATE
from ludex.ir import program as p
from ludex.ir.passes.runs import most_in_run
from ludex.limits import MAX_RECURSION_DEPTH

LANES = 2
"""Of a position's words so many are hashed side by side, as none has to wait for the others."""

MIXER = 0x9E3779B97F4A7C15


def list_longest(u: Unit, block: int, decide: p.Decide) -> None:
    """Lists all options, then keeps those that begin a longest run (all, if there is but one)."""
    f, c, stride = u.f, u.c, u.plan.stride
    first = f.local()
    f.set(first, c.found)
    for index, option in enumerate(decide.options):
        f.do(asm.call(options.listing(c, option.site, full=True), const(index)))
    end = f.local()
    f.set(end, c.found)
    with f.when((end - first).compare("le_u", stride)):
        f.leave()
    f.do(asm.set_global(c.era, c.era + 1))
    best, at, to, length, i = (f.local() for _ in range(5))
    f.set(best, 0)
    f.set(at, first)
    with f.block() as done, f.loop() as again:
        f.jump(done, at.compare("ge_u", end))
        f.set(length, Ex(asm.call(_run_length(c, block, decide), at, const(1))))
        f.store(at, stride - 4, length)
        f.set(best, asm.choose(length.compare("gt_s", best), length, best))
        f.set(at, at + stride)
        f.jump(again)
    f.set(at, first)
    f.set(to, first)
    with f.block() as done, f.loop() as again:
        f.jump(done, at.compare("ge_u", end))
        with f.when(asm.load(at, stride - 4).compare("eq", best)):
            f.set(i, 0)
            with f.loop() as copying:
                f.store(to + i, 0, asm.load(at + i))
                f.set(i, i + 4)
                f.jump(copying, i.compare("lt_u", stride))
            f.set(to, to + stride)
        f.set(at, at + stride)
        f.jump(again)
    f.do(asm.set_global(c.found, to))


class Drawn:
    """The longest-run rule as a late condition of the candidates that a decision draws from."""

    def __init__(self, u: Unit, block: int, decide: p.Decide, candidates: Ex) -> None:
        self._u, self._block, self._decide = u, block, decide
        self._several, self._best = u.f.local(), u.f.local()
        u.f.set(self._several, candidates.compare("gt_u", 1))
        u.f.set(self._best, -1)
        u.f.do(asm.set_global(u.c.era, u.c.era + 1))

    def test(self, at: Ex, refused: Label) -> None:
        """Jumps if the candidate at an address begins no longest run."""
        u, f, c, block, decide = self._u, self._u.f, self._u.c, self._block, self._decide
        with f.when(self._several), f.block() as accepted:
            length = f.keep(Ex(asm.call(_run_length(c, block, decide), at, const(1))))
            most = most_in_run(c.program, decide)
            if most is not None:
                f.jump(accepted, length.compare("eq", values.value(u, most)))
            with f.when(self._best.compare("lt_s", 0)):
                f.set(self._best, Ex(asm.call(_longest_from(c, block, decide), const(0))))
            f.jump(refused, length.compare("ne", self._best))


def _run_length(c: Emitter, block: int, decide: p.Decide) -> Function:
    """(address of a record, depth): the length of the longest run that begins with it."""

    def build(u: Unit) -> None:
        f, plan = u.f, u.plan
        at, depth = f.param(0), f.param(1)
        with f.when(depth.compare("gt_s", MAX_RECURSION_DEPTH)):
            u.fault("depth", -1)
        for i in range(len(decide.options)):
            if not decide.effects[i]:
                with f.when(asm.load(at).compare("eq", i)):
                    f.give(1)
        best, applied, rule = (f.local() for _ in range(3))
        f.set(applied, c.applied)
        f.set(rule, c.rule)
        f.do(asm.set_global(c.applied, plan.unseen))
        snapshots.keep(u)
        for i, option in enumerate(decide.options):
            if decide.effects[i]:
                with f.when(asm.load(at).compare("eq", i)):
                    own = Unit(c, f)
                    options.bind(own, option.site, options.recorded(own, option.site, at))
                    f.do(code.run(own, decide.effects[i], tuple(expr for _, expr in option.stores)))
        f.set(best, Ex(asm.call(_longest_from(c, block, decide), depth)))
        snapshots.recall(u)
        snapshots.drop(u)
        f.do(asm.set_global(c.applied, applied))
        f.do(asm.set_global(c.rule, rule))
        f.give(best + 1)

    return c.made(f"run length {block}", ["i32", "i32"], ["i32"], build)


def _longest_from(c: Emitter, block: int, decide: p.Decide) -> Function:
    """(depth): the length of the longest run from the present position."""

    def build(u: Unit) -> None:
        f, plan = u.f, u.plan
        depth = f.param(0)
        first, end, best, length, here = (f.local() for _ in range(5))
        bound = most_in_run(c.program, decide)
        most = None if bound is None else f.keep(values.value(u, bound))
        if most is not None:
            with f.when(most.compare("le_s", 1)):
                f.give(asm.branch(most, options.any_option(u, decide), const(0)))
        entry = f.keep(Ex(asm.call(_entry(c))))
        with f.when(asm.load(entry).compare("eq", c.era)):
            f.give(asm.load(entry, 8))
        f.set(first, c.found)
        for i, option in enumerate(decide.options):
            f.do(asm.call(options.listing(c, option.site, full=False), const(i)))
        f.set(end, c.found)
        f.set(best, 0)
        f.set(here, first - plan.stride)
        with f.block() as done, f.loop() as again:
            f.set(here, here + plan.stride)
            f.jump(done, here.compare("ge_u", end))
            options.test_late(u, decide, here, again)
            f.set(length, Ex(asm.call(_run_length(c, block, decide), here, depth + 1)))
            f.set(best, asm.choose(length.compare("gt_s", best), length, best))
            if most is not None:
                f.jump(done, best.compare("eq", most))
            f.jump(again)
        f.do(asm.set_global(c.found, first))
        # what came later may have taken the place
        f.set(entry, Ex(asm.call(_entry(c))))
        f.store(entry, 0, c.era)
        f.store(entry, 8, best)
        words = 4 * plan.program.layout.words
        f.do((*(entry + 16).ops, *const(STATE).ops, *const(words).ops, ("memory.copy",)))
        f.give(best)

    return c.made(f"longest from {block}", ["i32"], ["i32"], build)


def _entry(c: Emitter) -> Function:
    """The address of the present position's entry; its first word is the era only if the entry is
    about this position (the hash, which is the second, is written here)."""

    def build(u: Unit) -> None:
        f, plan = u.f, u.plan
        pairs, odd = divmod(plan.program.layout.words, 2)
        lanes = [f.local("i64") for _ in range(LANES)]
        i = f.local()
        for lane in lanes:
            f.set(lane, 0x811C9DC5)
        f.set(i, 0)
        step = 8 * LANES

        def take(lane: Ex, word: Ex) -> None:
            f.set(lane, (lane ^ word) * MIXER)
            f.set(lane, lane ^ lane.shr(32))

        if pairs >= LANES:
            with f.loop() as hashing:
                for k, lane in enumerate(lanes):
                    take(lane, asm.load(i, STATE + 8 * k, "i64"))
                f.set(i, i + step)
                f.jump(hashing, i.compare("lt_u", pairs // LANES * step))
        for k in range(pairs % LANES):
            take(lanes[k], asm.load(const(0), STATE + pairs // LANES * step + 8 * k, "i64"))
        if odd:
            take(lanes[0], asm.load(const(0), STATE + 8 * pairs).extend(signed=False))
        for lane in lanes[1:]:
            take(lanes[0], lane)
        h = f.keep(lanes[0].wrap())
        at = f.keep((h & (MEMO_ENTRIES - 1)) * plan.memo_entry + plan.memo)
        with f.block() as other:
            f.jump(other, asm.load(at, 4).compare("ne", h))
            if odd:
                last = asm.load(at, 16 + 8 * pairs)
                f.jump(other, asm.load(const(0), STATE + 8 * pairs).compare("ne", last))
            f.set(i, 0)
            with f.loop() as comparing:
                mine, theirs = asm.load(i, STATE, "i64"), asm.load(at + i, 16, "i64")
                f.jump(other, mine.compare("ne", theirs))
                f.set(i, i + 8)
                f.jump(comparing, i.compare("lt_u", 8 * pairs))
            f.give(at)
        f.store(at, 0, 0)
        f.store(at, 4, h)
        f.give(at)

    return c.made("entry", [], ["i32"], build)
