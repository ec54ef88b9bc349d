"""Blackjack in step with OpenSpiel's: one player, one deal, hit or stand; a natural is any other 21.

There the player is dealt his two cards first, then the dealer, face down before face up: the same four cards
as here, with the same odds, in another order. So they are put in step after the fourth.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest

import ludex

from ..openspiel_cards import ACE_LOW, SUITS, parts
from ..openspiel_lockstep import Lockstep, Move, OneGame, as_they_are

PLAIN = {"deals": 1, "naturals": False, "double_on": "nothing", "splitting": False, "stake": 1}
DEALT_THERE = (0, 2, 3, 1)
"""Which of our first four cards theirs are: here the dealer's open card is the second."""


def called(move: Move) -> int | str:
    if move.player is not None:
        return move.name.title()
    rank, suit = parts(move.args[0])
    return SUITS.index(suit) * 13 + ACE_LOW.index(rank)


class Dealt(OneGame):
    def __init__(self, both: Lockstep, rng: random.Random, played: Counter[str], title: str) -> None:
        super().__init__(both, rng, played, title)
        self.dealt: list[int] = []

    def chance(self, block: int) -> None:
        if len(self.dealt) == len(DEALT_THERE):
            return super().chance(block)
        found = self.outcomes(block)
        left = 52 - len(self.dealt)
        if len(found) != left or any(odds != Fraction(1, left) for _, odds in found):
            self.differ(f"one of {left} cards is dealt, each as likely; here {found}")
        action, _ = self.rng.choice(found)
        move = Move(None, action.name, (action.text,))
        number = called(move)
        assert isinstance(number, int) and number not in self.dealt
        self.dealt.append(number)
        self.resolve(move, action.choice.values[0], "dealt later")
        if len(self.dealt) == len(DEALT_THERE):
            for at in DEALT_THERE:
                odds = dict(self.state.chance_outcomes())
                self.state.apply_action(self.dealt[at])
                if abs(odds[self.dealt[at]] * len(odds) - 1) > 1e-9:
                    self.differ("the cards are not all as likely there")


def in_step() -> Lockstep:
    game = ludex.load("blackjack", players=1, options=PLAIN)
    return Lockstep(game, "blackjack", called, returns=as_they_are, one_game=Dealt)


def test_games_are_those_of_openspiel() -> None:
    played = in_step().play(100)
    assert played["stand"] > 20 and played["hit"] > 60
    assert played["chance events"] > 100 * 4 + played["hit"]


def test_the_interpreter_plays_the_same() -> None:
    both = in_step()
    both.machine = both.game.machine
    both.play(30)


@pytest.mark.long
def test_thousands_of_games() -> None:
    in_step().play(3000, seed=2)
