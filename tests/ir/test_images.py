"""What a few elements lead to is united, where those are few; conditions that nobody counts go first."""

from __future__ import annotations

from pathlib import Path

import pytest
from played_at_random import play

from ludex import pipeline
from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import Machine
from ludex.backends.wasm.machine import Compiled, WasmMachine
from ludex.ir.passes.optimise import optimised
from ludex.ir.program import Program
from ludex.ir.text import print_program
from ludex.ir.verify import verify

GAME = """\
ludex: 1
game: g
title: G
players: 2
components:
  spaces:
    field: {grid: 9x9}
    yard: 1
    shed: 1
  pieces:
    man: {per: {owner: player}, count: 4, places: [field, yard, shed], start: yard}
  tokens:
    stone: {count: 90, places: [field, yard], start: yard}
state:
  n: {type: 0..99}
  low: {type: 1..9, start: 3}
define:
  near(field s): steps(s, orthogonal)
  taken: set(s in field where any(man at s))
actions:
  enter:
    choose: {m: man}
    where: {it waits: m.place in yard}
    do: move m to field(1 + n mod 9, 1 + (n div 9) mod 9)
  put:
    choose: {s: field}
    let: {held: taken}
    where:
      CONDITIONS
    do: move 1 stone from yard to s
  pick:
    choose: {m: man}
    where:
      it is out: m.place in field
      it is not alone: PICKED
    do: move m to yard
phases:
  play:
    turns: clockwise from player_1
    rounds: 20
    do:
      move: act enter or put or pick
      count: n = (n + 1) mod 100
      low: low = 1 + (low + n) mod 9
"""


def made(tmp_path: Path, conditions: str, picked: str = "true") -> Program:
    path = tmp_path / "g.yaml"
    path.write_text(GAME.replace("CONDITIONS", conditions).replace("PICKED", picked))
    return pipeline.program(str(path))


def masks(program: Program, action: str) -> list[str]:
    """The conditions of an offer that are sets, and the sets."""
    text = print_program(program).split(f"option {action} ")[1].split("then b")[0]
    named = dict(line.split("let ")[1].split(" = ", 1) for line in text.splitlines() if "let " in line)
    found = [line.split("where/")[1].split('" ') for line in text.splitlines() if "among " in line]
    return [f"{name}: {named.get(set_, set_)}" for name, set_ in found]


def test_few_are_united(tmp_path: Path) -> None:
    program = optimised(made(tmp_path, "near: not any(t in near(s) where t in held)"))
    assert not verify(program)
    (mask,) = masks(program, "put")
    assert mask.startswith("near: ({field*} - union(#@image:@define:near:")
    assert "for t%" in mask and " in held%" in mask


@pytest.mark.parametrize(
    "condition",
    [
        "any(t in near(s) where t is not empty)",  # there may be stones everywhere
        "any(t in near(s) where t in held and t.x > s.x)",  # what is asked depends on the value
        "any(t in near(s) where t in held and 12 div low > 1)",  # what may fault is asked as often as written
    ],
)
def test_it_is_left_alone(tmp_path: Path, condition: str) -> None:
    assert masks(optimised(made(tmp_path, f"near: {condition}")), "put") == []


IN_ORDER = "there: count(near(s)) != n\n      near: not any(t in near(s) where t in held)"


def test_conditions_go_ahead_where_nobody_counts(tmp_path: Path) -> None:
    program = made(tmp_path, IN_ORDER)
    assert masks(optimised(program), "put") == []
    (mask,) = masks(optimised(program, counting=False), "put")
    assert mask.startswith("near: ")
    faulting = made(tmp_path, IN_ORDER.replace("!= n", "!= 12 div low"))
    assert masks(optimised(faulting, counting=False), "put") == []


def test_who_is_elsewhere(tmp_path: Path) -> None:
    mask, *_ = masks(optimised(made(tmp_path, "any: n < 90")), "pick")
    assert mask == "it is out: ({man*} - ((at(yard, {man*}) | at(shed, {man*})) | at(box, {man*})))"


GAMES = (
    ("near: not any(t in near(s) where t in held)", "any(o.place == m.place for o in man where o != m)"),
    (IN_ORDER, "all(o.place != m.place for o in man where o.owner != m.owner)"),
    ("near: any(t in near(s) where t in held)\n      free: s not in held", "n mod 2 == 1"),
)


@pytest.mark.parametrize(("conditions", "picked"), GAMES)
def test_the_same_is_played(tmp_path: Path, conditions: str, picked: str) -> None:
    program = made(tmp_path, conditions, picked)
    machines: tuple[Machine, ...] = (
        Interpreter(program),
        Interpreter(optimised(program)),
        Interpreter(optimised(program, counting=False)),
        WasmMachine(program),
        WasmMachine(program, Compiled(program, counting=False)),
    )
    for seed in range(3):
        for most in (7, 20, 1000):
            played = [play(machine, seed, most) for machine in machines]
            assert played == played[:1] * len(machines)
