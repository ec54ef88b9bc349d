"""A set that a condition asks for first and that is then used: computed once where it is the same set."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludex import pipeline
from ludex.backends.interpreter import Interpreter
from ludex.backends.wasm.machine import WasmMachine
from ludex.ir.passes.analysis import inlined
from ludex.ir.passes.emptiness import emptied
from ludex.ir.passes.once import once
from ludex.ir.program import Program
from ludex.ir.text import print_program
from ludex.ir.verify import verify
from ludex.rng import POLICY, Generator

GAME = """\
ludex: 1
game: once
title: Once
players: 2
components:
  spaces:
    house: {count: 6}
    store: {}
  tokens:
    seed: {count: 60, places: [house, store]}
state:
  last: {type: house, start: house(1)}
  times: {type: 0..1000}
define:
  full: set(h in house where count(seed at h) in 2..3)
  like(house g): set(h in house where count(seed at h) == count(seed at g))
setup:
  some: {do: for each h in house do move 4 seed from box to h}
procedures:
  take(house h):
    do: move all seed at h to store
actions:
  go:
    choose: {h: house}
    where:
      some are there: count(seed at h) > 0
    do: |
      last = h
      repeat 2:
        if count(seed at h) > 0 then move 1 seed from h to house(1 + (count(seed at h) + times) mod 6)
BODY
phases:
  play:
    turns: clockwise from player_1
    rounds: 8
    do:
      one goes: |
        act go
        else:
          end game
"""


def made(tmp_path: Path, body: str) -> Program:
    path = tmp_path / "once.yaml"
    path.write_text(GAME.replace("BODY", "\n".join(f"      {line}" for line in body.splitlines())))
    return pipeline.load(str(path)).program


USED = """\
if full is not empty:
  times += 1
  for each f in full:
    move all seed at f to store"""
FIRST_OF_SEVERAL = """\
if full is not empty and count(full) < 3 then times += count(full)"""
OTHERWISE = """\
if not (full is not empty) or count(full) < 3 then times += count(full)"""
OF_A_LOOP = """\
for each g in house:
  if like(g) is not empty then times += count(like(g))"""
"""These are computed once."""

WRITTEN = """\
if full is not empty:
  move all seed at house(1) to store
  times += count(full)"""
WRITTEN_IN_A_LOOP = """\
if full is not empty:
  repeat 2:
    times += count(full)
    move all seed at house(1) to store"""
IN_ANOTHER_POSITION = """\
if full is not empty and (try take(last) then count(full)) < 2 then times += 1"""
OF_ANOTHER = """\
if like(house(1)) is not empty then times += count(like(last))"""
OF_A_VARIABLE_WITHIN = """\
if any(like(g) is not empty for g in house) then times += sum(count(like(g)) for g in house)"""
BEHIND_ANOTHER = """\
if times < 3 and full is not empty then times += count(full)"""
ASKED_ONLY = """\
if full is not empty then times += 1"""
"""These are not."""


@pytest.mark.parametrize(
    ("body", "shared"),
    [
        *((body, True) for body in (USED, FIRST_OF_SEVERAL, OTHERWISE, OF_A_LOOP)),
        *((body, False) for body in (WRITTEN, WRITTEN_IN_A_LOOP, IN_ANOTHER_POSITION, OF_ANOTHER)),
        *((body, False) for body in (OF_A_VARIABLE_WITHIN, BEHIND_ANOTHER, ASKED_ONLY)),
    ],
)
def test_once(tmp_path: Path, body: str, shared: bool) -> None:
    program = made(tmp_path, body)
    after = once(emptied(inlined(program)))
    assert verify(after) == []
    machines = Interpreter(program), Interpreter(after), WasmMachine(program)
    for seed in range(4):
        ends = []
        for machine in machines:
            state = machine.start()
            machine.playout(state, Generator(seed), Generator(seed, POLICY), 16)
            ends.append(list(state[: program.layout.words]))
        assert ends[0] == ends[1] == ends[2]
    assert ("once%" in print_program(after)) == shared
