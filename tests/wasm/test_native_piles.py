"""Tops of piles that are looked at again and again, while cards come and go in every way there is."""

from __future__ import annotations

from pathlib import Path

import pytest
from lockstep import Pair, luck

from ludex import pipeline

PILES = """\
ludex: 1
game: g
title: G
players: 2
components:
  spaces: {field: 1}
  cards: {card: {count: 9}}
  piles:
    deck: {holds: card}
    heap: {per: player, holds: card}
    away: {holds: card}
state: {seen: {type: 0..999}, tried: {type: 0..999}}
define:
  tops: |
    sum((if heap(p) is empty then 0 else 10 * top(heap(p)).number) + count(heap(p)) for p in player)
setup:
  deal:
    do: |
      move set(c in card where c.number <= 4) to heap(player_1)
      move set(c in card where c.number > 4 and c.number < 8) to heap(player_2)
      move set(c in card where c.number >= 8) to deck
phases:
  play:
    turns: clockwise from player_1
    rounds: 40
    do:
      move: act give or bury or dig or turn or mix or draw or back
      look: seen = tops
procedures:
  swap:
    do: |
      for each p in players:
        if heap(p) is not empty then move top(heap(p)) under heap(next(p))
actions:
  give:
    choose: {p: player, q: player}
    where: {it has one: heap(p) is not empty}
    let: {after: try swap then tops}
    do: |
      move top(heap(p)) to heap(q)
      tried = after
  bury:
    choose: {p: player, q: player}
    where: {it has one: heap(p) is not empty}
    do: move top(heap(p)) under heap(q)
  dig:
    choose: {c: card}
    where: {it lies in a heap: any(c in heap(p) for p in player)}
    do: move c to away
  turn:
    choose: {p: player}
    do: turn heap(p) over
  mix:
    choose: {p: player}
    where: {there are two: count(heap(p)) >= 2}
    do: |
      move heap(p) to deck
      shuffle deck
      let c = top(deck)
      move c to heap(p)
  draw:
    choose: {p: player}
    where: {there is one: deck is not empty}
    do: |
      move top(deck) to heap(p)
      turn deck over
  back:
    where: {there is one: away is not empty}
    do: move away under heap(me)
"""


@pytest.mark.parametrize("seed", range(6))
def test_tops_are_those_of_the_interpreter(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    path.write_text(PILES)
    both = Pair(pipeline.program(str(path)))
    both.start()
    chance, policy = luck(seed)
    for most in range(1, 12):
        both.playout(chance, policy, most)
