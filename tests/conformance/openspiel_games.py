"""Plays random games with OpenSpiel, an independent implementation, and prints them. Version 2.0.2 was used.

    pip install open_spiel
    python openspiel_games.py "hex(swap=true)" 30

A line is a game: what each player gets in the end, then for each decision the CRC-32 of what is legal
there (the actions' texts, sorted, one a line) and what was played, all divided by semicolons.
`replay.py` reads them.
"""

import random
import sys
import zlib

import pyspiel


def played(game, rng):
    state = game.new_initial_state()
    moves = []
    while not state.is_terminal():
        legal = {state.action_to_string(a): a for a in state.legal_actions()}
        chosen = rng.choice(sorted(legal))
        moves.append(f"{zlib.crc32(chr(10).join(sorted(legal)).encode()):08x} {chosen}")
        state.apply_action(legal[chosen])
    return ";".join([" ".join(f"{r:g}" for r in state.returns()), *moves])


if __name__ == "__main__":
    rng = random.Random(1)
    for _ in range(int(sys.argv[2])):
        print(played(pyspiel.load_game(sys.argv[1]), rng))
