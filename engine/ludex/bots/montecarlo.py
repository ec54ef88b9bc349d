"""Flat Monte Carlo: tries every action in random continuations, and takes the best on average.

For each of several *worlds* (what the player cannot see, dealt anew) every action is played
out once, all with the same random numbers: comparing actions in the same world under the
same luck needs far fewer playouts than comparing them under different luck.
"""

from __future__ import annotations

from ludex.bots.bot import PlayerView
from ludex.game import Action, RuleFault
from ludex.game.playout import Playout
from ludex.limits import MAX_DECISIONS
from ludex.rng import CHANCE, POLICY, Generator

PLAYOUTS = 48
"""Playouts for a decision unless said otherwise: a second or so of thought in the interpreter."""

_MARGIN = 0.01
"""Weight of the score margin, which decides only between actions that win equally often."""


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
        sums = [0.0] * len(actions)
        for _ in range(max(1, self._playouts // len(actions))):
            world = view.world(self._rng)
            luck = self._rng.next()
            playout = view.game.playout(world)
            for i, action in enumerate(world.legal_actions(view.player)):
                playout.reset()
                sums[i] += self._value(playout, action, view.seat, luck)
        return actions[max(range(len(actions)), key=lambda i: sums[i])]

    def _value(self, playout: Playout, action: Action, seat: int, luck: int) -> float:
        """What the seat gets at the end of one playout: its utility and a little for its margin."""
        chance, policy = Generator(luck, CHANCE), Generator(luck, POLICY)
        try:
            playout.apply(action, chance)
            finished = playout.run(chance, policy, self._max_decisions)
        except RuleFault:  # a mistake in the definition; it will show when it is really played
            return 0.0
        totals = playout.totals
        others = [t for i, t in enumerate(totals) if i != seat]
        margin = totals[seat] - max(others) if others else totals[seat]
        utility = playout.returns[seat] if finished else 0.0
        return utility + _MARGIN * margin / (1 + abs(margin))
