"""The command line, run in this process; what it writes is checked for what a terminal obeys."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from ludex.cli.main import main

OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]"
)
"""Control characters, turns of the direction of writing, and what cannot be seen."""


@pytest.fixture
def ludex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs a command line without colours; all it writes, which holds nothing a terminal obeys."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*words: str, typed: str = "") -> str:
        result = CliRunner().invoke(main, list(words), input=typed, prog_name="ludex")
        assert "Traceback" not in result.output and "internal error" not in result.output, result.output
        assert result.exit_code in (0, 1, 2), result.output
        found = OBEYED.search(result.output)
        assert found is None, (words, result.output[max(0, found.start() - 60) : found.end() + 20])
        return result.output

    return run
