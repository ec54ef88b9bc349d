"""Random games as OpenSpiel 2.0.2 plays them: `games.txt` is what `../openspiel_games.py checkers 46` prints,
without the games that were drawn (`grep -v "^0 0"`), because it counts quiet moves in another way."""

from __future__ import annotations

from pathlib import Path

import pytest

import ludex
from conformance.replay import replay

GAMES = Path(__file__).with_name("games.txt").read_text(encoding="ascii").splitlines()
QUICK = 4
OPTIONS = {"repetition": False}


def their_text(action: str, player: str) -> str:
    return "".join(action[action.index("(") + 1 : -1].split(", "))


def test_games_go_as_in_openspiel() -> None:
    replay(ludex.load("english_draughts", options=OPTIONS), GAMES[:QUICK], their_text)


@pytest.mark.long
def test_many_games_go_as_in_openspiel() -> None:
    replay(ludex.load("english_draughts", options=OPTIONS), GAMES, their_text)
