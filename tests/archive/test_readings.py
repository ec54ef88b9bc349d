"""`ludex readings`: each reading against the chosen ones, and the statistics behind it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest
from click.testing import Result

from ludex.sim import batch
from ludex.sim.comparison import FEWEST, Side, compare
from ludex.sim.intervals import student_point
from ludex.sim.record import GameRecord

Ludex = Callable[..., Result]

GAME = """\
ludex: 1
game: stones
title: Stones
players: 2
options:
  last: {type: [wins, loses], default: wins}
  dull: {type: bool, default: false}
  big: {type: bool, default: false, needs: player_count == 3}
ambiguities:
  S1, the last stone:
    question: Does the last stone win or lose?
    readings: {it wins: {last: wins}, it loses: {last: loses}}
    chosen: it wins
    because: So it is.
  S2, nothing at all:
    question: Does this matter?
    readings: {yes it does: {dull: true}, no: {dull: false}}
    chosen: no
    because: It does not.
  S3, for three:
    question: Is it big?
    readings: {big: {big: true}, small: {big: false}}
    chosen: small
    because: Two play.
state:
  heap: {type: 0..9, start: 9}
actions:
  take:
    choose: {n: 1..3}
    where: {there are as many: n <= heap}
    do: {they are gone: heap -= n}
phases: {play: {turns: clockwise from player(1), do: {take some: act take}}}
end:
  the heap is empty:
    is: heap == 0
    winner: if last == wins then active else opponent(active)
invariants:
  nothing is dull: not dull or heap >= 0
  nothing is big: not big or heap >= 0
"""

SCENARIOS = """\
scenario: the last stone wins
game: stones
given: heap = 1
ranking: {player_1: 1, player_2: 2}
when: [take(1)]
---
scenario: or loses, if that is said
game: stones
options: {last: loses}
given: heap = 1
ranking: {player_1: 2, player_2: 1}
when: [take(1)]
"""


@pytest.fixture
def stones(tmp_path: Path) -> Path:
    path = tmp_path / "stones" / "game.yaml"
    (path.parent / "scenarios").mkdir(parents=True)
    path.write_text(GAME, "utf-8")
    (path.parent / "scenarios" / "all.yaml").write_text(SCENARIOS, "utf-8")
    return path


def table(ludex: Ludex, stones: Path, *words: object) -> dict[str, dict[str, object]]:
    found = json.loads(ludex("readings", stones, "--games", 30, "--json", *words).stdout)
    return {row["reading"]: row for row in found["readings"]}


def measure(row: dict[str, object], name: str) -> dict[str, object]:
    return next(m for m in row["measures"] if m["name"] == name)  # type: ignore[attr-defined, no-any-return]


def test_each_reading_is_put_to_scenarios_and_games(ludex: Ludex, stones: Path) -> None:
    """Under `it loses` who took the last stone has lost: each game has the other winner, and no
    game is longer. Under `yes it does` nothing is different."""
    rows = table(ludex, stones, "--processes", 1)
    assert list(rows) == ["it loses", "yes it does", "big"]
    loses, dull, big = rows.values()
    assert (loses["failing"], loses["differing"]) == (["the last stone wins"], 30)
    won, lost = (measure(loses, f"wins of player_{n}") for n in (1, 2))
    assert won["base"] == pytest.approx(lost["variant"]) and won["variant"] == pytest.approx(lost["base"])
    assert measure(loses, "turns")["difference"] == 0 and not measure(loses, "turns")["beyond_chance"]
    assert (dull["failing"], dull["differing"], dull["problem"]) == ([], 0, None)
    assert big["games"] == 0 and "`big`" in str(big["problem"])


def test_the_text_names_what_fails_and_what_differs(ludex: Ludex, stones: Path) -> None:
    shown = ludex("readings", stones, "--games", 12, "--processes", 1).stdout
    assert "S1, the last stone: chosen is “it wins”" in shown
    assert "“it loses”: 12 of 12 games went another way; 1 scenario fails" in shown
    assert "fails: the last stone wins" in shown
    assert "“yes it does”: all 12 games went the same way; 0 scenarios fail" in shown
    assert "“big” cannot be played so" in shown


def test_it_is_the_same_in_any_number_of_processes(ludex: Ludex, stones: Path) -> None:
    assert table(ludex, stones, "--processes", 1) == table(ludex, stones, "--processes", 2)


def test_an_interruption_keeps_what_was_played(
    ludex: Ludex, stones: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = batch.run_together

    def interrupted(jobs: list[batch.Job], *more: Any) -> list[batch.Result]:
        """It is interrupted after five games of some and four of the others."""
        results = run([replace(job, games=5 if i < 2 else 4) for i, job in enumerate(jobs)], *more)
        for result in results:
            result.interrupted = True
        return results

    monkeypatch.setattr(batch, "run_together", interrupted)
    from click.testing import CliRunner

    from ludex.cli.main import main

    words = ["readings", str(stones), "--games", "30", "--processes", "1", "--json", "--no-scenarios"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 130
    found = json.loads(result.stdout)
    assert found["interrupted"] and found["played"] == 5
    assert [(r["games"], r["failing"]) for r in found["readings"]] == [(5, None), (4, None), (0, None)]


def test_a_game_without_a_register(ludex: Ludex, game: Path) -> None:
    assert "no register" in ludex("readings", game).output


# ---------------------------------------------------------------------------- statistics


def record(
    index: int, turns: int, ranks: tuple[int, ...] = (1, 2), totals: tuple[int, ...] = (3, 1)
) -> GameRecord:
    return GameRecord(index, index, "finished", "end", turns, turns, 1, 0, turns, 1, 0, ranks, (), totals)


def test_intervals_are_those_of_paired_differences() -> None:
    """Against the textbook formula, with the standard library's mean and standard deviation."""
    a = [10, 12, 9, 14, 11, 13, 10, 8, 15, 12, 11, 10]
    b = [12, 11, 13, 17, 12, 15, 11, 12, 16, 15, 10, 13]
    found = compare(
        Side([record(i, t) for i, t in enumerate(a)]),
        Side([record(i, t) for i, t in enumerate(b)]),
        ("p", "q"),
    )
    turns = next(m for m in found.measures if m.name == "turns")
    changes = [y - x for x, y in zip(a, b, strict=True)]
    point = student_point(len(changes) - 1, 0.95, len(found.measures))
    half = point * stdev(changes) / len(changes) ** 0.5
    assert (turns.low, turns.high) == pytest.approx((mean(changes) - half, mean(changes) + half))
    assert turns.is_beyond_chance and found.differing == 12
    wins = next(m for m in found.measures if m.name == "wins of p")
    assert (wins.base, wins.low, wins.high) == (1.0, 0.0, 0.0) and not wins.is_beyond_chance


def test_too_few_differences_say_nothing() -> None:
    a = [record(i, 5) for i in range(50)]
    b = [record(i, 5 + (i < FEWEST - 1)) for i in range(50)]
    turns = next(m for m in compare(Side(a), Side(b), ("p", "q")).measures if m.name == "turns")
    assert turns.difference == pytest.approx((FEWEST - 1) / 50) and turns.low is None
    assert not turns.is_beyond_chance


def test_games_that_were_not_finished_have_no_winner() -> None:
    a = [record(0, 5), record(1, 6)]
    b = [record(0, 5, (1, 1), (2, 2)), GameRecord(1, 1, "unfinished", "", 9, 9, 1, 0, 9, 1, 0)]
    found = {m.name: m for m in compare(Side(a), Side(b), ("p", "q")).measures}
    assert (found["wins of p"].pairs, found["wins of p"].variant) == (1, 0.5)
    assert found["ties for the first place"].variant == 1 and found["unfinished games"].variant == 0.5
    assert found["turns"].pairs == 2
