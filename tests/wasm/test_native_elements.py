"""Of which a state item has a value: kept as sets in native code, which must be what the items say."""

from __future__ import annotations

from pathlib import Path

import pytest
from lockstep import Pair, luck

from ludex import pipeline
from ludex.ir.passes.optimise import optimised
from ludex.ir.text import print_program
from ludex.ir.verify import verify

GAME = """\
ludex: 1
game: paints
title: Paints
players: 2
types:
  hue: [red, green, blue]
components:
  spaces:
    field: {grid: GRID, holds: 1}
state:
  mark: {per: field, type: 1..4}
  hue_of: {per: field, type: hue}
  lord: {per: field, type: optional player}
  lit: {per: field, type: bool, reset: turn}
  wanted: {type: 0..9}
  favourite: {type: hue}
phases:
  play:
    turns: clockwise from player_1
    rounds: 12
    do:
      paint: act paint
      again: if wanted mod 3 == 0 then act paint
procedures:
  paint_it(field f, int n):
    do: |
      f.mark = n
      f.lord = if n == 1 then none else me
      f.hue_of = if n == 2 then blue elif n == 3 then green else red
actions:
  paint:
    choose: {f: field, n: 1..4}
    where:
      it is not lit: not f.lit
      it is no lord's or marked: f.lord == none or f.mark in set(2, 4)
      no more than half are blue: |
        try paint_it(f, n) then 2 * count(g in field where g.hue_of == blue) <= count(field)
    do: |
      run paint_it(f, n)
      f.lit = true
      wanted = count(g in field where g.mark == n) mod 10
      favourite = f.hue_of
scoring:
  wanted: sum(s.x for s in field where s.mark == wanted)
  not wanted: sum(s.x for s in field where s.mark != wanted)
  lords: count(s in field where s.lord == me)
  nobody: sum(s.y for s in field where s.lord == none)
  some: sum(s.y + 1 for s in field where s.mark in set(1, 3, 4))
  favourite: count(s in field where s.hue_of == favourite and not s.lit)
  no such: count(s in field where s.mark == 7)
"""


def compiled(tmp_path: Path, grid: str) -> Pair:
    path = tmp_path / "game.yaml"
    path.write_text(GAME.replace("GRID", grid))
    return Pair(pipeline.program(str(path)))


def test_they_are_asked_of_sets(tmp_path: Path) -> None:
    made = optimised(compiled(tmp_path, "4x4").program)
    assert verify(made) == []
    text = print_program(made)
    for asked in ("mark wanted", "mark 3", "lord me", "lord none", "hue_of favourite", "hue_of blue", "lit"):
        assert f"having({asked}" in text, asked
    assert '"scoring/no such" for' in text and "having(mark 7" not in text  # no item can be 7


@pytest.mark.parametrize("grid", ["4x4", "8x8", "9x9"])
def test_in_step(grid: str, tmp_path: Path) -> None:
    pair = compiled(tmp_path, grid)
    pair.start()
    chance, policy = luck(2)
    seen = set[object]()
    for _ in range(8):
        pair.steps(3, chance, policy)
        pair.exchange()  # sets are made anew from the words
        seen.add(tuple(map(tuple, pair.same(lambda m, w: m.lines(w)))))
    assert len(seen) > 4
    pair.playout(chance, policy, 100)
    pair.results()


BELOW_ZERO = """\
ludex: 1
game: below
title: Below zero
players: 2
constants:
  open: {per: -2..3, type: bool, values: [true, true, false, true, false, true]}
state: {used: {per: -1..3, type: 0..2}, n: {type: 0..99}}
phases: {play: {turns: clockwise from player_1, rounds: 9, do: {go: act use or count}}}
actions:
  use: {choose: {k: -1..3, v: 0..2}, where: {it is another: used(k) != v}, do: used(k) = v}
  count: {choose: {k: 0..3}, where: {it is asked of both: CONDITION}, do: n += k}
"""


@pytest.mark.parametrize("condition", ["open(k)", "not open(k)", "used(k) > 0", "used(k) < 2 and open(k)"])
def test_what_is_said_of_numbers_below_zero_too(condition: str, tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    path.write_text(BELOW_ZERO.replace("CONDITION", condition))
    pair = Pair(pipeline.program(str(path)))
    pair.start()
    pair.steps(18, *luck(1))
    pair.start()
    pair.playout(*luck(2), 18)
