"""Whether all tokens are somewhere is asked of the places that hold some, where that is the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludex import pipeline
from ludex.backends.interpreter import Interpreter
from ludex.backends.wasm.machine import WasmMachine
from ludex.ir.passes.analysis import inlined
from ludex.ir.passes.conservation import conserved
from ludex.ir.passes.constants import folded
from ludex.ir.passes.faces import faced
from ludex.ir.program import Program
from ludex.ir.text import print_expr
from ludex.ir.tokens import numbers_of_tokens
from ludex.ir.verify import verify
from ludex.rng import POLICY, Generator

GAME = """\
ludex: 1
game: home
title: Home
players: [white, black]
components:
  spaces:
    point: {count: 6}
    yard: {per: player}
    tray: {per: player}
  tokens:
    man: {per: player, count: 5, places: [point, yard, tray]}
    stone: {per: {hue: hue}, count: 4, places: [point], start: box}
    coin: {count: 3, places: [yard]}
types:
  hue: [red, blue]
MATCH
define:
  home(player p): set(s in point where if p == white then s.n > 3 else s.n < 4)
setup:
  men: for each p in players do move 5 man of p from box to yard(p)
  coins: move 3 coin from box to yard(white)
actions:
  go:
    choose: {from: point, to: point}
    where: {a man is there: any(man of me at from)}
    do: move 1 man of me from from to to
  enter:
    choose: {to: point}
    where: {a man waits: any(man of me at yard(me))}
    do: move 1 man of me from yard(me) to to
  leave:
    choose: {from: point}
    where: {a man is there: any(man of me at from), it may: CONDITION}
    do: move 1 man of me from from to tray(me)
phases:
  play:
    turns: clockwise from white
    rounds: 30
    do:
      move: |
        act go or enter or leave
        else:
          end game
invariants:
  asked: CONDITION
"""
HOME = "count(man of P at home(P)) + count(man of P at tray(P)) == 5"


def program(tmp_path: Path, condition: str, match: str = "") -> Program:
    path = tmp_path / "home.yaml"
    text = GAME.replace("MATCH", match)
    where, invariant = condition.replace("(P)", "(me)"), condition.replace("(P)", "(white)")
    where, invariant = where.replace("of P", "of me"), invariant.replace("of P", "of white")
    path.write_text(text.replace("CONDITION", where, 1).replace("CONDITION", invariant))
    return pipeline.program(str(path))


def asked(made: Program) -> str:
    made = conserved(faced(folded(inlined(made))))
    assert verify(made) == []
    return print_expr(made, made.invariants[0].test)


@pytest.mark.parametrize(
    "condition",
    [
        HOME,
        HOME.replace("==", ">="),
        "count(man of P at tray(P)) + count(man of P at home(P)) == 5",
        "count(man of P at yard(P)) + count(man of P at point) + count(man of P at tray(P)) == 5",
        "count(stone at home(P)) * 0 == 0 and count(man of P at point) == 5",
        "count(coin at yard) == 3",
    ],
)
def test_nothing_is_elsewhere(tmp_path: Path, condition: str) -> None:
    text = asked(program(tmp_path, condition))
    assert "holders(" in text
    assert "tokens({man" not in text and "tokens({coin" not in text


@pytest.mark.parametrize(
    "condition",
    [
        HOME.replace("5", "4"),  # not all
        HOME.replace("==", "<="),  # not more
        HOME.replace("==", "!="),
        "count(man of P at home(P)) + count(man of P at point) == 5",  # some are counted twice
        "count(man of P at home(P)) + count(man of opponent(P) at tray(P)) == 5",  # of two faces
        "sum(count(man of s.owner at s) for s in yard) == 5",  # each place's own
        "count(man at home(P)) == 5",  # there are ten
        "count(stone at home(P)) == 4",  # of which there are eight
        "2 * count(man of P at home(P)) + count(man of P at tray(P)) == 5",
    ],
)
def test_other_sums_are_added(tmp_path: Path, condition: str) -> None:
    text = asked(program(tmp_path, condition))
    assert "tokens(" in text and "holders(" not in text


def test_how_many_there_are(tmp_path: Path) -> None:
    for match in ("", "match: {games: 3}"):
        made = program(tmp_path, HOME, match)
        named = {made.world.names[i]: n for i, n in numbers_of_tokens(made).items()}
        assert named == {"man(white)": 5, "man(black)": 5, "stone(red)": 4, "stone(blue)": 4, "coin": 3}


@pytest.mark.parametrize("condition", [HOME, HOME.replace("==", ">="), "count(man of P at point) == 5"])
@pytest.mark.parametrize("match", ["", "match: {games: 2}"])
def test_the_same_is_played(condition: str, match: str, tmp_path: Path) -> None:
    made = program(tmp_path, condition, match)
    for seed in range(2):
        ends = []
        for machine in (Interpreter(made), WasmMachine(made)):
            state = machine.start()
            machine.playout(state, Generator(seed), policy := Generator(seed, POLICY), 130)
            ends.append((list(state[: made.layout.words]), policy.state))
        assert ends[0] == ends[1]
