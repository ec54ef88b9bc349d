"""Scenarios: what passes, and what is said where for each thing that is not as expected."""

from __future__ import annotations

from pathlib import Path

import pytest
from heap_game import HEAP

from ludex.cli.games import GameSpec, ScenarioGames
from ludex.cli.scenario_file import ScenarioSource, read_scenarios
from ludex.cli.test import run as run_test
from ludex.diagnostics import Report


def read(tmp_path: Path, text: str) -> tuple[list[ScenarioSource], Report]:
    path = tmp_path / "scenarios.yaml"
    path.write_text("scenario: s\n" + text if not text.startswith("scenario") else text)
    report = Report()
    return read_scenarios(path, report), report


def run(tmp_path: Path, text: str) -> list[str]:
    """`line: message` for everything that is not as expected. The heap is 5 stones."""
    (source,), report = read(tmp_path, text)
    assert not report.found
    found = run_test(source, GameSpec(HEAP, players=2, options={"size": 5}), ScenarioGames())
    return [f"{d.span.line}: {d.message}" for d in found]


@pytest.mark.parametrize(
    "text",
    [
        "when: [take(2)]\nto_move: player_2",
        "when: [take(2), TAKE(1)]\nto_move: player_1\noptions_are: [take(1), take(2), show]",
        "when: [take(3), take(2)]\nover: the heap is empty\nscores: {player_1: 3, player_2: 2}\n"
        "ranking: {player_1: 2, player_2: 1}",
        "when: [take(3), take(2)]\nranking: [player_2, player_1]\nover: true",
        "when: [gamble, 2, gamble, 3]\nover: the heap is empty",
        "when: [gamble]\nthen: {the die is not yet cast: heap == 5}",
        "when: [take(3)]\nrefused: {take(3): there are that many, take(9): null}\nover: null",
        "refused: [take(4)]",
        "refused: {dance: unknown_action}",
        "sees: {player_1: {hand(player_1): [card(player_1)], hand(player_2): [hidden]}}",
        "sees: {player_2: {hand_player_1: 1}}",
        "when: [show]\nsees: {player_2: {shown(player_1): [card(player_1)]}}",
        "players: 3\noptions: {size: 7}\nnote: nothing\nthen: {so many: heap == 7 and player_count == 3}",
        "given: heap = 3\nwhen: [take(3)]\nover: the heap is empty",
        "when: [{player_1: take(2)}, 'player_2: take(1)']\nto_move: player_1",
        "when:\n  - player_1: take(2)\noptions_are: [{player_2: take(3)}, take(1), take(2), show, gamble]",
    ],
)
def test_what_passes(tmp_path: Path, text: str) -> None:
    assert run(tmp_path, text) == []


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("when:\n  - take(3)\n  - take(3)", 4, "`take(3)` is not legal for player_2"),
        ("when: [{player_2: take(2)}]", 2, "`player_2: take(2)` is not legal for player_1"),
        ("when: [gamble, 7]", 2, "the chance event `die` has no outcome `7`; legal: 1, 2, 3"),
        ("when: [take(3), take(2), take(1)]", 2, "cannot be played: the game is over (the heap is empty)"),
        ("then:\n  all is well: 1 == 1\n  it is so: 1 == 2", 4, "`it is so` does not hold"),
        ("options_are:\n  - take(1)\n  - take(4)", 4, "`take(4)` is not legal; legal: take(1), take(2)"),
        ("options_are: [take(1), take(2), take(3)]", 2, "legal, but not expected: show, gamble"),
        ("refused:\n  take(2): there are that many", 3, "`take(2)` is legal, and should be refused"),
        (
            "when: [take(3)]\nrefused:\n  take(3): it is tea time",
            4,
            "not by `it is tea time`: there are that many",
        ),
        ("to_move: player_2", 2, "expected player_2 to decide, found player_1 to decide"),
        ("to_move: player_5", 2, "there is no player `player_5`"),
        ("sees:\n  player_2:\n    hand(player_1): [card(player_1)]", 4, "card(player_1); found: hidden"),
        ("sees:\n  player_2:\n    hand(player_1): 2", 4, "expected 2 things at hand(player_1), found 1"),
        ("sees:\n  player_2:\n    pocket: 2", 4, "there is no place `pocket`"),
        ("scores: {player_1: 3}", 2, "expected 3 points for player_1, found 0"),
        ("when: [take(3), take(2)]\nranking: [player_1, player_2]", 3, "expected 1 as rank for player_1"),
        ("over: the heap is empty", 2, "expected the game to be over, found player_1 to decide"),
        ("when: [take(3), take(2)]\nover: null", 3, "the game is over (the heap is empty), and should go on"),
        ("when: [take(3), take(2)]\nover: boredom", 3, "expected the game to end by `boredom`"),
    ],
)
def test_what_fails(tmp_path: Path, text: str, line: int, message: str) -> None:
    found = run(tmp_path, text)
    assert any(f.startswith(f"{line}: ") and message in f for f in found), found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("when: take(2)", "`when` takes a list"),
        ("whenn: [take(2)]", "a scenario has no `whenn`"),
        ("players: many", "`many` is not a whole number"),
        ("sees: {player_1: 3}", "`sees` takes for each player the places"),
        ("then: [a]", "`then` takes names, each with a value"),
        ("scores: {player_1: high}", "`high` is not a whole number"),
        ("over: [a]", "`over` takes the name of an end condition, or null"),
    ],
)
def test_what_has_no_meaning(tmp_path: Path, text: str, message: str) -> None:
    _, report = read(tmp_path, text)
    assert message in [d.message for d in report] or any(message in d.message for d in report)


def test_a_file_has_many_scenarios(tmp_path: Path) -> None:
    text = "scenario: one\n---\nscenario: two\ngiven: heap = 3\n---\nwhen: []\n"
    sources, report = read(tmp_path, text)
    assert [s.scenario.name.text for s in sources] == ["one", "two"]
    assert sources[1].given is not None
    assert [d.message for d in report] == ["a scenario begins with `scenario:` and its name"]
