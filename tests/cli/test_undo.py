"""What can be taken back: nothing by which anybody has learnt anything."""

from __future__ import annotations

from pathlib import Path

import pytest

import ludex
from ludex.cli.undo import undo
from ludex.game import State

TEXT = """
ludex: 1
game: taken
title: Taken back
players: 2
components:
  cards: {card: {per: {v: 1..6}, start: deck}}
  dice: {cup: {count: 2, faces: 1..6, visible: none}}
  piles:
    deck: {holds: card, visible: none}
    hand: {per: player, holds: card, visible: owner}
    aside: {per: player, holds: card, visible: owner}
    table: {holds: card, visible: all}
state: {n: {type: 0..9}}
setup:
  deal: |
    move card(1) to hand(player(1))
    move card(2) to hand(player(2))
    move card(3) to table
    roll cup
phases:
  play:
    do:
      three times: |
        ask player(1):
          repeat 3:
            act go
actions:
  go:
    do:
      it happens: |
        STEP
"""


def after(tmp_path: Path, step: str) -> State:
    path = tmp_path / "game.yaml"
    path.write_text(TEXT.replace("STEP", step))
    return ludex.load(str(path)).start(1).apply("go")


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("n += 1", None),
        ("move hand(me) to aside(me)", None),
        ("move table to hand(player(2))", None),
        ("show hand(me) to me", None),
        ("reveal table", None),
        ("reveal hand(me)", "revealed"),
        ("show hand(player(2)) to me", "revealed"),
        ("show deck to me", "revealed"),
        ("reveal cup(1)", "revealed"),
        ("move hand(me) to table", "revealed"),
        ("move hand(player(2)) to hand(me)", "revealed"),
        ('say "{sum(c.v for c in hand(player(2)))}"', "revealed"),
        ("n = random x in 1..3", "chance"),
    ],
)
def test_a_move_stands_once_it_has_told_something(tmp_path: Path, step: str, said: str | None) -> None:
    state = after(tmp_path, step)
    assert state.deciding == ("player_1",)
    result = undo(state, "player_1")
    if said is None:
        assert result is state.previous
    else:
        assert isinstance(result, str) and said in result
