"""What a bot is, and what it gets to see."""

from __future__ import annotations

from typing import Protocol

from ludex.game import Action, Game, Observation, State
from ludex.game.worlds import Walk, Worlds
from ludex.rng import Generator


class PlayerView:
    """A state through the eyes of one player.

    Everything here is computed from what the player has seen; `worlds` deals what he cannot
    see anew, so that a bot may think ahead without knowing more than a person would.
    """

    __slots__ = ("_state", "player")

    def __init__(self, state: State, player: str) -> None:
        self._state = state
        self.player = player

    @property
    def game(self) -> Game:
        return self._state.game

    @property
    def seat(self) -> int:
        """The player's seat, counted from 0."""
        return self.game.players.index(self.player)

    @property
    def actions(self) -> tuple[Action, ...]:
        """The player's legal actions, in option order; at least one."""
        return self._state.legal_actions(self.player)

    def observe(self) -> Observation:
        return self._state.observation(self.player)

    def world(self, rng: Generator) -> State:
        """A state that agrees with all the player has seen, the rest dealt at random."""
        return self._state.determinize(self.player, rng)

    def worlds(self, rng: Generator, walk: Walk) -> Worlds:
        """As many of such states as are asked for, packed, for a search that takes steps by `walk`."""
        return self._state.worlds(self.player, rng, walk)


class Bot(Protocol):
    """Chooses actions for one seat. It may keep memory between calls, of one game only."""

    def choose(self, view: PlayerView) -> Action:
        """One of `view.actions`."""
        ...
