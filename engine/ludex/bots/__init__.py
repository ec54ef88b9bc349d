"""Bots: players that are programs. They see what a player sees, and nothing else.

A bot is given a `PlayerView`, never a state, so that it cannot cheat even by mistake. Its
random numbers come from its own stream, derived from the game's seed and its seat: the same
seed gives the same game. Budgets are counted in playouts, never in seconds, so that results
repeat on any machine. May import: `game`, `rng` and what those import.
"""

from ludex.bots.bot import Bot, PlayerView
from ludex.bots.catalogue import BOTS, BadBot, make_bot, normal_form
from ludex.bots.mcts import TreeBot
from ludex.bots.montecarlo import MonteCarloBot
from ludex.bots.uniform import RandomBot

__all__ = [
    "BOTS",
    "BadBot",
    "Bot",
    "MonteCarloBot",
    "PlayerView",
    "RandomBot",
    "TreeBot",
    "make_bot",
    "normal_form",
]
