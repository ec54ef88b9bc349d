"""Runs many games, in this process or in several, with the same results either way.

Game i depends on `derive(seed, i)` alone. Random bots play in native code where it can be run, in
threads. Else there are processes: spawned, never forked, each makes its own game from the
recipe, so this works alike on every system. Results come in the order of the games; an
interruption keeps those that have come.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeAlias

from ludex.sim.processes import ProcessLost, spawned
from ludex.sim.record import Batch
from ludex.sim.worker import Job, Recipe, Worker, merge

if TYPE_CHECKING:
    from ludex.backends.wasm.machine import Compiled

__all__ = ["Cluster", "Job", "ProcessLost", "Recipe", "Result", "run", "run_together"]

RANDOM = "random"
"""The bots that native code plays."""

_LARGEST_CHUNK = 25
"""Games of random bots that a process plays between two reports; progress and ^C are no finer than that.
Of bots that think each game is reported."""

_SLICE = 200
"""Games that native code plays at least before it turns to the next of several batches."""

Parts: TypeAlias = Generator[tuple[int, Batch], None, None]
"""Parts of batches as they come, each with the number of its batch: of a batch, in the order of its games."""


@dataclass(slots=True)
class Result:
    """All games that were played, and how the rules fared. `interrupted`: not all were."""

    batch: Batch
    interrupted: bool = False
    lost: bool = False


class Cluster(Protocol):
    """Plays games on other machines."""

    def play(self, jobs: Sequence[Job]) -> Parts:
        """All games of all jobs. Raises `ProcessLost`; when it is closed, nothing goes on."""
        ...


def run(job: Job, processes: int = 1, progress: Callable[[int], None] | None = None) -> Result:
    """Plays the games; ^C ends early. `progress` is told the number of games played so far."""
    (result,) = run_together([job], processes, progress)
    return result


def run_together(
    jobs: Sequence[Job],
    processes: int = 1,
    progress: Callable[[int], None] | None = None,
    cluster: Cluster | None = None,
) -> list[Result]:
    """The same for several batches side by side, so that ^C leaves about as many games of each.

    With a `cluster` that plays, and `processes` says nothing.
    """
    results = [Result(Batch()) for _ in jobs]
    if cluster is None and all(bot == RANDOM for job in jobs for bot in job.settings.bots):
        natives = _natives(jobs)
        if natives is not None:
            _natively(natives, results, processes, progress)
            return results
    if cluster is not None:
        parts = cluster.play(jobs)
    else:
        parts = _in_processes(jobs, processes) if processes > 1 else _here(jobs)
    lost = False
    try:
        for number, part in parts:
            merge(results[number].batch, part)
            if progress is not None:
                progress(sum(len(r.batch.games) for r in results))
    except (KeyboardInterrupt, ProcessLost) as end:
        lost = isinstance(end, ProcessLost)
        for job, result in zip(jobs, results, strict=True):
            result.interrupted = len(result.batch.games) < job.games
            result.lost = lost and result.interrupted
    finally:
        parts.close()
    return results


def play_range(worker: Worker, first: int, last: int) -> Batch:
    """Some games of a job in this thread, natively if they can be."""
    from ludex.sim.native import Crew

    compiled = worker.compiled if all(bot == RANDOM for bot in worker.job.settings.bots) else None
    if compiled is None:
        return worker.play(first, last)
    crew = Crew(worker, compiled, 1, first=first, last=last)
    crew.run()
    return crew.batch


def _natives(jobs: Sequence[Job]) -> list[tuple[Worker, Compiled]] | None:
    """The games in native code, if all can be run so."""
    found = []
    for job in jobs:
        worker = Worker(job)
        if worker.compiled is None:
            return None
        found.append((worker, worker.compiled))
    return found


def _natively(
    natives: Sequence[tuple[Worker, Compiled]],
    results: Sequence[Result],
    threads: int,
    progress: Callable[[int], None] | None,
) -> None:
    from ludex.backends.wasm.host import run_interruptibly
    from ludex.sim.native import Crew

    crews: list[Crew] = []
    """All but the last have played their games."""
    stopped = False

    def play() -> None:
        done = 0

        def told(played: int) -> None:
            if progress is not None:
                progress(done + played)

        for number, first, last in _slices([worker.job.games for worker, _ in natives]):
            worker, compiled = natives[number]
            crew = Crew(worker, compiled, threads, told, first=first, last=last)
            crews.append(crew)
            if stopped:
                crew.stop()
            try:
                crew.run()
            finally:  # what was played before an interruption counts
                merge(results[number].batch, crew.batch)
            done += len(crew.batch.games)
            if stopped:
                return

    def stop() -> None:
        nonlocal stopped
        stopped = True
        if crews:
            crews[-1].stop()

    try:
        run_interruptibly(play, stop)
    except KeyboardInterrupt:
        for (worker, _), result in zip(natives, results, strict=True):
            result.interrupted = len(result.batch.games) < worker.job.games


def _slices(games: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Which games are played without a change to the next batch: (number of the batch, first, last)."""
    size = max(games) if len(games) == 1 else max(_SLICE, -(-max(games) // 10))
    yield from in_turn(games, size)


def in_turn(games: Sequence[int], size: int) -> Iterator[tuple[int, int, int]]:
    """Ranges of so many games, a range of each batch in turn: (number of the batch, first, last)."""
    for first in range(0, max(games), size):
        for number, count in enumerate(games):
            if first < count:
                yield number, first, min(count, first + size)


def _here(jobs: Sequence[Job]) -> Parts:
    workers = [Worker(job) for job in jobs]
    for number, first, last in in_turn([job.games for job in jobs], 1):
        yield number, workers[number].play(first, last)


_jobs: tuple[Job, ...] = ()
_workers: dict[int, Worker] = {}
"""What a spawned process has to do, and the workers it has made: all that its tasks share."""


def _begin(jobs: tuple[Job, ...]) -> None:
    global _jobs
    _jobs = jobs


def _play(number: int, first: int, last: int) -> Batch:
    if number not in _workers:
        _workers[number] = Worker(_jobs[number])
    return _workers[number].play(first, last)


def _in_processes(jobs: Sequence[Job], number: int) -> Parts:
    waiting: deque[tuple[int, Future[Batch]]] = deque()
    games = [job.games for job in jobs]
    thinks = any(bot != RANDOM for job in jobs for bot in job.settings.bots)
    size = 1 if thinks else max(1, min(_LARGEST_CHUNK, max(games) // (number * 8)))
    with spawned(number, partial(_begin, tuple(jobs))) as pool:
        for job, first, last in in_turn(games, size):
            waiting.append((job, pool.submit(_play, job, first, last)))
            if len(waiting) >= number * 3:
                yield _come(waiting)
        while waiting:
            yield _come(waiting)


def _come(waiting: deque[tuple[int, Future[Batch]]]) -> tuple[int, Batch]:
    number, future = waiting.popleft()
    return number, future.result()
