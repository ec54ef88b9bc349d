"""Goofspiel in step with OpenSpiel's: all orders of the prizes, bids shown and hidden, two players and more.

The last card of everybody, which leaves no choice, is played by itself there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import ludex

from ..openspiel_cards import parts
from ..openspiel_lockstep import Lockstep, Move, OneGame

ORDERS = {"shuffled": "random", "rising": "ascending", "falling": "descending"}


def called(move: Move, state: Any) -> int | None:
    """Cards are numbered from 0 there."""
    if state.is_terminal():
        return None
    return int(move.args[0] if move.name == "bid" else parts(move.args[0])[0]) - 1


def plus_and_minus(returns: Sequence[float]) -> list[float]:
    """The winners share 1, here and there; there the others share -1, unless all are equal."""
    losers = list(returns).count(0)
    return [(r or -1 / losers) if losers else 0 for r in returns]


class Points(OneGame):
    """Compares the points, not who has won."""

    def over(self) -> None:
        points = list(self.machine.lines(self.words)[0])
        if not self.state.is_terminal() or points != self.state.returns():
            self.differ(f"over with {points} points here, and there with {self.state.returns()}")


def in_step(
    players: int,
    ranks: int = 13,
    prizes: str = "shuffled",
    *,
    hidden_bids: bool = False,
    one_game: type[OneGame] = OneGame,
) -> Lockstep:
    options = {"ranks": ranks, "prizes": prizes, "hidden_bids": hidden_bids}
    returns = "total_points" if one_game is Points else "win_loss"
    theirs = (
        f"goofspiel(players={players},num_cards={ranks},points_order={ORDERS[prizes]},"
        f"imp_info={str(hidden_bids).lower()},returns_type={returns})"
    )
    game = ludex.load("goofspiel", players=players, options=options)
    return Lockstep(game, theirs, called, looks=True, returns=plus_and_minus, one_game=one_game)


@pytest.mark.parametrize(("players", "ranks", "games"), [(2, 13, 20), (3, 13, 10), (3, 4, 30), (7, 5, 10)])
def test_games_are_those_of_openspiel(players: int, ranks: int, games: int) -> None:
    played = in_step(players, ranks).play(games)
    assert played["bid"] == games * players * ranks
    assert played["chance events"] == games * ranks


@pytest.mark.parametrize("prizes", ORDERS)
def test_points_are_those_of_openspiel(prizes: str) -> None:
    in_step(2, 6, prizes, one_game=Points).play(30)


def test_hidden_bids_change_nothing_in_the_play() -> None:
    in_step(3, 4, hidden_bids=True).play(10)


def test_the_interpreter_plays_the_same() -> None:
    both = in_step(2, 5, one_game=Points)
    both.machine = both.game.machine
    both.play(10)


@pytest.mark.long
@pytest.mark.parametrize("prizes", ORDERS)
@pytest.mark.parametrize("players", range(2, 11))
def test_hundreds_of_games(players: int, prizes: str) -> None:
    for one_game in (OneGame, Points):
        in_step(players, 13, prizes, one_game=one_game).play(100, seed=2)
        in_step(players, 3, prizes, hidden_bids=True, one_game=one_game).play(100, seed=2)
