"""Offers whose conditions ask for other actions, and lets that no condition needs."""

from __future__ import annotations

from pathlib import Path

import pytest
from lockstep import Faulted, Pair, luck

from ludex import pipeline

GAME = """\
ludex: 1
game: asks
title: Asks
players: 2
components:
  spaces:
    field: {grid: 4x4, holds: 1}
  tokens:
    stone: {per: player, places: [field]}
phases:
  play:
    turns: clockwise from player_1
    rounds: 20
    do:
      move: act lead or put
procedures:
  drop(field f):
    do: place stone(me) on f
actions:
  put:
    choose: {f: field, g: field}
    let: {both: f.x + g.x, LET}
    where:
      it is free: f is empty
      the other is beside it: g in steps(f, orthogonal)
      it can be left: try drop(f) then can(follow(f))
    do: |
      run drop(f)
      if both > 4 then remove stone(me) at f
  lead:
    choose: {f: field, n: 1..2}
    where:
      it is yours: any(k.owner == me for k in stone at f)
      it can be followed: can(follow(f))
    do: |
      if n == 2 then act follow(f)
  follow:
    given: {f: field}
    choose: {t: field}
    where:
      it is beside: t in steps(f, every_way)
      it is free: t is empty
    do: |
      move stone from f to t
scoring:
  stones: {is: count(s in field where any(k.owner == me for k in stone at s))}
"""


def pair(tmp_path: Path, let: str) -> Pair:
    path = tmp_path / "game.yaml"
    path.write_text(GAME.replace("LET", let))
    return Pair(pipeline.program(str(path)))


@pytest.mark.parametrize("let", ["side: g.y", "next: f.y + 1"])
def test_in_step(let: str, tmp_path: Path) -> None:
    both = pair(tmp_path, let)
    for seed in range(3):
        both.start()
        both.steps(40, *luck(seed))
        both.start()
        both.playout(*luck(seed), 60)
    assert both.decisions > 60


def test_a_let_that_nothing_needs_faults_all_the_same(tmp_path: Path) -> None:
    both = pair(tmp_path, "share: 6 div (g.x - 2)")
    with pytest.raises(Faulted, match="zero"):
        both.start()


SMALL = """\
ludex: 1
game: small
title: Small
players: 2
components:
  spaces: {home: 70, node: 5}
  pieces: {man: {count: 3, start: home(1)}}
  cards: {card: {count: 3, start: deck}}
  piles: {deck: {holds: card}, heap: {per: player, holds: card}}
state: {n: {type: 0..9999}}
phases: {play: {turns: clockwise from player_1, rounds: 9, do: {go: act one or two}}}
actions:
  one: ONE
  two: {choose: {t: node}, do: {it counts: n += t.number}}
"""
OFFERS = {
    "one that can never be made": (
        "{choose: {p: player}, where: {it has a card: heap(me) is not empty}, do: {it counts: n += 1}}"
    ),
    "pieces that are alike, or none": (
        "{choose: {o: optional man}, where: {some: o is none or o.place in home}, "
        'do: {it goes: "if o is not none then move o to home(2)"}}'
    ),
}


@pytest.mark.parametrize("one", OFFERS.values(), ids=OFFERS.keys())
def test_offers_of_a_certain_form(one: str, tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    path.write_text(SMALL.replace("ONE", one))
    both = Pair(pipeline.program(str(path)))
    for seed in range(3):
        both.start()
        both.steps(12, *luck(seed))
        both.start()
        both.playout(*luck(seed), 18)
    assert both.decisions > 30
