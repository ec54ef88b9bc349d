"""Fixtures: the command line, and the command line on the heap, a game for these tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ludex.cli.main import main

HEAP = str(Path(__file__).parent / "heap.yaml")


@pytest.fixture
def state_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return tmp_path / "state" / "ludex"


@pytest.fixture
def ludex(state_home: Path) -> Callable[..., Result]:
    """Runs a command line; `typed` is what comes in on standard input."""

    def run(*words: str, typed: str = "") -> Result:
        result = CliRunner().invoke(main, list(words), input=typed, prog_name="ludex")
        assert "Traceback" not in result.output
        return result

    return run


@pytest.fixture
def heap(ludex: Callable[..., Result]) -> Callable[..., Result]:
    """`ludex` where `heap` names the game for these tests."""

    def run(*words: str, typed: str = "") -> Result:
        return ludex(*(HEAP if w == "heap" else w for w in words), typed=typed)

    return run
