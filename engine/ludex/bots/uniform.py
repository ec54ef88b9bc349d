"""The random bot: every legal action is equally likely."""

from __future__ import annotations

from ludex.bots.bot import PlayerView
from ludex.game import Action
from ludex.rng import Generator


class RandomBot:
    """Uniform among the legal actions. Draws no random number when there is only one."""

    def __init__(self, rng: Generator) -> None:
        self.rng = rng

    def choose(self, view: PlayerView) -> Action:
        actions = view.actions
        return actions[0] if len(actions) == 1 else actions[self.rng.bounded(len(actions))]
