"""Random games as OpenSpiel 2.0.2 plays them: `games.txt` is what `../openspiel_games.py nine_mens_morris 40`
prints, without the games that were drawn (`grep -v "^0 0"`), which it ends after two hundred turns."""

from __future__ import annotations

from pathlib import Path

import pytest

import ludex
from conformance.replay import replay

GAMES = Path(__file__).with_name("games.txt").read_text(encoding="ascii").splitlines()
QUICK = 6
OPTIONS = {"repetition": False, "quiet_limit": 400}
ROWS = "a7 d7 g7", "b6 d6 f6", "c5 d5 e5", "a4 b4 c4", "e4 f4 g4", "c3 d3 e3", "b2 d2 f2", "a1 d1 g1"
POINTS = [point for row in ROWS for point in row.split()]
"""In their order: from left to right, row by row from above."""


def their_text(action: str, player: str) -> str:
    numbers = [POINTS.index(point) for point in action[action.index("(") + 1 : -1].split(", ")]
    return f"Move {numbers[0]} -> {numbers[1]}" if len(numbers) == 2 else f"Point {numbers[0]}"


def test_games_go_as_in_openspiel() -> None:
    replay(ludex.load("nine_mens_morris", options=OPTIONS), GAMES[:QUICK], their_text)


@pytest.mark.long
def test_many_games_go_as_in_openspiel() -> None:
    replay(ludex.load("nine_mens_morris", options=OPTIONS), GAMES, their_text)
