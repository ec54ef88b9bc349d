"""`ludex tournament` on the hand-written game."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Ludex = Callable[..., Result]
SMALL = ("tournament", "heap", "-p", "2", "-j", "1", "--bots", "random,mc:6,mcts:20")


def test_the_report(heap: Ludex) -> None:
    result = heap(*SMALL, "--games", "9")
    assert result.exit_code == 0
    head, rest = result.output.split("\n\n", 1)
    assert "10 games of each pair with seed 1" in " ".join(head.split())
    lines = rest.splitlines()
    assert lines[0].split() == ["bot", "games", "wins", "95", "%"]
    assert {line.split()[0] for line in lines[1:4]} == {"random", "mc:6", "mcts:20"}
    assert all(line.split()[1] == "20" for line in lines[1:4])
    assert sum(" against " in line for line in lines) == 3
    assert max(map(len, lines)) <= 80


def test_json_and_the_seed(heap: Ludex) -> None:
    first, again = (json.loads(heap(*SMALL, "--games", "6", "--json").output) for _ in range(2))
    assert first == again
    assert first["bots"] == ["random", "mc:6", "mcts:20"]
    assert first["games_of_a_pair"] == 6
    assert [m["bots"] for m in first["matches"]] == [
        ["random", "mc:6"],
        ["random", "mcts:20"],
        ["mc:6", "mcts:20"],
    ]
    for match in first["matches"]:
        assert sum(match["wins"]) == match["games"] == 6
        assert match["low"] <= match["share"] <= match["high"]
    other = json.loads(heap(*SMALL, "--games", "6", "--json", "--seed", "2").output)
    assert other["matches"] != first["matches"]


@pytest.mark.parametrize(
    ("bots", "words"),
    [
        ("mcts", "two bots or more"),
        ("mcts,mcts:1000", "`mcts:1000` is there twice"),
        ("mcts,mtc", "there is no bot `mtc`"),
        ("random,mcts:0", "1 to 200000"),
    ],
)
def test_bots_that_cannot_meet(heap: Ludex, bots: str, words: str) -> None:
    result = heap("tournament", "heap", "--bots", bots)
    assert result.exit_code == 2
    assert words in result.output


@pytest.mark.parametrize(
    ("file", "words"), [("a.pdf", "should end in .svg or .png"), ("no/a.svg", "there is no folder")]
)
def test_where_nothing_can_be_drawn(heap: Ludex, file: str, words: str, tmp_path: Path) -> None:
    result = heap(*SMALL, "--plot", str(tmp_path / file))
    assert result.exit_code == 2
    assert words in result.output


def test_the_plot_is_the_same_to_the_byte(heap: Ludex, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name in ("a.svg", "b.svg"):
        words = ("tournament", "heap", "-p", "2", "-j", "1", "--bots", "random,mc:2", "--games", "2")
        assert heap(*words, "--plot", str(tmp_path / name)).exit_code == 0
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert text == (tmp_path / "b.svg").read_text(encoding="utf-8")
    assert "against" in text and "<dc:date>" not in text


def test_without_matplotlib_nothing_is_played(
    heap: Ludex, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = builtins.__import__

    def missing(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError("not here", name="matplotlib")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    result = heap(*SMALL, "--plot", str(tmp_path / "a.svg"))
    assert result.exit_code == 1
    assert "pip install 'ludex[plots]'" in result.output
    assert not (tmp_path / "a.svg").exists()


def test_payoffs_are_compared_where_there_are_some(ludex: Ludex) -> None:
    words = ("tournament", "kuhn_poker", "-p", "2", "-j", "1", "--bots", "random,mc:3", "--games", "8")
    titles, row = ludex(*words).output.splitlines()[-2:]
    assert titles.split() == ["payoff", "deals", "more", "95", "%"]
    (match,) = json.loads(ludex(*words, "--json").output)["matches"]
    payoff = match["payoff"]
    assert payoff["deals"] == 4 and payoff["low"] <= payoff["more"] <= payoff["high"]
    sign = 1 if row.startswith("random") else -1
    assert row.split()[3:5] == ["4", f"{sign * payoff['more']:+.2f}"]
