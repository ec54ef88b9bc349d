"""Moves of several things: all that lies in one place or not, to places that keep an order or not."""

from __future__ import annotations

from pathlib import Path

import pytest
from lockstep import Faulted, Pair, luck

from ludex import pipeline

GAME = """\
ludex: 1
game: g
title: G
players: 2
components:
  spaces: {field: {count: 3, holds: 1}, yard: 1}
  cards: {card: {count: 9}}
  pieces: {peg: {count: 70}, dog: {count: 2, places: [yard, hand]}}
  tokens: {coin: {count: 3, start: yard}}
  piles:
    deck: {holds: [card, peg]}
    heap: {per: player, holds: card}
    hand: {per: player, holds: [card, peg, dog], visible: owner}
    bag: {holds: card}
types: {spot: field or yard}
state: {seen: {type: 0..9999}}
define:
  there: |
    sum(p.number * (7 * count(card at heap(p)) + 3 * count(dog at hand(p)) + count(hand(p))) for p in player)
    + sum(f.number for f in field where f is not empty) + (if yard is empty then 0 else 500)
    + sum(if heap(p) is empty then 0 else p.number * count(top(heap(p), 3)) for p in player)
setup:
  deal:
    do: |
      move set(c in card where c.number <= 5) to heap(player_1)
      move set(c in card where c.number > 5) to deck
      move set(g in peg where g.number < 5) to deck
      move set(g in peg where g.number >= 5 and g.number < 60) to hand(player_2)
      move set(g in peg where g.number == 70) to field(1)
      move set(d in dog) to yard
phases:
  play:
    turns: clockwise from player_1
    rounds: 40
    do:
      move: act all_of or cards_of or all_there or under or on or mix or bring or lay or strange
      look: seen = there
actions:
  all_of: {choose: {p: player, q: player}, do: move heap(p) to hand(q)}
  cards_of: {choose: {p: player, q: player}, do: move set(c in card where c in hand(p)) to hand(q)}
  all_there:
    choose: {p: player, odd: 0..1}
    do: move set(c in card where c.number mod 2 == odd) to hand(p)
  under: {choose: {p: player, q: player}, do: move set(c in card where c in hand(p)) under heap(q)}
  on: {choose: {p: player, n: 1..4}, do: "move top(heap(p), n) to deck"}
  mix: {choose: {p: player}, do: turn heap(p) over}
  bring: {choose: {p: player}, do: move set(d in dog) to hand(p)}
  lay: {choose: {f: field, n: 1..9}, do: move set(g in peg where g in hand(me) and g.number <= n) to f}
  strange: {choose: {k: 0..9, x: spot}, do: move set(d in dog where k == 7) to x}
"""


@pytest.mark.parametrize("seed", range(8))
def test_moves_are_those_of_the_interpreter(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    path.write_text(GAME)
    both = Pair(pipeline.program(str(path)))
    both.start()
    chance, policy = luck(seed)
    faults = 0
    for most in (1, 2, 3, 4, 5, 6, 7, 8) * 3:
        try:
            both.playout(chance, policy, most)
        except Faulted as fault:
            faults += 1
            assert fault.kind in ("place", "capacity")
        both.exchange()
    assert faults


TOKENS = """\
ludex: 1
game: g
title: G
players: 2
components:
  spaces: {yard: 4, tray: 1, field: {count: 2, holds: 1}}
  tokens: {seed: {per: player, count: 12, places: [yard, tray, field], start: tray}}
setup:
  sow: |
    for each p in players:
      for each y in yard do move p.number seed(p) from tray to y
      move 1 seed(p) from tray to field(p.number)
phases:
  play:
    turns: clockwise from player_1
    rounds: 1
    do: {go: act gather}
actions:
  gather: {do: STATEMENT}
scoring:
  in the tray: count(seed(me) at tray)
  in the first yard: count(seed(me) at yard(1))
  in the last yard: count(seed(me) at yard(4))
"""


@pytest.mark.parametrize(
    ("statement", "tray", "first", "last"),
    [
        ("move seed(me) at yard to tray", [11, 11], [0, 0], [0, 0]),
        ("move all seed of me at set(y in yard where y.n > 2) to yard(1)", [7, 3], [3, 6], [0, 0]),
        ("move seed at field to yard(4)", [7, 3], [1, 2], [2, 3]),
        ("remove seed of me at yard", [7, 3], [0, 0], [0, 0]),
    ],
)
def test_tokens_come_from_several_places(
    statement: str, tray: list[int], first: list[int], last: list[int], tmp_path: Path
) -> None:
    path = tmp_path / "game.yaml"
    path.write_text(TOKENS.replace("STATEMENT", statement))
    both = Pair(pipeline.program(str(path)))
    both.start()
    both.playout(*luck(0), 2)
    assert both.same(lambda m, w: m.lines(w)) == [tray, first, last]
