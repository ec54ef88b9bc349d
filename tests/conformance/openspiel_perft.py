"""Prints perft of a game as OpenSpiel, an independent implementation, plays it. Version 2.0.2 was used.

    pip install open_spiel
    python openspiel_perft.py "breakthrough(rows=6,columns=6)" 5
"""

import sys

import pyspiel


def perft(state, depth):
    if state.is_terminal():
        return 0
    actions = state.legal_actions()
    return len(actions) if depth == 1 else sum(perft(state.child(a), depth - 1) for a in actions)


if __name__ == "__main__":
    start = pyspiel.load_game(sys.argv[1]).new_initial_state()
    for depth in range(1, int(sys.argv[2]) + 1):
        print(depth, perft(start, depth), flush=True)
