"""Games played on a Dask cluster that is there already: the same games as on one machine.

Ranges of games are sent to its workers, and what they make of them comes back in the order of the
games. The jobs travel there once; their recipes must hold all that the game is made of, as the workers
have none of our files. Dask is an extra, and is imported when a cluster is asked for.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeAlias

from ludex import __version__
from ludex.sim.batch import RANDOM, Parts, ProcessLost, in_turn, play_range
from ludex.sim.record import Batch
from ludex.sim.worker import Job, Worker

Client: TypeAlias = Any
"""`distributed.Client`, most of which has no types."""

SECONDS: float = 10
"""How long a cluster may take to answer, and to have a worker."""

_LARGEST_CHUNK = {True: 2000, False: 25}
"""Games in one task at most, in native code or not; progress and ^C are no finer than that."""

_KEPT = 8
"""Jobs whose games a thread of a worker keeps loaded."""


class NoCluster(Exception):
    """It cannot be used; the message says why, and what to do."""


@contextmanager
def connect(address: str, seconds: float | None = None) -> Iterator[DaskCluster]:
    """The cluster whose scheduler has this address, if it answers within so many `seconds` (`SECONDS`).
    Raises `NoCluster`."""
    seconds = SECONDS if seconds is None else seconds
    try:
        import distributed
    except ImportError as error:
        raise NoCluster(
            "clusters need Dask, which is not installed; `pip install 'ludex[cluster]'` gets it"
        ) from error
    make: Client = distributed.Client
    try:
        client = make(address, timeout=seconds, set_as_default=False, name="ludex")
    except (OSError, TimeoutError, ValueError, TypeError, ImportError) as error:
        raise NoCluster(
            f"no cluster answers at `{address}` ({_first_line(error)}); the address is that of its "
            "scheduler, such as tcp://192.168.1.10:8786, which `dask scheduler` prints when it starts"
        ) from error
    try:
        _require_workers(client, address, seconds)
        yield DaskCluster(client)
    finally:
        client.close(timeout=seconds)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _require_workers(client: Client, address: str, seconds: float) -> None:
    """At least one, and all with this release of ludex. Raises `NoCluster`."""
    try:
        client.wait_for_workers(1, timeout=seconds)
    except TimeoutError:
        raise NoCluster(
            f"the cluster at `{address}` has no workers; `dask worker {address}` starts one"
        ) from None
    found = client.run(version, "ludex", on_error="return")
    for worker, release in sorted(found.items()):
        if isinstance(release, PackageNotFoundError):
            problem = "has no ludex"
        elif isinstance(release, BaseException):
            problem = f"does not work ({_first_line(Exception(str(release)))})"
        elif release != __version__:
            problem = f"has ludex {release}"
        else:
            continue
        raise NoCluster(
            f"the worker {worker} {problem}; every worker needs ludex {__version__}, as here, "
            "for the games to be the same"
        )


@dataclass(frozen=True, slots=True)
class _Jobs:
    """Jobs that travel as one, so that they share there what they share here; Dask takes tuples apart."""

    all: tuple[Job, ...]


class DaskCluster:
    """Plays batches on the workers of a cluster; `connect` makes it."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def play(self, jobs: Sequence[Job]) -> Parts:
        """All games of all jobs. Raises `ProcessLost`; when it is closed, nothing goes on."""
        client = self._client
        threads = max(1, sum(client.nthreads().values()))
        native = all(bot == RANDOM for job in jobs for bot in job.settings.bots)
        games = [job.games for job in jobs]
        size = max(1, min(_LARGEST_CHUNK[native], max(games) // (threads * 8)))
        waiting: deque[tuple[int, Any]] = deque()
        try:
            there = client.scatter(_Jobs(tuple(jobs)), broadcast=True, hash=False)
            for number, first, last in in_turn(games, size):
                waiting.append((number, client.submit(_play, there, number, first, last, pure=False)))
                if len(waiting) >= threads * 3:
                    yield self._next(waiting)
            while waiting:
                yield self._next(waiting)
        except _lost() as error:
            raise ProcessLost from error
        finally:
            client.cancel([future for _, future in waiting])

    @staticmethod
    def _next(waiting: deque[tuple[int, Any]]) -> tuple[int, Batch]:
        number, future = waiting.popleft()
        part: Batch = future.result()
        return number, part


def _lost() -> tuple[type[BaseException], ...]:
    """What a task raises when its worker or the scheduler is gone."""
    from concurrent.futures import CancelledError

    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    return KilledWorker, CommClosedError, CancelledError


# ------------------------------------------------------------------------ on the workers

_mine: Any = threading.local()
"""`workers` of this thread: a game is not for two threads."""

_loading = threading.Lock()
"""Neither is what reads definitions."""


def _play(jobs: _Jobs, number: int, first: int, last: int) -> Batch:
    """A task."""
    job = jobs.all[number]
    workers: dict[Job, Worker] = _mine.__dict__.setdefault("workers", {})
    if job not in workers:
        while len(workers) >= _KEPT:
            del workers[next(iter(workers))]
        with _loading:
            workers[job] = Worker(job)
    return play_range(workers[job], first, last)
