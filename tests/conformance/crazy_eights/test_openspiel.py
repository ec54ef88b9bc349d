"""Crazy eights in step with OpenSpiel's, deal by deal.

It plays one deal, lets players pass though they could play, and ends a deal in which nobody goes on one pass
later: our options `limit: 1`, `pass_freely` and `late_end`. It also ends after `max_turns` cards, which is
no rule of the game, and is set so high here that it does not happen. Its special cards are our overlay; with
them a stock that runs out while cards are drawn for twos sometimes counts as a pass there, so that they are
put in step where the stock is made anew.

What its players get is not ours: an ace counts 10 with it, and cards up to the nine, and the ten, by their
number in the pack instead of what they show (`card + 2`, where the rank is meant). So what is left in the
hands is compared, counted by its table; what cards count with us is in the scenarios.
"""

from __future__ import annotations

from typing import Any

import pytest

import ludex

from ..openspiel_cards import CARDS, RANKS, SUITS, parts
from ..openspiel_lockstep import Lockstep, Move, OneGame

DRAW, PASS, NOMINATE, DEALER = 52, 53, 54, 52


def number(card: str) -> int:
    suit, rank, *_copy = parts(card)
    return CARDS[f"{rank}_of_{suit}"]


def called(move: Move) -> int:
    text = move.args[0] if move.args else move.name
    if text.startswith("card("):
        return number(text)
    if text.startswith("player_"):
        return DEALER + int(text.removeprefix("player_")) - 1
    return NOMINATE + SUITS.index(text) if text in SUITS else {"draw": DRAW, "pass": PASS}[text]


def counted_there(card: int) -> int:
    rank = RANKS[card // 4]
    return 50 if rank == "eight" else 10 if rank in ("jack", "queen", "king", "ace") else card + 2


class Deal(OneGame):
    """The only card of a stock that was just made is known, and drawing it no event of chance here."""

    def turn(self, player: int, block: int) -> None:
        self.draw_what_is_known()
        super().turn(player, block)

    def chance(self, block: int) -> None:
        if len(self.machine.outcomes(self.words)) > 1:
            self.draw_what_is_known()
        super().chance(block)

    def draw_what_is_known(self) -> None:
        while self.state.is_chance_node() and len(self.state.legal_actions()) == 1:
            self.state.apply_action(self.state.legal_actions()[0])

    def over(self) -> None:
        if not self.state.is_terminal():
            self.differ("over here, and not there")
        end = self.both.game.from_bytes(self.machine.pack(self.words))
        hands = [end.observation(p).place(f"hand({p})").things for p in self.both.game.players]
        left = [-sum(counted_there(number(card)) for card in hand) for hand in hands]
        if left != self.state.returns():
            self.differ(f"{left} is left here, {self.state.returns()} there")
        self.played["blocked" if all(hands) else "out"] += 1


def in_step(players: int, draws: int = 5, *, reshuffle: bool = False, special: bool = False) -> Lockstep:
    options: dict[str, Any] = {"limit": 1, "pass_freely": True, "late_end": True}
    options |= {"most_draws": draws, "reshuffle": reshuffle}
    overlays = ["special_cards"] if special else []
    rules = f"players={players},max_draw_cards={draws},reshuffle={reshuffle},use_special_cards={special}"
    theirs = f"crazy_eights({rules.lower()},max_turns=1000000)"
    return Lockstep(ludex.load("crazy_eights", overlays, players, options), theirs, called, one_game=Deal)


@pytest.mark.parametrize(("players", "draws"), [(2, 1), (5, 5), (7, 30)])
def test_deals(players: int, draws: int) -> None:
    played = in_step(players, draws).play(8)
    assert played["out"] and played["pass"] and played["choose"]


def test_a_stock_that_is_made_anew() -> None:
    assert in_step(4, reshuffle=True).play(1)["out"] == 1


def test_special_cards() -> None:
    assert in_step(5, reshuffle=True, special=True).play(1)["out"] == 1


@pytest.mark.long
@pytest.mark.parametrize("players", range(2, 11))
@pytest.mark.parametrize("draws", [1, 5, 104])
def test_many_deals(players: int, draws: int) -> None:
    in_step(players, draws).play(100, seed=2)


@pytest.mark.long
@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4, 6, 8])
def test_many_deals_with_a_stock_that_is_made_anew(players: int, special: bool) -> None:
    in_step(players, reshuffle=True, special=special).play(10, seed=2)
