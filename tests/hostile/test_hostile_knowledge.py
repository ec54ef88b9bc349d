"""Games made so that working out what a player knows, or dealing it anew, takes as long as can be."""

from __future__ import annotations

import pytest
from confined import confined
from hostile_definitions import definition, made, steps

from ludex.game import knowledge
from ludex.rng import Generator

MANY = """components:
  cards:
    card: {per: {v: 1..1800}, start: deck}
  piles:
    deck: {holds: card, visible: none}
    heap: {count: 1800, holds: card, visible: none}"""

APART = """for each c in card:
  move c to heap(c.v)
for each c in card:
  move c to heap(1 + (c.v * 7) mod 1800)"""
"""Every card has been at places of its own."""

ROUND = """repeat 20:
  for each c in card:
    move c to heap(1)
  move card at heap(1) to deck"""

SEALED = """actions:
  go: {do: {it grows: n += 1}}
state:
  n: {type: 0..99}
  plan: {per: player, type: 0..9, visible: owner}
setup:
  plans: for each p in players do plan(p) = random k in 1..9
phases:
  play:
    turns: clockwise from player(1)
    do:
      all plan: |
        secretly ask players:
          while plan(me) != 5:
            choose m in 1..2:
              plan(me) = plan(me)
      one: act go"""


def looked_at(text: str) -> object:
    """Plays a decision, and looks at the position as each sees it."""
    knowledge.MAX_WORK = 1 << 20  # type: ignore[misc]  # lest the test take as long as is allowed
    game = made(text)
    state = game.start(seed=1)
    state = state.apply(state.legal_actions()[0])
    given_up = False
    for viewer in (None, game.players[0]):
        known = state.known(viewer)
        world = state.determinize(viewer, Generator(3))
        assert world.observation(viewer).to_json() == state.observation(viewer).to_json()
        assert world.known(viewer) == known
        given_up |= state.at.entry.beliefs[game.context.bit(viewer)].is_given_up
    return given_up


@pytest.mark.parametrize("text", [steps(APART, components=MANY), steps(ROUND, components=MANY)])
def test_what_is_known_is_given_up_before_it_takes_too_long(text: str) -> None:
    outcome = confined(lambda: looked_at(text), cpu=30)
    assert outcome.value is True, outcome
    assert outcome.seconds < 15


def test_a_sealed_choice_without_end_in_a_world_that_was_dealt() -> None:
    def play() -> object:
        game = made(definition(components="components: {spaces: {camp: 1}}", **sections(SEALED)))
        for seed in range(200):
            state = game.start(seed=seed)
            if state.deciding == ("player_1",) and state.at.sealed is not None:
                return state.determinize("player_1", Generator(1)).deciding
        return None

    outcome = confined(play)
    assert outcome.value is not None and "player_1" in outcome.value, outcome


def sections(text: str) -> dict[str, str]:
    """Sections of a definition by their names."""
    starts = [i for i in range(len(text)) if (i == 0 or text[i - 1] == "\n") and text[i] != " "]
    parts = [text[a:b].rstrip() for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
    return {part.partition(":")[0]: part for part in parts}
