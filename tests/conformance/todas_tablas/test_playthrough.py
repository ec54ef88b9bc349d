"""A recorded game, so that every change of behaviour is seen in review.

`UPDATE_PLAYTHROUGH=1 pytest tests/conformance/todas_tablas/test_playthrough.py` records it anew;
read the diff.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import ludex
from ludex.rng import POLICY, Generator

RECORDED = Path(__file__).with_name("playthrough.txt")
SEED = 1


def playthrough() -> Iterator[str]:
    game = ludex.load("todas_tablas")
    policy = Generator(SEED, POLICY)
    state = game.start(SEED)
    yield f"{game.definition.title}, seed {SEED}"
    yield from (f"    {line}" for line in state.log(None))
    number = 0
    while not state.is_terminal:
        assert state.decision is not None
        (player,) = state.decision.players
        actions = state.legal_actions(player)
        action = actions[policy.bounded(len(actions))]
        number += 1
        yield ""
        yield f"{number} {player}: {'  '.join(a.text for a in actions)}"
        yield f"  {action.text}: {action.label}"
        state = state.apply(action)
        yield from (f"    {line}" for line in state.log(None))
    yield ""
    yield f"ended by: {state.ended_by}"
    yield f"men borne off: {' '.join(map(str, state.scores.totals))}"
    yield f"ranking: {' '.join(map(str, state.ranking.values()))}"


def test_the_recorded_game_is_played_again() -> None:
    text = "\n".join(playthrough()) + "\n"
    if os.environ.get("UPDATE_PLAYTHROUGH"):
        RECORDED.write_text(text, encoding="utf-8")
    assert text.splitlines() == RECORDED.read_text(encoding="utf-8").splitlines()
