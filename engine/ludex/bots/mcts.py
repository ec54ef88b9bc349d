"""Monte Carlo tree search: the tree grows where it seems worth while, and random continuations
judge its leaves. See `tree` for how."""

from __future__ import annotations

from collections.abc import Sequence

from ludex.bots.bot import PlayerView
from ludex.bots.ends import Ends
from ludex.bots.thinker import ThinkingBot
from ludex.bots.tree import Search
from ludex.game import Action
from ludex.limits import MAX_DECISIONS
from ludex.rng import Generator

PLAYOUTS = 1000
"""Playouts for a decision unless said otherwise: about a second of thought in native code."""


class TreeBot(ThinkingBot):
    """Spends a fixed number of playouts on each decision that has more than one action, and takes the
    action that was tried most; of several the one of the highest mean, and of these the first."""

    def __init__(self, rng: Generator, playouts: int = PLAYOUTS, max_decisions: int = MAX_DECISIONS) -> None:
        super().__init__(rng, playouts, max_decisions)

    def _best(self, view: PlayerView, actions: Sequence[Action]) -> int:
        walk = view.game.walk()
        walk.luck = self._new_luck()
        worlds = view.worlds(self._rng, walk)
        players = view.game.program.world.players.ids
        search = Search(walk, worlds, Ends(view), self._rng, players, players[view.seat])
        for _ in range(self._playouts):
            search.grow(self._max_decisions)
        visits = search.visits
        assert len(visits) == len(actions), ("the options are the same in all worlds", len(visits), actions)
        return max(range(len(actions)), key=visits.__getitem__)
