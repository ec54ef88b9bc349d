"""Where nothing is hidden of what a value rests on, `Secrets` looks no closer: that changes no answer."""

from __future__ import annotations

import random

import pytest

import ludex
from ludex.cli.board import Board
from ludex.game import Game, State, Turn
from ludex.game.secrets import Secrets


def positions(game: Game, seed: int, number: int) -> list[State]:
    """Some of a random game, from its first decision on."""
    rng = random.Random(seed)
    state, found = game.start(seed=seed), []
    while len(found) < number and isinstance(state.decision, Turn):
        found.append(state)
        for _ in range(12):
            if not isinstance(state.decision, Turn):
                break
            player = state.decision.player
            state = state.apply(rng.choice(state.legal_actions(player)), player)
    return found


def told(game: Game, states: list[State]) -> list[object]:
    """What is drawn, and the scores as each viewer is told them."""
    board = Board(game)
    viewers = (None, *game.players)
    return [(board.draw(s, v, 100), s.observation(v).scores) for s in states for v in viewers]


@pytest.mark.parametrize(("name", "players"), [("emerald", 3), ("seven_tiles", 3), ("backgammon", 2)])
def test_looking_closer_finds_the_same(name: str, players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    game = ludex.load(name, players=players)
    states = positions(game, seed=players, number=3)
    assert len(states) == 3
    seen: set[bool] = set()
    shortcut = Secrets._source_open

    def noted(self: Secrets, source: tuple[str, str]) -> bool:
        seen.add(shortcut(self, source))
        return shortcut(self, source)

    monkeypatch.setattr(Secrets, "_source_open", noted)
    quickly = told(game, [game.from_bytes(s.to_bytes()) for s in states])
    assert seen == ({True, False} if name == "emerald" else {True})  # the others hide nothing that they draw
    monkeypatch.setattr(Secrets, "_source_open", lambda self, source: False)
    assert told(game, [game.from_bytes(s.to_bytes()) for s in states]) == quickly
