"""Processes that work for this one: spawned, never forked, so that it goes alike everywhere."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager


class ProcessLost(Exception):
    """A process ended by itself: killed, or out of memory."""


@contextmanager
def spawned(number: int, begin: Callable[[], None] | None = None) -> Iterator[ProcessPoolExecutor]:
    """So many processes, each of which calls `begin` first. What ends the block early ends them at once.

    Raises `ProcessLost`.
    """
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(number, context, initializer=_begin, initargs=(begin,))
    done = False
    try:
        yield pool
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


def _begin(begin: Callable[[], None] | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C is for the parent, which ends this process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if begin is not None:
        begin()


def _end_with_parent() -> None:
    """A parent that was killed has ended nothing."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
