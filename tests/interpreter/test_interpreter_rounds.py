"""The number of a round where phases lie within phases."""

from __future__ import annotations

from pathlib import Path

import ludex
from ludex.backends.machine import OverPoint
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


SECRET = """\
ludex: 1
game: secret
title: Secret
players: 2
components:
  cards: {card: {count: 4, start: hand(player_1)}}
  piles:
    hand: {per: player, holds: card, visible: owner}
    laid: {per: player, holds: card, visible: owner}
state: {n: {type: 0..9}}
phases:
  play: {turns: clockwise from player_1, rounds: 4, do: {all: run both}}
procedures:
  lay_all: {do: {them: move hand(me) to laid(me)}}
  both:
    do:
      in secret: |
        secretly ask players:
          act lay
      openly: act go
actions:
  lay: {do: {all: run lay_all}}
  go: {do: n += 1}
end: {somebody has laid: count(laid(player_1)) >= 1}
"""


def test_what_sealed_choices_call_counts_for_the_end_conditions_behind_them(tmp_path: Path) -> None:
    (tmp_path / "game.yaml").write_text(SECRET)
    machine = ludex.load(str(tmp_path / "game.yaml"), backend="interpreter").machine
    words = machine.start()
    for _ in range(2):
        player = machine.point(words).waiting[0][0]  # type: ignore[union-attr]
        machine.choose(words, player, machine.options(words, player)[0])
    assert isinstance(machine.point(words), OverPoint)
