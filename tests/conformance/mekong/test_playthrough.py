"""A recorded game, so that every change of behaviour is seen in review.

`UPDATE_PLAYTHROUGH=1 pytest tests/conformance/mekong/test_playthrough.py` records it anew; read the diff.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import ludex
from ludex.game import State
from ludex.rng import POLICY, Generator

RECORDED = Path(__file__).with_name("playthrough.txt")
SEED = 4
ROUNDS = 5


def news(state: State) -> Iterator[str]:
    """The last step as a spectator saw it, and what player 2 saw otherwise (`>`)."""
    public = [str(line) for line in state.log(None)]
    own = [str(line) for line in state.log("player_2")]
    yield from (f"    {line}" for line in public)
    yield from (f"  > {line}" for line in own if line not in public)


def playthrough() -> Iterator[str]:
    game = ludex.load("mekong", players=3, options={"round_cap": ROUNDS})
    policy = Generator(SEED, POLICY)
    state = game.start(SEED)
    yield f"{game.definition.title}, players {len(game.players)}, seed {SEED}"
    yield from news(state)
    number = 0
    while not state.is_terminal:
        assert state.decision is not None
        players = state.decision.players
        player = players[policy.bounded(len(players))]
        actions = state.legal_actions(player)
        action = actions[policy.bounded(len(actions))]
        number += 1
        yield ""
        yield f"{number} {player} of {' '.join(players)}, {state.decision.about}"
        yield f"  {'  '.join(a.text for a in actions)}"
        yield f"  {action.text}: {action.label}"
        state = state.apply(action, player)
        yield from news(state)
    yield ""
    yield f"ended by: {state.ended_by}"
    yield f"ranking: {' '.join(map(str, state.ranking.values()))}"


def test_the_recorded_game_is_played_again() -> None:
    text = "\n".join(playthrough()) + "\n"
    if os.environ.get("UPDATE_PLAYTHROUGH"):
        RECORDED.write_text(text, encoding="utf-8")
    assert text.splitlines() == RECORDED.read_text(encoding="utf-8").splitlines()
