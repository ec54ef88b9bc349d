"""Kuhn poker in step with OpenSpiel's, for two players and more."""

from __future__ import annotations

import pytest

import ludex

from ..openspiel_cards import ACE_LOW, parts
from ..openspiel_lockstep import Lockstep, Move, as_they_are

ANSWERS = {"pass": "Pass", "fold": "Pass", "bet": "Bet"}
"""They call it a pass whether or not there is a bet, and so does Kuhn."""


def in_step(players: int) -> Lockstep:
    """Their cards are numbered from the lowest that is dealt."""

    def called(move: Move) -> int | str:
        if move.player is not None:
            return ANSWERS[move.name]
        (rank,) = parts(move.args[0])
        return ACE_LOW.index(rank) - (12 - players)

    game = ludex.load("kuhn_poker", players=players)
    return Lockstep(game, f"kuhn_poker(players={players})", called, returns=as_they_are)


@pytest.mark.parametrize(("players", "games"), [(2, 150), (3, 60), (10, 5)])
def test_games_are_those_of_openspiel(players: int, games: int) -> None:
    played = in_step(players).play(games)
    assert played["chance events"] == games * players
    assert min(played["pass"], played["fold"], played["bet"]) > games // 4


def test_the_interpreter_plays_the_same() -> None:
    both = in_step(3)
    both.machine = both.game.machine
    both.play(20)


@pytest.mark.long
@pytest.mark.parametrize("players", range(2, 11))
def test_thousands_of_games(players: int) -> None:
    in_step(players).play(6000 // players, seed=2)
