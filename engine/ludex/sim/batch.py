"""Runs many games, in this process or in several, with the same results either way.

Game i depends on `derive(seed, i)` alone. Random bots play in native code where it can be run, in
threads. Else there are processes: spawned, never forked, each makes its own game from the
recipe, so this works alike on every system. Results come in the order of the games; an
interruption keeps those that have come.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ludex.sim.record import Batch
from ludex.sim.worker import Job, Recipe, Worker, merge

if TYPE_CHECKING:
    from ludex.backends.wasm.machine import Compiled

__all__ = ["Job", "ProcessLost", "Recipe", "Result", "run"]

RANDOM = "random"
"""The bots that native code plays."""

_LARGEST_CHUNK = 25
"""Games that a process plays between two reports; progress and ^C are no finer than that."""


class ProcessLost(Exception):
    """A process ended by itself: killed, or out of memory."""


@dataclass(slots=True)
class Result:
    """All games that were played, and how the rules fared. `interrupted`: not all were."""

    batch: Batch
    interrupted: bool = False
    lost: bool = False


def run(job: Job, processes: int = 1, progress: Callable[[int], None] | None = None) -> Result:
    """Plays the games; ^C ends early. `progress` is told the number of games played so far."""
    result = Result(Batch())
    if all(bot == RANDOM for bot in job.settings.bots):
        worker = Worker(job)
        if worker.compiled is not None:
            return _natively(worker, worker.compiled, processes, progress)
    chunks = _in_processes(job, processes) if processes > 1 else _here(job)
    try:
        for chunk in chunks:
            merge(result.batch, chunk)
            if progress is not None:
                progress(len(result.batch.games))
    except KeyboardInterrupt:
        result.interrupted = True
    except ProcessLost:
        result.interrupted = result.lost = True
    finally:
        chunks.close()
    return result


def _natively(
    worker: Worker, compiled: Compiled, threads: int, progress: Callable[[int], None] | None
) -> Result:
    from ludex.backends.wasm.host import run_interruptibly
    from ludex.sim.native import Crew

    crew = Crew(worker, compiled, threads, progress)
    try:
        run_interruptibly(crew.run, crew.stop)
    except KeyboardInterrupt:
        return Result(crew.batch, interrupted=True)
    return Result(crew.batch)


def _ranges(games: int, processes: int) -> Iterator[tuple[int, int]]:
    size = max(1, min(_LARGEST_CHUNK, games // (processes * 8)))
    for first in range(0, games, size):
        yield first, min(games, first + size)


def _here(job: Job) -> Generator[Batch, None, None]:
    worker = Worker(job)
    for i in range(job.games):
        yield worker.play(i, i + 1)


_worker: Worker | None = None
"""The worker of a spawned process: the one thing its tasks share."""


def _begin(job: Job) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C is for the parent, which ends this process
    _worker = Worker(job)


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
