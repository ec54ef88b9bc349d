"""Whole games inside the module, many in one call: for simulation, and for measuring.

Game i of a batch depends on `derive(seed, i)` alone. The module writes a record for each; a rule
that faults ends the call, and the game it happened in is then for the interpreter to tell of.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ludex.backends.wasm.flow import COUNTED
from ludex.backends.wasm.host import Instance, Trap
from ludex.backends.wasm.machine import Compiled
from ludex.backends.wasm.memory_map import MemoryMap
from ludex.backends.wasm.plan import (
    FAULT,
    FIRST,
    GAMES,
    INTERRUPT,
    MOST,
    PLAYED,
    RECORD_WORDS,
    SEED,
)

PLAIN = 1
"""All seats draw from one generator, as `Machine.playout` does: the fastest."""

__all__ = ["COUNTED", "PLAIN", "GameWords", "Games", "Part"]


@dataclass(frozen=True, slots=True)
class GameWords:
    """The record of one game. `turns` are those of this game; `ended_by` is the number of the end
    condition's rule, counted from 1; the rest is [row][seat]. `broken`: which invariants, in their order."""

    finished: bool
    decisions: int
    turns: int
    round: int
    chances: int
    options: int
    most_options: int
    forced: int
    ended_by: int
    lines: tuple[tuple[int, ...], ...]
    ranks: tuple[int, ...]
    payoff: tuple[int, ...] | None
    broken: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """What one call played: games in a row from `first`, and whether the one after them faulted.

    `applied` and `empty` are the coverage of the games that did not fault.
    """

    first: int
    games: tuple[GameWords, ...]
    faulted: bool
    applied: tuple[int, ...]
    empty: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """What one call played, summed: where only speed is of interest."""

    games: int
    decisions: int
    unfinished: int
    faulted: bool


class Games:
    """An instance that plays the games of one batch. For one thread, but for `stop`.

    `mode`: `COUNTED` (each seat has the generator of a random bot, and options are listed in full
    and counted) or `PLAIN`. Of code that does not count, `turns`, `broken` and the coverage are empty.
    """

    def __init__(self, compiled: Compiled, seed: int, max_decisions: int, mode: int = COUNTED) -> None:
        self._plan = compiled.plan
        self._seed, self._most, self._mode = seed, max_decisions, mode
        self._instance = Instance(compiled.module)
        self._words = self._instance.words
        self._games = self._instance.long("games")
        self._record = _Record(compiled.plan)

    @property
    def most_at_once(self) -> int:
        """How many games there is room for in one call."""
        return self._plan.record_count

    def play(self, first: int, count: int) -> Part:
        """Games from number `first`: fewer than `count` if there is no room, one faults, or after `stop`."""
        self._forget()
        played, faulted = self._call(first, count)
        if faulted and played:  # again without it, for the coverage
            self._forget()
            self._call(first, played)
        elif faulted:
            self._forget()
        applied, empty = (tuple(counts) for counts in self._counters())
        return Part(first, self._record.read(self._instance.memory, played), faulted, applied, empty)

    def tally(self, first: int, count: int) -> Tally:
        """As `play`, without records and coverage."""
        played, faulted = self._call(first, count)
        size, start = self._plan.record_words, self._plan.records // 4
        records = self._words[start : start + played * size]
        return Tally(played, sum(records[1::size]), sum(map(bool, records[::size])), faulted)

    def stop(self) -> None:
        """Ends a call of `play` after the game it is at, and all later ones at once. From any thread."""
        self._words[INTERRUPT // 4] = 1

    def _call(self, first: int, count: int) -> tuple[int, bool]:
        """(how many games were played to their end, whether the next one faulted)."""
        words = self._words
        struct.pack_into("<Q", self._instance.memory, SEED, self._seed & (1 << 64) - 1)
        words[FIRST // 4], words[GAMES // 4], words[MOST // 4] = first, count, self._most
        try:
            self._games(self._mode)
        except Trap:
            words[FAULT // 4] = 0
            return words[PLAYED // 4] - 1, True
        return words[PLAYED // 4], False

    def _counters(self) -> tuple[memoryview, memoryview]:
        plan, program, words = self._plan, self._plan.program, self._words
        applied, empty = plan.counters // 4, plan.blocks // 4
        return words[applied : applied + len(program.rules)], words[empty : empty + len(program.blocks)]

    def _forget(self) -> None:
        for view in self._counters():
            view[:] = memoryview(bytes(view.nbytes)).cast("I")


class _Record:
    """How the record of a game lies in memory: see `exports`."""

    def __init__(self, plan: MemoryMap) -> None:
        program = plan.program
        self._start = plan.records
        self._struct = struct.Struct(f"<{plan.record_words}i")
        self._seats = seats = program.world.players.count
        self._lines = tuple(range(RECORD_WORDS, RECORD_WORDS + seats * len(program.scoring), seats))
        self._ranks = RECORD_WORDS + seats * (len(program.scoring) + max(len(program.ranking), 1))
        self._payoff = self._ranks + seats if program.payoff is not None else None
        self._broken = plan.record_words - len(program.invariants)

    def read(self, memory: memoryview, count: int) -> tuple[GameWords, ...]:
        size = self._struct.size
        seats = self._seats
        found, turns_before = [], 0
        for words in self._struct.iter_unpack(memory[self._start : self._start + count * size]):
            unfinished, decisions, turns, round_, chances, options, most, forced, end = words[:RECORD_WORDS]
            payoff = None if self._payoff is None else words[self._payoff : self._payoff + seats]
            found.append(
                GameWords(
                    finished=not unfinished,
                    decisions=decisions,
                    turns=turns - turns_before,
                    round=round_,
                    chances=chances,
                    options=options,
                    most_options=most,
                    forced=forced,
                    ended_by=end,
                    lines=tuple(words[at : at + seats] for at in self._lines),
                    ranks=words[self._ranks : self._ranks + seats],
                    payoff=payoff,
                    broken=tuple(map(bool, words[self._broken :])),
                )
            )
            turns_before = turns
        return tuple(found)
