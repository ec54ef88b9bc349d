"""The commands that run in native code, and `--backend`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from ludex.backends.wasm import host
from ludex.cli.main import main


def ludex(*words: str) -> Result:
    result = CliRunner().invoke(main, list(words), prog_name="ludex")
    assert "Traceback" not in result.output
    return result


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Native code cannot be run."""

    def unavailable() -> None:
        raise host.Unavailable("the package wasmtime is not installed")

    monkeypatch.setattr(host, "load_runtime", unavailable)


BACKENDS = ["auto", "wasm", "interpreter"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_perft(backend: str) -> None:
    result = ludex("perft", "tic_tac_toe", "--depth", "3", "--backend", backend)
    assert result.exit_code == 0
    assert [line.split() for line in result.stdout.splitlines()[:3]] == [
        ["1", "9"],
        ["2", "72"],
        ["3", "504"],
    ]
    found = json.loads(
        ludex("perft", "tic_tac_toe", "-d", "3", "--per", "turn", "--json", "--backend", backend).stdout
    )
    assert found == {"game": "tic_tac_toe", "per": "turn", "ways": [9, 72, 504]}


@pytest.mark.parametrize("backend", BACKENDS)
def test_states(backend: str) -> None:
    found = json.loads(ludex("states", "connect_four", "-d", "3", "--json", "--backend", backend).stdout)
    assert found == {"game": "connect_four", "positions": [1, 7, 49, 238], "all": 295}
    lines = ludex("states", "connect_four", "-d", "2", "--backend", backend).stdout.splitlines()
    assert lines[-1].split() == ["2", "49", "57", "in", "all"]


def test_states_stop_where_the_game_does() -> None:
    """At depth 9 all games are over: https://en.wikipedia.org/wiki/Tic-tac-toe has 5,478 positions."""
    found = json.loads(ludex("states", "tic_tac_toe", "-d", "30", "--json").stdout)
    assert len(found["positions"]) == 10
    assert found["all"] == sum(found["positions"]) == 5478


@pytest.mark.parametrize(
    ("backend", "used"), [("auto", "wasm"), ("wasm", "wasm"), ("interpreter", "interpreter")]
)
def test_playouts(backend: str, used: str) -> None:
    found = json.loads(ludex("playouts", "tic_tac_toe", "-t", "0.05", "--json", "--backend", backend).stdout)
    assert found["backend"] == used and found["players"] == 2
    assert found["playouts"] > 0 and found["unfinished"] == 0
    assert 5 <= found["mean_length"] <= 9
    assert found["mean_length"] == pytest.approx(found["decisions"] / found["playouts"], abs=0.001)
    text = ludex("playouts", "tic_tac_toe", "-t", "0.05", "--backend", backend).stdout
    assert ("native code" in text) == (used == "wasm")


def test_simulate_gives_the_same_by_either() -> None:
    outputs = [
        json.loads(ludex("simulate", "tic_tac_toe", "-n", "60", "--json", "-j", "2", "--backend", b).stdout)
        for b in ("wasm", "interpreter")
    ]
    for output in outputs:
        for rule in output["rules"]:  # see docs/performance.md
            del rule["tested"]
            if rule["kind"] == "condition":
                del rule["applied"]
    assert outputs[0] == outputs[1]


def test_without_native_code_it_is_said_once_and_the_interpreter_plays(without: None) -> None:
    result = ludex("simulate", "tic_tac_toe", "-n", "3", "-j", "1")
    assert result.exit_code == 0
    assert result.stderr.count("the package wasmtime is not installed") == 1
    assert "tic_tac_toe: 3 games" in result.stdout


def test_native_code_that_is_asked_for_and_cannot_be_is_a_mistake(without: None) -> None:
    result = ludex("perft", "tic_tac_toe", "-d", "2", "--backend", "wasm")
    assert result.exit_code == 1
    assert "wasmtime is not installed" in result.stderr and "--backend interpreter" in result.stderr


def test_a_rule_that_faults_is_the_definitions_mistake(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "game.yaml"
    path.write_text(
        "ludex: 1\ngame: g\ntitle: G\nplayers: 2\nstate:\n  n: {type: 0..9}\n"
        "actions:\n  go: {do: {it grows: n += 4}}\n"
        "phases:\n  play:\n    turns: clockwise from player(1)\n    do: {one: act go}\n"
    )
    for words in (("perft", "-d", "4"), ("states", "-d", "4"), ("playouts", "-t", "0.01")):
        result = ludex(words[0], str(path), *words[1:])
        assert result.exit_code == 1
        assert "it grows" in result.stderr
