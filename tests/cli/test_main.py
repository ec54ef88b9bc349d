"""How every command begins and ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from ludex.cli.main import COMMANDS


def test_help_names_every_command(ludex: Callable[..., Result]) -> None:
    result = ludex("--help")
    assert result.exit_code == 0
    assert all(f"  {name} " in result.output for name in COMMANDS)
    assert "Exit codes" in result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(ludex: Callable[..., Result], name: str) -> None:
    result = ludex(name, "--help")
    assert result.exit_code == 0
    assert f"Usage: ludex {name}" in result.output


def test_version(ludex: Callable[..., Result]) -> None:
    result = ludex("--version")
    assert result.exit_code == 0
    assert result.output.startswith("ludex ")


def test_a_misspelt_command_is_a_mistake_in_the_command_line(ludex: Callable[..., Result]) -> None:
    result = ludex("simulat", "emerald")
    assert result.exit_code == 2
    assert "did you mean `simulate`?" in result.output


def test_a_game_is_needed(ludex: Callable[..., Result]) -> None:
    assert ludex("check").exit_code == 2
    assert ludex("play").exit_code == 2
    assert "which game?" in ludex("play").output


def test_a_bad_option_value_is_a_mistake_in_the_command_line(ludex: Callable[..., Result]) -> None:
    result = ludex("show", "emerald", "--option", "flip")
    assert result.exit_code == 2
    assert "name=value" in result.output


@pytest.mark.parametrize(
    "fault", [RuntimeError("boom"), RecursionError("deep"), AssertionError(), KeyError("x")]
)
def test_a_fault_of_ours_is_told_without_a_traceback(
    ludex: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def fail(*_: object) -> None:
        raise fault

    monkeypatch.delenv("LUDEX_DEBUG", raising=False)
    monkeypatch.setattr("ludex.cli.listing._games", fail)
    result = ludex("list")
    assert result.exit_code == 3
    assert f"internal error: {type(fault).__name__}" in result.output
    assert "report it" in result.output
    assert "LUDEX_DEBUG=1" in result.output


def test_the_traceback_is_shown_on_request(tmp_path: Path) -> None:
    code = (
        "import ludex.cli.listing as m, ludex.cli.main as c\n"
        "def fail(*_): raise RuntimeError('boom')\n"
        "m._games = fail\n"
        "c.main(['list'])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env={"LUDEX_DEBUG": "1"}, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "Traceback" in done.stderr


def test_a_system_error_names_the_file(ludex: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "/secret/game.yaml")

    monkeypatch.setattr("ludex.cli.listing._games", fail)
    result = ludex("list")
    assert result.exit_code == 1
    assert "/secret/game.yaml: Permission denied" in result.output


def test_a_reader_that_leaves_is_no_error() -> None:
    command = f"{sys.executable} -m ludex.cli.main explain --list | head -1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


def test_the_help_needs_none_of_the_engine() -> None:
    code = (
        "import sys, ludex.cli.main\n"
        "print(*[m for m in sys.modules if m.split('.')[0] in ('rich', 'lark', 'yaml', 'wasmtime')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_completion_knows_the_commands() -> None:
    environment = {"_LUDEX_COMPLETE": "bash_complete", "COMP_WORDS": "ludex si", "COMP_CWORD": "1"}
    command = [sys.executable, "-m", "ludex.cli.main"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "plain,simulate"


CHECKED = (
    ("heap",),
    ("heap", "+", "nothing_such"),
    ("nothing_such",),
    ("bad.yaml",),
    ("+",),
    ("",),
)


@pytest.mark.parametrize("words", CHECKED)
def test_check_says_the_same_with_click_and_without(
    heap: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """A lone `check GAME` does not wait for click to be imported."""
    monkeypatch.chdir(tmp_path)
    Path("bad.yaml").write_text("ludex: 1\ngame: bad\nplayers: {}\n", "utf-8")
    plain = heap("check", *words)
    by_click = heap("check", "--", *words)
    assert (plain.exit_code, plain.output) == (by_click.exit_code, by_click.output)


def test_a_lone_check_imports_neither_click_nor_what_it_needs() -> None:
    code = (
        "import sys\nfrom ludex.cli.main import main\n"
        "try: main(['check', 'tic_tac_toe'])\n"
        "except SystemExit as end: assert not end.code\n"
        "print(sorted({'click', 'inspect', 'dataclasses', 'rich', 'lark'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout
