"""Control: running blocks from one point to the next.

A terminator is a closure that gives the next block, or WAIT where the state is to wait in
this block, or ENDED where a strand has ended. `Flow.run` starts at a block and returns the
block it waits at, or ENDED.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

from ludex.backends.interpreter.chance import ChanceCode
from ludex.backends.interpreter.decisions import DecideCode
from ludex.backends.interpreter.memory import WAIT, Act
from ludex.backends.interpreter.statements import code, turn
from ludex.backends.machine import Ended, Words
from ludex.ir import program as p
from ludex.ir.code import Enter

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler

ENDED: Final = -2

FINISHED: Final = -1
"""`@strand` of a player who has chosen all he had to."""

End: TypeAlias = Callable[[Words], int]


class Flow:
    """All blocks of a program, compiled when first entered."""

    def __init__(self, c: Compiler) -> None:
        self._c = c
        self._blocks: list[tuple[Act | None, End] | None] = [None] * len(c.program.blocks)
        self.decides: dict[int, DecideCode] = {}
        self.chances: dict[int, ChanceCode] = {}
        self.seals: dict[int, SealCode] = {}

    def run(self, w: Words, block: int) -> int:
        blocks = self._blocks
        while True:
            compiled = blocks[block]
            if compiled is None:
                compiled = blocks[block] = self._compile(block)
            act, end = compiled
            if act is not None:
                act(w)
            following = end(w)
            if following < 0:
                return block if following == WAIT else ENDED
            block = following

    def decide(self, block: int) -> DecideCode:
        if block not in self.decides:
            end = self._c.program.blocks[block].end
            if not isinstance(end, p.Decide):
                raise ValueError(f"block {block} is no decision")
            self.decides[block] = DecideCode(self._c, end)
        return self.decides[block]

    def chance(self, block: int) -> ChanceCode:
        if block not in self.chances:
            end = self._c.program.blocks[block].end
            if not isinstance(end, p.Chance):
                raise ValueError(f"block {block} is no chance event")
            self.chances[block] = ChanceCode(self._c, end)
        return self.chances[block]

    def seal(self, block: int) -> SealCode:
        if block not in self.seals:
            end = self._c.program.blocks[block].end
            if not isinstance(end, p.Simultaneous):
                raise ValueError(f"block {block} is no sealed choice")
            self.seals[block] = SealCode(self._c, self, end)
        return self.seals[block]

    def _compile(self, index: int) -> tuple[Act | None, End]:
        block = self._c.program.blocks[index]
        act = code(self._c, block.code)
        if block.tick:
            act = _ticking(turn(self._c, block.code, 24), act)
        return act, _clearing(block.clear, self._end(index, block.end))

    def _ending(self, block: int) -> int | None:
        """The end condition that a branch to a block tests: the block begins by entering it."""
        code = self._c.program.blocks[block].code
        if code and isinstance(code[0], Enter):
            rule = code[0].rule
            if self._c.program.rules[rule].kind in ("end", "until"):
                return rule
        return None

    def _end(self, index: int, end: p.Terminator) -> End:
        c = self._c
        context = c.context
        match end:
            case p.Jump(target):
                return lambda w: target
            case p.Branch(test, then, orelse):
                f, rule = c.expr(test), self._ending(then)
                if rule is None:
                    return lambda w: then if f(w) else orelse
                tested, ending = context.coverage.tested, rule

                def test_end(w: Words) -> int:
                    tested[ending] += 1
                    return then if f(w) else orelse

                return test_end
            case p.Return(var):
                return _return(c.slot(var))
            case p.Decide():
                decide, empty, otherwise = self.decide(index), context.coverage.empty, end.orelse

                def wait_for_choice(w: Words) -> int:
                    if decide.exists(w):
                        return WAIT
                    empty[index] += 1
                    return otherwise

                return wait_for_choice
            case p.Chance():
                return self.chance(index).wait
            case p.Simultaneous():
                return self.seal(index).begin
            case p.StrandEnd():
                return lambda w: ENDED
            case p.GameOver():
                ended_by = c.memory.fields.get("@ended_by")
                word = None if ended_by is None else ended_by.offset

                def over(w: Words) -> int:
                    if context.events is not None and (word is None or w[word] == 0):
                        context.events.append(Ended(-1))
                    return WAIT

                return over
            case _:
                assert_never(end)


def _ticking(tick: Callable[[], None], act: Act | None) -> Act:
    def run(w: Words) -> None:
        tick()
        if act is not None:
            act(w)

    return run


def _clearing(words: tuple[int, ...], end: End) -> End:
    """Dead words become 0 before anything is computed from the state that waits."""
    if not words:
        return end

    def run(w: Words) -> int:
        for word in words:
            w[word] = 0
        return end(w)

    return run


def _return(slot: int) -> End:
    def run(w: Words) -> int:
        target = w[slot]
        w[slot] = 0
        return target

    return run


class SealCode:
    """Sealed choices: the strands of a `Simultaneous` block."""

    def __init__(self, c: Compiler, flow: Flow, seal: p.Simultaneous) -> None:
        self._c = c
        self._flow = flow
        self._seal = seal
        self._players = c.word(seal.players)
        self._strand = c.memory.base("@strand") or 0
        self._first = c.program.world.players.base
        self._everyone = c.program.world.players.ids

    def begin(self, w: Words) -> int:
        """Runs each strand to its first decision."""
        players = self._players(w)
        for player in self._everyone:
            w[self._strand + player] = 0
        for player in self._everyone:
            if players >> player & 1:
                self.run(w, player, self._seal.entries[player - self._first])
        return self.join(w)

    def run(self, w: Words, player: int, block: int) -> None:
        """Runs one player's strand on from a block; only he notices anything."""
        context = self._c.context
        before = context.witnesses
        context.witnesses = 1 << player
        waiting = self._flow.run(w, block)
        context.witnesses = before
        w[self._strand + player] = FINISHED if waiting == ENDED else waiting

    def join(self, w: Words) -> int:
        """The block after the sealed choices once all have finished, else WAIT."""
        words = range(self._strand + self._first, self._strand + self._first + len(self._everyone))
        if any(w[word] > 0 for word in words):
            return WAIT
        for word in words:
            w[word] = 0
        return self._seal.next

    def waiting(self, w: Words) -> tuple[tuple[int, int], ...]:
        """(player, block) of those who have not finished, in seat order."""
        strand = self._strand
        return tuple((player, w[strand + player]) for player in self._everyone if w[strand + player] > 0)
