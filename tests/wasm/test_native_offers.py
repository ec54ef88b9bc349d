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
