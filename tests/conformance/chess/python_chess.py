"""python-chess, an independent implementation, as `Lockstep` wants a game to be.

Actions are texts: UCI notation, and `castle(short)`, `castle(long)`. White is player 0. Draws that may be
claimed are claimed at once, as in our game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chess

CHANCE, OVER = -1, -4
ARRANGEMENTS = 960
RESULTS = {"1-0": [1, -1], "0-1": [-1, 1]}


class Chess:
    """Games on whatever board is made. With `lot`, chance first decides about the arrangement of chess960."""

    def __init__(self, board: Callable[[], chess.Board] = chess.Board, *, lot: bool = False) -> None:
        self.board, self.lot = board, lot

    def num_players(self) -> int:
        return 2

    def new_initial_state(self) -> Position:
        return Position(self.board(), self.lot)


class Position:
    def __init__(self, board: chess.Board, lot: bool) -> None:
        self.board, self.lot = board, lot
        self._moves: dict[Any, chess.Move] = {}

    def is_terminal(self) -> bool:
        board = self.board
        return not self.lot and (board.is_game_over() or board.is_fifty_moves() or board.is_repetition(3))

    def is_chance_node(self) -> bool:
        return self.lot

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(number, 1 / ARRANGEMENTS) for number in range(ARRANGEMENTS)]

    def current_player(self) -> int:
        if self.lot:
            return CHANCE
        return OVER if self.is_terminal() else 0 if self.board.turn == chess.WHITE else 1

    def legal_actions(self, player: int) -> list[str]:
        self._moves = {self._text(move): move for move in self.board.legal_moves}
        return list(self._moves)

    def _text(self, move: chess.Move) -> str:
        if self.board.is_castling(move):
            return "castle(short)" if self.board.is_kingside_castling(move) else "castle(long)"
        return move.uci()

    def action_to_string(self, player: int, action: int | str) -> str:
        return str(action)

    def apply_action(self, action: int | str) -> None:
        if isinstance(action, int):
            self.board.set_chess960_pos(action)
            self.lot = False
        else:
            self.board.push(self._moves[action])

    def returns(self) -> list[int]:
        return RESULTS.get(self.board.result(), [0, 0])

    def __str__(self) -> str:
        return f"{self.board.fen()}\n{self.board}"
