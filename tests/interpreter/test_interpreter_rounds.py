"""The number of a round where phases lie within phases."""

from __future__ import annotations

from pathlib import Path

import ludex
from ludex.game import State

NESTED = """
ludex: 1
game: nested
title: Rounds within rounds
players: 2
state: {inner: {type: int}, outer: {type: int}, ended: {type: int}}
phases:
  days:
    each_round: {a day begins: outer += 1}
    do:
      the day has its number: |
        ask player(1):
          act look
    phases:
      hours:
        rounds: 3
        do: {an hour passes: inner += round_number}
      never:
        when: {no: outer > 99}
        do: {nothing: inner = 0}
    until: {the second day is over: round_number >= 2}
    finish: {the days are counted: ended = round_number}
actions:
  look: {do: {it is looked: outer += 10 * round_number}}
"""


def test_the_round_of_a_phase_is_its_own_again_after_the_phases_within(tmp_path: Path) -> None:
    """Two days of three hours: 2 * (1 + 2 + 3), then 1 + 1 and 10 * (1 + 2); the last round is the second."""
    path = tmp_path / "nested.yaml"
    path.write_text(NESTED)
    state: State = ludex.load(str(path)).start(1)
    while not state.is_terminal:
        state = state.apply("look")
    seen = state.observation(None)
    assert (seen.value("inner"), seen.value("outer"), seen.value("ended")) == (12, 32, 2)
