"""Scores, ranks and utilities of a position.

Lines and keys are the present values plus the sums over the finished games of the match
(`@lines`, `@total`): lowering adds a game to the sums when the next one begins, so the game
that has just ended, last or not, is counted once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ludex.backends.interpreter.memory import Fn
from ludex.backends.machine import Words

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler

WIN, LOSE, TIE = 1, 2, 3
"""Values of `@result`."""


class Standings:
    """All that is derived from a position for each seat."""

    def __init__(self, c: Compiler) -> None:
        program, memory = c.program, c.memory
        self._players = program.world.players.ids
        self._lines = tuple(
            self._for_each(c, line.me, c.word(line.value), line.rule) for line in program.scoring
        )
        self._keys = tuple(
            None if key.value is None else self._for_each(c, key.me, c.word(key.value), key.rule)
            for key in program.ranking
        )
        self._most = tuple(key.most for key in program.ranking)
        self._payoff = self._heuristic = None
        if program.payoff is not None:
            self._payoff = self._for_each(c, program.payoff[0], c.word(program.payoff[1]))
        if program.heuristic is not None:
            self._heuristic = self._for_each(c, program.heuristic.me, c.word(program.heuristic.value))
        self._line_sums = self._offset(c, "@lines")
        self._key_sums = self._offset(c, "@total")
        result = memory.fields.get("@result")
        self._result = None if result is None else result.offset

    @staticmethod
    def _offset(c: Compiler, name: str) -> int | None:
        field = c.memory.fields.get(name)
        return None if field is None else field.offset

    def _for_each(self, c: Compiler, me: int, value: Fn, rule: int = -1) -> Callable[[Words], list[int]]:
        slot, players, context = c.slot(me), self._players, c.context

        def run(w: Words) -> list[int]:
            before = w[slot]
            context.rule = rule
            try:
                values = []
                for player in players:
                    w[slot] = player
                    values.append(value(w))
                return values
            finally:
                w[slot] = before

        return run

    def _with_sums(self, w: Words, rows: list[list[int]], sums: int | None) -> list[list[int]]:
        if sums is None:
            return rows
        n = len(self._players)
        return [[x + w[sums + i * n + seat] for seat, x in enumerate(row)] for i, row in enumerate(rows)]

    def lines(self, w: Words) -> list[list[int]]:
        return self._with_sums(w, [line(w) for line in self._lines], self._line_sums)

    def keys(self, w: Words) -> list[list[int]]:
        score = None
        if None in self._keys:
            score = [sum(column) for column in zip(*(line(w) for line in self._lines), strict=True)]
            score = score or [0] * len(self._players)
        rows = [list(score or ()) if key is None else key(w) for key in self._keys]
        return self._with_sums(w, rows, self._key_sums)

    def ranking(self, w: Words) -> list[int]:
        n = len(self._players)
        results = [] if self._result is None else w[self._result : self._result + n]
        if any(results):
            return ranks(_decreed(results))
        signs = [1 if most else -1 for most in self._most]
        rows = [[sign * x for x in row] for sign, row in zip(signs, self.keys(w), strict=True)]
        return ranks([tuple(row[seat] for row in rows) for seat in range(n)])

    def returns(self, w: Words) -> list[float]:
        if self._payoff is not None:
            return [float(value) for value in self._payoff(w)]
        ranking = self.ranking(w)
        share = 1.0 / ranking.count(1)
        return [share if rank == 1 else 0.0 for rank in ranking]

    def heuristics(self, w: Words) -> list[int]:
        return [] if self._heuristic is None else self._heuristic(w)


def _decreed(results: Sequence[int]) -> list[tuple[int, ...]]:
    """Winners and tied before all others; with neither, the undecided before the losers."""
    if WIN in results or TIE in results:
        return [(1,) if result in (WIN, TIE) else (0,) for result in results]
    return [(0,) if result == LOSE else (1,) for result in results]


def ranks(values: list[tuple[int, ...]]) -> list[int]:
    """Rank of each from 1, the greatest first, equals sharing."""
    return [1 + sum(other > value for other in values) for value in values]
