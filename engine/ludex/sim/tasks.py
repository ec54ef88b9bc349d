"""Calls of one function in several processes, their results as they come.

For work of a few seconds apiece. Like the batches of games, processes are spawned and never
forked, an interruption ends them at once, and results do not depend on how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import as_completed
from typing import TypeVar

from ludex.sim.processes import spawned

T = TypeVar("T")
R = TypeVar("R")


def each(function: Callable[[T], R], items: Sequence[T], number: int) -> Generator[tuple[int, R], None, None]:
    """The number and result of each call. Raises `ProcessLost` if a process ends by itself."""
    if number < 2 or len(items) < 2:
        for i, item in enumerate(items):
            yield i, function(item)
        return
    with spawned(min(number, len(items))) as pool:
        waiting = {pool.submit(function, item): i for i, item in enumerate(items)}
        for future in as_completed(waiting):
            yield waiting[future], future.result()
