"""Random games, as python-chess 1.11.2 plays them: `make_games.py` printed the records."""

from __future__ import annotations

from pathlib import Path

import pytest

import ludex
from conformance.replay import replay

OVERLAYS = {"chess": (), "atomic": ("atomic",), "king_of_the_hill": ("king_of_the_hill",)}
PROMOTED = {"none": "", "queen": "q", "rook": "r", "bishop": "b", "knight": "n"}
QUICK = 4


def their_text(action: str, player: str) -> str:
    row = 1 if player == "white" else 8
    if action.startswith("castle"):
        return f"e{row}{'g' if action == 'castle(short)' else 'c'}{row}"
    origin, target, into = action[len("move(") : -1].split(", ")
    return origin + target + PROMOTED[into]


def check(variant: str, games: slice) -> None:
    records = Path(__file__).with_name(f"{variant}.txt").read_text(encoding="ascii").splitlines()
    replay(ludex.load("chess", OVERLAYS[variant]), records[games], their_text)


@pytest.mark.parametrize("variant", OVERLAYS)
def test_games_go_as_in_python_chess(variant: str) -> None:
    check(variant, slice(QUICK))


@pytest.mark.long
@pytest.mark.parametrize("variant", OVERLAYS)
def test_many_games_go_as_in_python_chess(variant: str) -> None:
    check(variant, slice(None))
