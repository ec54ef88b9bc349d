"""What the host calls: no parameters but numbers, everything else through memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ludex import rng
from ludex.backends.machine import CHANCE_TURN, OVER_TURN, SEALED_TURN
from ludex.backends.wasm import (
    asm,
    chance,
    drawing,
    elements,
    memory_map,
    occupants,
    options,
    records,
    standings,
    values,
)
from ludex.backends.wasm.asm import Ex, Function, const
from ludex.backends.wasm.cost import BUDGET
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.flow import COUNTED, Flow
from ludex.backends.wasm.invariants import Invariants
from ludex.backends.wasm.plan import (
    CHANCE,
    CHANCES,
    FIRST,
    FORCED,
    GAMES,
    INTERRUPT,
    LARGEST,
    MOST,
    OPTIONS,
    PLAYED,
    POLICY,
    RECORD_WORDS,
    SEED,
    STATE,
    TICKS,
    WHERE,
    Plan,
)
from ludex.backends.wasm.searches import Searches
from ludex.backends.wasm.seeding import Seeds, derived
from ludex.ir import program as p
from ludex.ir.passes.optimise import optimised
from ludex.limits import CHANCE_TICKS, MAX_TICKS
from ludex.node import collecting_later, replace
from ludex.typed import expr as e
from ludex.typed.types import BOOL

FEW = 64
"""Bytes that are copied word by word: together they would have to wait until each is written."""


@collecting_later()
def emit(program: p.Program, *, counting: bool = True) -> tuple[bytes, Plan]:
    """The module of a program, and its memory map. `counting`: whether its coverage is counted, and its
    invariants are tested."""
    if not counting:
        program = _untested(program)
    c = Emitter(optimised(program), counting=counting)
    flow = Flow(c, Invariants(c, program))
    exports = Exports(c, flow)
    exports.all()
    c.module.data(WHERE, memory_map.written(c.plan))
    return c.finish(), c.plan


def _untested(program: p.Program) -> p.Program:
    """The program with invariants that always hold."""
    return replace(program, invariants=tuple(replace(i, test=e.Const(1, BOOL)) for i in program.invariants))


class Exports:
    def __init__(self, c: Emitter, flow: Flow) -> None:
        self.c = c
        self.flow = flow
        self.pc = c.plan.word("@pc")

    def all(self) -> None:
        self.export("rebuild", [], [], self._rebuild)
        self.export("start", [], [], self._start)
        self.export("player", ["i32"], ["i32"], self._player)
        self.export("enter", [], ["i32"], lambda u: self._and_player(u, "rebuild"))
        self.export("list", ["i32", "i32"], ["i32"], self._list)
        self.export("draw", ["i32"], ["i32"], self._draw)
        self.export("choose", ["i32", "i32", "i32"], [], self._choose)
        self.export("step", ["i32", "i32", "i32"], ["i32"], lambda u: self._and_player(u, "choose"))
        self.export("outcome", ["i32"], ["i32"], self._outcome)
        self.export("same", ["i32", "i32"], ["i32"], self._same)
        self.export("resolve", ["i32", "i32", "i32"], [], self._resolve)
        self.export("happen", ["i32", "i32", "i32"], ["i32"], lambda u: self._and_player(u, "resolve"))
        self.export("playout", ["i32"], ["i32"], self._playout)
        self.export("games", ["i32"], [], self._games)
        self.export("standings", [], [], self._standings)
        payoff, heuristic = self.c.program.payoff, self.c.program.heuristic
        if payoff is not None:
            self.export("payoffs", [], [], partial(self._valued, *payoff))
        if heuristic is not None:
            self.export("heuristics", [], [], partial(self._valued, heuristic.me, heuristic.value))
        Searches(self).all()

    def export(
        self,
        name: str,
        params: list[asm.ValueType],
        results: list[asm.ValueType],
        build: Callable[[Unit], None],
    ) -> Function:
        return self.c.made(name, params, results, build, export=True)

    def function(self, name: str) -> Function:
        found = self.c.module.find(name)
        assert found is not None
        return found

    # --------------------------------------------------------------------------------- states

    def _rebuild(self, u: Unit) -> None:
        """What is derived, from the words of the state."""
        f, plan = u.f, u.plan
        f.do((*const(plan.derived).ops, *const(0).ops, *const(plan.derived_end - plan.derived).ops))
        f.body.append(("memory.fill",))
        records.rebuild(u)
        elements.rebuild(u)
        occupants.hold_tokens(u)
        place = plan.base("@place")
        if place is None or not any(kind.count for kind in plan.movables):
            return
        row, width = plan.row()
        shape = plan.occupants
        first = min(kind.ids[0] for kind in plan.movables if kind.count)
        last = max(kind.ids[-1] for kind in plan.movables if kind.count)
        thing = f.local()
        f.set(thing, first)
        with f.loop() as again:
            at = f.keep(asm.load(thing * 4, place))
            with f.when(at.compare("ne", 0)):
                index = thing - shape.base
                where = f.keep(at * width + (const(0) if shape.size == 1 else index.shr(6).shl(3)))
                bit = const(1, "i64").shl(index.extend(signed=False))
                f.store(where, row, asm.load(where, row, "i64") | bit)
                occupants.hold(u, thing, at)
            f.set(thing, thing + 1)
            f.jump(again, thing.compare("le_s", last))

    def begin(self, u: Unit) -> None:
        f, c = u.f, self.c
        f.do(asm.set_global(c.ticks, MAX_TICKS))
        f.do(asm.set_global(c.work, BUDGET))
        f.do(asm.set_global(c.depth, 0))
        f.do(asm.set_global(c.rule, -1))
        f.do(asm.set_global(c.playing, 0))
        f.do(asm.set_global(c.stack, u.plan.snapshots))
        f.do(asm.set_global(c.applied, u.plan.counters))
        f.do(asm.set_global(c.found, u.plan.options))

    def _go_on(self, u: Unit, block: Ex) -> None:
        u.f.store(const(0), self.pc, Ex(asm.call(self.flow.run, block)))
        u.f.store(const(0), TICKS, self.c.ticks)

    def _start(self, u: Unit) -> None:
        """A new state, run to its first point."""
        self.begin(u)
        self._clear(u)
        self._go_on(u, const(0))

    def _clear(self, u: Unit) -> None:
        """The state before anything has happened."""
        f, plan = u.f, u.plan
        f.do((*const(STATE).ops, *const(0).ops, *const(plan.derived_end - STATE).ops, ("memory.fill",)))
        records.rebuild(u)
        elements.rebuild(u)

    # ------------------------------------------------------------------------------- decisions

    def _player(self, u: Unit) -> None:
        """(block): who decides there; or `CHANCE_TURN`, `SEALED_TURN`, `OVER_TURN`."""
        f, block = u.f, u.f.param(0)
        for index, end in enumerate(b.end for b in self.flow.blocks):
            match end:
                case p.Decide():
                    with f.when(block.compare("eq", index)):
                        self.begin(u)
                        f.give(values.value(u, end.player))
                case p.Chance() | p.Simultaneous():
                    with f.when(block.compare("eq", index)):
                        f.give(CHANCE_TURN if isinstance(end, p.Chance) else SEALED_TURN)
        f.give(OVER_TURN)

    def _and_player(self, u: Unit, name: str) -> None:
        """As another export that gives nothing; then as `player`, of where the state stands."""
        called = self.function(name)
        u.f.do(asm.call(called, *(u.f.param(i) for i in range(len(called.params)))))
        u.f.give(Ex(asm.call(self.function("player"), asm.load(const(0), self.pc))))

    def _list(self, u: Unit) -> None:
        """(block, whether in full): lists the options; how many there are."""
        f, c = u.f, self.c
        self.begin(u)
        for index, end in self.flow.decisions():
            with f.when(f.param(0).compare("eq", index)):
                f.do(asm.set_global(c.rule, end.rule))
                with f.when(f.param(1)):
                    f.do(asm.call(options.list_all(c, index, end, full=True)))
                    f.otherwise()
                    f.do(asm.call(options.list_all(c, index, end, full=False)))
        f.give((c.found - u.plan.options)._binary("div_u", u.plan.stride))

    def _draw(self, u: Unit) -> None:
        """(block): a uniform option of the decision; the address of its record, 0 if there is none."""
        f, c = u.f, self.c
        self.begin(u)
        for index, end in self.flow.decisions():
            with f.when(f.param(0).compare("eq", index)):
                f.do(asm.set_global(c.rule, end.rule))
                f.give(Ex(asm.call(drawing.drawn(c, index, end))))
        f.give(0)

    def _take(self, u: Unit, block: Ex, record: Ex) -> Ex:
        f = u.f
        to = f.local()
        f.set(to, -1)
        for index, end in self.flow.decisions():
            with f.when(block.compare("eq", index)):
                f.set(to, Ex(asm.call(options.take(self.c, index, end), record)))
        return to

    def _choose(self, u: Unit) -> None:
        """(block, player of a strand or 0, address of a record): plays an option."""
        self.begin(u)
        u.f.do(asm.call(self.play(), *(u.f.param(i) for i in range(3))))

    def play(self) -> Function:
        """The same within a call that has begun."""

        def build(u: Unit) -> None:
            f = u.f
            block, player, record = (f.param(i) for i in range(3))
            to = self._take(u, block, record)
            if self.flow.strands:
                with f.when(player.compare("ne", 0)):
                    self.flow.strand(u, player, to)
                    for index, seal in self.seals():
                        with f.when(asm.load(const(0), self.pc).compare("eq", index)):
                            f.set(to, Ex(asm.call(self.flow.join(index, seal))))
                    with f.when(to.compare("lt_s", 0)):
                        f.store(const(0), TICKS, self.c.ticks)
                        f.leave()
            self._go_on(u, to)

        return self.c.made("play", ["i32"] * 3, [], build)

    def seals(self) -> list[tuple[int, p.Simultaneous]]:
        return [
            (i, block.end)
            for i, block in enumerate(self.flow.blocks)
            if isinstance(block.end, p.Simultaneous)
        ]

    # ----------------------------------------------------------------------------------- chance

    def _chances(self) -> list[tuple[int, p.Chance]]:
        return [(i, block.end) for i, block in enumerate(self.flow.blocks) if isinstance(block.end, p.Chance)]

    def _outcome(self, u: Unit) -> None:
        """(block): draws an outcome."""
        self.begin(u)
        for index, end in self._chances():
            with u.f.when(u.f.param(0).compare("eq", index)):
                u.f.give(Ex(asm.call(chance.sample(self.c, index, end))))
        u.f.give(0)

    def _same(self, u: Unit) -> None:
        """(block, outcome): the outcome that it is merged into; 0 if it cannot come out."""
        self.begin(u)
        for index, end in self._chances():
            if not isinstance(end.event, p.RollChance):
                with u.f.when(u.f.param(0).compare("eq", index)):
                    chance.give_merged(u, end, u.f.param(1))
        u.f.give(0)

    def _resolve(self, u: Unit) -> None:
        """(block, outcome, ticks that are left or -1 for all): it happens."""
        f, c = u.f, self.c
        self.begin(u)
        with f.when(f.param(2).compare("ge_s", 0)):
            f.do(asm.set_global(c.ticks, f.param(2)))
        to = f.local()
        for index, end in self._chances():
            with f.when(f.param(0).compare("eq", index)):
                f.set(to, Ex(asm.call(chance.resolve(c, index, end), f.param(1))))
        self._go_on(u, to)

    # --------------------------------------------------------------------------------- playouts

    def _playout(self, u: Unit) -> None:
        """(most decisions): plays on at random from any point; the decisions made."""
        f, c = u.f, self.c
        self.begin(u)
        f.do(asm.set_global(c.left, f.param(0)))
        f.do(asm.set_global(c.playing, 1))
        pc = f.local()
        f.set(pc, asm.load(const(0), self.pc))
        # the point at which the state waits is entered again: a block's end without its code
        f.set(pc, Ex(asm.call(self.again(), pc)))
        f.store(const(0), self.pc, pc)
        f.do(asm.set_global(c.playing, 0))
        f.give(f.param(0) - c.left)

    def again(self) -> Function:
        """(block): what a playout does at a point, then on."""

        def build(u: Unit) -> None:
            f, c, flow = u.f, self.c, self.flow
            block = f.param(0)
            to = f.local()
            for index, end in enumerate(b.end for b in flow.blocks):
                match end:
                    case p.Decide():
                        with f.when(block.compare("eq", index)):
                            with f.when(c.left.eqz()):
                                f.give(index)
                            with f.when(c.playing.compare("eq", COUNTED)):
                                f.set(to, flow.counted(index, end, values.value(u, end.player)))
                                f.otherwise()
                                f.set(to, Ex(asm.call(drawing.drawn(c, index, end))))
                            f.do(asm.set_global(c.left, c.left - 1))
                            flow.anew(u)
                            f.set(to, Ex(asm.call(options.take(c, index, end), to)))
                            f.give(Ex(asm.call(flow.run, to)))
                    case p.Chance():
                        with f.when(block.compare("eq", index)):
                            f.do(asm.set_global(c.ticks, c.ticks - CHANCE_TICKS))
                            f.store(const(0), CHANCES, asm.load(const(0), CHANCES) + 1)
                            f.set(to, Ex(asm.call(chance.sample(c, index, end))))
                            f.set(to, Ex(asm.call(chance.resolve(c, index, end), to)))
                            f.give(Ex(asm.call(flow.run, to)))
                    case p.Simultaneous():
                        with f.when(block.compare("eq", index)):
                            flow.play_strands(u)
                            f.set(to, Ex(asm.call(flow.join(index, end))))
                            with f.when(to.compare("lt_s", 0)):
                                f.give(index)
                            f.give(Ex(asm.call(flow.run, to)))
                    case _:
                        pass
            f.give(block)

        return self.c.made("again", ["i32"], ["i32"], build)

    def _games(self, u: Unit) -> None:
        """(mode: 1, or COUNTED): plays games from their seeds and writes their records, as many as
        were asked for and as there is room for. `FIRST` and `PLAYED` follow; stops when told to."""
        f, c, plan = u.f, self.c, u.plan
        n = plan.world_players
        at, zero = f.local(), const(0)
        f.store(zero, PLAYED, 0)
        with f.block() as done, f.loop() as again:
            f.jump(done, asm.load(zero, PLAYED).compare("ge_u", asm.load(zero, GAMES)))
            f.jump(done, asm.load(zero, PLAYED).compare("ge_u", plan.record_count))
            f.jump(done, asm.atomic_load(zero, INTERRUPT))
            seeds = Seeds(u, derived(u, asm.load(zero, SEED, "i64"), asm.load(zero, FIRST)))
            if self._chances():
                seeds.begin(CHANCE, rng.CHANCE)
            seeds.begin(POLICY, rng.POLICY)
            with f.when(f.param(0).compare("eq", COUNTED)):
                for seat in range(n):
                    seeds.begin(plan.streams + 16 * seat, rng.SEATS + seat)
            f.set(at, asm.load(zero, PLAYED) * (4 * plan.record_words) + plan.records)
            f.store(zero, FIRST, asm.load(zero, FIRST) + 1)
            f.store(zero, PLAYED, asm.load(zero, PLAYED) + 1)
            for word in (CHANCES, OPTIONS, LARGEST, FORCED):
                f.store(zero, word, 0)
            for i in range(len(c.program.invariants)):
                f.store(zero, plan.broken + 4 * i, 0)
            f.store(at, 0, 2)  # should it fault
            self.flow.invariants.begin(u)
            self.begin(u)
            self._clear(u)
            f.do(asm.set_global(c.left, asm.load(zero, MOST)))
            f.do(asm.set_global(c.playing, f.param(0)))
            f.store(zero, self.pc, Ex(asm.call(self.flow.run, zero)))
            f.do(asm.set_global(c.playing, 0))
            self.flow.invariants.test(u)
            self._record(u, at)
            f.jump(again)

    def is_chance(self, u: Unit) -> Ex:
        """Whether the state waits at a chance event."""
        found = const(0)
        for index, _ in self._chances():
            found = found | asm.load(const(0), self.pc).compare("eq", index)
        return found

    def _record(self, u: Unit, at: Ex) -> None:
        f, c, plan = u.f, self.c, u.plan
        zero = const(0)
        over = const(0)
        for i, block in enumerate(self.flow.blocks):
            if isinstance(block.end, p.GameOver):
                over = over | asm.load(zero, self.pc).compare("eq", i)
        turns = zero
        for rule in plan.turn_rules:
            turns = turns + asm.load(zero, plan.counters + 4 * rule)
        ended, rounds = plan.fields.get("@ended_by"), plan.fields.get("round_number")
        decisions = asm.load(zero, MOST) - c.left
        f.store(at, 0, over.eqz())
        for i, value in enumerate(
            (
                decisions,
                turns,
                zero if rounds is None else asm.load(zero, plan.word("round_number")),
                asm.load(zero, CHANCES),
                asm.load(zero, OPTIONS),
                asm.load(zero, LARGEST),
                asm.load(zero, FORCED),
                zero if ended is None else asm.load(zero, plan.word("@ended_by")),
            )
        ):
            f.store(at, 4 * (i + 1), value)
        f.do(asm.call(self.function("standings")))
        results = 4 * plan.world_players * (len(c.program.scoring) + max(len(c.program.ranking), 1) + 1)
        _copy(u, at, 4 * RECORD_WORDS, plan.results, results)
        rest = 4 * RECORD_WORDS + results
        if c.program.payoff is not None:
            me, payoff = c.program.payoff
            first, n = u.player_kind()
            own = Unit(c, f)
            for seat in range(n):
                own.write(me, const(first + seat))
                f.store(at, rest, values.value(own, payoff))
                rest += 4
        for i in range(len(c.program.invariants)):
            f.store(at, rest, asm.load(zero, plan.broken + 4 * i))
            rest += 4

    # -------------------------------------------------------------------------------- standings

    def _standings(self, u: Unit) -> None:
        """Lines, keys and ranks into the results."""
        self.begin(u)
        standings.lines_and_keys(u)
        standings.ranks(u)

    def _valued(self, me: int, value: e.Expr, u: Unit) -> None:
        """A value for each seat, in the place of the ranks."""
        self.begin(u)
        standings.valued(u, me, value)


def _copy(u: Unit, to: Ex, offset: int, source: int, size: int) -> None:
    """Copies words; of a few each by itself, as it was written."""
    f = u.f
    if size > FEW:
        f.do((*(to + offset).ops, *const(source).ops, *const(size).ops, ("memory.copy",)))
        return
    for i in range(0, size, 4):
        f.store(to, offset + i, asm.load(const(0), source + i))
