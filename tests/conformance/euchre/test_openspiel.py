"""Euchre in step with OpenSpiel's, deal by deal: our option `most_deals: 1`, and its two parameters."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import ludex

from ..openspiel_cards import CARDS, SUITS
from ..openspiel_lockstep import Lockstep, Move, as_they_are

LOWEST = CARDS["nine_of_clubs"]
"""Their pack begins with it."""
PASS, SUIT, ALONE, TOGETHER = 24, 25, 29, 30


class InStep(Lockstep):
    def __init__(self, *, stick: bool, lone: bool) -> None:
        options = {"most_deals": 1, "stick_the_dealer": stick, "lone_defence": lone}
        theirs = f"euchre(allow_lone_defender={lone},stick_the_dealer={stick})".lower()
        super().__init__(
            ludex.load("euchre", options=options), theirs, self.their_name, looks=True, returns=as_they_are
        )

    def their_name(self, move: Move, state: Any) -> int:
        match move.name, move.args:
            case "order_up", _:  # there its suit is named
                return SUIT + int(state.upcard()) % 4
            case "name_trump", (suit,):
                return SUIT + SUITS.index(suit)
            case "pass" | "play_alone" | "with_partner", _:
                return {"pass": PASS, "play_alone": ALONE, "with_partner": TOGETHER}[move.name]
            case _, (text,) if text.startswith("player_"):
                return int(text.removeprefix("player_")) - 1
            case _, (card,):
                return CARDS[card] - LOWEST
        raise AssertionError(move)


def test_deals() -> None:
    played = InStep(stick=False, lone=False).play(40)
    assert played["order_up"] and played["name_trump"] and played["play_alone"] and played["with_partner"]


def test_deals_with_both_options() -> None:
    played = InStep(stick=True, lone=True).play(40)
    assert played["play_alone"] > 20


@pytest.mark.long
@pytest.mark.parametrize(("stick", "lone"), list(product((False, True), repeat=2)))
def test_many_deals(stick: bool, lone: bool) -> None:
    InStep(stick=stick, lone=lone).play(1000, seed=2)
