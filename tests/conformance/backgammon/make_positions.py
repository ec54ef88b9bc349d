"""Makes `positions.txt` with OpenSpiel, an independent implementation: version 2.0.2 was used.

    pip install open_spiel
    python make_positions.py > positions.txt

Each line: the men of the player to move, the men of the other, both by their own numbers (0 off, 1 to 24,
25 on the bar), one hexadecimal digit each; the two dice; the number of different positions in which the
turn can end; the sha256 of them (first 16 digits), each written in the same way, sorted, one a line.

OpenSpiel plays a doublet as two turns of two dice. That can leave dice unplayed where more could have
been played, so of a doublet only those ends are kept that take the most dice.
"""

import hashlib
import random

import pyspiel

GAMES = 60
EVERY = 7
"""One of so many turns is written down."""

BAR = 100


def side(state, player):
    men = [0] * 26
    for i in range(24):
        men[24 - i if player == 0 else i + 1] = state.board(player, i)
    men[25] = state.board(player, BAR)
    men[0] = 15 - sum(men)
    return men


def text(state, player):
    return "".join(f"{n:x}" for n in side(state, player) + side(state, 1 - player))


def ends(state, player, played, found):
    """The positions in which the turn can end, with the greatest number of dice that lead there."""
    if state.is_terminal() or state.is_chance_node() or state.current_player() != player:
        end = text(state, player)
        found[end] = max(played, found.get(end, 0))
        return
    for action in state.legal_actions():
        moves = state.spiel_move_to_checker_moves(player, action)
        dice = sum(move.pos >= 0 for move in moves)
        ends(state.child(action), player, played + dice, found)


def main():
    rng = random.Random(1)
    game = pyspiel.load_game("backgammon")
    for number in range(GAMES):
        state = game.new_initial_state()
        turn = number
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, weights)[0])
                turn += 1
                if turn % EVERY == 0:
                    write(state)
            else:
                state.apply_action(rng.choice(state.legal_actions()))


def write(state):
    player = state.current_player()
    dice = [int(d) for d in str(state).split("Dice: ")[1][:2]]
    found = {}
    ends(state, player, 0, found)
    if dice[0] == dice[1]:
        most = max(found.values())
        found = {end: dice for end, dice in found.items() if dice == most}
    digest = hashlib.sha256("\n".join(sorted(found)).encode()).hexdigest()[:16]
    print(text(state, player), *dice, len(found), digest)


if __name__ == "__main__":
    main()
