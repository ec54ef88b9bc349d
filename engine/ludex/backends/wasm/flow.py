"""Control: all blocks in one function, `run`, that goes on from a block to the next point.

A block that is reached from one place only stands at that place. The others stand in a row, so that most
ways lead forward and are jumps. Stretches of the row that are gone through again are loops; back, and to a
block whose number is only known then, the way is through the table of such a stretch. In a playout
(`playing`) decisions and chance events are made at once and `run` comes back only at the end of the game, or
when no decision is left to be made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain

from ludex.backends.wasm import asm, chance, choices, code, drawing, options, rows, sets, stretches, values
from ludex.backends.wasm.asm import Ex, Function, Label, const
from ludex.backends.wasm.cost import BUDGET
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.invariants import Invariants
from ludex.backends.wasm.plan import CHANCES, FORCED, LARGEST, OPTIONS, STATE
from ludex.backends.wasm.stretches import Stretch
from ludex.ir import program as p
from ludex.ir.passes.known import return_targets
from ludex.ir.walk import nodes
from ludex.limits import CHANCE_TICKS, MAX_TICKS

ENDED = -2
"""What `run` gives when a strand has ended."""

COUNTED = 2
"""`playing` where options are listed in full and counted, and each seat has a generator."""

SHORT = 12
"""Nodes of code that stand in more than one place rather than be reached through the table."""

Returns = dict[int, list[int]]

FEW = 3
"""Blocks between which is decided by comparing, not through the table."""

FINISHED = -1
"""`@strand` of a player who has chosen all he had to."""


class Flow:
    """The blocks of a program."""

    def __init__(self, c: Emitter, invariants: Invariants) -> None:
        self.c = c
        self.invariants = invariants
        self.blocks = c.program.blocks
        self.heads = _heads(c.program)
        self.strands = _strands(c.program)
        self._returns = _returns(c.program)
        self._standing: list[int] = []
        self._ahead: dict[int, Label] = {}
        """Of the blocks that stand behind the one that is being emitted: where they begin, or the stretch
        that they are in."""
        self._within: list[tuple[frozenset[int], Label]] = []
        """The stretches that the block that is being emitted is in (their blocks), and where each begins."""
        self.run = c.made("run", ["i32"], ["i32"], self._run)

    def _run(self, u: Unit) -> None:
        f = u.f
        self._pc = f.param(0)
        self._stretch(u, stretches.stretch(sorted(self.heads), self._leads))

    def _leads(self, head: int) -> set[int]:
        """The blocks of the row at which one may go on from a block of it."""
        found: set[int] = set()
        left, standing = [head], {head}
        while left:
            end = self.blocks[left.pop()].end
            for target in [end.next] if isinstance(end, p.Simultaneous) else _after(end, self._returns):
                if target in self.heads:
                    found.add(target)
                if target not in standing and (target not in self.heads or self._short(target)):
                    standing.add(target)
                    left.append(target)
        return found

    def _stretch(self, u: Unit, stretch: Stretch) -> None:
        """The blocks of a stretch, behind what goes on at block number `pc`: a comparison with each head, and
        a table."""
        f = u.f
        with f.loop() as again:
            nowhere, *labels = (Label() for _ in range(len(stretch.items) + 1))
            for label in (nowhere, *reversed(labels)):
                f.body.append(("block", None, label))
            place = {
                block: label
                for item, label in zip(stretch.items, labels, strict=True)
                for block in stretches.blocks(item)
            }
            for head in stretch.heads:
                f.jump(place[head], self._pc.compare("eq", head))
            first = min(place)
            table = tuple(place.get(i, nowhere) for i in range(first, max(place) + 1))
            f.do((*(self._pc - first).ops, ("br_table", table, nowhere)))
            self._ahead.update(place)
            self._within.append((frozenset(place), again))
            for item in stretch.items:
                for block in stretches.blocks(item):
                    del self._ahead[block]
                f.body.append(("end",))
                if isinstance(item, Stretch):
                    self._stretch(u, item)
                else:
                    self._block(u, item)
            self._within.pop()
            f.body.append(("end",))
            f.body.append(("unreachable",))

    def go(self, u: Unit, block: int) -> None:
        """On to a block: it stands here if it is reached from here only, or is short."""
        if block not in self.heads or self._short(block):
            self._block(u, block)
        else:
            u.f.set(self._pc, block)
            u.f.jump(self._ahead[block] if block in self._ahead else self._again([block]))

    def _again(self, targets: Iterable[int]) -> Label:
        """Where the smallest stretch begins that has all of some blocks."""
        wanted = set(targets)
        return next(label for blocks, label in reversed(self._within) if wanted <= blocks)

    def _go_to_one(self, u: Unit, targets: Iterable[int]) -> None:
        """On to the block whose number `pc` is: one of these."""
        known = sorted(targets)
        if not 0 < len(known) <= FEW:
            u.f.jump(self._again(known))
            return
        for target in known[:-1]:
            with u.f.when(self._pc.compare("eq", target)):
                self.go(u, target)
        self.go(u, known[-1])

    def _short(self, index: int) -> bool:
        """Whether a block may stand wherever it is reached from: a few words, then elsewhere."""
        block = self.blocks[index]
        if not isinstance(block.end, p.Jump | p.Return) or block.tick or index in self._standing:
            return False
        if isinstance(block.end, p.Jump):
            following = block.end.target
            if following == index or not (following in self.heads or self._short(following)):
                return False  # what follows would stand there, too
        return sum(1 for _ in nodes(block.code)) <= SHORT

    def _block(self, u: Unit, index: int) -> None:
        self._standing.append(index)
        self._stand(u, index)
        self._standing.pop()

    def _stand(self, u: Unit, index: int) -> None:
        block = self.blocks[index]
        if block.tick:
            u.tick(block.code)
        code.code(u, block.code)
        self.invariants.written(u, block)
        if block.clear:
            u.noted = {}
        for word in block.clear:
            u.f.store(const(0), STATE + 4 * word, 0)
        self._end(u, index, block.end)

    def _end(self, u: Unit, index: int, end: p.Terminator) -> None:
        f, c = u.f, self.c
        match end:
            case p.Jump(target):
                self.go(u, target)
            case p.Branch(test, then, orelse):
                with f.when(values.value(u, test)):
                    self.go(u, then)
                    f.otherwise()
                    self.go(u, orelse)
                f.body.append(("unreachable",))
            case p.Return(var):
                f.set(self._pc, u.read(var))
                u.write(var, const(0))
                self._go_to_one(u, self._returns[var])
            case p.Decide():
                self._decide(u, index, end)
            case p.Chance():
                with f.when(c.playing):
                    f.do(asm.set_global(c.ticks, c.ticks - (CHANCE_TICKS - 1)))
                    u.tick()
                    f.store(const(0), CHANCES, asm.load(const(0), CHANCES) + 1)
                    self._happen(u, index, end)
                chance.wait(u, index, end)
                f.give(index)
            case p.Simultaneous():
                self._simultaneous(u, index, end)
            case p.StrandEnd():
                f.give(ENDED)
            case p.GameOver():
                f.give(index)

    def _happen(self, u: Unit, index: int, end: p.Chance) -> None:
        """An outcome is drawn, and the game goes on with it."""
        outcome = u.f.keep(Ex(asm.call(chance.sample(self.c, index, end))))
        chance.happened(u, end, outcome)
        self.go(u, end.next)

    # -------------------------------------------------------------------------------- decisions

    def _decide(self, u: Unit, index: int, end: p.Decide) -> None:
        f, c = u.f, self.c
        with f.when(c.playing.compare("ne", 0) & c.left.compare("ne", 0)):
            self._play(u, index, end)
            self._empty(u, index)
            self.go(u, end.orelse)
        with f.when(options.any_option(u, end)):
            f.give(index)
        self._empty(u, index)
        self.go(u, end.orelse)

    def _empty(self, u: Unit, index: int) -> None:
        if self.c.counting:
            at = u.plan.blocks + 4 * index
            u.f.store(const(0), at, asm.load(const(0), at) + 1)

    def _play(self, u: Unit, index: int, end: p.Decide) -> None:
        """Draws an option and takes it; goes on behind this if there is none."""
        f, c = u.f, self.c

        def taken(i: int, values: options.Values) -> None:
            self._taken(u, end.options[i], values)

        with f.when(c.playing.compare("eq", COUNTED)):
            self._take_if(u, end, self.counted(index, end, values.value(u, end.player)))
            f.otherwise()
            if choices.countable(c, end):
                choices.draw(Unit(c, f), end, taken)
            elif rows.fit(c, end) and not drawing.has_late(end):
                rows.draw(Unit(c, f), end, taken)
            else:
                self._take_if(u, end, Ex(asm.call(drawing.drawn(c, index, end))))

    def _take_if(self, u: Unit, end: p.Decide, drawn: Ex) -> None:
        """Takes the option that was drawn, if there is one; its record lies there."""
        f = u.f
        at = f.keep(drawn)
        with f.when(at):
            *others, last = enumerate(end.options)
            for i, option in others:
                with f.when(asm.load(at).compare("eq", i)):
                    self._taken(u, option, options.recorded(u, option.site, at))
            self._taken(u, last[1], options.recorded(u, last[1].site, at))

    def counted(self, index: int, end: p.Decide, player: Ex) -> Ex:
        """All options are listed and counted, and the seat's own generator draws one; 0 if there is none."""

        def build(u: Unit) -> None:
            f, c, plan = u.f, self.c, u.plan
            f.do(asm.set_global(c.found, plan.options))
            f.do(asm.call(options.list_all(c, index, end, full=True)))
            n = f.keep((c.found - plan.options)._binary("div_u", plan.stride))
            with f.when(n.eqz()):
                f.give(0)
            for address, value in (
                (OPTIONS, asm.load(const(0), OPTIONS) + n),
                (FORCED, asm.load(const(0), FORCED) + n.compare("eq", 1)),
            ):
                f.store(const(0), address, value)
            with f.when(n.compare("gt_u", asm.load(const(0), LARGEST))):
                f.store(const(0), LARGEST, n)
            self.invariants.test(u)
            first, _ = u.player_kind()
            generator = (f.param(0) - first) * 16 + plan.streams
            f.give(Ex(asm.call(c.bounded, generator, n)) * plan.stride + plan.options)

        return Ex(asm.call(self.c.made(f"counted {index}", ["i32"], ["i32"], build), player))

    def _taken(self, u: Unit, option: p.Option, chosen: options.Values) -> None:
        """A decision is made: what is counted between decisions begins anew."""
        u.f.do(asm.set_global(self.c.left, self.c.left - 1))
        self.anew(u)
        options.taken(u, option, chosen)
        self.go(u, option.target)

    def anew(self, u: Unit) -> None:
        f, c = u.f, self.c
        f.do(asm.set_global(c.ticks, MAX_TICKS))
        f.do(asm.set_global(c.work, BUDGET))
        f.do(asm.set_global(c.depth, 0))

    # --------------------------------------------------------------------------- sealed choices

    def _strand(self, u: Unit) -> int:
        at = u.plan.base("@strand")
        assert at is not None
        return at

    def strand(self, u: Unit, player: Ex, block: Ex) -> None:
        """Runs one player's strand on from a block, as far as it goes without a choice."""
        f, c = u.f, self.c
        playing = f.keep(c.playing)
        f.do(asm.set_global(c.playing, 0))
        self._strand_on(u, player, block)
        f.do(asm.set_global(c.playing, playing))

    def _strand_on(self, u: Unit, player: Ex, block: Ex) -> None:
        f = u.f
        waiting = f.keep(Ex(asm.call(self.run, block)))
        f.store(
            player * 4, self._strand(u), asm.choose(waiting.compare("eq", ENDED), const(FINISHED), waiting)
        )

    def _simultaneous(self, u: Unit, index: int, end: p.Simultaneous) -> None:
        f, c = u.f, self.c
        first, n = u.player_kind()
        strand = self._strand(u)
        players = u.kept(sets.words(u, end.players))
        for seat in range(n):
            f.store(const(0), strand + 4 * (first + seat), 0)
        entries = c.integers(("entries", index), end.entries)
        with u.each(players) as player:
            self.strand(u, player, f.keep(asm.load((player - first) * 4, entries)))
        with f.when(c.playing):
            self.play_strands(u)
        f.do(asm.call(self.join(index, end)))
        following = f.local()
        f.body.append(("local.set", following.ops[0][1]))
        with f.when(following.compare("lt_s", 0)):
            f.give(index)
        self.go(u, end.next)

    def play_strands(self, u: Unit) -> None:
        """While decisions are left, the first of those who have not finished chooses. He does so to the
        end of his strand at once, where it cannot be told from looking first whether he has an option."""
        f, c = u.f, self.c
        first, n = u.player_kind()
        strand = self._strand(u)
        seat, block, at, to = f.local(), f.local(), f.local(), f.local()
        with f.block() as done, f.loop() as again:
            f.jump(done, c.left.eqz())
            f.set(seat, first)
            f.set(block, 0)
            with f.loop() as looking:
                f.set(block, asm.load(seat * 4, strand))
                with f.when(block.compare("le_s", 0)):
                    f.set(seat, seat + 1)
                    f.jump(looking, seat.compare("lt_s", first + n))
                    f.jump(done)
            for b, end in self._strand_decisions():
                with f.when(block.compare("eq", b)):
                    with f.when(c.playing.compare("eq", COUNTED)):
                        f.set(at, self.counted(b, end, seat))
                        f.otherwise()
                        f.set(at, Ex(asm.call(drawing.drawn(c, b, end))))
                    f.do(asm.set_global(c.left, c.left - 1))
                    self.anew(u)
                    f.set(to, Ex(asm.call(options.take(c, b, end), at)))
            on = self._strand_on if self._at_once else self.strand
            on(u, seat, to)
            f.jump(again)

    @cached_property
    def _at_once(self) -> bool:
        """Whether looking for the options of sealed choices can neither fault nor cost ticks."""
        return all(drawing.sure(self.c, end) for _, end in self._strand_decisions())

    def _strand_decisions(self) -> Iterator[tuple[int, p.Decide]]:
        for b in sorted(self.strands):
            end = self.blocks[b].end
            if isinstance(end, p.Decide):
                yield b, end

    def join(self, index: int, end: p.Simultaneous) -> Function:
        """The block after sealed choices once all have finished, else -1."""

        def build(u: Unit) -> None:
            f = u.f
            first, n = u.player_kind()
            strand = self._strand(u)
            words = range(strand + 4 * first, strand + 4 * (first + n), 4)
            for word in words:
                with f.when(asm.load(const(0), word).compare("gt_s", 0)):
                    f.give(-1)
            for word in words:
                f.store(const(0), word, 0)
            f.give(end.next)

        return self.c.made(f"join {index}", [], ["i32"], build)

    # ------------------------------------------------------------------------ from outside

    def decisions(self) -> Iterator[tuple[int, p.Decide]]:
        for i, block in enumerate(self.blocks):
            if isinstance(block.end, p.Decide):
                yield i, block.end


def _targets(end: p.Terminator) -> list[int]:
    """Where a block goes on at once."""
    match end:
        case p.Jump(target):
            return [target]
        case p.Branch(_, then, orelse):
            return [then, orelse]
        case p.Decide(orelse=orelse):
            # a decision that is not made goes on there from two places
            return [orelse, orelse]
        case _:
            return []


def _heads(program: p.Program) -> frozenset[int]:
    """Blocks that are reached by number: from more than one place, or after a point."""
    reached: dict[int, int] = {}
    heads = {0}
    for block in program.blocks:
        for target in _targets(block.end):
            reached[target] = reached.get(target, 0) + 1
        match block.end:
            case p.Decide(options=offers):
                heads.update(offer.target for offer in offers)
            case p.Chance(next=following):
                heads.add(following)
            case p.Simultaneous(entries=entries, next=following):
                heads.update(entries)
                heads.add(following)
    heads.update(block for block, n in reached.items() if n > 1)
    heads.update(chain.from_iterable(_returns(program).values()))
    return frozenset(heads)


def _returns(program: p.Program) -> Returns:
    """By the variable of a `Return` the blocks that it may go on at, in order."""
    return {var: sorted(targets) for var, targets in return_targets(program).items()}


def _strands(program: p.Program) -> frozenset[int]:
    """The blocks that strands may come to (procedures that are run elsewhere too among them)."""
    found: set[int] = set()
    returns = _returns(program)
    for block in program.blocks:
        if isinstance(block.end, p.Simultaneous):
            left = list(block.end.entries)
            while left:
                i = left.pop()
                if i not in found:
                    found.add(i)
                    left.extend(_after(program.blocks[i].end, returns))
    return frozenset(found)


def _after(end: p.Terminator, returns: Returns) -> list[int]:
    match end:
        case p.Decide(options=offers, orelse=orelse):
            return [orelse, *(offer.target for offer in offers)]
        case p.Chance(next=following):
            return [following]
        case p.Simultaneous(entries=entries, next=following):
            return [following, *entries]
        case p.Return(var):
            return returns[var]
        case _:
            return _targets(end)
