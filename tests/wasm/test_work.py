"""What ticks do not count is counted too: a rule that would go on for ever stops, in the module itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludex import pipeline
from ludex.backends.wasm.emitter import FAULTS
from ludex.backends.wasm.host import Trap
from ludex.backends.wasm.machine import WasmMachine

GAME = """\
ludex: 1
game: hostile
title: Hostile
players: 1
components:
  spaces:
    field: {grid: 30x30}
state:
  n: {type: int}
define:
  far(field a): count(b in field where any(c in field where a.x + b.x + c.x == n + 500))
actions:
  go:
    choose: {a: field, b: field}
    where:
      it is far: WHERE
    do:
      it: |
        DO
phases:
  play:
    turns: clockwise from player_1
    rounds: 3
    do:
      go: act go
"""


@pytest.mark.parametrize(
    ("where", "do"),
    [
        (
            "a == b",
            "n = count(p in field where any(q in field where "
            "any(r in field where p.x + q.x + r.x > n + 99)))",
        ),
        (
            "a == b",
            "repeat 30000:\n          n = count(p in field where any(q in field where p.x + q.x > n + 99))",
        ),
        ("far(a) == 900 and far(b) == 900", "n = 1"),
    ],
    ids=["aggregates", "in a loop", "conditions"],
)
def test_work_is_bounded(tmp_path: Path, where: str, do: str) -> None:
    path = tmp_path / "game.yaml"
    path.write_text(GAME.replace("WHERE", where).replace("DO", do))
    machine = WasmMachine(pipeline.program(str(path)))
    machine._policy[:] = bytes(range(16))
    with pytest.raises(Trap):
        machine._start()
        machine._playout(10)
    assert FAULTS[machine._words[0] - 1] == "steps"
