"""For which elements a table has a place that holds something is kept up as things move."""

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
    node: {count: 20}
    home: {per: player}
    link:
      pairs: node
      where:
        near: a.number + b.number in 5..23
    yard: 1
  pieces:
    man: {per: {owner: player}, count: 3, places: [node, home, yard, link], start: yard}
    dog: {count: 4, places: [node, yard], start: yard}
  tokens:
    stone: {count: 30, places: [node, home, yard], start: yard}
    NUGGETS
types: {place: node or home}
state:
  n: {type: 0..99}
  seen: {type: 0..999}
define:
  twin(link s): if s.a.number mod 3 == 0 then home(player_2) else node(1 + (s.a.number * s.b.number) mod 20)
  ends: count(s in link where any(stone at s.a) and any(man at s.b))
procedures:
  rush:
    do: |
      for each m in man:
        move m to node(1 + (m.number * 3 + n) mod 20)
      if count(stone at yard) >= 2 then move 2 stone from yard to node(1 + n mod 20)
actions:
  walk:
    choose: {m: man}
    do: move m to node(1 + (n * 7) mod 20)
  run:
    choose: {d: dog}
    do: move d to node(1 + (n * 3) mod 20)
  put:
    choose: {i: place}
    where: {there are some: count(stone at yard) >= 3}
    do: |
      move 1 + n mod 3 stone from yard to i
  take:
    choose: {i: place}
    where: {there is one: any(stone at i)}
    do: move 1 stone from i to yard
  leave:
    choose: {i: place}
    where: {no man is there: not any(man at i)}
    do: n = (n + 5) mod 100
  gather:
    do: |
      move set(m in man where m.owner == me) to yard
      move set(m in man where m.number == 2) to home(me)
  bridge:
    choose: {s: link}
    where:
      CONDITIONS
    do: |
      if man(me, 1).place != s then move man(me, 1) to s
phases:
  play:
    turns: clockwise from player_1
    rounds: 30
    do:
      move: act walk or run or put or take or leave or gather or bridge
      look: seen = (ends + (try rush then ends)) mod 1000
      count: n = (n + 1) mod 100
"""


def made(tmp_path: Path, conditions: str, nuggets: str = "") -> Program:
    path = tmp_path / "g.yaml"
    path.write_text(GAME.replace("CONDITIONS", conditions).replace("NUGGETS", nuggets))
    return pipeline.program(str(path))


def set_of(program: Program, offer: str = "bridge") -> str:
    """The condition of an offer, if it is a set."""
    text = print_program(optimised(program)).split(f"option {offer} ")[1].split("then b")[0]
    lines = text.splitlines()
    named = dict(line.split("let ")[1].split(" = ", 1) for line in lines if "let " in line)
    found = [line.split('" ')[-1] for line in lines if "among " in line]
    return named.get(found[0], found[0]) if found else ""


def test_where_stones_lie_at_an_end(tmp_path: Path) -> None:
    program = made(tmp_path, "x: any(stone at s.a)")
    assert not verify(optimised(program))
    assert set_of(program) == "(holders({stone} by #link.a) & {link*})"


def test_where_anything_lies_at_an_end(tmp_path: Path) -> None:
    pieces, stones = (f"(holders({{{x}}} by #@define:twin) & {{link*}})" for x in ("man*, dog*", "stone"))
    assert set_of(made(tmp_path, "x: twin(s) is not empty")) == f"({pieces} | {stones})"


def test_where_anything_lies_of_places_of_two_kinds(tmp_path: Path) -> None:
    program = made(tmp_path, "x: n > 4")
    assert set_of(program, "take") == "(holders({stone}) & {node*, home*})"
    assert set_of(program, "leave") == "({node*, home*} - (holders({man*}) & {node*, home*}))"


@pytest.mark.parametrize(
    "condition",
    [
        "count(stone at s.a) > n mod 3",  # not whether there are any
        "count(stone at s.a) + count(stone at s.b) >= 1",  # of two places together
        "any(stone at (if n > 5 then s.a else s.b))",  # which place is no table's
    ],
)
def test_it_is_left_alone(tmp_path: Path, condition: str) -> None:
    assert "by #" not in set_of(made(tmp_path, f"x: {condition}"))


GAMES = (
    ("x: any(stone at s.a) and any(man at s.b)", ""),
    ("x: not any(stone at s.a) or any(dog at s.b)", "nugget: {count: 3, places: [node], start: node(2)}"),
    ("x: s.a is not empty\n      y: any(stone at twin(s)) or any(man at twin(s))", ""),
    ("x: any(man of me at s.a) or any(stone at s.b)", "ore: {per: {of: player}, count: 4, start: yard}"),
)


@pytest.mark.parametrize(("conditions", "nuggets"), GAMES)
def test_the_same_is_played(tmp_path: Path, conditions: str, nuggets: str) -> None:
    program = made(tmp_path, conditions, nuggets)
    assert "by #" in print_program(optimised(program))
    machines: tuple[Machine, ...] = (
        Interpreter(program),
        Interpreter(optimised(program)),
        WasmMachine(program),
        WasmMachine(program, Compiled(program, counting=False)),
    )
    for seed in range(4):
        for most in (1, 7, 20, 1000):
            played = [play(machine, seed, most) for machine in machines]
            assert played == played[:1] * len(machines)
