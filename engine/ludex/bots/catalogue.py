"""The bots there are, by the names used on the command line and in saves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ludex.bots import mcts, montecarlo
from ludex.bots.bot import Bot
from ludex.bots.mcts import TreeBot
from ludex.bots.montecarlo import MonteCarloBot
from ludex.bots.uniform import RandomBot
from ludex.diagnostics import did_you_mean
from ludex.rng import SEATS, Generator


@dataclass(frozen=True, slots=True)
class Thinker:
    """A kind of bot that thinks: how many playouts for a decision, unless said otherwise and at most."""

    make: Callable[[Generator, int], Bot]
    playouts: int
    most: int


_THINKERS: Mapping[str, Thinker] = {
    "mc": Thinker(MonteCarloBot, montecarlo.PLAYOUTS, 1_000_000),
    "mcts": Thinker(TreeBot, mcts.PLAYOUTS, 200_000),
}

BOTS: Mapping[str, str] = {
    "random": "plays any legal move",
    "mc": f"tries its moves in random continuations; mc:N with N playouts a decision ({montecarlo.PLAYOUTS})",
    "mcts": f"searches a tree; mcts:N with N playouts a decision ({mcts.PLAYOUTS})",
}


class BadBot(ValueError):
    """There is no such bot; the message says which there are."""


def normal_form(spec: str) -> str:
    """A bot's name in full (`mc` is `mc:48`). Raises `BadBot`."""
    name, playouts = _parse(spec)
    return name if playouts is None else f"{name}:{playouts}"


def make_bot(spec: str, seed: int, seat: int) -> Bot:
    """A bot by its name (`random`, `mc`, `mcts:200`) for a seat, counted from 0. Raises `BadBot`.

    Its random numbers are stream 2 + `seat` of the game's seed.
    """
    name, playouts = _parse(spec)
    rng = Generator(seed, SEATS + seat)
    return RandomBot(rng) if playouts is None else _THINKERS[name].make(rng, playouts)


def _parse(spec: str) -> tuple[str, int | None]:
    """Name and playouts; None for the bot that needs none."""
    name, colon, budget = spec.strip().casefold().partition(":")
    if name not in BOTS:
        *others, last = (f"`{b}`" for b in BOTS)
        help = did_you_mean(name, BOTS) or f"there are {', '.join(others)} and {last}"
        raise BadBot(f"there is no bot `{spec}`; {help}")
    if name == "random":
        if colon:
            raise BadBot(f"`{spec}`: the random bot takes no number")
        return name, None
    thinker = _THINKERS[name]
    if not colon:
        return name, thinker.playouts
    if not (budget.isascii() and budget.isdigit()) or not 1 <= int(budget) <= thinker.most:
        raise BadBot(f"`{spec}`: the number of playouts is 1 to {thinker.most}, as in {name}:200")
    return name, int(budget)
