"""Chess and its overlays in step with python-chess, an independent implementation."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import chess
import chess.variant
import pytest

import ludex
from ludex.backends.machine import ChancePoint, TurnPoint

from ..openspiel_lockstep import Lockstep, Move
from .positions import board_of
from .python_chess import ARRANGEMENTS, Chess

BOARDS = {
    (): Chess(),
    ("atomic",): Chess(chess.variant.AtomicBoard),
    ("king_of_the_hill",): Chess(chess.variant.KingOfTheHillBoard),
    ("chess960",): Chess(lambda: chess.Board(chess960=True), lot=True),
}
PROMOTED = {"none": "", "queen": "q", "rook": "r", "bishop": "b", "knight": "n"}


def called(move: Move) -> int | str:
    if move.player is None:
        return int(move.args[0])
    return move.args[0] + move.args[1] + PROMOTED[move.args[2]] if move.name == "move" else move.text


def rather_castle(rng: random.Random, legal: Sequence[Move]) -> int:
    castling = [i for i, move in enumerate(legal) if move.name == "castle"]
    return rng.choice(castling) if castling and rng.random() < 0.5 else rng.randrange(len(legal))


def play(overlays: tuple[str, ...], games: int, seed: int) -> Counter[str]:
    game = ludex.load("chess", overlays)
    return Lockstep(game, BOARDS[overlays], called, pick=rather_castle).play(games, seed)


@pytest.mark.parametrize("overlays", BOARDS)
def test_games_go_as_in_python_chess(overlays: tuple[str, ...]) -> None:
    play(overlays, 1, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("overlays", BOARDS)
def test_many_games_go_as_in_python_chess(overlays: tuple[str, ...]) -> None:
    assert play(overlays, 300, seed=2)["castle"]


def test_all_arrangements_are_numbered_as_in_python_chess() -> None:
    game = ludex.load("chess", ("chess960",))
    machine = game.machine
    start = machine.start()
    assert isinstance(machine.point(start), ChancePoint)
    for number in range(ARRANGEMENTS):
        words = machine.copy(start)
        machine.resolve(words, number)
        assert isinstance(machine.point(words), TurnPoint)
        assert board_of(game, words) == chess.Board.from_chess960_pos(number).board_fen()
