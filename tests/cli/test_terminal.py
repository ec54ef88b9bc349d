"""What only a terminal shows: colours, ^C, the pause between people at one screen."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

HEAP = str(Path(__file__).parent / "heap.yaml")
Start = Callable[..., "pexpect.spawn[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[pexpect.spawn[str]] = []

    def spawn(*words: str, **environment: str) -> pexpect.spawn[str]:
        env = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "TERM": "xterm", **environment}
        env = {k: v for k, v in env.items() if k not in ("FORCE_COLOR", "NO_COLOR") or k in environment}
        arguments = ["-m", "ludex.cli.main", *(HEAP if w == "heap" else w for w in words)]
        child = pexpect.spawn(
            sys.executable, arguments, env=env, encoding="utf-8", timeout=20, preexec_fn=_hear_control_c
        )
        running.append(child)
        return child

    yield spawn
    for child in running:
        child.close(force=True)


def _hear_control_c() -> None:
    """Tests that run in the background may have been told not to, and their children with them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_control_c_at_the_prompt_is_clean(start: Start, tmp_path: Path) -> None:
    child = start("play", "heap", "-p", "2", "--seat", "all=human")
    child.expect_exact("player_1> ")
    child.sendline("take(2)")
    child.expect_exact("presses Enter. ")
    for _ in range(4):  # readline does not hear one that comes just before it begins to wait
        child.sendintr()
        if not child.expect_exact(["Saved. Go on with: ludex play --resume", pexpect.TIMEOUT], timeout=5):
            break
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    (save,) = (tmp_path / "ludex").iterdir()
    assert '"take(2)"' in save.read_text()


def test_control_d_is_clean(start: Start) -> None:
    child = start("play", "heap", "-p", "2", "--seat", "all=human")
    child.expect_exact("player_1> ")
    child.sendeof()
    child.expect_exact("Saved.")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_people_pass_the_screen(start: Start) -> None:
    child = start("play", "heap", "-p", "2", "--seat", "all=human")
    child.expect_exact("player_1> ")
    child.sendline("1")
    child.expect_exact("Pass the screen to player_2, who presses Enter.")
    child.sendline("")
    child.expect_exact("player_2> ")


def test_killing_it_loses_nothing_that_was_decided(start: Start, tmp_path: Path) -> None:
    child = start("play", "heap", "-p", "2", "--bots", "random")
    child.expect_exact("player_1> ")
    child.sendline("take(1)")
    child.expect_exact("player_1> ")
    child.kill(9)
    (save,) = (tmp_path / "ludex").iterdir()
    assert '"take(1)"' in save.read_text().splitlines()[1]


def test_progress_and_a_report_after_control_c(start: Start) -> None:
    child = start("simulate", "heap", "-p", "2", "--games", "1000000", "-j", "1")
    child.expect_exact("playing")
    child.expect(r"[1-9]\d*/1000000")
    child.sendintr()
    child.expect(r"Interrupted: \d+ of 1000000 games were played")
    child.expect_exact("a game has")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130


def test_no_colour_where_it_is_not_wanted(start: Start) -> None:
    child = start("simulat", NO_COLOR="1")
    child.expect(pexpect.EOF)
    assert "\x1b[" not in (child.before or "")
