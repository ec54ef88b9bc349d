"""Sets that are shifted to answer for all values of a parameter at once, over every edge."""

from __future__ import annotations

from pathlib import Path

import pytest
from lockstep import Pair, luck

from ludex import pipeline
from ludex.backends.wasm.exports import optimised
from ludex.ir.text import print_program

WAYS = ("north", "east", "south", "west", "northeast", "southwest", "southeast", "northwest")
GAME = """\
ludex: 1
game: g
title: G
players: 2
types:
  suit: [red, blue]
components:
  spaces:
    field: {grid: SIZE}
    yard: {}
  cards: {card: {per: {suit: suit, rank: 1..RANKS}}}
  piles: {hand: {per: player, holds: card}, stock: {holds: card}}
state: {holes: {type: set of field}, n: {type: 0..999}}
setup:
  deal: {do: move set(c in card) to stock}
actions:
  dig: {choose: {s: field}, do: "if s in holes then holes -= s else holes += s"}
  fill: {do: holes = set(s in field where s not in holes)}
  draw: {choose: {c: card}, where: {it is there: c in stock}, do: move c to hand(me)}
  show:
    choose: {s: suit}
    where: {it is yours: "card(s, LAST) in hand(me)"}
    do: move the(card(s, LAST)) to stock
  rank: {choose: {r: 1..RANKS}, where: {it is yours: "card(blue, r) in hand(me)"}, do: n = r}
GOES
phases:
  play:
    turns: clockwise from player_1
    rounds: 40
    do: {go: act dig or fill or draw or show or rank OFFERS}
"""


def written(size: str, ranks: int) -> str:
    goes = "\n".join(
        f"  go_{way}: {{choose: {{s: field}}, where: {{a hole: 'step(s, {way}) in holes'}}, do: n = 1}}"
        for way in WAYS
    )
    text = GAME.replace("GOES", goes).replace("OFFERS", "".join(f" or go_{way}" for way in WAYS))
    return text.replace("SIZE", size).replace("RANKS", str(ranks)).replace("LAST", str(ranks))


@pytest.mark.parametrize(
    ("size", "ranks", "seen"),
    [("4x4", 4, 9), ("8x8", 32, 9), ("9x9", 33, 0), ("3x1", 2, 5)],
)
def test_options_are_those_of_the_interpreter(size: str, ranks: int, seen: int, tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    path.write_text(written(size, ranks))
    program = pipeline.program(str(path))
    shifts = print_program(optimised(program)).count("shifted(")
    assert shifts >= seen if seen else shifts == 0
    for seed in range(2):
        both = Pair(program)
        both.start()
        both.steps(40, *luck(seed))
