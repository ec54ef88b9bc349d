"""What passes make of conditions: the text form before and after, and the same play."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludex import pipeline
from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import OverPoint
from ludex.ir.passes.analysis import inlined
from ludex.ir.passes.hoisting import hoisted
from ludex.ir.passes.membership import lowered
from ludex.ir.passes.narrowing import narrowed
from ludex.ir.program import Program
from ludex.ir.text import print_expr, print_program
from ludex.ir.verify import verify
from ludex.rng import POLICY, Generator

GAME = """\
ludex: 1
game: passes
title: Passes
players: 2
types:
  rank: [low, high]
components:
  spaces:
    field: {grid: 4x4, holds: 1}
    yard: {}
  pieces:
    man: {per: {owner: player, rank: rank}, count: 2, places: [field, yard], start: yard}
  tokens:
    stone: {per: {owner: player}, count: 4, places: [field, yard], start: yard}
state:
  rider: {type: optional man}
actions:
  enter:
    choose: {m: man, s: field}
    where:
      it is yours: m.owner == me
      it waits: place(m) == yard
      the field is free: s is empty
      a low man is not everywhere: |
        m.rank == high or count(t in field where any(o.owner == me for o in man at t)) < 4
    do:
      it enters: move m to s
  pass: {}
phases:
  play:
    turns: clockwise from player_1
    rounds: 6
    do:
      move: act enter or pass
invariants:
INVARIANTS
"""


def compiled(tmp_path: Path, *invariants: str) -> Program:
    path = tmp_path / "game.yaml"
    lines = "\n".join(f"  test {i}: {text}" for i, text in enumerate(invariants))
    path.write_text(GAME.replace("INVARIANTS", lines or "  none: true"))
    return inlined(pipeline.program(str(path)))


def after(passes: list[object], program: Program) -> str:
    for step in passes:
        assert callable(step)
        program = step(program)
        assert verify(program) == []
    return print_expr(program, program.invariants[0].test)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        # an attribute of the things: a table of sets by its values
        ("count(m in man where m.owner == active) <= 4", "@where:man.owner"),
        # where a thing is: who is there
        ("count(m in man where place(m) == yard) <= 8", "at(yard, {man*})"),
        # whether anything lies there: who holds something
        ("count(s in field where (count(m in man at s)) > 0) <= 8", "holders({man*})"),
        ("count(s in field where s is empty) <= 16", "holders("),
        # an attribute of the only thing there: where the things with it are
        ("count(s in field where (man at s).rank == high) <= 4", "set(@place["),
    ],
)
def test_narrowing(tmp_path: Path, condition: str, expected: str) -> None:
    program = compiled(tmp_path, condition)
    before = print_expr(program, program.invariants[0].test)
    made = after([narrowed], program)
    assert expected not in before
    assert expected in made
    assert " where " not in made or "set(@place[" in made  # nothing is left to be tested one by one


def test_what_stands_behind_a_test_is_evaluated_as_it_allows(tmp_path: Path) -> None:
    condition = "count(m in man where rider is none or m.rank == rider.rank) <= 8"
    made = after([narrowed], compiled(tmp_path, condition))
    assert "((rider == none) ? {man*} : " in made


def test_membership_asks_without_sets(tmp_path: Path) -> None:
    condition = "not (square(1, 1) in sights(square(4, 4), diagonal))".replace("square", "field")
    made = after([narrowed, lowered], compiled(tmp_path, condition))
    assert "@way:" in made
    assert "@blocking:" in made
    assert "sights(" not in made


def test_hoisting_asks_once(tmp_path: Path) -> None:
    program = hoisted(lowered(narrowed(compiled(tmp_path))))
    lines = [line.strip() for line in print_program(program).splitlines()]
    choose = next(i for i, line in enumerate(lines) if line.startswith("choose m "))
    assert lines[choose - 1].startswith("let before%")
    assert "count(" in lines[choose - 1]
    assert not any("count(" in line for line in lines[choose : choose + 6])


def test_the_same_is_played(tmp_path: Path) -> None:
    """The reference plays the program as it plays what the passes made of it."""
    program = compiled(tmp_path)
    made = hoisted(lowered(narrowed(program)))
    first, second = Interpreter(program), Interpreter(made)
    for seed in range(10):
        a, b = first.start(), second.start()
        for seeds in (seed, seed + 100):
            chances = [Generator(seeds), Generator(seeds)]
            policies = [Generator(seeds, POLICY), Generator(seeds, POLICY)]
            assert first.playout(a, chances[0], policies[0], 9) == second.playout(
                b, chances[1], policies[1], 9
            )
            assert first.pack(a) == second.pack(b)
            assert policies[0].state == policies[1].state
        assert isinstance(first.point(a), OverPoint)
