"""Flat Monte Carlo: tries every action in random continuations, and takes the best on average.

For each of several *worlds* (what the player cannot see, dealt anew) every action is played
out once, all with the same random numbers: comparing actions in the same world under the
same luck needs far fewer playouts than comparing them under different luck.
"""

from __future__ import annotations

from collections.abc import Sequence

from ludex.bots.bot import PlayerView
from ludex.bots.ends import Ends
from ludex.bots.thinker import ThinkingBot
from ludex.game import Action
from ludex.game.faults import FAULTS
from ludex.rng import Generator

PLAYOUTS = 48
"""Playouts for a decision unless said otherwise: a moment of thought, in the interpreter a second or so."""


class MonteCarloBot(ThinkingBot):
    """Spends a fixed number of playouts on each decision, shared evenly by the legal actions.

    Each action gets at least one playout, so a decision with more actions than `playouts`
    costs one playout an action. The first of several equally good actions is taken.
    """

    def __init__(self, rng: Generator, playouts: int = PLAYOUTS, horizon: int | None = None) -> None:
        super().__init__(rng, playouts, horizon)

    def _best(self, view: PlayerView, actions: Sequence[Action], horizon: int) -> int:
        walk, ends = view.game.walk(), Ends(view)
        worlds = view.worlds(self._rng, walk)
        sums = [0.0] * len(actions)
        me = view.game.program.world.players.ids[view.seat]
        for _ in range(max(1, self._playouts // len(actions))):
            world, luck = worlds.draw(), self._new_luck()
            for number in range(len(actions)):
                try:
                    walk.begin(world)
                    walk.luck = luck
                    if walk.sealed:
                        walk.ask(me)
                    walk.count()
                    walk.choose(number)
                    values = ends.values(walk, finished=walk.playout(horizon))
                except FAULTS:
                    values = ends.nothing
                sums[number] += values[view.seat]
        return max(range(len(actions)), key=sums.__getitem__)
