"""Variables that go through constant numbers: what is looked up by them can be had without a test, where
they are sure to lie inside."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludex import pipeline
from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import Fault
from ludex.backends.wasm.machine import WasmMachine
from ludex.ir.passes.analysis import inlined
from ludex.ir.passes.constants import folded
from ludex.ir.passes.facts import Facts
from ludex.ir.passes.ranges import ranged
from ludex.ir.program import Decide, Invariant, Program
from ludex.ir.verify import verify
from ludex.ir.walk import nodes
from ludex.node import replace
from ludex.rng import POLICY, Generator
from ludex.typed import expr as e
from ludex.typed.types import BOOL, IntType

GAME = """\
ludex: 1
game: rows
title: Rows
players: 2
options:
  wide: {type: 2..9, default: 4, note: So many.}
components:
  spaces:
    house: {count: wide}
  tokens:
    seed: {count: 40, places: [house]}
setup:
  some: {do: for each h in house do move 3 seed from box to h}
actions:
  take:
    choose: {n: RANGE}
    let: {h: "house(n)"}
    where:
      some are there: count(seed at h) > 0
      not the last one: count(seed at h) != 1 or n == 1
    do:
      one is taken: move 1 seed from h to box
phases:
  play:
    turns: clockwise from player_1
    rounds: 20
    do:
      one is taken: |
        act take
        else:
          end game
"""


def made(tmp_path: Path, numbers: str) -> Program:
    path = tmp_path / "rows.yaml"
    path.write_text(GAME.replace("RANGE", numbers))
    return pipeline.load(str(path)).program


def house(program: Program) -> e.Expr:
    """The value of h, where it is offered."""
    (site,) = (option.site for b in program.blocks if isinstance(b.end, Decide) for option in b.end.options)
    (let,) = (n for n in nodes(site) if isinstance(n, e.OptionLet))
    return let.value


@pytest.mark.parametrize(
    ("numbers", "inside"), [("1..wide", True), ("1..wide + 1", False), ("0..wide", False)]
)
def test_what_is_looked_up_is_there(tmp_path: Path, numbers: str, inside: bool) -> None:
    before = folded(inlined(made(tmp_path, numbers)))
    after = ranged(before)
    assert verify(after) == []
    assert not Facts(before).total(house(before))
    assert Facts(after).total(house(after)) == inside


@pytest.mark.parametrize(
    ("numbers", "faults"), [("1..wide", False), ("1..wide + 1", True), ("0..wide", True)]
)
def test_what_is_not_there_faults_all_the_same(tmp_path: Path, numbers: str, faults: bool) -> None:
    program = made(tmp_path, numbers)
    ends = []
    for machine in (Interpreter(program), WasmMachine(program)):
        try:
            state = machine.start()
            machine.playout(state, Generator(1), Generator(1, POLICY), 60)
            ends.append(("", list(state[: program.layout.words])))
        except Fault as fault:
            ends.append((fault.kind, []))
    assert ends[0] == ends[1]
    assert (ends[0][0] == "index") == faults


def test_a_variable_that_is_bound_within_its_own_loop_is_left(tmp_path: Path) -> None:
    """Of which of the two loops it is then, nothing says."""
    program = made(tmp_path, "1..wide")
    var = next(i for i, v in enumerate(program.variables) if isinstance(v.type, IntType) and not v.frame)
    number = e.Var(var, program.variables[var].type)

    def loop(lo: int, hi: int, value: e.Expr) -> e.Fold:
        domain = e.RangeDomain(e.Const(lo, number.type), e.Const(hi, number.type))
        return e.Fold("any", (e.Binding(var, domain),), None, value, None, None, BOOL, -1)

    inner = loop(1, 3, e.Comparison("eq", number, e.Const(2, number.type)))
    outer = loop(4, 9, e.Junction("and", (inner, e.Comparison("eq", number, e.Const(5, number.type)))))
    nested = replace(program, invariants=(Invariant(0, outer),))
    assert [n.type for n in nodes(ranged(nested).invariants) if isinstance(n, e.Var)] == [
        IntType(1, 3),
        number.type,
    ]
