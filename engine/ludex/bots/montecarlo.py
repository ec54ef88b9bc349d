"""Flat Monte Carlo: tries every action in random continuations, and takes the best on average.

For each of several *worlds* (what the player cannot see, dealt anew) every action is played
out once, all with the same random numbers: comparing actions in the same world under the
same luck needs far fewer playouts than comparing them under different luck.
"""

from __future__ import annotations

from ludex.bots.bot import PlayerView
from ludex.bots.ends import Ends
from ludex.game import Action
from ludex.game.faults import FAULTS
from ludex.game.worlds import Luck
from ludex.limits import MAX_DECISIONS
from ludex.rng import Generator

PLAYOUTS = 48
"""Playouts for a decision unless said otherwise: a moment of thought, in the interpreter a second or so."""


class MonteCarloBot:
    """Spends a fixed number of playouts on each decision, shared evenly by the legal actions.

    Each action gets at least one playout, so a decision with more actions than `playouts`
    costs one playout an action. The first of several equally good actions is taken.
    """

    def __init__(self, rng: Generator, playouts: int = PLAYOUTS, max_decisions: int = MAX_DECISIONS) -> None:
        if playouts < 1:
            raise ValueError("a Monte Carlo bot needs at least one playout")
        self._rng = rng
        self._playouts = playouts
        self._max_decisions = max_decisions

    def choose(self, view: PlayerView) -> Action:
        actions = view.actions
        if len(actions) == 1:
            return actions[0]
        walk, ends = view.game.walk(), Ends(view)
        worlds = view.worlds(self._rng, walk)
        sums = [0.0] * len(actions)
        me = view.game.program.world.players.ids[view.seat]
        for _ in range(max(1, self._playouts // len(actions))):
            world, luck = worlds.draw(), new_luck(self._rng)
            for number in range(len(actions)):
                try:
                    walk.begin(world)
                    walk.luck = luck
                    if walk.sealed:
                        walk.ask(me)
                    walk.count()
                    walk.choose(number)
                    values = ends.values(walk, finished=walk.playout(self._max_decisions))
                except FAULTS:
                    values = ends.nothing
                sums[number] += values[view.seat]
        return actions[max(range(len(actions)), key=lambda i: sums[i])]


def new_luck(rng: Generator) -> Luck:
    """Generators of their own for chance and random players."""
    first, second = [(rng.next(), rng.next(), rng.next(), rng.next()) for _ in range(2)]
    return first, second
