"""Monte Carlo tree search: the tree grows where it seems worth while, and random continuations
judge its leaves. See `tree` for how."""

from __future__ import annotations

from ludex.bots.bot import PlayerView
from ludex.bots.ends import Ends
from ludex.bots.montecarlo import new_luck
from ludex.bots.tree import Search
from ludex.game import Action
from ludex.limits import MAX_DECISIONS
from ludex.rng import Generator

PLAYOUTS = 1000
"""Playouts for a decision unless said otherwise: about a second of thought in native code."""


class TreeBot:
    """Spends a fixed number of playouts on each decision that has more than one action, and takes the
    action that was tried most; of several the one of the highest mean, and of these the first."""

    def __init__(self, rng: Generator, playouts: int = PLAYOUTS, max_decisions: int = MAX_DECISIONS) -> None:
        if playouts < 1:
            raise ValueError("a tree search needs at least one playout")
        self._rng = rng
        self._playouts = playouts
        self._max_decisions = max_decisions

    def choose(self, view: PlayerView) -> Action:
        actions = view.actions
        if len(actions) == 1:
            return actions[0]
        walk = view.game.walk()
        walk.luck = new_luck(self._rng)
        worlds = view.worlds(self._rng, walk)
        players = view.game.program.world.players.ids
        search = Search(walk, worlds, Ends(view), self._rng, players, players[view.seat])
        for _ in range(self._playouts):
            search.grow(self._max_decisions)
        visits = search.visits
        assert len(visits) == len(actions), ("the options are the same in all worlds", len(visits), actions)
        return actions[max(range(len(actions)), key=visits.__getitem__)]
