"""Conditions that an earlier offer answers: which are, which are not, and that all play as they did."""

from __future__ import annotations

from pathlib import Path

import pytest
from lockstep import Pair, luck

from ludex import pipeline
from ludex.ir.passes.optimise import optimised
from ludex.ir.program import Decide, Program
from ludex.ir.text import print_program
from ludex.ir.verify import verify
from ludex.ir.walk import nodes
from ludex.typed import expr as e

GAME = """\
ludex: 1
game: takes
title: Takes
players: 2
types:
  rank: [low, high]
components:
  spaces:
    field: {grid: 4x4, holds: 1}
  tokens:
    man: {per: [player, rank], places: [field]}
state:
  runner: {type: optional field}
  divisor: {type: 0..3}
define:
  theirs(field s): any(k.owner == opponent(me) for k in man at s)
  aims(field s, man k): |
    set(t in steps(s, if k.rank == low then set(north, east) else orthogonal) where theirs(t))
  longer(field s): |
    set(t in steps(s, orthogonal) where theirs(t) and count(n in steps(t, orthogonal) where n is empty) > 0)
  can_take(field s): any(aims(s, k) is not empty for k in man at s where k.owner == me)
  near_both(field s): |
    any(longer(s) is not empty for k in man at s where k.owner == me)
    and any(u in longer(s) where u.x == 1)
  bold(field s): any(aims(s, k) is not empty for k in man at s where k.owner == me and k.rank == high)
  deep(int n): if n <= 0 then 0 else deep(n - 1)
setup:
  men:
    do: |
      for each s in field do place man(if (s.x + s.y) mod 3 == 0 then player_1 else player_2,
        if s.x == 2 then high else low) on s
      for each s in field where (s.x + 2 * s.y) mod 3 == 1 do remove the(k in man at s) at s
phases:
  play:
    turns: clockwise from player_1
    rounds: 12
    do:
      move:
        do: |
          act OFFERS
          runner = none
procedures:
  capture(field from, field to):
    do: |
      remove the(o in man at to) at to
      move man from from to to
actions:
  take:
    choose: {from: field, to: field}
    let: {k: man at from}
    where:
      it is yours: k.owner == me
TAKE
    do: |
      run capture(from, to)
      runner = to
  step:
    choose: {from: field, to: field}
    where:
      taking is compulsory: COMPULSORY
      it is yours: any(k.owner == me for k in man at from)
      to a free field: to in steps(from, orthogonal) and to is empty
    do: move man from from to to
  stay: {}
scoring:
  men: {is: count(s in field where any(k.owner == me for k in man at s))}
"""

USUAL = "over an enemy: to in aims(from, k)"


def compiled(tmp_path: Path, compulsory: str, *take: str, offers: str = "take or step or stay") -> Program:
    path = tmp_path / "game.yaml"
    lines = "\n".join(f"      {line}" for line in take or (USUAL,))
    text = GAME.replace("COMPULSORY", compulsory).replace("TAKE", lines).replace("OFFERS", offers)
    path.write_text(text)
    return pipeline.program(str(path))


def answered(program: Program) -> list[str]:
    """What answers conditions, as it is written out."""
    made = optimised(program)
    assert verify(made) == []
    lines = print_program(made).splitlines()
    return [line.split(" unless ")[1] for line in lines if " unless " in line]


def in_step(program: Program) -> int:
    """Both back ends play games from a few seeds; how many decisions there were."""
    pair, decisions = Pair(program), 0
    for seed in range(4):
        pair.start()
        pair.steps(60, *luck(seed))
        decisions += pair.decisions
        pair.start()
        pair.playout(*luck(seed), 60)
    return decisions


RUNNER = "the one that took goes on: runner is none or runner == from"
FREE = "it is free: divisor == 0 or to.x == 2"

SHARED = {
    "any": ("not any(can_take(s) for s in field)", (USUAL,), "offer 0"),
    "can": ("not can(take)", (USUAL,), "offer 0"),
    "written out": (
        "not any(any(k.owner == me for k in man at s) and can_take(s) for s in field)",
        ("it is a man of yours: any(o.owner == me for o in man at from)", USUAL),
        "offer 0",  # a field holds one man, so that all of these are the same
    ),
    "with a rule that may not apply": (
        "not any(can_take(s) for s in field)",
        (RUNNER, USUAL),
        "offer 0 when (runner == none)",
    ),
    "with two": (
        "not any(can_take(s) for s in field)",
        (RUNNER, USUAL, FREE),
        "offer 0 when ((runner == none) and (divisor == 0))",
    ),
}


@pytest.mark.parametrize("name", SHARED)
def test_an_earlier_offer_answers(name: str, tmp_path: Path) -> None:
    compulsory, take, expected = SHARED[name]
    program = compiled(tmp_path, compulsory, *take)
    assert answered(program) == [expected]
    assert in_step(program) > 40


LEFT = {
    "asks of fewer": ("not any(bold(s) for s in field)", (USUAL,)),
    "asks of more": ("not any(can_take(s) for s in field)", (USUAL, "not by the low: k.rank == high")),
    "asks something else": ("not any(longer(s) is not empty for s in field)", (USUAL,)),
    "asks twice": ("not any(near_both(s) for s in field)", ("over an enemy: to in longer(from)",)),
    "asks of some fields only": ("not any(can_take(s) for s in field where s.x < 3)", (USUAL,)),
    "asks of all": ("not all(can_take(s) for s in field)", (USUAL,)),
    "holds if": ("any(can_take(s) for s in field)", (USUAL,)),
    "a rule that asks of a parameter": (
        "not any(can_take(s) for s in field)",
        ("one of two: from.x == 1 or to.x == 2", USUAL),
    ),
    "ticks": (
        "not any(can_take(s) and deep(2) == 0 for s in field)",
        (USUAL, "deep down: deep(2) == 0"),
    ),
    "late": (
        "not can(take)",
        (USUAL, "not the last: try capture(from, to) then any(s in field where theirs(s))"),
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_it_does_not(name: str, tmp_path: Path) -> None:
    compulsory, take = LEFT[name]
    program = compiled(tmp_path, compulsory, *take)
    assert answered(program) == []
    assert in_step(program) > 40


@pytest.mark.parametrize("offers", ["step or take or stay", "stay or step or take"])
def test_no_later_offer_answers(offers: str, tmp_path: Path) -> None:
    program = compiled(tmp_path, "not any(can_take(s) for s in field)", offers=offers)
    assert answered(program) == []
    assert in_step(program) > 40


def test_the_offer_is_found_where_it_stands(tmp_path: Path) -> None:
    program = compiled(tmp_path, "not any(can_take(s) for s in field)", offers="stay or take or step")
    assert answered(program) == ["offer 1"]
    assert in_step(program) > 40


def test_the_condition_stays(tmp_path: Path) -> None:
    """For whoever asks it without having listed the earlier offer."""
    made = optimised(compiled(tmp_path, "not any(can_take(s) for s in field)"))
    (guard,) = (
        guard
        for block in made.blocks
        if isinstance(block.end, Decide)
        for guard in nodes(block.end)
        if isinstance(guard, e.OptionGuard) and guard.answer is not None
    )
    assert any(isinstance(n, e.Fold) and n.kind == "any" for n in nodes(guard.test))
