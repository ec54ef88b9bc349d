"""Random games in native code, in as many threads as are wanted: the same games as in the interpreter.

What faults is played again there, which tells which rule it was. `tested` of the rules is not counted.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING

from ludex.backends.wasm.games import Games, GameWords, Part
from ludex.diagnostics import printable
from ludex.rng import derive
from ludex.sim.one_game import invariants
from ludex.sim.record import Batch, GameRecord
from ludex.sim.worker import Worker, merge

if TYPE_CHECKING:
    from ludex.backends.wasm.machine import Compiled
    from ludex.game import Game

_SECONDS = 0.1
"""How long a call plays, as far as can be foreseen: progress and ^C are no finer than that."""


class Crew:
    """Threads that play the games `first` to `last` (exclusive) of a job, each in an instance of its own.

    `batch` holds what has been played: games in a row from the first. `progress` is told their number.
    """

    def __init__(
        self,
        worker: Worker,
        compiled: Compiled,
        threads: int,
        progress: Callable[[int], None] | None = None,
        *,
        first: int,
        last: int,
    ) -> None:
        job = worker.job
        self.batch = Batch()
        self._first, self._last = first, last
        self._worker = worker
        self._progress = progress
        self._records = _Records(worker.game, job.seed, invariants_count=job.settings.invariants)
        most = min(job.settings.max_decisions, (1 << 31) - 1)
        self._instances = [Games(compiled, job.seed, most) for _ in range(threads)]
        self._claims = threading.Lock()
        self._claimed = first
        self._stopped = False
        self._parts: SimpleQueue[Part | BaseException | None] = SimpleQueue()

    def stop(self) -> None:
        """Ends `run` soon, from any thread."""
        self._stopped = True
        for games in self._instances:
            games.stop()

    def run(self) -> None:
        """Plays all games, or those that come until `stop`."""
        threads = [threading.Thread(target=self._play, args=(g,), daemon=True) for g in self._instances]
        for thread in threads:
            thread.start()
        try:
            self._collect(len(threads))
        finally:
            self.stop()
            for thread in threads:
                thread.join()

    def _play(self, games: Games) -> None:
        """What a thread does."""
        size = 1
        try:
            while not self._stopped:
                first, count = self._claim(min(size, games.most_at_once))
                if not count:
                    break
                started = time.perf_counter()
                size = count
                while count and not self._stopped:
                    part = games.play(first, count)
                    self._parts.put(part)
                    done = len(part.games) + part.faulted
                    first, count = first + done, count - done
                taken = time.perf_counter() - started
                size = max(1, min(size * 4, int(size * _SECONDS / max(taken, 1e-9))))
            self._parts.put(None)
        except BaseException as failure:
            self._parts.put(failure)

    def _claim(self, count: int) -> tuple[int, int]:
        """The next games: (first, how many)."""
        with self._claims:
            first = self._claimed
            self._claimed = min(self._last, first + count)
            return first, self._claimed - first

    def _collect(self, threads: int) -> None:
        """Puts the parts together in the order of their games, until all threads have ended."""
        waiting: dict[int, Part] = {}
        while threads:
            part = self._parts.get()
            if part is None:
                threads -= 1
                continue
            if isinstance(part, BaseException):
                raise part
            waiting[part.first] = part
            while (here := self._next) in waiting:
                self._add(waiting.pop(here))
                if self._progress is not None:
                    self._progress(len(self.batch.games))

    @property
    def _next(self) -> int:
        """The number of the first game that is not in `batch`."""
        return self._first + len(self.batch.games)

    def _add(self, part: Part) -> None:
        worker = self._worker
        games = [self._records.record(part.first + i, words) for i, words in enumerate(part.games)]
        merge(self.batch, Batch(games, worker.rules(part.applied, None), worker.empty(part.empty)))
        if part.faulted:
            index = self._next
            merge(self.batch, worker.play(index, index + 1))


class _Records:
    """Words of the module as records."""

    def __init__(self, game: Game, seed: int, *, invariants_count: bool) -> None:
        program = game.program
        self._seed = seed
        self._rules = [printable(rule.name) for rule in program.rules]
        self._invariants = invariants(game) if invariants_count else ()
        self._by_index = [self._rules[invariant.rule] for invariant in program.invariants]

    def record(self, index: int, words: GameWords) -> GameRecord:
        finished = words.finished
        broken = {name for name, is_broken in zip(self._by_index, words.broken, strict=True) if is_broken}
        return GameRecord(
            index=index,
            seed=derive(self._seed, index),
            outcome="finished" if finished else "unfinished",
            ended_by=self._rules[words.ended_by - 1] if finished and words.ended_by else "",
            decisions=words.decisions,
            turns=words.turns,
            rounds=words.round,
            chances=words.chances,
            options=words.options,
            most_options=words.most_options,
            forced=words.forced,
            ranks=words.ranks if finished else (),
            returns=self._returns(words) if finished else (),
            totals=self._totals(words) if finished else (),
            lines=words.lines if finished else (),
            broken=tuple(name for name in self._invariants if name in broken),
        )

    @staticmethod
    def _returns(words: GameWords) -> tuple[float, ...]:
        if words.payoff is not None:
            return tuple(map(float, words.payoff))
        share = 1.0 / words.ranks.count(1)
        return tuple(share if rank == 1 else 0.0 for rank in words.ranks)

    @staticmethod
    def _totals(words: GameWords) -> tuple[int, ...]:
        if not words.lines:
            return (0,) * len(words.ranks)
        return tuple(map(sum, zip(*words.lines, strict=True)))
