"""What is asked of each of a few constant things is asked by name, in order."""

from __future__ import annotations

from pathlib import Path

import pytest
from played_at_random import play

from ludex import pipeline
from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import Machine
from ludex.backends.wasm.machine import WasmMachine
from ludex.ir.passes.optimise import optimised
from ludex.ir.program import Program
from ludex.ir.text import print_program
from ludex.ir.verify import verify

GAME = """\
ludex: 1
game: g
title: G
players: 3
components:
  spaces: {field: 8, home: {per: player}}
  pieces: {man: {per: {owner: player}, places: [field, home], start: home(owner)}}
state:
  left: {per: player, type: 0..12, start: 4}
  n: {type: 0..99}
  seen: {type: 0..999}
constants: {bonus: {per: player, type: 0..3, values: [0, 3, 1]}}
actions:
  go:
    choose: {p: player, s: field}
    do: |
      move man(p) to s
      left(p) = s.number + bonus(p) - 1
      n = (n + 1) mod 100
  back: {choose: {p: player}, do: move man(p) to home(p)}
phases:
  play:
    turns: clockwise from player_1
    rounds: 20
    do:
      move: act go or back
      look: if CONDITION then seen = (seen + n) mod 1000
"""


def made(tmp_path: Path, condition: str) -> Program:
    path = tmp_path / "g.yaml"
    path.write_text(GAME.replace("CONDITION", condition))
    return pipeline.program(str(path))


def asked(program: Program) -> str:
    """The condition as printed."""
    lines = print_program(program).splitlines()
    after = lines.index('  enter "phases/play/do/look"')
    return lines[after + 1].strip()


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (
            "any(man(p).place == home(p) for p in player)",
            "if ((@place[man(player_1)] == home(player_1)) or (@place[man(player_2)] == home(player_2))"
            " or (@place[man(player_3)] == home(player_3)))",
        ),
        (
            "all(left(p) > bonus(p) for p in player)",
            "if not (not (left[player_1] > 0) or not (left[player_2] > 3) or not (left[player_3] > 1))",
        ),
    ],
)
def test_few_are_asked_by_name(tmp_path: Path, condition: str, expected: str) -> None:
    program = optimised(made(tmp_path, condition))
    assert not verify(program)
    assert asked(program).startswith(expected)


@pytest.mark.parametrize(
    "condition",
    [
        "any(s.number > n for s in field)",  # there are eight of them
        "any(left(p) > n for p in set(player(n mod 3 + 1)))",  # nobody knows which
        "any(left(p) > 3 and left(next(p)) > 2 and n + bonus(p) > 2 * left(p) + bonus(p) for p in player)",
        "any(left(p) + left(q) > 20 for p in player, q in player)",
    ],
)
def test_it_is_left_alone(tmp_path: Path, condition: str) -> None:
    assert "any(" in asked(optimised(made(tmp_path, condition)))


@pytest.mark.parametrize(
    "condition",
    [
        "any(man(p).place == home(p) for p in player)",
        "all(left(p) > bonus(p) for p in player)",
        "any(12 div left(p) > 3 for p in player)",  # whoever has passed first, the others are not asked
        "any(12 div left(p) > 3 for p in player where p != player(2))",
        "all(12 div left(p) > 1 for p in player where left(p) != bonus(p))",
    ],
)
def test_the_same_is_played(tmp_path: Path, condition: str) -> None:
    program = made(tmp_path, condition)
    machines: tuple[Machine, ...] = (
        Interpreter(program),
        Interpreter(optimised(program)),
        WasmMachine(program),
    )
    for seed in range(12):
        played = [play(machine, seed) for machine in machines]
        assert played == played[:1] * len(machines)
