"""Random play, state by state."""

from __future__ import annotations

from collections.abc import Iterator

from ludex.game import Game, State
from ludex.rng import Generator


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
