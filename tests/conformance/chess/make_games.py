"""Plays random games with python-chess, an independent implementation: version 1.11.2 was used.

    pip install chess
    python make_games.py chess 30
    python make_games.py atomic 30
    python make_games.py king_of_the_hill 30

The form of a line is that of `../openspiel_games.py`, moves are in UCI notation. Half of the time a man
is taken or a pawn promoted if that can be done, so that games come to an end.
"""

import random
import sys
import zlib

import chess.variant

BOARDS = {
    "chess": chess.Board,
    "atomic": chess.variant.AtomicBoard,
    "king_of_the_hill": chess.variant.KingOfTheHillBoard,
}


def played(board, rng):
    moves = []
    while not (board.is_game_over() or board.is_fifty_moves() or board.is_repetition(3)):
        legal = {move.uci(): move for move in board.legal_moves}
        takes = [uci for uci, move in legal.items() if board.is_capture(move) or move.promotion]
        chosen = rng.choice(sorted(takes if takes and rng.random() < 0.5 else legal))
        moves.append(f"{zlib.crc32(chr(10).join(sorted(legal)).encode()):08x} {chosen}")
        board.push(legal[chosen])
    result = {"1-0": "1 -1", "0-1": "-1 1"}.get(board.result(), "0 0")
    return ";".join([result, *moves])


if __name__ == "__main__":
    rng = random.Random(1)
    for _ in range(int(sys.argv[2])):
        print(played(BOARDS[sys.argv[1]](), rng))
