"""Records where native code keeps the hash up place by place: in step with the interpreter, which
computes it anew each time, wherever a position comes from."""

from __future__ import annotations

import pytest
from lockstep import Pair, luck

from ludex.backends.wasm.exports import emit
from ludex.game import DefinitionInfo
from ludex.ir.program import Program
from ludex.pipeline import load_saved
from ludex.rng import CHANCE, POLICY, Generator

GAME = """\
ludex: 1
game: records
title: Records
players: 2
types:
  rank: [low, high]
components:
  spaces:
    field: {grid: 3x2}
    yard: {}
  pieces:
    man: {per: {owner: player}, count: 2, places: [field, yard], start: yard}
  tokens:
    chip: {count: 3, places: [field], start: "field(1, 1)"}
state:
  grade: {per: man, type: rank, start: low}
  mark: {per: field, type: bool}
  again: {type: 0..400}
  often: {type: 0..400}
records:
  positions: {of: [PARTS, to_move], keep: 200}
define:
  held(field s): set(m.owner for m in man at s)
  first_man(field s): first(m for m in man at s)
  first_owner(field s): (first(m in man at s)).owner
  first_grade(field s): (first(m in man at s)).grade
  chips(field s): count(chip at s)
  everywhere(field s): count(m in man at field where m.owner == me) + count(chip at s)
  to_move: me
procedures:
  carry(man m, field s):
    do:
      it goes: move m to s
      it is low now: grade(m) = low
  flip():
    do:
      it is marked or not: mark(field(2, 1)) = not mark(field(2, 1))
actions:
  go:
    choose: {m: man, s: field}
    where:
      it is yours: m.owner == me
      it is near: place(m) == yard or count(man at s) < 2
      it has not been so: (try carry(m, s) then seen(positions) < 2)
    do:
      it goes: run carry(m, s)
  raise:
    choose: {m: man}
    where:
      it is yours: m.owner == me
      it is low: grade(m) == low
    do:
      it is high now: grade(m) = high
  slide:
    choose: {s: field, t: field}
    where:
      one is there: count(chip at s) > 0 and s != t
    do:
      it goes: move 1 chip from s to t
  turn:
    choose: {s: field}
    do:
      it is marked: mark(s) = not mark(s)
  clear:
    where:
      there are some: again > 0
    do:
      all is forgotten: |
        forget positions
        again = 0
phases:
  play:
    turns: clockwise from player(1)
    rounds: 20
    do:
      it is noted: |
        again = min(400, again + seen(positions))
        note positions
        if seen(positions) >= 2 then again = min(400, again + seen(positions))
        note positions
        if (try flip() then seen(positions)) >= 1 then often += 1
        note positions
        mark(field(2, 1)) = not mark(field(2, 1))
        if seen(positions) >= 1 then often += 1
        note positions
        repeat 2:
          if seen(positions) >= 2 then often += 1
          mark(field(2, 1)) = not mark(field(2, 1))
      move: act go or raise or slide or turn or clear
scoring:
  repetitions: again
"""


def made(parts: str, text: str = GAME) -> Program:
    files = (("records.yaml", text.replace("PARTS", parts)),)
    return load_saved(DefinitionInfo("records", "Records", (), (), 2, files, "")).program


PARTS = {
    "first_owner": 1,
    "first_owner, first_grade": 2,
    "chips, mark": 2,
    "held, first_man, chips": 2,  # of sets all is hashed each time
    "everywhere, chips": 1,  # what is said of one place only
    "grade, first_owner": 1,
}
"""What is compared, and how many of these are kept up place by place."""


@pytest.mark.parametrize("parts", PARTS)
def test_in_step(parts: str) -> None:
    pair = Pair(made(parts))
    native = pair.machines[1]
    _, plan = emit(pair.program)
    assert len(plan.kept["positions"].parts) == PARTS[parts]
    repeated = 0
    for seed in range(3):
        pair.start()
        pair.playout(*luck(seed), 25)
        pair.steps(6, *luck(seed))
        pair.playout(*luck(seed + 10), 200)
        repeated += sum(line[0] for line in native.lines(pair.words[1]))
    assert repeated > 0


def test_what_is_tried_without_a_look_back() -> None:
    """Then what is kept up of the hash is not put aside, as nothing looks at it until all is as it was."""
    looking = "(try flip() then seen(positions)) >= 1", "(try carry(m, s) then seen(positions) < 2)"
    others = "(try flip() then mark(field(2, 1)))", "(try carry(m, s) then count(man at s) < 3)"
    text = GAME
    for before, after in zip(looking, others, strict=True):
        assert before in text
        text = text.replace(before, after)
    for one, aside in ((GAME, True), (text, False)):
        program = made("first_owner, mark", one)
        _, plan = emit(program)
        assert (plan.tried_end > plan.kept["positions"].total) == aside
        pair = Pair(program)
        for seed in range(3):
            pair.start()
            pair.steps(12, *luck(seed))
            pair.playout(*luck(seed), 60)


@pytest.mark.parametrize("parts", [*PARTS][:3])
def test_a_position_from_elsewhere(parts: str) -> None:
    """A state goes from one place of a game to the other in the same instance: nothing is left of what
    was kept for the one before."""
    reference, native = Pair(made(parts)).machines
    states = []
    for seed in range(4):
        words = reference.start()
        for n in (0, 7, 30):
            reference.playout(words, Generator(seed + n, CHANCE), Generator(seed + n, POLICY), n)
            states.append(reference.pack(words))
    for i in range(24):
        words = [machine.unpack(states[i * 7 % len(states)]) for machine in (reference, native)]
        luck_of_both = [(Generator(i, CHANCE), Generator(i, POLICY)) for _ in words]
        for machine, own, (chance, policy) in zip((reference, native), words, luck_of_both, strict=True):
            machine.playout(own, chance, policy, 8)
        assert reference.pack(words[0]) == native.pack(words[1])
