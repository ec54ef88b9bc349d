"""Fixtures: the command line with the hand-written game in place of a definition."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import fake_heap
import pytest
from click.testing import CliRunner, Result

from ludex.cli.main import main


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
def heap(monkeypatch: pytest.MonkeyPatch, ludex: Callable[..., Result]) -> Callable[..., Result]:
    """`ludex` where every game is the heap."""
    fake_heap.install(monkeypatch.setattr)
    return ludex
