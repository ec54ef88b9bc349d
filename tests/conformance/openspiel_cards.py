"""Card games of ours in step with OpenSpiel's: how cards are called, and choices made at the same time.

Their cards are numbered by rank, within a rank by suit: clubs, diamonds, hearts, spades.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from ludex.game.naming import split_call

from .openspiel_lockstep import Lockstep, OneGame

RANKS = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
    "ace",
]
ACE_LOW = [RANKS[-1], *RANKS[:-1]]
SUITS = ["clubs", "diamonds", "hearts", "spades"]
CARDS = {f"{rank}_of_{suit}": i * 4 + j for i, rank in enumerate(RANKS) for j, suit in enumerate(SUITS)}
"""The number of a card there, by its name here."""
NAMES = {number: name for name, number in CARDS.items()}


def parts(card: str) -> tuple[str, ...]:
    """What stands in the brackets of `card(ace, clubs)`."""
    call = split_call(card)
    assert call is not None and call[1] is not None, card
    return call[1]


class OneByOne(OneGame):
    """All players choose `several` cards each at the same time here; there one after another, one by one.

    A selection is made in the order of the cards here, so that there is one way to it, and in any order
    there. So what is legal here is what is legal there but for the cards that stand before the last one
    chosen, and for those at the end that would leave too few to choose from.
    """

    several = 3

    def __init__(self, both: Lockstep, rng: random.Random, played: Counter[str], title: str) -> None:
        super().__init__(both, rng, played, title)
        self.selection: list[int] = []

    def sealed(self, waiting: Sequence[tuple[int, int]]) -> None:
        here = self.state.current_player()
        mine = [(player, block) for player, block in waiting if self.both.their_player(player) == here]
        if not mine:
            self.differ(f"player {here} is to choose there, and not here")
        ((player, block),) = mine
        legal = self.legal(player, block)
        ours = [self.both.their_call(move, self.state) for move, _ in legal]
        theirs = sorted(self.state.legal_actions(here), key=self.place_of)
        last = self.place_of(self.selection[-1]) if self.selection else -1
        start = sum(self.place_of(number) < last for number in theirs)
        end = len(theirs) - (self.several - len(self.selection) - 1)
        if ours != theirs[start:end]:
            self.differ(f"{ours} are legal here, {theirs} there, of which {start} to {end} were expected")
        at = self.both.pick(self.rng, [move for move, _ in legal])
        self.choose(player, *legal[at], self.text(here, theirs[start + at]))
        self.state.apply_action(theirs[start + at])
        self.selection.append(theirs[start + at])
        if len(self.selection) == self.several:
            self.selection.clear()

    def place_of(self, number: int) -> int:
        """Of a card of theirs in our order."""
        return self.both.game.program.world.names.index(NAMES[number])
