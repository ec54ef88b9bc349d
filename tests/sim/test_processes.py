"""Processes that work for another do not outlive it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

PARENT = """
import os, time
from ludex.sim.processes import spawned

def busy(_):
    print(os.getpid(), flush=True)
    time.sleep(600)

if __name__ == "__main__":
    with spawned(2) as pool:
        list(pool.map(busy, range(2)))
"""

PATIENCE = 60
"""Seconds after which a process that should have ended never will."""


def lives(process: int) -> bool:
    """Whether a process runs that is no child of ours: one that has ended and waits to be taken note of
    by whoever adopted it runs no more."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
def test_they_end_when_their_parent_is_killed(tmp_path_factory: pytest.TempPathFactory) -> None:
    script = tmp_path_factory.mktemp("parent") / "parent.py"
    script.write_text(PARENT, encoding="utf-8")
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = [int(parent.stdout.readline()) for _ in range(2)]
        assert all(map(lives, workers))
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
        patience = time.monotonic() + PATIENCE
        while any(map(lives, workers)) and time.monotonic() < patience:
            time.sleep(0.05)
        assert not any(map(lives, workers))
