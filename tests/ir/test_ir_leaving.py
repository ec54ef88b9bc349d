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
