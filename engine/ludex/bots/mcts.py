"""Monte Carlo tree search: the tree grows where it seems worth while, and random continuations
judge its leaves. See `tree` for how."""

from __future__ import annotations

from collections.abc import Sequence

from ludex.bots.bot import PlayerView
from ludex.bots.ends import Ends
from ludex.bots.thinker import ThinkingBot
from ludex.bots.tree import Search
from ludex.game import Action
from ludex.rng import Generator

PLAYOUTS = 1000
"""Playouts for a decision unless said otherwise: about a second of thought in native code."""

FEW = 8
"""Playouts of an action after which it may drop out. Fewer say too little where much is left to luck:
docs/bots.md has what it cost to drop actions after one or two."""


class TreeBot(ThinkingBot):
    """Spends a fixed number of playouts on each decision that has more than one action.

    The actions come in rounds of equally many playouts, each with the better half of those of
    the round before (sequential halving: Z. Karnin, T. Koren, O. Somekh, ICML 2013; over trees:
    T. Pepels, T. Cazenave, M. Winands, M. Lanctot, Computer Games Workshop 2014). All that are
    left begin in the same worlds with the same luck. The best on average is taken, of several
    the first. With so few playouts that an action would have less than `FEW` in a round there are
    fewer rounds, the last with more actions; each action gets one playout at least.
    """

    def __init__(self, rng: Generator, playouts: int = PLAYOUTS, horizon: int | None = None) -> None:
        super().__init__(rng, playouts, horizon)

    def _best(self, view: PlayerView, actions: Sequence[Action], horizon: int) -> int:
        walk = view.game.walk()
        worlds = view.worlds(self._rng, walk)
        players = view.game.program.world.players.ids
        search = Search(walk, worlds, Ends(view), self._rng, players, players[view.seat])
        left = list(range(len(actions)))
        budget = max(self._playouts, len(left))
        rounds = max(1, min((len(left) - 1).bit_length(), budget // (FEW * len(left))))
        for coming in range(rounds, 0, -1):
            share = budget if coming == 1 else budget // coming // len(left) * len(left)
            for number in range(share):
                if number % len(left) == 0:
                    world, luck = worlds.draw(), self._new_luck()
                walk.luck = luck
                search.grow(left[number % len(left)], world, horizon)
            budget -= share
            left.sort(key=search.mean, reverse=True)
            del left[(len(left) + 1) // 2 :]
        return left[0]
