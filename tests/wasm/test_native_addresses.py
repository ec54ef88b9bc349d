"""What lies where some table says, for a player who may be nobody, too: one address for each."""

from __future__ import annotations

from pathlib import Path

import pytest
from lockstep import Pair, luck

from ludex import pipeline

GAME = """\
ludex: 1
game: yards
title: Yards
players: PLAYERS
components:
  spaces:
    point: {count: POINTS}
    bar: {per: player}
    tray: {per: player, holds: 1}
    yard: {}
  tokens:
    man: {per: player, count: 6, places: [point, bar, tray, yard]}
    stone: {count: 9, places: [point, yard]}
state:
  lord: {type: optional player}
  best: {type: optional point}
  seen: {type: 0..999}
define:
  some(player p): set(s in point where count(man of p at s) >= 2)
setup:
  men: |
    for each p in players:
      move 3 man of p from box to point(p.number)
      move 2 man of p from box to bar(p)
  stones: move 6 stone from box to yard
actions:
  go:
    choose: {from: point, to: point}
    where:
      a man is there: any(man of me at from)
      not crowded: count(man of next(me) at to) < 3
    do: |
      move 1 man of me from from to to
      move all man of next(me) at to to bar(next(me))
  enter:
    choose: {to: point}
    where: {a man waits: count(man of me at bar(me)) > 0, not mine: not any(man of me at tray(me))}
    do: move 1 man of me from bar(me) to to
  crown:
    choose: {p: player}
    do: |
      lord = if lord == p then none else p
      best = first(s in point where s in some(p))
  leave:
    where: {there is room: "count(man of me at tray(me)) == 0", one waits: any(man of me at bar(me))}
    do: move 1 man of me from bar(me) to tray(me)
  drop:
    choose: {s: point}
    where: {some are left: any(stone at yard), few: count(stone at s) < 2}
    do: move 1 stone from yard to s
phases:
  play:
    turns: clockwise from player_1
    rounds: 25
    do:
      go: |
        act go or enter or crown or leave or drop
      look: |
        seen = if lord is none then 0 else count(man of lord at bar(lord)) + 10 * count(man of lord at point)
        let far = best
        if far is not none then seen += 100 * count(man of next(me) at far)
scoring:
  two or more: count(s in point where count(man of me at s) >= 2)
  three or more: count(s in point where count(man of me at s) > 2)
  fewer: count(s in point where count(man of me at s) < 2 and count(stone at s) <= 1)
  next: count(man of next(me) at bar(next(me)))
"""


def compiled(tmp_path: Path, players: int, points: int) -> Pair:
    path = tmp_path / "yards.yaml"
    text = GAME.replace("PLAYERS", str(players)).replace("POINTS", str(points))
    path.write_text(text)
    return Pair(pipeline.program(str(path)))


@pytest.mark.parametrize(("players", "points"), [(2, 6), (3, 70)])
def test_in_step(players: int, points: int, tmp_path: Path) -> None:
    for seed in range(3):
        pair = compiled(tmp_path, players, points)
        pair.start()
        pair.steps(60, *luck(seed))
        pair.exchange()
        pair.steps(20, *luck(seed + 7))
