"""Drawing and noting where code differs with numbers: how many values, rows, or places there are. What is
drawn, and each state, is what the interpreter has."""

from __future__ import annotations

from pathlib import Path

import pytest
from lockstep import Pair, luck

from ludex import pipeline
from ludex.backends.wasm import choices, records, rows

HEAD = """\
ludex: 1
game: drawing
title: Drawing
players: 2
"""

VALUES = (
    HEAD
    + """\
state:
  last: {type: 0..LAST}
phases:
  play:
    turns: clockwise from player_1
    rounds: 12
    do:
      a number: act say
actions:
  say:
    choose: {n: FIRST..LAST}
    where:
      not twice in a row: n != last
      small ones from small ones: n < 4 or last > 1
    do: last = n
"""
)

ROWS = (
    HEAD
    + """\
components:
  spaces:
    field: {grid: 4x3, holds: 1}
  tokens:
    stone: {count: STONES, places: [field]}
phases:
  play:
    turns: clockwise from player_1
    rounds: 15
    do:
      a stone: act move or wait
actions:
  move:
    choose: {f: field, t: field}
    where:
      there is one: f is not empty
      there is none: t is empty
      it is beside: t in steps(f, every_way)
    do: move stone from f to t
  wait: {}
"""
)

HASHES = (
    HEAD
    + """\
components:
  spaces:
    field: {grid: 3x2}
state:
  level: {per: field, type: -3..40}
  marked: {per: field, type: bool}
  visitor: {per: field, type: optional player}
  sum: {type: -5..90}
  often: {type: 0..500}
records:
  positions: {of: [level_at, marked_at, visitor_at, total, to_move], keep: 200}
define:
  level_at(field f): level(f)
  marked_at(field f): marked(f)
  visitor_at(field f): visitor(f)
  total: sum
  to_move: me
phases:
  play:
    turns: clockwise from player_1
    rounds: 60
    do:
      a change: act change
actions:
  change:
    choose: {f: field, n: 1..3}
    do: |
      note positions
      often += seen(positions)
      level(f) = if n == 1 then 0 - 3 else (if n == 2 then 0 else 40)
      marked(f) = n == 2
      visitor(f) = if n == 1 then none else me
      sum = (if sum > 70 then 0 - 5 else sum + 17)
      if n == 3 and often > 100 then forget positions
"""
)


def in_step(tmp_path: Path, text: str) -> None:
    path = tmp_path / "game.yaml"
    path.write_text(text)
    both = Pair(pipeline.program(str(path)))
    for seed in range(3):
        both.start()
        both.steps(20, *luck(seed))
        both.start()
        both.playout(*luck(seed), 200)
    assert both.decisions > 0


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("last", [1, 2, choices.FEW - 1, choices.FEW, choices.FEW + 1, 65])
def test_so_many_values(first: int, last: int, tmp_path: Path) -> None:
    in_step(tmp_path, VALUES.replace("FIRST", str(first)).replace("LAST", str(last)))


@pytest.mark.parametrize("stones", [1, rows.AT_ONCE - 1, rows.AT_ONCE, rows.AT_ONCE + 1, 11, 12])
def test_so_many_rows(stones: int, tmp_path: Path) -> None:
    """Some of them are empty, all of them where every field has a stone."""
    text = ROWS.replace("STONES", str(stones))
    places = f"""\
setup:
  stones: for each f in field where f.x + 4 * (f.y - 1) <= {stones} do place stone on f
phases:"""
    in_step(tmp_path, text.replace("phases:", places))


def test_values_that_are_looked_up_and_others(tmp_path: Path) -> None:
    """Numbers below nothing, and those beyond what is looked up of hashes."""
    assert records.FEW <= 40
    in_step(tmp_path, HASHES)
