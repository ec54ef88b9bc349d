"""Runs many games, in this process or in several, with the same results either way.

Game i depends on `derive(seed, i)` alone. Processes are spawned, never forked: each makes
its own game from the recipe, so this works alike on every system. Results come in the
order of the games; an interruption keeps those that have come.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Protocol

from ludex.game import Game
from ludex.ir.program import Decide
from ludex.rng import derive
from ludex.sim.one_game import Player
from ludex.sim.record import Batch, RuleCount
from ludex.sim.table import Settings

_LARGEST_CHUNK = 25
"""Games that a process plays between two reports; progress and ^C are no finer than that."""


class Recipe(Protocol):
    """Makes the game; picklable, and called once in every process."""

    def __call__(self) -> Game: ...


class ProcessLost(Exception):
    """A process ended by itself: killed, or out of memory."""


@dataclass(frozen=True, slots=True)
class Job:
    """Which games are to be played."""

    recipe: Recipe
    settings: Settings
    games: int
    seed: int


@dataclass(slots=True)
class Result:
    """All games that were played, and how the rules fared. `interrupted`: not all were."""

    batch: Batch
    interrupted: bool = False
    lost: bool = False


def run(job: Job, processes: int = 1, progress: Callable[[int], None] | None = None) -> Result:
    """Plays the games; ^C ends early. `progress` is told the number of games played so far."""
    result = Result(Batch())
    chunks = _in_processes(job, processes) if processes > 1 else _here(job)
    try:
        for chunk in chunks:
            _merge(result.batch, chunk)
            if progress is not None:
                progress(len(result.batch.games))
    except KeyboardInterrupt:
        result.interrupted = True
    except ProcessLost:
        result.interrupted = result.lost = True
    finally:
        chunks.close()
    return result


def _merge(total: Batch, chunk: Batch) -> None:
    total.games.extend(chunk.games)
    if not total.rules:
        total.rules = chunk.rules
    else:
        for rule, more in zip(total.rules, chunk.rules, strict=True):
            rule.applied += more.applied
            rule.tested += more.tested
    for name, times in chunk.empty.items():
        total.empty[name] = total.empty.get(name, 0) + times


def _ranges(games: int, processes: int) -> Iterator[tuple[int, int]]:
    size = max(1, min(_LARGEST_CHUNK, games // (processes * 8)))
    for first in range(0, games, size):
        yield first, min(games, first + size)


class _Worker:
    """Makes the game once and plays ranges of games."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._game = job.recipe()
        self._player = Player(self._game, job.settings)

    def play(self, first: int, last: int) -> Batch:
        coverage = self._game.coverage
        for counts in (coverage.applied, coverage.tested, coverage.empty):
            counts[:] = [0] * len(counts)
        games = [self._player.play(i, derive(self._job.seed, i)) for i in range(first, last)]
        rules = [
            RuleCount(rule.path, rule.name, rule.kind, coverage.applied[i], coverage.tested[i])
            for i, rule in enumerate(self._game.rules)
        ]
        return Batch(games, rules, self._empty_decisions())

    def _empty_decisions(self) -> dict[str, int]:
        """Decisions without an option, by the rule that asks; those that never lacked one too."""
        found: dict[str, int] = {}
        program = self._game.program
        for block, times in zip(program.blocks, self._game.coverage.empty, strict=False):
            if isinstance(block.end, Decide):
                rule = block.end.rule
                name = self._game.rules[rule].path if 0 <= rule < len(self._game.rules) else ""
                found[name] = found.get(name, 0) + times
        return found


def _here(job: Job) -> Generator[Batch, None, None]:
    worker = _Worker(job)
    for i in range(job.games):
        yield worker.play(i, i + 1)


_worker: _Worker | None = None
"""The worker of a spawned process: the one thing its tasks share."""


def _begin(job: Job) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C is for the parent, which ends this process
    _worker = _Worker(job)


def _play(first: int, last: int) -> Batch:
    assert _worker is not None, "begun by the pool"
    return _worker.play(first, last)


def _in_processes(job: Job, processes: int) -> Generator[Batch, None, None]:
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        processes, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(job,)
    )
    waiting: deque[Future[Batch]] = deque()
    done = False
    try:
        for first, last in _ranges(job.games, processes):
            waiting.append(pool.submit(_play, first, last))
            if len(waiting) >= processes * 3:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        done = True
    except BrokenProcessPool as error:
        raise ProcessLost from error
    finally:
        children = set(multiprocessing.active_children()) - others
        pool.shutdown(wait=done, cancel_futures=True)
        if not done:
            for child in children:
                child.terminate()
            for child in children:
                child.join()
