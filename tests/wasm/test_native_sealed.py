"""Sealed choices in playouts, which make a player's choices one after another where nobody can tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from lockstep import Pair, luck

from ludex import pipeline
from ludex.backends.wasm.drawing import sure
from ludex.backends.wasm.emitter import Emitter
from ludex.ir.passes.optimise import optimised
from ludex.ir.program import Decide

GAME = """\
ludex: 1
game: g
title: G
players: 3
components:
  cards: {card: {per: {owner: player, n: 1..5}}}
  piles:
    hand: {per: player, holds: card, visible: owner}
    laid: {per: player, holds: card, visible: owner}
state: {seen: {type: 0..999}, late: {per: player, type: 0..9}}
define:
  below(card c, player p): if c.n == 1 then 0 else 1 + below(card(p, c.n - 1), p)
  rest(player p): 12 div count(hand(p))
setup:
  deal:
    do: |
      for each p in players:
        move set(c in card where c.owner == p) to hand(p)
phases:
  play:
    rounds: 4
    each_round:
      all choose: |
        secretly ask players:
          repeat 3:
            act lay or swap
      all show: |
        for each p in players:
          if laid(p) is not empty then seen = (seen + top(laid(p)).n * p.number) mod 1000
          move set(c in card where c in laid(p) and c.n > 2) to hand(p)
procedures:
  put(card c, player p): {do: move c under laid(p)}
actions:
  lay:
    choose: {c: card}
    where: {it is yours: c in hand(me), it may be: CONDITION}
    do: move c under laid(me)
  swap:
    choose: {c: card}
    where: {it lies there: c in laid(me) and c.n < 4}
    do: move c to hand(me)
"""
CONDITIONS = {
    "c.n != 2": True,
    "count(hand(me)) > 1 and not any(d in laid(me) where d.n == c.n + 1)": True,
    "below(c, me) != 1": False,  # costs ticks
    "rest(me) > 2": False,  # may fault
    "(try put(c, me) then count(laid(me)) < 4)": False,  # asked of what was drawn
}


@pytest.mark.parametrize(("condition", "at_once"), CONDITIONS.items())
def test_playouts_that_end_after_any_choice(tmp_path: Path, condition: str, at_once: bool) -> None:
    path = tmp_path / "g.yaml"
    path.write_text(GAME.replace("CONDITION", f'"{condition}"'))
    program = pipeline.load(str(path)).program
    emitter = Emitter(optimised(program), counting=False)
    decisions = [b.end for b in emitter.program.blocks if isinstance(b.end, Decide)]
    assert all(sure(emitter, end) == at_once for end in decisions)
    pair = Pair(program)
    for seed in range(6):
        pair.start()
        chance, policy = luck(seed)
        for most in (1, 2, 3, 1, 5, 4, 7, 13):
            pair.playout(chance, policy, most)
            pair.exchange()
        pair.steps(2, chance, policy)
        pair.playout(chance, policy, 1000)
