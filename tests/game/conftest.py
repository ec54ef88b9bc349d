"""The hand-made game of these tests, and random play on it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from coin_game import coin_game  # noqa: E402  (found beside this file)
from ludex.game import Game, State  # noqa: E402
from ludex.rng import Generator  # noqa: E402


@pytest.fixture(scope="session")
def game() -> Game:
    return coin_game()


def play(game: Game, seed: int, *, explicit: bool = False) -> Iterator[State]:
    """All states of a random game. Sealed choices arrive in random order."""
    rng = Generator(seed, 7)
    state = game.start(seed, explicit=explicit)
    yield state
    while not state.is_terminal:
        players = state.deciding
        player = players[rng.bounded(len(players))] if players else None
        actions = state.legal_actions(player)
        state = state.apply(actions[rng.bounded(len(actions))], player)
        yield state
