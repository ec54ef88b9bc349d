"""Leduc poker in step with OpenSpiel's, for two players and more.

Cards of one rank are one there as well, with `suit_isomorphism`. A pot that cannot be shared evenly, which
takes more than two players, goes in halves there, and the odd chip to the first of the winners here: so all
stakes are doubled here, that there are no odd pots, and what is won is halved.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import ludex

from ..openspiel_cards import ACE_LOW, parts
from ..openspiel_lockstep import Lockstep, Move

ANSWERS = {"fold": "Fold", "check": "Call", "call": "Call", "raise": "Raise"}
TWICE = {"ante": 2, "small_bet": 4, "big_bet": 8}


def halved(returns: Sequence[float]) -> list[float]:
    return [r / 2 for r in returns]


def in_step(players: int) -> Lockstep:
    """Their ranks are numbered from the lowest that is dealt."""

    def called(move: Move) -> int | str:
        if move.player is not None:
            return ANSWERS[move.name]
        (rank,) = parts(move.args[0])
        return ACE_LOW.index(rank) - (12 - players)

    theirs = f"leduc_poker(players={players},suit_isomorphism=true)"
    return Lockstep(ludex.load("leduc_poker", players=players, options=TWICE), theirs, called, returns=halved)


@pytest.mark.parametrize(("players", "games"), [(2, 120), (3, 50), (10, 4)])
def test_games_are_those_of_openspiel(players: int, games: int) -> None:
    played = in_step(players).play(games)
    assert played["chance events"] > games * players
    assert min(played[name] for name in ANSWERS) > 0


def test_the_interpreter_plays_the_same() -> None:
    both = in_step(3)
    both.machine = both.game.machine
    both.play(20)


@pytest.mark.long
@pytest.mark.parametrize("players", range(2, 11))
def test_thousands_of_games(players: int) -> None:
    in_step(players).play(6000 // players, seed=2)
