"""What all bots have in common that think ahead."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ludex.bots.bot import PlayerView
from ludex.game import Action
from ludex.game.worlds import Luck
from ludex.limits import MAX_DECISIONS
from ludex.rng import Generator


class ThinkingBot(ABC):
    """Spends a fixed number of playouts on each decision that has more than one action."""

    def __init__(self, rng: Generator, playouts: int, horizon: int | None = None) -> None:
        if playouts < 1:
            raise ValueError("a bot that thinks needs at least one playout")
        self._rng = rng
        self._playouts = playouts
        self._horizon = horizon

    def choose(self, view: PlayerView) -> Action:
        actions = view.actions
        if len(actions) == 1:
            return actions[0]
        heuristic = view.game.program.heuristic
        declared = MAX_DECISIONS if heuristic is None else heuristic.horizon
        return actions[self._best(view, actions, self._horizon or declared)]

    @abstractmethod
    def _best(self, view: PlayerView, actions: Sequence[Action], horizon: int) -> int:
        """The number of the action that is taken, of two or more. `horizon`: after how many decisions
        at random a playout is broken off."""

    def _new_luck(self) -> Luck:
        """Generators of their own for chance and random players."""
        rng = self._rng
        first, second = [(rng.next(), rng.next(), rng.next(), rng.next()) for _ in range(2)]
        return first, second
