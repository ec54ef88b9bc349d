"""What goes through many positions in one call: ways to play, successors, states stepped together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludex.backends.wasm import asm, options, snapshots, values
from ludex.backends.wasm.asm import Ex, Function, const
from ludex.backends.wasm.emitter import Unit
from ludex.backends.wasm.plan import (
    BATCH_WORDS,
    CHANCE,
    FAULTED,
    ILLEGAL,
    INTERRUPT,
    PLAYED,
    STATE,
    STEPPED,
)
from ludex.ir import program as p

if TYPE_CHECKING:
    from ludex.backends.wasm.exports import Exports


class Searches:
    def __init__(self, exports: Exports) -> None:
        self._exports = exports
        self._c = exports.c
        self._flow = exports.flow
        self._pc = exports.pc

    def all(self) -> None:
        export = self._exports.export
        export("perft", ["i32"], ["i64"], lambda u: self._perft(u, by_turn=False))
        export("perft_turns", ["i32"], ["i64"], lambda u: self._perft(u, by_turn=True))
        export("successors", ["i32"], ["i32"], self._successors)
        export("step_batch", ["i32", "i32"], [], self._step_batch)

    def _ways(self, *, by_turn: bool) -> Function:
        """(depth): how many ways there are to go on for so many decisions, or turns: a turn is all
        that one player decides before another does. Stops when told to."""

        def build(u: Unit) -> None:
            f, c, plan = u.f, self._c, u.plan
            depth = f.param(0)
            total, at, end, first = f.local("i64"), f.local(), f.local(), f.local()
            me, following = f.local(), f.local()
            with f.when(depth.eqz()):
                f.give(const(1, "i64"))
            f.set(first, c.found)
            f.set(total, 0)

            def go_on(left: Ex) -> None:
                f.set(total, total + Ex(asm.call(self._ways(by_turn=by_turn), left), "i64"))

            for index, decide in self._flow.decisions():
                with f.when(asm.load(const(0), self._pc).compare("eq", index)):
                    f.do(asm.call(options.list_all(c, index, decide, full=True)))
                    f.set(end, c.found)
                    if by_turn:
                        f.set(me, values.value(u, decide.player))
                    else:
                        with f.when(depth.compare("eq", 1)):
                            f.do(asm.set_global(c.found, first))
                            f.give((end - first)._binary("div_u", plan.stride).extend())
                    f.set(at, first)
                    snapshots.keep(u, records=True)
                    with f.block() as done, f.loop() as again:
                        f.jump(done, at.compare("ge_u", end))
                        f.jump(done, asm.atomic_load(const(0), INTERRUPT))
                        self._take_and_run(u, index, decide, at)
                        if by_turn:
                            f.set(following, Ex(asm.call(self._decider())))
                            with f.when(following.compare("eq", me)):
                                go_on(depth)
                                f.otherwise()
                                with f.when(depth.compare("eq", 1)):
                                    f.set(total, total + 1)
                                    f.otherwise()
                                    go_on(depth - 1)
                        else:
                            go_on(depth - 1)
                        snapshots.recall(u, records=True)
                        f.set(at, at + plan.stride)
                        f.jump(again)
                    snapshots.drop(u)
                    f.do(asm.set_global(c.found, first))
                    f.give(total)
            f.give(const(0, "i64"))

        return self._c.made(f"ways {by_turn}", ["i32"], ["i64"], build)

    def _decider(self) -> Function:
        """Who decides at the point that was reached; 0 if nobody does."""

        def build(u: Unit) -> None:
            for index, end in self._flow.decisions():
                with u.f.when(asm.load(const(0), self._pc).compare("eq", index)):
                    u.f.give(values.value(u, end.player))
            u.f.give(0)

        return self._c.made("decider", [], ["i32"], build)

    def _take_and_run(self, u: Unit, index: int, decide: p.Decide, record: Ex) -> None:
        self._flow.anew(u)
        to = Ex(asm.call(options.take(self._c, index, decide), record))
        u.f.store(const(0), self._pc, Ex(asm.call(self._flow.run, to)))

    def _perft(self, u: Unit, *, by_turn: bool) -> None:
        """(depth): see `_ways`."""
        self._exports.begin(u)
        u.f.give(Ex(asm.call(self._ways(by_turn=by_turn), u.f.param(0)), "i64"))

    def _successors(self, u: Unit) -> None:
        """(first): plays each option of a decision, from number `first`, and writes the states at the
        points reached among the records, as many as there is room for; how many options there are."""
        f, c, plan = u.f, self._c, u.plan
        at, end, to, size = f.local(), f.local(), f.local(), 4 * plan.saved
        self._exports.begin(u)
        for index, decide in self._flow.decisions():
            with f.when(asm.load(const(0), self._pc).compare("eq", index)):
                f.do(asm.call(options.list_all(c, index, decide, full=True)))
                f.set(end, c.found)
                f.set(at, f.param(0) * plan.stride + plan.options)
                f.set(to, plan.records)
                snapshots.keep(u, records=True)
                with f.block() as done, f.loop() as again:
                    f.jump(done, at.compare("ge_u", end))
                    f.jump(done, to.compare("ge_u", plan.records + size * plan.state_count))
                    self._take_and_run(u, index, decide, at)
                    f.do((*to.ops, *const(STATE).ops, *const(size).ops, ("memory.copy",)))
                    snapshots.recall(u, records=True)
                    f.set(at, at + plan.stride)
                    f.set(to, to + size)
                    f.jump(again)
                snapshots.drop(u)
                f.give((end - plan.options)._binary("div_u", plan.stride))
        f.give(0)

    # ------------------------------------------------------------------------- states together

    def _step_batch(self, u: Unit) -> None:
        """(first, end): plays in each state among the records the option that its first word says
        (none if that is negative), and the chance events that follow with its own generator. `PLAYED`
        is the one that is at hand: a fault leaves it as it was, but for its result."""
        f, plan = u.f, u.plan
        zero, saved = const(0), const(4 * plan.saved)
        at, block, seat, n = (f.local() for _ in range(4))
        f.store(zero, PLAYED, f.param(0))
        with f.block() as done, f.loop() as again:
            f.jump(done, asm.load(zero, PLAYED).compare("ge_s", f.param(1)))
            f.set(at, asm.load(zero, PLAYED) * (4 * (BATCH_WORDS + plan.saved)) + plan.records)
            f.do((*const(STATE).ops, *(at + 4 * BATCH_WORDS).ops, *saved.ops, ("memory.copy",)))
            f.do(asm.call(self._exports.function("rebuild")))
            f.do((*const(CHANCE).ops, *(at + 16).ops, *const(16).ops, ("memory.copy",)))
            self._exports.begin(u)
            f.store(at, 12, FAULTED)
            with f.block() as skipped:
                with f.when(asm.load(at).compare("ge_s", 0)):
                    f.set(block, Ex(asm.call(self._waiting())))
                    f.set(n, Ex(asm.call(self._listed(), block)))
                    with f.when(asm.load(at).compare("ge_u", n)):
                        f.store(at, 12, ILLEGAL)
                        f.jump(skipped)
                    f.set(seat, Ex(asm.call(self._strand())))
                    record = asm.load(at) * plan.stride + plan.options
                    f.do(asm.call(self._exports.play(), block, seat, record))
                with f.block() as settled, f.loop() as on:
                    f.jump(settled, self._exports.is_chance(u).eqz())
                    f.store(zero, self._pc, Ex(asm.call(self._exports.again(), asm.load(zero, self._pc))))
                    f.jump(on)
                f.set(block, Ex(asm.call(self._waiting())))
                f.store(at, 4, Ex(asm.call(self._listed(), block)))
                f.set(seat, Ex(asm.call(self._strand())))
                with f.when(seat.eqz()):
                    f.set(seat, Ex(asm.call(self._decider())))
                f.store(at, 8, seat)
                f.store(at, 12, STEPPED)
                f.do((*(at + 16).ops, *const(CHANCE).ops, *const(16).ops, ("memory.copy",)))
                f.do((*(at + 4 * BATCH_WORDS).ops, *const(STATE).ops, *saved.ops, ("memory.copy",)))
            f.store(zero, PLAYED, asm.load(zero, PLAYED) + 1)
            f.jump(again)

    def _waiting(self) -> Function:
        """The block of the decision that waits (of sealed choices the first player's), -1 if none does."""

        def build(u: Unit) -> None:
            f = u.f
            seat = f.keep(Ex(asm.call(self._strand())))
            with f.when(seat):
                f.give(asm.load(seat * 4, u.plan.base("@strand") or 0))
            for index, _ in self._flow.decisions():
                with f.when(asm.load(const(0), self._pc).compare("eq", index)):
                    f.give(index)
            f.give(-1)

        return self._c.made("waiting", [], ["i32"], build)

    def _strand(self) -> Function:
        """At sealed choices the first player who has not finished, else 0."""

        def build(u: Unit) -> None:
            f = u.f
            first, n = u.player_kind()
            for index, _ in self._exports.seals():
                with f.when(asm.load(const(0), self._pc).compare("eq", index)):
                    for player in range(first, first + n):
                        word = asm.load(const(0), (u.plan.base("@strand") or 0) + 4 * player)
                        with f.when(word.compare("gt_s", 0)):
                            f.give(player)
            f.give(0)

        return self._c.made("strand", [], ["i32"], build)

    def _listed(self) -> Function:
        """(block): lists the options of a decision, from the beginning; how many there are."""

        def build(u: Unit) -> None:
            f, c, plan = u.f, self._c, u.plan
            f.do(asm.set_global(c.found, plan.options))
            for index, decide in self._flow.decisions():
                with f.when(f.param(0).compare("eq", index)):
                    f.do(asm.set_global(c.rule, decide.rule))
                    f.do(asm.call(options.list_all(c, index, decide, full=True)))
            f.give((c.found - plan.options)._binary("div_u", plan.stride))

        return self._c.made("listed", ["i32"], ["i32"], build)
