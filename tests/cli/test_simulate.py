"""`ludex simulate` on the hand-written game."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Ludex = Callable[..., Result]


def test_the_report(heap: Ludex) -> None:
    result = heap("simulate", "heap", "-p", "2", "--games", "50", "-j", "1", "--no-invariants")
    assert result.exit_code == 0
    head, *rest = result.output.split("\n\n")
    assert "heap.yaml: 50 games with seed 1" in " ".join(head.split())
    expected = [
        "95 %",
        "turns",
        "legal actions on average",
        "the heap is empty",
        "Never applied in these games:",
        "end/it lasts too long (ended no game)",
    ]
    assert [text for text in expected if text not in result.output] == []
    assert max(len(line) for part in rest for line in part.splitlines()) <= 80


def test_broken_invariants_are_told_and_end_with_1(heap: Ludex) -> None:
    result = heap("simulate", "heap", "-p", "2", "--games", "5", "-j", "1")
    assert result.exit_code == 1
    assert "INVARIANT BROKEN in 5 games: odd" in result.output


def test_json_and_csv(heap: Ludex, tmp_path: Path) -> None:
    summary, games = tmp_path / "summary.csv", tmp_path / "games.csv"
    result = heap(
        "simulate", "heap", "-p", "2", "-n", "20", "-j", "2", "--no-invariants", "--json",
        "--csv", str(summary), "--games-csv", str(games), "--bots", "mc:6,random",
    )  # fmt: skip
    assert result.exit_code == 0
    data = json.loads(result.output)
    assert data["games"]["finished"] == 20
    assert [s["bot"] for s in data["seats"]] == ["mc:6", "random"]
    assert sum(s["wins"] for s in data["seats"]) == 20
    rows = list(csv.DictReader(summary.open()))
    wins = {r["player"]: float(r["mean"]) for r in rows if r["measure"] == "wins"}
    assert wins == {s["player"]: s["share"] for s in data["seats"]}
    assert len(list(csv.DictReader(games.open()))) == 20


def test_the_seed_decides(heap: Ludex) -> None:
    def run(seed: int, processes: int) -> object:
        output = heap(
            "simulate", "heap", "-p", "2", "-n", "30", "-s", str(seed), "-j", str(processes), "--json"
        ).output
        return json.loads(output)

    assert run(4, 1) == run(4, 3)
    assert run(4, 1) != run(5, 1)


@pytest.mark.parametrize("bots", ["clever", "random,random,random", "mc:0"])
def test_bots_that_cannot_be(heap: Ludex, bots: str) -> None:
    assert heap("simulate", "heap", "-p", "2", "--bots", bots).exit_code == 2
