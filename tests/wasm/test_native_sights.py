"""What is seen from a space: native code and the interpreter, on boards of one, two and three words."""

from __future__ import annotations

from pathlib import Path

import pytest
from lockstep import Pair, luck

from ludex import pipeline

GAME = """\
ludex: 1
game: looks
title: Looks
players: 2
components:
  spaces:
    field: {grid: GRID, holds: 1}
  tokens:
    stone: {per: player, places: [field]}
define:
  turned(field s): if s.x mod 2 == 0 then set(north, southwest, east) else set(west, northwest, south)
phases:
  play:
    turns: clockwise from player_1
    rounds: 20
    do:
      put:
        do: act put
actions:
  put:
    choose: {at: field}
    where:
      it is free: at is empty
    do: place stone(me) on at
scoring:
  every way: sum(count(sights(s, every_way)) * (s.x + 2 * s.y) for s in field)
  orthogonal: sum(t.x * s.y for s in field, t in sights(s, orthogonal))
  diagonal: sum(t.y + s.x for s in field, t in sights(s, diagonal))
  up: sum(t.y for s in field, t in sights(s, set(north, east)))
  down: sum(t.x for s in field, t in sights(s, set(south, southwest)))
  as it comes: sum(t.x * t.y for s in field, t in sights(s, turned(s)))
  mine: sum(s.x for s in field where any(k.owner == me for t in sights(s, every_way), k in stone at t))
"""


@pytest.mark.parametrize("grid", ["5x5", "8x8", "1x10", "10x10", "11x12"])
@pytest.mark.parametrize("before", ["", "    home: 2\n"])
def test_the_same_is_seen(before: str, grid: str, tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    path.write_text(GAME.replace("GRID", grid).replace("  spaces:\n", f"  spaces:\n{before}"))
    pair = Pair(pipeline.program(str(path)))
    pair.start()
    chance, policy = luck(1)
    going_on, seen = True, set[object]()
    while going_on:
        going_on = pair.steps(5, chance, policy)
        seen.add(tuple(map(tuple, pair.same(lambda m, w: m.lines(w)))))
    assert len(seen) > 1
