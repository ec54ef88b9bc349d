"""Invariants are tested in native code when something they ask about was written: as often as matters."""

from __future__ import annotations

import re

from test_native_games import Written, same

from ludex.pipeline import Backend
from ludex.sim.batch import Job, run
from ludex.sim.record import Batch
from ludex.sim.table import Settings

GAME = """\
ludex: 1
game: watched
title: Watched
players: 2
components:
  spaces:
    field: {count: 3}
    yard: {}
  pieces:
    man: {per: {owner: player}, places: [field, yard], start: yard}
  tokens:
    stone: {count: 4, places: [field, yard], start: yard}
  cards: {card: {count: 6}}
  piles:
    heap: {holds: card}
    away: {holds: card}
  dice: {d: 1..6}
state:
  n: {type: 0..9}
  marks: {type: set of player}
  own: {per: player, type: 0..3}
  rest: {type: 0..9}
define:
  down(0..9 k):
    is: if k == 0 then 0 else down(k - 1)
setup:
  deal: {do: move set(c in card where c.number <= 4) to heap}
  hide: {do: move set(c in card where c.number > 4) to away}
records:
  been: {of: [n], keep: 99}
actions:
  count: {do: n = (n + 1) mod 4}
  mark: {do: "if me in marks then marks -= me else marks += me"}
  grow: {do: own(me) = (own(me) + 1) mod 4}
  walk: {choose: {s: field}, do: move man(me) to s}
  home: {do: move man(me) to yard}
  put: {choose: {s: field}, where: {one is left: count(stone at yard) > 0}, do: move 1 stone from yard to s}
  clear: {choose: {s: field}, do: "move stone at s to yard"}
  turn: {do: turn heap over}
  cut: {do: move top(heap) under heap}
  draw:
    do: |
      shuffle away
      let c = top(away)
      rest = c.number
  throw: {do: rest = roll(d)}
  note: {do: note been}
  swap: {do: run swapped}
procedures:
  swapped: {do: "own(player_1) = 3 - own(player_1)"}
phases:
  play:
    turns: clockwise from player_1
    rounds: 6
    do: {go: act ACTIONS}
invariants:
  no count: n != 3
  no marks: count(marks) < 2
  small: own(player_1) < 3
  sums: sum(own(p) for p in player) < 3
  apart: man(player_1).place != man(player_2).place or man(player_1).place == yard
  none two: all(count(man at s) < 2 for s in field)
  stones: count(stone at field) < 3
  no heap: all(count(stone at s) < 2 for s in field)
  somewhere: set(m.place for m in man where m.place in field) is empty
  on top: top(heap).number != 1
  rest of it: rest < 6
  seat: active != player_2 or n != 2
  rounds: round_number < 5 or n > 0
  seen: seen(been) == 0
  deep: down(n) == 0 and n < 3
  tried: try swapped then own(player_1) < 3 or n == 0
"""
OFFERS = "count or mark or grow or walk or home or put or clear or turn or cut or draw or throw or note"
OFFERS += " or swap"


def played(backend: Backend) -> Batch:
    made = Written(GAME.replace("ACTIONS", OFFERS), backend)
    return run(Job(made, Settings(("random", "random"), 1000), 150, 9)).batch


def test_what_breaks_is_noticed() -> None:
    native = played("wasm")
    same(native, played("interpreter"))
    for name in re.findall(r"^  ([a-z ]+):", GAME.partition("invariants:")[2], re.M):
        assert 0 < sum(name in game.broken for game in native.games) < len(native.games), name
