"""Things are not looked for where no move brings any of their kind; they are wherever one may."""

from __future__ import annotations

from pathlib import Path

import pytest
from played_at_random import play

from ludex import pipeline
from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import Machine
from ludex.backends.wasm.machine import WasmMachine
from ludex.ir.passes.optimise import optimised
from ludex.ir.passes.reach import reached
from ludex.ir.program import Program
from ludex.ir.text import print_program
from ludex.ir.verify import verify

GAME = """\
ludex: 1
game: g
title: G
players: 2
components:
  spaces: {field: 5, yard: {per: player}, shed: 1}
  pieces: {man: {per: {owner: player}, start: yard(owner)}}
  cards: {card: {count: 6}}
  tokens: {stone: {count: 5, start: shed}}
  piles: {hand: {per: player, holds: card}, deck: {holds: card}}
types: {spot: field or yard}
state: {seen: {type: 0..999}}
setup:
  deal: {do: "move set(c in card where c.number > 3) to hand(player_1)"}
procedures:
  send(card c, spot x): {do: move c to x}
actions:
  draw: {choose: {c: card}, where: {it is there: c in deck}, do: move c to hand(me)}
  back: {choose: {c: card}, where: {it is yours: c in hand(me)}, do: move c to deck}
  drop: {choose: {s: field}, where: {it is free: s is empty}, do: move 1 stone from shed to s}
  go: {choose: {s: field}, where: {it is free: s is empty}, do: move man(me) to s}
  more:
    choose: {k: 1..5, c: card}
    do: |
      MORE
phases:
  play:
    turns: clockwise from player_1
    rounds: 15
    do:
      move: act draw or back or drop or go or more
      look: seen = (3 * seen + count(s in field where s is empty) + count(y in yard where y is empty)) mod 997
"""
NOWHERE = "move c to deck"
ELSEWHERE = (
    "move c to field(k)",
    "move c to (if k > 3 then field(2) else deck)",
    "run send(c, field(k))",
    "if k == 1 then move set(d in card where d in hand(me)) to field(3)",
    "let there = field(k)\n      move c to there",
)


def made(tmp_path: Path, more: str) -> Program:
    path = tmp_path / "g.yaml"
    path.write_text(GAME.replace("MORE", more))
    return pipeline.program(str(path))


def cards_asked(program: Program) -> int:
    """How many conditions ask for cards on a field."""
    text = print_program(program)
    return sum(f"at(s%{n}, {{man*, card*}})" in text or f"at(s%{n}, {{card*}})" in text for n in range(60))


def test_no_card_is_on_a_field(tmp_path: Path) -> None:
    program = made(tmp_path, NOWHERE)
    assert cards_asked(program) > 0
    changed = reached(program)
    assert not verify(changed)
    assert cards_asked(changed) == 0


@pytest.mark.parametrize("more", ELSEWHERE)
def test_a_card_may_be_there(tmp_path: Path, more: str) -> None:
    program = made(tmp_path, more)
    assert cards_asked(reached(program)) == cards_asked(program) > 0


@pytest.mark.parametrize("more", [NOWHERE, *ELSEWHERE])
def test_the_same_is_played(tmp_path: Path, more: str) -> None:
    program = made(tmp_path, more)
    machines: tuple[Machine, ...] = (
        Interpreter(program),
        Interpreter(optimised(program)),
        WasmMachine(program),
    )
    for seed in range(4):
        played = [play(machine, seed) for machine in machines]
        assert played == played[:1] * len(machines)
