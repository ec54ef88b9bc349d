"""`ludex compare` on the hand-written game."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from ludex.sim import batch

Ludex = Callable[..., Result]

HEAP = str(Path(__file__).parent / "heap.yaml")

OVERLAY = """\
ludex: 1
overlay: brisk
extends: heap
replace:
  actions: {take: {choose: {n: 2..4}}}
add:
  end: {one is left: {is: heap == 1, winner: me}}
remove:
  end: [it lasts too long]
"""
"""More is taken at a time, so games are shorter; one end is added, and another removed."""


@pytest.fixture
def brisk(tmp_path: Path) -> str:
    path = tmp_path / "brisk.yaml"
    path.write_text(OVERLAY, "utf-8")
    return str(path)


def compared(ludex: Ludex, *words: str) -> dict[str, Any]:
    result = ludex("compare", *words, "-p", "2", "-j", "1", "--backend", "interpreter", "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def figures(found: dict[str, Any], name: str) -> dict[str, Any]:
    return next(m for m in found["measures"] if m["name"] == name)


def test_the_report(heap: Ludex, brisk: str) -> None:
    result = heap("compare", "heap", f"{HEAP}+{brisk}", "-p", "2", "-n", "300")
    assert result.exit_code == 0
    for text in (
        "300 pairs of games, 2 players, seed 1, bots random",
        "Who wins",
        "wins of player_1",
        "How long it takes",
        "ended by one is left",
        "Rules of the variant alone\n  end/one is left: ended ",
        "Rules of the base alone\n  end/it lasts too long: never",
        "What these games say",
        "Games of the variant are ",
        " turns shorter (",
        "player_1, who begins, wins ",
        "even would be 50.0%",
        "The bots play at random.",
    ):
        assert text in " ".join(result.output.split()) or text in result.output, text
    lines = result.output.split("\n\n", 1)[1].splitlines()
    assert max(map(len, lines)) <= 80


def test_what_is_said_is_what_was_measured(heap: Ludex, brisk: str) -> None:
    found = compared(heap, "heap", f"{HEAP}+{brisk}", "-n", "150")
    turns = figures(found, "turns")
    assert turns["beyond_chance"] and turns["high"] < 0
    (said,) = (s for s in found["sentences"] if "turns shorter" in s)
    amount, low, high = (f"{abs(turns[k]):.2f}" for k in ("difference", "high", "low"))
    assert said.startswith(f"Games of the variant are {amount} turns shorter ({low} to {high}, ")
    ends = {r["path"]: (r["base"], r["variant"]) for r in found["rules"] if r["kind"] == "end"}
    assert ends["end/one is left"][0] is None and 0 < ends["end/one is left"][1] < 1
    assert ends["end/one is left"][1] == figures(found, "ended by one is left")["variant"]


def test_batches_are_those_of_simulate(heap: Ludex, brisk: str) -> None:
    found = compared(heap, "heap", f"{HEAP}+{brisk}", "-n", "40", "-s", "7")
    for what, game in (("base", HEAP), ("variant", f"{HEAP}+{brisk}")):
        words = (game, "-p", "2", "-n", "40", "-s", "7", "--no-invariants", "--json")
        words += ("--backend", "interpreter", "-j", "1")
        alone = json.loads(heap("simulate", *words).stdout)
        assert figures(found, "turns")[what] == pytest.approx(alone["length"]["turns"]["mean"])
        assert figures(found, "wins of player_2")[what] == pytest.approx(alone["seats"][1]["share"])
        assert figures(found, "mean score")[what] == pytest.approx(
            sum(seat["score"]["mean"] for seat in alone["seats"]) / 2
        )


def test_one_game_is_compared_with_itself_without_its_overlays(heap: Ludex, brisk: str) -> None:
    two = compared(heap, "heap", f"{HEAP}+{brisk}", "-n", "5")
    assert compared(heap, f"{HEAP}+{brisk}", "-n", "5") == two
    assert compared(heap, "heap", "+", brisk, "-n", "5") == two


def test_an_option_of_the_variant_alone(heap: Ludex) -> None:
    found = compared(heap, "heap", "--with", "size=20", "-n", "10")
    assert (found["base"], found["variant"]) == (HEAP, f"{HEAP}, size=20")
    assert (figures(found, "mean score")["base"], figures(found, "mean score")["variant"]) == (5, 10)
    both = compared(heap, "heap", "--with", "size=20", "--option", "size=30", "-n", "10")
    assert figures(both, "mean score")["base"] == 15


def test_nothing_differs(heap: Ludex) -> None:
    found = compared(heap, "heap", "heap", "-n", "30")
    assert found["differing"] == 0
    assert {(m["difference"], m["beyond_chance"]) for m in found["measures"]} == {(0, False)}
    (said,) = found["sentences"]
    assert "All 30 pairs of games went the same way" in said


def test_processes_and_bots_change_nothing(heap: Ludex, brisk: str) -> None:
    words = ("compare", f"{HEAP}+{brisk}", "-p", "2", "-n", "12", "-b", "mc:1,random", "--json")
    one, two = (heap(*words, "-j", count).stdout for count in ("1", "2"))
    assert one == two
    found = json.loads(one)
    assert figures(found, "changes of the lead")["pairs"] == 12
    assert not any("who begins" in s or "at random" in s for s in found["sentences"])


def test_an_interruption_compares_what_was_played(
    heap: Ludex, brisk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = batch.Worker.play

    def interrupted(self: batch.Worker, first: int, last: int) -> batch.Batch:
        if first == 21:
            raise KeyboardInterrupt
        return play(self, first, last)

    monkeypatch.setattr(batch.Worker, "play", interrupted)
    words = ("compare", f"{HEAP}+{brisk}", "-p", "2", "-n", "90", "--backend", "interpreter", "-j", "1")
    result = heap(*words, "--json")
    assert result.exit_code == 130
    assert "Interrupted: 21 of 90 pairs of games were played." in result.stderr
    found = json.loads(result.stdout)
    assert (found["games"], found["played"], found["interrupted"]) == (90, 21, True)


def test_an_interruption_before_the_first_game(heap: Ludex, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: batch.Worker, first: int, last: int) -> batch.Batch:
        raise KeyboardInterrupt

    monkeypatch.setattr(batch.Worker, "play", interrupted)
    result = heap("compare", "heap", "heap", "-p", "2", "--backend", "interpreter", "-j", "1")
    assert result.exit_code == 130 and result.stdout == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("heap",), "what shall"),
        (("heap", "heap", "heap"), "two games can be compared at a time"),
        (("heap", "heap", "--plot", "x.gif"), ".svg or .png"),
        (("heap", "heap", "--bots", "clever"), "no bot `clever`"),
    ],
)
def test_command_lines_that_make_no_sense(heap: Ludex, words: tuple[str, ...], said: str) -> None:
    result = heap("compare", *words)
    assert result.exit_code == 2 and said in result.stderr


def test_a_variant_with_mistakes(heap: Ludex, brisk: str) -> None:
    Path(brisk).write_text(OVERLAY.replace("heap == 1", "haep == 1"), "utf-8")
    result = heap("compare", f"{HEAP}+{brisk}")
    assert result.exit_code == 1 and "did you mean `heap`?" in result.stderr
    result = heap("compare", "heap", "--with", "siez=3")
    assert result.exit_code == 1 and "`size`" in result.stderr


def test_a_rule_that_fails(heap: Ludex, brisk: str) -> None:
    Path(brisk).write_text(OVERLAY.replace("heap == 1", "heap mod (taken(me) - taken(me)) == 1"), "utf-8")
    result = heap("compare", f"{HEAP}+{brisk}", "-p", "2", "-n", "3", "-j", "1", "--backend", "interpreter")
    assert result.exit_code == 1
    said = " ".join(result.output.split())
    assert "A rule of the variant fails (first in game 0): a division by zero" in said
    assert "In 3 of 3 pairs one game or both came to no end." in said


# ------------------------------------------------------------------------------- pictures


def test_the_picture(heap: Ludex, brisk: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    svg_file, png_file = tmp_path / "a.svg", tmp_path / "a.png"
    for file in (svg_file, png_file):
        words = (f"{HEAP}+{brisk}", "-p", "2", "-n", "40", "-j", "1", "--backend", "interpreter")
        result = heap("compare", *words, "--plot", str(file))
        assert result.exit_code == 0, result.output
    svg = svg_file.read_text("utf-8")
    for text in ("wins of player_2", "winner's lead", "turns", "ended by one is left", "base", "variant"):
        assert text in svg.replace("&#x27;", "'"), text
    assert png_file.read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_nothing_is_played(
    heap: Ludex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setattr(batch, "run_together", None)
    result = heap("compare", "heap", "heap", "--plot", str(tmp_path / "x.svg"))
    assert result.exit_code == 1 and "pip install 'ludex[plots]'" in result.stderr
