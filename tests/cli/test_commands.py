"""`check`, `show`, `diff`, `ir`, `explain`, `test`: the commands that read definitions."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Ludex = Callable[..., Result]
HEAP = Path(__file__).parent / "heap.yaml"


def copy(tmp_path: Path, old: str = "", new: str = "") -> Path:
    """The heap, with a text in it replaced."""
    folder = tmp_path / "heap"
    folder.mkdir(exist_ok=True)
    path = folder / "game.yaml"
    text = HEAP.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return path


def test_check_finds_nothing(heap: Ludex) -> None:
    result = heap("check", "heap")
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, f"{HEAP}: no errors")


def test_check_shows_all_mistakes_at_their_places(ludex: Ludex, tmp_path: Path) -> None:
    path = copy(tmp_path, "heap -= n\n        taken", "haep -= n\n        takne")
    result = ludex("check", str(path))
    assert result.exit_code == 1
    assert f"{path}:34:9: error: " in result.output
    assert f"{path}:35:9: error: " in result.output
    assert "did you mean `heap`?" in result.output
    found = json.loads(ludex("check", str(path), "--json").output)
    assert found["ok"] is False
    assert [d["span"]["line"] for d in found["diagnostics"]] == [34, 35]


@pytest.mark.parametrize("words", [("play",), ("simulate",), ("ir",)])
def test_other_commands_show_them_as_well(ludex: Ludex, tmp_path: Path, words: tuple[str, ...]) -> None:
    path = copy(tmp_path, "heap == 0", "haep == 0")
    result = ludex(*words, str(path))
    assert result.exit_code == 1
    assert "game.yaml:" in result.output
    assert "did you mean `heap`?" in result.output


def test_check_watches(tmp_path: Path) -> None:
    path = copy(tmp_path)
    command = [sys.executable, "-m", "ludex.cli.main", "check", str(path), "--watch"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert "no errors" in process.stdout.readline()
        time.sleep(0.4)
        copy(tmp_path, "heap == 0", "haep == 0")
        assert "haep" in process.stdout.readline()
        process.terminate()


def test_show(heap: Ludex) -> None:
    result = heap("show", "heap")
    assert result.exit_code == 0
    assert "there are that many: n <= heap  [book / Taking / 1]" in result.output
    assert "# The heap" in heap("show", "heap", "--format", "markdown").output


def test_diff(ludex: Ludex, tmp_path: Path) -> None:
    path = copy(tmp_path)
    (path.parent / "longer.yaml").write_text(
        "ludex: 1\noverlay: longer\nextends: heap\ntitle: L\nreplace: {scoring: {stones: 2 * taken(me)}}\n"
    )
    result = ludex("diff", str(path), f"{path}+longer")
    assert result.exit_code == 0
    assert "  - taken(me)" in result.output
    assert "  + 2 * taken(me)" in result.output
    (change,) = json.loads(ludex("diff", str(path), f"{path}+longer", "--json").output)["changes"]
    assert change["path"] == ["scoring", "stones"]
    assert ludex("diff", str(path), str(path)).output == "No rule differs.\n"


def test_ir(heap: Ludex) -> None:
    result = heap("ir", "heap", "--players", "2")
    assert result.exit_code == 0
    assert result.output.startswith('program "The heap" players 2')


def test_explain_a_code(ludex: Ludex) -> None:
    assert "unknown-name (error)" in ludex("explain", "unknown-name").output
    result = ludex("explain", "unknwn-name")
    assert result.exit_code == 1
    assert "did you mean `unknown-name`?" in result.output
    assert "scenario-stuck" in ludex("explain", "--list").output.splitlines()


def test_explain_a_refusal_in_a_saved_game(heap: Ludex, tmp_path: Path) -> None:
    save = str(tmp_path / "game.ludex")
    words = ("-p", "2", "-o", "size=4", "--seat", "all=human", "--save", save)
    heap("play", "heap", *words, typed="take(3)\nquit\n")
    result = heap("explain", save, "take(2)")
    assert result.exit_code == 0
    assert "there are that many  [book / Taking / 1]" in result.output


def test_test_runs_the_scenarios_beside_the_game(ludex: Ludex, tmp_path: Path) -> None:
    path = copy(tmp_path)
    (path.parent / "scenarios").mkdir()
    (path.parent / "scenarios" / "one.yaml").write_text(
        "scenario: good\nplayers: 2\nwhen: [take(1)]\nto_move: player_2\n---\n"
        "scenario: bad\nplayers: 2\nwhen: [take(1)]\nscores: {player_1: 2}\n"
    )
    result = ludex("test", str(path), "--verbose")
    assert result.exit_code == 1
    assert "passed  good" in result.output
    assert "FAILED  bad" in result.output
    assert "one.yaml:9:10: error: expected 2 points for player_1, found 1" in result.output
    assert "1 passed, 1 failed" in result.output
    assert ludex("test", str(path), "--only", "good").exit_code == 0
    assert ludex("test", str(path), "--only", "nothing").exit_code == 1
    data = json.loads(ludex("test", str(path), "--json").output)
    assert [(s["scenario"], s["passed"]) for s in data["scenarios"]] == [("good", True), ("bad", False)]


def test_what_is_wrong_in_every_scenario_is_said_once(ludex: Ludex, tmp_path: Path) -> None:
    path = copy(tmp_path)
    (path.parent / "scenarios").mkdir()
    (path.parent / "scenarios" / "one.yaml").write_text("scenario: good\n---\nscenario: bad\n")
    result = ludex("test", f"{path}+nope")
    assert result.exit_code == 1
    assert result.output.count("there is no overlay `nope`") == 1
    assert "FAILED  good\n" in result.output
    assert "FAILED  bad: for the same reason" in result.output


def test_a_scenario_with_a_mistake_in_its_texts_points_there(ludex: Ludex, tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text("scenario: s\nplayers: 2\nthen:\n  it is so: haep == 3\n")
    result = ludex("test", str(HEAP), "--file", str(file))
    assert result.exit_code == 1
    assert "s.yaml:4:13: error: " in result.output


def test_a_rule_that_fails_is_a_mistake_in_the_definition(ludex: Ludex, tmp_path: Path) -> None:
    path = str(copy(tmp_path, "heap -= n", "heap -= 61"))
    played = ludex("play", path, "--seat", "all=random", "-p", "2")
    assert played.exit_code == 1
    assert "a rule of the definition fails: a value outside its declared range" in played.output
    assert "take them" in played.output and "game.yaml:34:9" in played.output
    mine = ludex("play", path, "--seat", "all=human", "-p", "2", typed="take(1)\nquit\n")
    assert mine.exit_code == 0
    assert "The game is as it was before." in mine.output
    counted = ludex("simulate", path, "-p", "2", "-n", "10", "-j", "1", "--no-invariants")
    assert counted.exit_code == 1
    (line,) = [s for s in counted.output.splitlines() if s.startswith("FAULT")]
    assert re.match(r"FAULT in \d+ games \(first in game \d\): a value outside its declared range", line)


def test_new_files_work_as_they_are(ludex: Ludex, tmp_path: Path) -> None:
    assert ludex("new", "game", "mine", "--to", str(tmp_path)).exit_code == 0
    game = str(tmp_path / "mine" / "game.yaml")
    assert ludex("check", game).exit_code == 0
    assert ludex("test", game).exit_code == 0
    ludex("new", "variant", "other", "--of", game, "--to", str(tmp_path))
    assert ludex("check", f"{game}+{tmp_path / 'other.yaml'}").exit_code == 0
