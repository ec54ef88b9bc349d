"""How long a run can be at most is read off its actions; and to stop there changes no list of options."""

from __future__ import annotations

from functools import lru_cache

import pytest

from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import Machine, TurnPoint
from ludex.backends.wasm.machine import WasmMachine
from ludex.game import DefinitionInfo
from ludex.ir import program as p
from ludex.ir.passes.runs import most_in_run
from ludex.ir.text import print_expr
from ludex.pipeline import load_saved
from ludex.rng import CHANCE, POLICY, Generator

GAME = """\
ludex: 1
game: runs
title: Runs
players: 1
components:
  spaces:
    field: {count: 12, name: "f{n}"}
  tokens:
    stone: {count: 1, places: [field]}
  dice:
    die: {faces: 1..4, count: 3}
state:
  left: {per: 1..4, type: 0..3}
  spent: {type: 0..9}
  pause: {type: 0..9}
define:
  here: the(s in field where count(stone at s) > 0).n
  open(int n): n <= 12 and n mod 5 != 2
setup:
  begin: move 1 stone from box to field(1)
phases:
  play:
    turns: clockwise from player(1)
    rounds: 6
    do:
      they are thrown: |
        roll die
        for each n in 1..4:
          left(n) = 0
        for each d in die do left(d.face) += 1
      the stone goes back: move 1 stone from field(here) to field(1)
      the stone goes: |
        repeat 3:
          act OFFER longest
actions:
  go:
    choose: {d: 1..4}
    where:
      there is such a die: left(d) > 0
      one can stand there: open(here + d)
    do: EFFECT
"""
MORE = {
    "pass": "",
    "wait": "  wait:\n    where:\n      not too often: pause < 2\n    do:\n      it waits: pause += 1\n",
}
PLAIN = "{it goes: 'move 1 stone from field(here) to field(here + d)', it is spent: 'left(d) -= 1'}"


@lru_cache
def program(offer: str = "go", effect: str = PLAIN) -> p.Program:
    text = GAME.replace("OFFER", offer).replace("EFFECT", effect)
    text += "".join(MORE[name] for name in offer.split(" or ")[1:])
    return load_saved(DefinitionInfo("runs", "Runs", (), (), 1, (("runs.yaml", text),), "")).program


def most(made: p.Program) -> str | None:
    decide = next(b.end for b in made.blocks if isinstance(b.end, p.Decide))
    found = most_in_run(made, decide)
    return None if found is None else print_expr(made, found)


SUM = "(((left[1] +. left[2]) +. left[3]) +. left[4])"


@pytest.mark.parametrize(
    ("offer", "effect", "expected"),
    [
        ("go", PLAIN, SUM),
        # to pass ends a run, and counts
        ("go or pass", PLAIN, f"({SUM} +. 1)"),
        # one that takes nothing of it may go on for ever
        ("go or wait", PLAIN, None),
        # more at a time is all the better
        ("go", "{it is spent: left(d) -= 2}", SUM),
        # only sometimes, from something else, or given back
        ("go", "{it is spent: 'if here > 3 then left(d) -= 1'}", None),
        ("go", "{it is spent: left(d) = left(1) - 1}", None),
        ("go", "{it is spent: 'left(d) -= 1', or not: 'if here > 3 then left(d) += 1'}", None),
        ("go", "{it is spent: 'left(d) -= 1', or not: 'left(1) = 3'}", None),
        ("go", "{it is added: spent += 1}", None),
    ],
)
def test_what_actions_use_up_bounds_a_run(offer: str, effect: str, expected: str | None) -> None:
    assert most(program(offer, effect)) == expected


def longest(here: int, left: tuple[int, ...]) -> dict[int, int]:
    """For each die that can be played the length of the longest run that begins with it, by hand."""
    found = {}
    for d in range(1, 5):
        to = here + d
        if left[d - 1] and to <= 12 and to % 5 != 2:
            rest = tuple(n - (i == d - 1) for i, n in enumerate(left))
            found[d] = 1 + max(longest(to, rest).values(), default=0)
    return found


@pytest.mark.parametrize("native", [False, True])
def test_options_are_those_that_begin_a_longest_run(native: bool) -> None:
    """Against a search of all runs, over the random positions of some games."""
    made = program()
    machine: Machine = WasmMachine(made) if native else Interpreter(made)
    dice, tokens = made.layout.field("left").offset, made.layout.field("@tokens").offset
    seen, refused = 0, 0
    for seed in range(30):
        words = machine.start()
        chance, policy = Generator(seed, CHANCE), Generator(seed, POLICY)
        while machine.playout(words, chance, policy, 0) == 0:
            if not isinstance(machine.point(words), TurnPoint):
                break
            here = next(i for i in range(12) if words[tokens + i]) + 1
            runs = longest(here, tuple(words[dice : dice + 4]))
            best = [d for d, n in runs.items() if n == max(runs.values())]
            assert [c.values for c in machine.options(words, 1)] == [(d,) for d in best]
            seen += 1
            if len(best) < len(runs):
                refused += 1
                drawn = {machine.sample_choice(words, 1, Generator(i, POLICY)).values[0] for i in range(30)}
                assert drawn == set(best)
            machine.choose(words, 1, machine.sample_choice(words, 1, policy))
    assert seen > 200
    assert refused > 10
