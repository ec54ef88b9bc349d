"""The sentences that players read for their options, and what they may not tell."""

from __future__ import annotations

import pytest
from written import written

from ludex.game import State

GAME = """
types: {suit: [clubs, hearts]}
components:
  spaces: {town: 3}
  pieces: {pawn: {per: player, count: 2, places: [town], start: town(1)}}
  cards: {card: {per: {suit: suit, v: 1..3}, start: deck}}
  piles:
    deck: {holds: card, visible: none}
    hand: {per: player, holds: card, visible: owner}
    discards: {holds: card, visible: top}
state:
  fame: {type: 0..9, start: 3}
  plan: {per: player, type: 0..9, start: 7, visible: owner}
  chosen: {type: set of suit}
define:
  worth(player p): sum(c.v for c in hand(p))
  by_others: sum(worth(p) for p in players where p != me)
setup:
  deal: |
    move card(clubs) to hand(player(1))
    move card(hearts, 1) to hand(player(2))
    move card(hearts, 2) to discards
    chosen = set(hearts)
    move pawn(player(2)) to town(2)
phases: {play: {turns: clockwise from player(1), rounds: 3, do: {go: act go}}}
actions:
  go:
    label: "LABEL"
    choose: {n: 1..2, k: pawn of me}
    let: {more: n + fame, twice: 2 * more}
    do: {it goes: move k to town(n)}
"""


def label(text: str) -> str:
    state: State = written(GAME.replace("LABEL", text)).start(1)
    first = state.legal_actions()[0]
    assert first.text == "go(1, pawn(player_1, 1))"
    return first.label


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{n} with {k}", "1 with pawn(player_1, 1)"),
        ("{count(pawn at town(1))} stand there", "2 stand there"),
        ("{more} and {twice}", "4 and 8"),
        ("worth {worth(me)}", "worth 6"),
        ("{if any(p in pawn where p.place == town(3)) then 1 else 0}", "0"),
        ("{most(t in town by t.n)}", "town(3)"),
        ("{plan(me)}", "7"),
        ("on {top(discards)}", "on card(hearts, 2)"),
        ("{k.place in town}", "yes"),
        ("suits {chosen}", "suits hearts"),
        ("{set(p in players where p != me)}", "player_2"),
        ("{count(hand(next(me)))} cards", "1 cards"),
    ],
)
def test_whatever_a_label_holds_is_worked_out(text: str, says: str) -> None:
    assert label(text) == says


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("against {worth(next(me))}", "against ?"),
        ("against {by_others}", "against ?"),
        ("{first(c in hand(next(me)))}", "?"),
        ("{plan(next(me))} of {n}", "? of 1"),
        ("{deck}", "deck"),
        ("{set(c in deck)}", "?"),
    ],
)
def test_a_label_tells_nothing_that_its_player_cannot_see(text: str, says: str) -> None:
    assert label(text) == says
