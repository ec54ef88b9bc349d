"""What the dealer ends with, by his open card: exact odds, against a published table.

The table is that of blackjackinfo.com/dealer-outcome-probabilities for a single deck, from which only the
open card is missing: in per cent, rounded to hundredths. All but the naturals are of the cases in which he
has none.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import pytest

import ludex
from ludex.backends.machine import ChancePoint, OverPoint, Words
from ludex.game import Game

ALONE = str(Path(__file__).with_name("dealer_alone.yaml"))
OPEN = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "ace"]
NATURAL, BUST = 0, 22
STANDS_ON_SOFT_17 = {
    NATURAL: "0 0 0 0 0 0 0 0 7.84 31.37",
    BUST: "35.30 37.56 40.28 42.89 42.08 25.99 23.86 23.34 23.25 16.98",
    17: "13.90 13.03 13.10 11.97 16.69 37.23 13.09 12.19 12.42 18.38",
    18: "13.18 13.09 11.42 12.35 10.65 13.86 36.30 10.39 12.25 19.09",
    19: "13.18 12.38 12.07 11.69 10.72 7.73 12.94 35.74 12.44 18.87",
    20: "12.39 12.33 11.63 10.47 10.07 7.89 6.83 12.23 35.69 19.17",
    21: "12.05 11.60 11.51 10.63 9.79 7.30 6.98 6.11 3.96 7.51",
}
DRAWS_ON_SOFT_17 = {
    NATURAL: "0 0 0 0 0 0 0 0 7.84 31.37",
    BUST: "35.63 37.81 40.58 43.00 43.78 25.99 23.86 23.34 23.25 20.46",
    17: "12.98 12.35 12.28 11.67 11.61 37.23 13.09 12.19 12.42 8.18",
    18: "13.31 13.19 11.54 12.38 11.38 13.86 36.30 10.39 12.25 20.54",
    19: "13.32 12.50 12.19 11.74 11.61 7.73 12.94 35.74 12.44 20.62",
    20: "12.56 12.42 11.78 10.52 10.96 7.89 6.83 12.23 35.69 20.95",
    21: "12.20 11.73 11.63 10.69 10.67 7.30 6.98 6.11 3.96 9.26",
}

Odds = dict[int, Fraction]


class Dealer:
    """All that can happen to him. Cards that count the same are one; so are all orders of his cards."""

    def __init__(self, game: Game) -> None:
        self.game, self.machine = game, game.fastest
        self.known: dict[tuple[str, ...], Odds] = {}

    def after(self, open_card: str) -> Odds:
        start = self.machine.start()
        return self.goes_on(start, (), open_card)

    def goes_on(self, words: Words, cards: tuple[str, ...], only: str | None = None) -> Odds:
        """`cards` are those that he has. With `only`, the next one is of that rank."""
        match self.machine.point(words):
            case OverPoint():
                total = self.machine.lines(words)[0][0]
                return {min(total, BUST): Fraction(1)}
            case ChancePoint():
                pass
            case point:
                raise AssertionError(f"nobody is to decide: {point}")
        drawn: dict[str, list[int]] = defaultdict(list)
        for value, weight in self.machine.outcomes(words):
            assert weight == 1
            rank = self.game.context.naming.text(value).removeprefix("card(").split(", ")[0]
            drawn["ten" if rank in ("jack", "queen", "king") else rank].append(value)
        if only is not None:
            drawn = {only: drawn[only]}
        odds: Odds = defaultdict(Fraction)
        left = sum(map(len, drawn.values()))
        for rank, values in drawn.items():
            hand = (*cards[:2], *sorted((*cards[2:], rank))) if len(cards) >= 2 else (*cards, rank)
            if hand not in self.known:
                then = self.machine.copy(words)
                self.machine.resolve(then, values[0])
                self.known[hand] = self.goes_on(then, hand)
            for total, share in self.known[hand].items():
                odds[total] += share * Fraction(len(values), left)
        return odds


def check(open_cards: list[str], *, draws: bool) -> None:
    table = DRAWS_ON_SOFT_17 if draws else STANDS_ON_SOFT_17
    options = {"deals": 1, "draws_on_soft_17": draws}
    dealer = Dealer(ludex.load("blackjack", [ALONE], players=1, options=options))
    for card in open_cards:
        odds = dealer.after(card)
        assert sum(odds.values()) == 1
        published = {total: float(row.split()[OPEN.index(card)]) for total, row in table.items()}
        others = 1 - odds.get(NATURAL, Fraction(0))
        ours = {t: float(100 * odds.get(t, 0) / (1 if t == NATURAL else others)) for t in table}
        assert odds.keys() <= table.keys()
        assert ours == pytest.approx(published, abs=0.0051), card


def test_what_the_dealer_ends_with() -> None:
    check(["eight", "ten"], draws=False)


@pytest.mark.long
@pytest.mark.parametrize("draws", [False, True])
def test_what_the_dealer_ends_with_after_every_card(draws: bool) -> None:
    check(OPEN, draws=draws)
