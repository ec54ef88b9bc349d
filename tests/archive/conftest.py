"""Fixtures: the command line, and a small rulebook with the game that transcribes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ludex.cli.main import main

RULES = """\
The Little Lamp Game
For two players.

Setup
Shuffle the lamps. Lay them down (face
down!) in a row. The row is the street.

Course of play
In your turn take one to three lamps: you must take one. Who lit No. 5 Street? He says "Mine!" Then
the next player is on.
- Lamps are never put back.
- You may not pass

End
The last lamp wins.
"""
"""Sentences by hand: Setup 3, Course of play 4, End 1; one stands before the first heading."""

GAME = """\
ludex: 1
game: lamps
title: Lamps
players: 2
cite: rules / End
sources:
  rules:
    title: The Little Lamp Game
    language: en
    exclude: [rules / Course of play / 3]
  letter: {title: A letter}
state: {row: {type: 0..9, start: 9}}
setup:
  lamps are laid: {do: row = 9, cite: rules / Setup / 1-2}
define:
  last(player p): {is: row == 0 and p == active, cite: rules / Course of play / 1}
actions:
  take:
    choose: {n: 1..3}
    where:
      there are as many: {is: n <= row, cite: [rules / Course of play / 1, letter]}
    do: {they are taken: row -= n}
phases: {play: {turns: clockwise from player(1), do: {take some: act take}}}
end: {no lamp is left: {is: any(last(p) for p in players), winner: active, note: At once.}}
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.txt"
    path.write_text(RULES, encoding="utf-8")
    return path


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "lamps" / "game.yaml"
    path.parent.mkdir()
    path.write_text(GAME, encoding="utf-8")
    return path


@pytest.fixture
def ludex(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words: object) -> Result:
        result = CliRunner().invoke(main, [str(w) for w in words], prog_name="ludex")
        assert "Traceback" not in result.output and result.exit_code in (0, 1, 2)
        return result

    return run


@pytest.fixture
def indexed(ludex: Callable[..., Result], game: Path, rules: Path) -> Path:
    """The game with the index of its rulebook in it."""
    words = ("--heading", "Setup", "--heading", "Course of play", "--heading", "End")
    printed = ludex("source", "index", rules, "--game", game, "--name", "rules", *words).stdout
    entry = "".join(line + "\n" for line in printed.splitlines() if not line.startswith("#"))
    text = game.read_text(encoding="utf-8")
    first, last = text.index("sources:"), text.index("  letter:")
    game.write_text(text[:first] + entry + text[last:], encoding="utf-8")
    assert ludex("check", game).exit_code == 0
    return game
