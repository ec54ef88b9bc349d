"""What a phase remembers outlives a decision after which `end turn` and its like are the only way on."""

from __future__ import annotations

from pathlib import Path

import pytest

import ludex
from ludex.backends.machine import TurnPoint

GAME = """
ludex: 1
game: leaving
title: Leaving
players: 3
state: {n: {type: 0..9}}
phases:
  play:
    turns: clockwise from player(2)
    do:
      a step: |
        BODY
    rounds: 2
"""
GO = "actions: {go: {do: {one more: n += 1}}}\n"
GO_AND_END = "actions: {go: {do: {one more: n += 1, the turn is over: end turn}}}\n"
LEAVE = GO + 'procedures: {leave: {do: {once more: "act go\\nend turn"}}}\n'
BODIES = {
    "a loop that only an action leaves": (GO_AND_END, ["repeat:", "  act go"]),
    "a loop that a statement leaves": (GO, ["repeat:", "  act go", "  if n >= 0 then end turn"]),
    "the last statement": (GO, ["act go", "end turn"]),
    "a procedure": (LEAVE, ["run leave"]),
}


def turns(actions: str, body: list[str], folder: Path) -> list[list[int]]:
    """Who has turns, as each back end plays it; the state is made of its bytes again after each."""
    path = folder / "game.yaml"
    path.write_text(GAME.replace("BODY", "\n        ".join(body)) + actions, encoding="utf-8")
    game = ludex.load(str(path))
    found = []
    for machine in (game.machine, game.fastest):
        words, seen = machine.start(), []
        while isinstance(point := machine.point(words), TurnPoint):
            seen.append(point.player)
            machine.choose(words, point.player, machine.options(words, point.player)[0])
            words = machine.unpack(machine.pack(words))
        found.append(seen)
    return found


@pytest.mark.parametrize(("actions", "body"), BODIES.values(), ids=BODIES.keys())
def test_turns_go_on(actions: str, body: list[str], tmp_path: Path) -> None:
    assert turns(actions, body, tmp_path) == [[2, 3, 1] * 2] * 2


def test_rounds_go_on(tmp_path: Path) -> None:
    assert turns(GO, ["act go", "end round"], tmp_path) == [[2, 2]] * 2


ABANDONED = """
ludex: 1
game: abandoned
title: Abandoned
players: 2
state: {n: {type: 0..9}}
phases:
  first:
    turns: clockwise from player(1)
    rounds: 2
    do: {a step: act go}
  second:
    turns: clockwise from player(1)
    rounds: 2
    do: {a step: act go}
procedures:
  wait(1..3 y):
    do:
      first: act stay
      then: WAY
actions:
  go:
    choose: {x: 1..3}
    do:
      it waits: run wait(x)
      it counts: n = x
  stay: {do: {nothing: n = 0}}
"""


@pytest.mark.parametrize("way", ["end turn", "end round", "end phase", "n = 0"])
def test_what_was_abandoned_is_forgotten(way: str, tmp_path: Path) -> None:
    """Whatever was chosen before, the bytes of the next decision are the same, but where it was noted."""
    path = tmp_path / "game.yaml"
    path.write_text(ABANDONED.replace("WAY", way), encoding="utf-8")
    game = ludex.load(str(path))
    for machine in (game.machine, game.fastest):
        found = set()
        for chosen in range(3):
            words = machine.start()
            for option in (chosen, 0):
                point = machine.point(words)
                assert isinstance(point, TurnPoint)
                machine.choose(words, point.player, machine.options(words, point.player)[option])
            assert isinstance(machine.point(words), TurnPoint)
            found.add(machine.pack(words))
        assert len(found) == (3 if way == "n = 0" else 1)
