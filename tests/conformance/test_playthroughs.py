"""Recorded games, so that every change of behaviour is seen in review.

`UPDATE_PLAYTHROUGH=1 pytest tests/conformance/test_playthroughs.py` records them anew; read the diff.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import ludex
from ludex.game import Game, State
from ludex.rng import POLICY, Generator

GAMES = [
    ("emerald", 4, {}, 1),
    ("mekong", 3, {"round_cap": 5}, 4),
    ("seven_tiles", 4, {}, 1),
    ("todas_tablas", 2, {}, 1),
]
"""Name, players, options, seed."""


def news(state: State) -> Iterator[str]:
    """The last step as a spectator saw it, and what player 2 saw otherwise (`>`)."""
    public = [str(line) for line in state.log(None)]
    own = [str(line) for line in state.log(state.game.players[1])]
    yield from (f"    {line}" for line in public)
    yield from (f"  > {line}" for line in own if line not in public)


def playthrough(game: Game, seed: int) -> Iterator[str]:
    policy = Generator(seed, POLICY)
    state = game.start(seed)
    yield f"{game.definition.title}, players {len(game.players)}, seed {seed}"
    yield from news(state)
    number = 0
    while not state.is_terminal:
        assert state.decision is not None
        players = state.decision.players
        player = players[policy.bounded(len(players))] if len(players) > 1 else players[0]
        actions = state.legal_actions(player)
        action = actions[policy.bounded(len(actions))]
        number += 1
        yield ""
        yield f"{number} {player}, {state.decision.about}"
        if len(players) > 1:
            yield f"  as well: {' '.join(p for p in players if p != player)}"
        yield f"  {'  '.join(a.text for a in actions)}"
        yield f"  {action.text}: {action.label}"
        state = state.apply(action, player)
        yield from news(state)
    yield ""
    yield f"ended by: {state.ended_by}"
    for line in state.scores.lines:
        yield f"{line.name}: {' '.join(map(str, line.values))}"
    yield f"total: {' '.join(map(str, state.scores.totals))}"
    yield f"ranking: {' '.join(map(str, state.ranking.values()))}"


@pytest.mark.parametrize(("name", "players", "options", "seed"), GAMES, ids=[game[0] for game in GAMES])
def test_the_recorded_game_is_played_again(
    name: str, players: int, options: dict[str, object], seed: int
) -> None:
    game = ludex.load(name, players=players, options=options)
    text = "\n".join(playthrough(game, seed)) + "\n"
    recorded = Path(__file__).parent / name / "playthrough.txt"
    if os.environ.get("UPDATE_PLAYTHROUGH"):
        recorded.write_text(text, encoding="utf-8")
    assert text.splitlines() == recorded.read_text(encoding="utf-8").splitlines()
