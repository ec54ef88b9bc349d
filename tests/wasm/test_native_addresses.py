"""Numbers of tokens looked up at once by whom tables say: what asking who that is costs is paid each time."""

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
  spaces: {camp: {per: player}}
  dice: {die: 1..2}
  tokens: {stone: {per: player, count: 4, start: camp(owner)}}
state: {k: {type: int}}
define: {down(int n): "if n == 0 then 1 else down(n - 1)"}
phases: {play: {turns: clockwise from player_1, do: {go: act go}}}
actions:
  go:
    do: |
      repeat THROWS:
        k = roll(die)
      k = count(stone(player(down(60))) at camp(player(down(60))))
"""


@pytest.mark.parametrize(("throws", "too_many"), [(9890, False), (9900, True)])
def test_both_lookups_cost_their_ticks(throws: int, too_many: bool, tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    path.write_text(GAME.replace("THROWS", str(throws)))
    both = Pair(pipeline.program(str(path)))
    both.start()
    try:
        both.playout(*luck(1), 1)
    except Faulted as fault:
        assert too_many and fault.kind == "steps"
    else:
        assert not too_many
