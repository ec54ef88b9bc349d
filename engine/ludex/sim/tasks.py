"""Calls of one function in several processes, their results as they come.

For work of a few seconds apiece. Like the batches of games, processes are spawned and never
forked, an interruption ends them at once, and results do not depend on how many there are.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from ludex.sim.batch import ProcessLost

T = TypeVar("T")
R = TypeVar("R")


def each(
    function: Callable[[T], R], items: Sequence[T], processes: int
) -> Generator[tuple[int, R], None, None]:
    """The number and result of each call. Raises `ProcessLost` if a process ends by itself."""
    if processes < 2 or len(items) < 2:
        for number, item in enumerate(items):
            yield number, function(item)
        return
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(processes, len(items)), context, initializer=_begin)
    done = False
    try:
        waiting = {pool.submit(function, item): number for number, item in enumerate(items)}
        for future in as_completed(waiting):
            yield waiting[future], future.result()
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


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C is for the parent, which ends this process
