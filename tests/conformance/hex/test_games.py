"""Random games with the swap rule as OpenSpiel 2.0.2 plays them: `games.txt` is what
`../openspiel_games.py "hex(swap=true)" 15` prints, `games_3.txt` is `"hex(board_size=3,swap=true)" 60`."""

from __future__ import annotations

from pathlib import Path

import pytest

import ludex
from conformance.replay import replay

QUICK = 2


def their_text(action: str, player: str) -> str:
    return action.removeprefix("place(").removesuffix(")")


def check(size: int, file: str, games: slice) -> None:
    records = Path(__file__).with_name(file).read_text(encoding="ascii").splitlines()
    options = {"size": size, "swap_rule": True}
    replay(ludex.load("hex", options=options), records[games], their_text)


def test_small_games_go_as_in_openspiel() -> None:
    check(3, "games_3.txt", slice(None))


def test_games_go_as_in_openspiel() -> None:
    check(11, "games.txt", slice(QUICK))


@pytest.mark.long
def test_many_games_go_as_in_openspiel() -> None:
    check(11, "games.txt", slice(None))
