"""Arithmetic on what has few values is looked up, and asked as sets; faults stay what they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludex import pipeline
from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import Fault
from ludex.backends.wasm.machine import WasmMachine
from ludex.ir.passes.analysis import inlined
from ludex.ir.passes.constants import folded
from ludex.ir.passes.faces import faced
from ludex.ir.passes.narrowing import narrowed
from ludex.ir.passes.ranges import ranged
from ludex.ir.passes.tabulation import tabulated
from ludex.ir.program import Program
from ludex.ir.text import print_program
from ludex.ir.verify import verify
from ludex.rng import POLICY, Generator

GAME = """\
ludex: 1
game: track
title: Track
players: [white, black]
components:
  spaces:
    point: {count: 10, name: "p{n}"}
    bar: {per: player}
  tokens:
    man: {per: player, count: 6, places: [point, bar]}
state:
  left: {per: 1..4, type: 0..3}
  far: {type: 0..9}
define:
  spot(player p, int n): point(if p == white then n else 11 - n)
  far_off(int n): n > 11 or n == 10
  way(player p, point s): if p == white then s.n else 11 - s.n
setup:
  men: |
    for each p in players do move 6 man of p from box to spot(p, 2)
  dice: for each d in 1..4 do left(d) = d mod 2 + 1
actions:
  go:
    choose: {d: 1..4, from: point}
    let: {n: "way(me, from) + d"}
    where:
      CONDITIONS
    do: |
      left(d) = if left(d) == 1 then 3 else left(d) - 1
      far = n mod 10
      move 1 man of me from from to spot(me, n)
      move all man of opponent(me) at spot(me, n) to bar(opponent(me))
  pass: {}
phases:
  play:
    turns: clockwise from white
    rounds: 20
    do:
      move: |
        act go
        else:
          act pass
"""
LEFT = "there is such a die: left(d) > 0"
MINE = "a man is there: any(man of me at from)"
WITHIN = "not too far: n <= 10"
OPEN = "not closed: count(man of opponent(me) at spot(me, n)) < 2"


def program(tmp_path: Path, *conditions: str) -> Program:
    path = tmp_path / "track.yaml"
    path.write_text(GAME.replace("CONDITIONS", "\n      ".join(conditions)))
    return pipeline.program(str(path))


def offers(made: Program) -> str:
    """What is said of the offer."""
    text = print_program(made)
    return text[text.index("option go") : text.index("option pass")]


def before(tmp_path: Path, *conditions: str) -> Program:
    return faced(ranged(folded(inlined(program(tmp_path, *conditions)))))


def test_what_is_computed_of_few_values_is_looked_up(tmp_path: Path) -> None:
    made = before(tmp_path, LEFT, MINE, WITHIN, OPEN)
    assert "(25 - " not in offers(made) and "(11 - n" in offers(made) and " <= 10)" in offers(made)
    made = tabulated(made)
    assert verify(made) == []
    assert "(11 - n" not in offers(made) and " <= 10)" not in offers(made)
    # p10 is nine steps from p1: of four dice none goes from white's p7 beyond
    table = next(t for t in made.tables if t.name.startswith("@tabulated") and len(t.dims) == 3)
    assert [dim.size for dim in table.dims] == [2, 4, 10]
    assert table.values[:10] == (1, 1, 1, 1, 1, 1, 1, 1, 1, 0)


def test_of_what_is_looked_up_sets_are_made(tmp_path: Path) -> None:
    made = narrowed(tabulated(before(tmp_path, LEFT, MINE, WITHIN, OPEN)))
    assert verify(made) == []
    text = offers(made)
    assert "having(left 0)" in text and "shifted(holders(2 " in text
    assert text.count("among ") == 4 and " where " not in text.replace("rule", "")


@pytest.mark.parametrize(
    "conditions",
    [
        (LEFT, MINE, OPEN),  # nothing says that the way does not end before
        (LEFT, MINE, OPEN, WITHIN),  # that is said too late
        (LEFT, MINE, "not too far: n <= 10 or far > 3", OPEN),  # it may not have been so
        (LEFT, MINE, "not too far: n <= 11", OPEN),  # nor is it enough
    ],
)
def test_what_may_fault_is_asked_of_each(conditions: tuple[str, ...], tmp_path: Path) -> None:
    text = offers(narrowed(tabulated(before(tmp_path, *conditions))))
    assert "(tokens({" in text
    assert "shifted(" not in text and "#@make:point:1[" in text


@pytest.mark.parametrize("numbers", ["0..9", "0..99999"])
def test_other_numbers_are_not_gone_through(tmp_path: Path, numbers: str) -> None:
    path = tmp_path / "track.yaml"
    conditions = f"{WITHIN}\n      near: far + d > 3"
    path.write_text(GAME.replace("CONDITIONS", conditions).replace("0..9}", numbers + "}"))
    made = tabulated(faced(ranged(folded(inlined(pipeline.program(str(path)))))))
    assert "(far +. d" in offers(made)  # the state has a say


@pytest.mark.parametrize(
    ("conditions", "faults"),
    [
        ((LEFT, MINE, WITHIN, OPEN), False),
        ((LEFT, MINE, "either: n <= 10 and count(man of opponent(me) at spot(me, n)) < 2"), False),
        ((LEFT, MINE, "either: n > 10 or count(man of opponent(me) at spot(me, n)) >= 2", WITHIN), False),
        ((LEFT, MINE, WITHIN, "three: count(man of opponent(me) at spot(me, n)) <= 2 + far mod 2"), False),
        ((LEFT, MINE, WITHIN, "some: count(man of me at spot(me, n)) > 1 or d == 3"), False),
        ((LEFT, MINE, WITHIN, "none: far_off(n) or count(man of me at spot(me, n)) < 2"), False),
        ((LEFT, MINE, "some: far_off(n) or count(man of opponent(me) at spot(me, n)) < 2", WITHIN), True),
        ((LEFT, MINE, OPEN), True),
        ((LEFT, MINE, OPEN, WITHIN), True),
        ((LEFT, MINE, "not too far: n <= 11", OPEN), True),
        ((LEFT, MINE, "not too far: n != 11", OPEN), True),
        ((LEFT, MINE, WITHIN, "beyond: count(man of me at spot(me, n + d - 3)) < 3"), True),
    ],
)
def test_the_same_is_played(conditions: tuple[str, ...], faults: bool, tmp_path: Path) -> None:
    made = program(tmp_path, *conditions)
    for seed in range(3):
        ends = []
        for machine in (Interpreter(made), WasmMachine(made)):
            state = machine.start()
            try:
                machine.playout(state, Generator(seed), policy := Generator(seed, POLICY), 40)
                ends.append(("", -1, list(state[: made.layout.words]), policy.state))
            except Fault as fault:
                ends.append((fault.kind, fault.site, [], None))
        assert ends[0] == ends[1]
        assert (ends[0][0] == "index") == faults
