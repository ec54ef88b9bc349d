"""Loops that look for what leads to one place: they go through what can lead there, where that is sure to
be the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludex import pipeline
from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import Fault
from ludex.backends.wasm.machine import WasmMachine
from ludex.ir.passes.inverses import turned
from ludex.ir.passes.optimise import optimised
from ludex.ir.program import Program
from ludex.ir.text import print_program
from ludex.ir.verify import verify
from ludex.rng import POLICY, Generator

GAME = """\
ludex: 1
game: looking
title: Looking
players: 2
types:
  rank: [walker, jumper, rider]
components:
  spaces:
    field: {grid: 5x5, holds: 1}
  pieces:
    man: {per: {owner: player, rank: rank}, count: 2, places: [field]}
state:
  target: {type: field, start: "field(3, 3)"}
  mark: {type: optional field}
  number: {type: 0..9, start: 1}
  times: {type: 0..1000}
define:
  aims(man m, field s): |
    if m.rank == walker then steps(s, orthogonal)
    elif m.rank == jumper then leaps(s, 1, 2)
    else sights(s, diagonal)
  looked(field t): CONDITION
actions:
  go:
    choose: {a: man, b: field}
    where:
      it is yours: a.owner == me
      it is free: b is empty
    do: |
      move a to b
      target = b
      number = (number + b.x) mod 10
      mark = if b.y == 1 then b else mark
      if looked(target) then times += 1
phases:
  play:
    turns: clockwise from player_1
    rounds: 20
    do:
      one goes: act go
"""

MEN = "for s in field, m in man at s"


def made(tmp_path: Path, condition: str) -> Program:
    path = tmp_path / "looking.yaml"
    path.write_text(GAME.replace("CONDITION", condition))
    return pipeline.load(str(path)).program


@pytest.mark.parametrize(
    "condition",
    [
        f"any(t in aims(m, s) {MEN} where m.owner == me)",
        f"not all(not (t in aims(m, s)) {MEN})",
        "count(s in field where t in leaps(s, 1, 2) and count(n in neighbors(s) where n is empty) > 3) > 0",
        f"any(m.rank == walker and t in leaps(s, 1, 2) {MEN})",
        f"any(t in leaps(s, 1, 2) or t in steps(s, orthogonal) {MEN})",
    ],
)
def test_it_goes_through_less(tmp_path: Path, condition: str) -> None:
    assert _played(made(tmp_path, condition)) > 0


@pytest.mark.parametrize(
    "condition",
    [
        # anything may pass
        f"any(t in leaps(s, 1, 2) or m.rank == rider {MEN})",
        f"any(not (t in leaps(s, 1, 2)) {MEN})",
        f"any((m.rank == walker and t in leaps(s, 1, 2)) or m.owner == me {MEN})",
        # what is looked for depends on what is gone through, or may be none
        "any(field(u.y, u.x) in leaps(s, 1, 2) for s in field, u in field where u.x + s.y == number)",
        f"any(mark in leaps(s, 1, 2) {MEN})",
        # those that are left out might have faulted
        "any(9 div number > 2 and t in leaps(s, 1, 2) for s in field where s is not empty)",
    ],
)
def test_it_does_not(tmp_path: Path, condition: str) -> None:
    assert _played(made(tmp_path, condition)) == 0


def _played(program: Program) -> int:
    """How many loops go through less; play is the same, with its faults."""
    after = optimised(program)
    assert verify(turned(program)) == []
    machines = Interpreter(program), Interpreter(after), WasmMachine(program)
    happened = 0
    for seed in range(6):
        ends = []
        for machine in machines:
            state = machine.start()
            try:
                machine.playout(state, Generator(seed), Generator(seed, POLICY), 40)
            except Fault as fault:
                ends.append((str(fault.kind), []))
            else:
                ends.append(("", list(state[: program.layout.words])))
        assert ends[0] == ends[1] == ends[2]
        happened += ends[0][0] != "" or sum(ends[0][1]) > 0
    assert happened == 6
    text = print_program(after)
    return text.count("@led to") + text.count("@joined")
