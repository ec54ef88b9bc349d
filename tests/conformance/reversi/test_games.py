"""Random games, many of which have passes, as OpenSpiel 2.0.2 plays them: `games.txt` is what
`../openspiel_games.py othello 80` prints."""

from __future__ import annotations

from pathlib import Path

import pytest

import ludex
from conformance.replay import replay

GAMES = Path(__file__).with_name("games.txt").read_text(encoding="ascii").splitlines()
QUICK = 12


def their_text(action: str, player: str) -> str:
    return action.removeprefix("place(").removesuffix(")")


def test_games_go_as_in_openspiel() -> None:
    assert any("pass" in game for game in GAMES[:QUICK])
    replay(ludex.load("reversi"), GAMES[:QUICK], their_text)


@pytest.mark.long
def test_many_games_go_as_in_openspiel() -> None:
    replay(ludex.load("reversi"), GAMES, their_text)
