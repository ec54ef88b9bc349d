"""Liar's dice in step with OpenSpiel's: a single showdown of two players, the highest face being wild."""

from __future__ import annotations

import pytest

import ludex

from ..openspiel_lockstep import Lockstep, Move, two_ways

RULES = {"by_count": "reset-face", "by_face": "reset-quantity"}
"""Which of two bids is higher: the values of our option, and of their parameter."""


def called(move: Move) -> str:
    match move.name:
        case "bid":
            return "-".join(move.args)
        case "doubt":
            return "Liar"
        case _:
            return f"Roll {move.args[0]}"


def in_step(dice: int, faces: int, higher: str = "by_count") -> Lockstep:
    options = {"dice_each": dice, "faces": faces, "wild": faces, "higher": higher}
    game = ludex.load("liars_dice", ["single_showdown"], players=2, options=options)
    theirs = f"liars_dice(numdice={dice},dice_sides={faces},bidding_rule={RULES[higher]})"
    return Lockstep(game, theirs, called, returns=two_ways)


@pytest.mark.parametrize("higher", RULES)
@pytest.mark.parametrize(("dice", "faces", "games"), [(1, 6, 80), (5, 6, 20), (2, 3, 50)])
def test_games_are_those_of_openspiel(dice: int, faces: int, games: int, higher: str) -> None:
    played = in_step(dice, faces, higher).play(games)
    assert played["chance events"] == 2 * dice * games
    assert played["doubt"] == games


def test_the_interpreter_plays_the_same() -> None:
    both = in_step(2, 6)
    both.machine = both.game.machine
    both.play(10)


@pytest.mark.long
@pytest.mark.parametrize("higher", RULES)
@pytest.mark.parametrize(("dice", "faces"), [(d, f) for d in range(1, 7) for f in (2, 3, 6, 10)])
def test_hundreds_of_games_of_every_size(dice: int, faces: int, higher: str) -> None:
    in_step(dice, faces, higher).play(400, seed=2)
