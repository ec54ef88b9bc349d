"""Players with names of their own: in views, the log, what is typed, and saves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import ludex
from ludex.cli.main import main
from ludex.diagnostics import Report
from ludex.game import export_save, read_save, write_save

GAME = """
ludex: 1
game: gifts
title: Gifts
players: 2..3
components:
  cards: {card: {per: {v: 1..6}, start: deck}}
  piles:
    deck: {holds: card, visible: none}
    hand: {per: player, holds: card, visible: owner}
state: {points: {per: player, type: 0..9}}
setup: {deal: for each p in players do deal 1 from deck to hand(p)}
phases: {play: {turns: clockwise from player(1), rounds: 2, do: {give: act give}}}
actions:
  give:
    label: "{me} gives a point to {q}"
    choose: {q: player}
    where: {not to yourself: q != me}
    do:
      it is given: |
        points(q) += 1
        say "{q} says thank you"
scoring: {points: points(me)}
view:
  panels:
    players:
      across: p in players
      rows: {has: "{points(p)}", next: "{next(p)}"}
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "gifts.yaml"
    path.write_text(GAME)
    return str(path)


def play(*words: str, typed: str = "quit\n") -> Result:
    return CliRunner().invoke(main, ["play", *words], input=typed)


def test_names_stand_wherever_the_seats_would(file: str, tmp_path: Path) -> None:
    save = tmp_path / "s.ludex"
    typed = "give(Bo)\nlog all\nscores\ngive(player_1)\nlog\nquit\n"
    result = play(
        file,
        "--names",
        "Ann, Jean-Luc",
        "-p",
        "2",
        "--save",
        str(save),
        typed=typed.replace("Bo", "Jean-Luc"),
    )
    assert result.exit_code == 0, result.output
    for text in (
        "Ann: human, Jean-Luc: human.",
        "Ann is to decide",
        "Ann gives a point to Jean-Luc   give(Jean-Luc)",
        "Ann: give(Jean-Luc)",
        "Jean-Luc says thank you",
        "players  Ann       Jean-Luc",
        "next     Jean-Luc  Ann",
        "Jean-Luc: give(Ann)",
    ):
        assert text in result.output
    assert "player_" not in result.output.replace("give(player_1)", "")
    header, *entries = map(json.loads, save.read_text().splitlines())
    assert header["names"] == ["Ann", "Jean-Luc"]
    assert {"player": "Ann", "action": "give(Jean-Luc)"} in entries
    resumed = play("--resume", str(save), typed="2\nquit\n")
    assert "Ann is to decide" in resumed.output and "player_" not in resumed.output
    again = play(file, "-p", "2", "--resume", str(save))
    assert "Ann is to decide" in again.output


def test_some_may_be_bots_and_some_without_a_name(file: str) -> None:
    result = play(file, "--names", "Ann,Hal", "-p", "3", "--seat", "Hal=random", "--bots", "random")
    assert "Ann: human, Hal: random, player_3: random." in result.output


@pytest.mark.parametrize(
    ("names", "said", "code"),
    [
        ("Ann,Bo,Cy,Di", "4 names for 3 players", 1),
        ("Ann,ann", "is a name already", 1),
        ("deck", "is a name already", 1),
        ("player_2", "is a name already", 1),
        ("a(b)", "cannot be a player's name", 1),
        ("\x1b[31mred", "cannot be a player's name", 1),
        ("7", "cannot be a player's name", 1),
        ("x" * 30, "cannot be a player's name", 1),
        ("Ann,,Bo", "names with commas between them", 2),
        ("none", "is a name already", 1),
    ],
)
def test_names_that_cannot_be(file: str, names: str, said: str, code: int) -> None:
    result = play(file, "-p", "3", "--names", names)
    assert result.exit_code == code, result.output
    assert said in " ".join(result.output.split()) and "\x1b" not in result.output


def test_names_are_for_new_games(file: str, tmp_path: Path) -> None:
    save = tmp_path / "s.ludex"
    play(file, "-p", "2", "--save", str(save))
    assert play("--resume", str(save), "--names", "Ann").exit_code == 2


def test_a_save_keeps_names_and_tells_no_more_than_before(file: str, tmp_path: Path) -> None:
    game = ludex.load(file, players=2).named(["Ann"])
    state = game.start(1).apply("give(player_2)").apply("give(Ann)")
    assert state.history[-1].text == "give(Ann)" and game.players == ("Ann", "player_2")
    path = tmp_path / "s.ludex"
    write_save(path, state)
    again = read_save(path, lambda header: ludex.load(file, players=2), Report())
    assert again is not None and again.history == state.history and again.game.players == game.players
    for viewer in ("Ann", None):
        assert "Ann" in export_save(state, viewer)
    path.write_text(path.read_text().replace('"names": ["Ann"]', '"names": ["deck"]'))
    report = Report()
    assert read_save(path, lambda header: game, report) is None
    assert [d.code.name for d in report.errors] == ["save-format"]
