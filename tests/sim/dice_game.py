"""A game of chance alone, for comparisons: four rounds, a die for each of two players, most pips win.

`late` adds a point to whoever rolls a 6 in the last round, which changes few games and none
before that roll; `first` may decide who begins by chance.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ludex import pipeline
from ludex.game import Game

TEXT = """\
ludex: 1
game: pips
title: Pips
players: 2
options:
  late: {type: bool, default: false}
  lots: {type: bool, default: false}
components:
  dice: {die: [1, 2, 3, 4, 5, 6]}
state:
  starter: {type: player, start: player(1)}
  pips: {per: player, type: 0..99, start: 0}
setup:
  draw lots: |
    if lots:
      starter = random p in players
actions:
  throw:
    do:
      the pips count: |
        let n = roll(die)
        pips(me) += n
        if late and round_number == 4 and n == 6:
          pips(me) += 1
phases:
  throwing: {turns: clockwise from starter, do: {throw once: act throw}}
end:
  four rounds are over: round_number > 4
scoring:
  pips: pips(me)
"""


@dataclass(frozen=True)
class Pips:
    folder: Path
    options: tuple[tuple[str, bool], ...] = field(default=())

    def __call__(self) -> Game:
        path = self.folder / "pips.yaml"
        if not path.exists():
            path.write_text(TEXT, "utf-8")
        return pipeline.load(str(path), options=dict(self.options))
