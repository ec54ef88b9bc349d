"""Machine code is found again by what a program does: then nothing is emitted anew."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ludex.backends.interpreter import Interpreter
from ludex.backends.wasm import host, machine, runtime
from ludex.backends.wasm.exports import emit
from ludex.backends.wasm.machine import Compiled, WasmMachine
from ludex.game import DefinitionInfo, Game
from ludex.ir.identity import identity
from ludex.ir.program import Program
from ludex.pipeline import load, load_saved
from ludex.rng import CHANCE, POLICY, Generator
from ludex.sim.batch import Job, run
from ludex.sim.table import Settings

GAME = """\
ludex: 1
game: heap
title: The heap
players: 2
state:
  heap: {type: 0..20, start: 20}
actions:
  take:
    choose: {n: 1..3}
    where:
      there are so many: n <= heap
    do:
      they go: heap -= n
phases:
  play:
    turns: clockwise from player(1)
    do:
      move: act take
end:
  nothing is left:
    is: heap == 0
    winner: me
"""


def program(text: str = GAME) -> Program:
    return load_saved(DefinitionInfo("heap", "The heap", (), (), 2, (("heap.yaml", text),), "")).program


@pytest.fixture
def emitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    """What was emitted, with a cache that works even while somebody edits the code."""
    found: list[Program] = []
    settled = runtime.Runtime(runtime.load_runtime().engine, "0" * 64)
    monkeypatch.setattr(host, "load_runtime", lambda: settled)
    monkeypatch.setenv("LUDEX_CACHE", str(tmp_path))

    def emit_and_tell(program: Program, **how: bool) -> tuple[bytes, object]:
        found.append(program)
        return emit(program, **how)

    monkeypatch.setattr(machine, "emit", emit_and_tell)
    return found


def played(made: Program, compiled: Compiled) -> list[bytes]:
    native = WasmMachine(made, compiled)
    states = []
    for seed in range(5):
        words = native.start()
        native.playout(words, Generator(seed, CHANCE), Generator(seed, POLICY), 4)
        states.append(native.pack(words))
    return states


def test_what_was_compiled_before_is_not_emitted_again(emitted: list[Program]) -> None:
    first = Compiled(program())
    again = Compiled(program())
    assert len(emitted) == 1
    _, plan = emit(program())
    numbers = {name: value for name, value in vars(again.plan).items() if name != "program"}
    assert numbers == {name: getattr(plan, name) for name in numbers}
    assert again.plan.saved == plan.saved
    assert played(program(), again) == played(program(), first)
    reference = Interpreter(program())
    words = reference.start()
    reference.playout(words, Generator(0, CHANCE), Generator(0, POLICY), 4)
    assert played(program(), again)[0] == reference.pack(words)
    Compiled(program(), counting=False)
    assert len(emitted) == 2


def test_a_simulation_compiles_only_what_it_plays(emitted: list[Program]) -> None:
    def heap() -> Game:
        return load_saved(DefinitionInfo("heap", "The heap", (), (), 2, (("heap.yaml", GAME),), ""))

    result = run(Job(heap, Settings(("random", "random"), 100), 20, 1))
    assert len(emitted) == 1
    took = next(rule for rule in result.batch.rules if rule.name == "they go")
    assert took.applied == sum(game.decisions for game in result.batch.games)
    heap().playout()
    assert len(emitted) == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1..3", "1..2"),
        ("n <= heap", "n < heap"),
        ("start: 20", "start: 19"),
        ("heap == 0", "heap == 1"),
        ("winner: me", "winner: opponent(me)"),
        ("play:", "round:"),  # the names of rules are those of faults
    ],
)
def test_another_rule_is_another_program(emitted: list[Program], old: str, new: str) -> None:
    assert identity(program(GAME.replace(old, new))) != identity(program())
    Compiled(program())
    Compiled(program(GAME.replace(old, new)))
    assert len(emitted) == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [("ludex: 1\n", "# A game.\nludex: 1\n\n"), ("title: The heap", "title: A heap of stones")],
)
def test_what_only_people_see_makes_no_other_program(old: str, new: str) -> None:
    assert identity(program(GAME.replace(old, new))) == identity(program())


def test_the_same_in_every_process() -> None:
    show = "from ludex import load; from ludex.ir.identity import *; print(identity(load('hex').program))"
    env = {**os.environ, "PYTHONHASHSEED": "7"}
    found = subprocess.run([sys.executable, "-c", show], env=env, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == identity(load("hex").program)
