"""What a record's hash is made of: the numbers of its blocks, and which parts are said of a place alone."""

from __future__ import annotations

import pytest

from ludex.game import DefinitionInfo
from ludex.ir.passes.analysis import inlined
from ludex.ir.passes.facts import Facts
from ludex.ir.passes.local import Local, local
from ludex.ir.program import Program
from ludex.ir.recorded import parts
from ludex.pipeline import load_saved

GAME = """\
ludex: 1
game: recorded
title: Recorded
players: 2
components:
  spaces:
    field: {grid: 3x2}
    yard: {}
  pieces:
    man: {per: {owner: player}, count: 2, places: [field, yard], start: yard}
  tokens:
    chip: {count: 3, places: [field], start: "field(1, 1)"}
state:
  tired: {per: man, type: bool}
  mark: {per: field, type: bool}
  where: {type: optional field}
records:
  positions: {of: [PARTS], keep: 9}
define:
  there(field s): first(m for m in man at s)
  owner_there(field s): (there(s)).owner
  tired_there(field s): any(tired(m) for m in man at s)
  held(field s): set(m.owner for m in man at s)
  chips(field s): count(chip at s)
  others(field s): count(chip at s) + count(m in man at field)
  is_here(field s): s == where
  to_move: me
actions:
  go:
    choose: {m: man, s: field}
    do:
      it goes: move m to s
phases:
  play:
    turns: clockwise from player(1)
    rounds: 3
    do:
      it is noted: note positions
      move: act go
"""


def program(names: str) -> Program:
    files = (("recorded.yaml", GAME.replace("PARTS", names)),)
    return inlined(load_saved(DefinitionInfo("recorded", "Recorded", (), (), 2, files, "")).program)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("there", (set(), set())),
        ("owner_there", (set(), set())),  # an attribute never changes
        ("tired_there", (set(), {"tired"})),
        ("held", (set(), set())),
        ("chips", (set(), set())),
        ("mark", ({"mark"}, set())),
        # what is elsewhere has a say, or nothing of the place has
        ("others", None),
        ("is_here", None),
        ("to_move", None),
        # of every man, wherever he is
        ("tired", None),
    ],
)
def test_what_is_said_of_a_place_alone(name: str, expected: tuple[set[str], set[str]] | None) -> None:
    made = program(name)
    (part,) = parts(made, made.records[0])
    found = local(made, Facts(made), part.bindings, part.value)
    assert (found is None) == (expected is None)
    if isinstance(found, Local):
        field = made.world.kind("field")
        assert (found.first, found.count) == (field.base, field.count)
        assert (set(found.of_places), set(found.of_things)) == expected


def test_blocks_are_numbered_through() -> None:
    """Six fields, four men; a set of players has a block for ids up to 31."""
    made = program("chips, held, tired, to_move, mark")
    found = parts(made, made.records[0])
    assert [(part.first, part.blocks) for part in found] == [(0, 1), (6, 1), (12, 1), (16, 1), (17, 1)]
