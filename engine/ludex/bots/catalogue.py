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
from ludex.limits import MAX_DECISIONS
from ludex.rng import SEATS, Generator


@dataclass(frozen=True, slots=True)
class Thinker:
    """A kind of bot that thinks: how many playouts for a decision, unless said otherwise and at most.

    It is made with that number and, where that is said, with after how many random decisions a playout
    is broken off."""

    make: Callable[[Generator, int, int | None], Bot]
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
"""Behind the playouts may stand after how many random decisions they are broken off: `mc:100:300`.
Otherwise it is the horizon that the definition declares, or they are played to the end."""


class BadBot(ValueError):
    """There is no such bot; the message says which there are."""


def normal_form(spec: str) -> str:
    """A bot's name in full (`mc` is `mc:48`). Raises `BadBot`."""
    name, *numbers = _parse(spec)
    return ":".join((name, *map(str, numbers)))


def make_bot(spec: str, seed: int, seat: int) -> Bot:
    """A bot by its name (`random`, `mc`, `mcts:200`) for a seat, counted from 0. Raises `BadBot`.

    Its random numbers are stream 2 + `seat` of the game's seed.
    """
    name, *numbers = _parse(spec)
    rng = Generator(seed, SEATS + seat)
    if not numbers:
        return RandomBot(rng)
    playouts, *horizon = numbers
    return _THINKERS[name].make(rng, playouts, horizon[0] if horizon else None)


def _parse(spec: str) -> tuple[str, *tuple[int, ...]]:
    """Name, playouts if it has any, and after how many decisions they are broken off if that is said."""
    name, *numbers = spec.strip().casefold().split(":")
    if name not in BOTS:
        *others, last = (f"`{b}`" for b in BOTS)
        help = did_you_mean(name, BOTS) or f"there are {', '.join(others)} and {last}"
        raise BadBot(f"there is no bot `{spec}`; {help}")
    if name == "random":
        if numbers:
            raise BadBot(f"`{spec}`: the random bot takes no number")
        return (name,)
    thinker = _THINKERS[name]
    if not numbers:
        return name, thinker.playouts
    if len(numbers) > 2:
        raise BadBot(f"`{spec}`: two numbers at most, as in {name}:200:300")
    playouts, *horizon = numbers
    if not _is_number(playouts, thinker.most):
        raise BadBot(f"`{spec}`: the number of playouts is 1 to {thinker.most}, as in {name}:200")
    if horizon and not _is_number(horizon[0], MAX_DECISIONS):
        example = f"{name}:{playouts}:300"
        raise BadBot(
            f"`{spec}`: playouts are broken off after 1 to {MAX_DECISIONS} decisions, as in {example}"
        )
    return (name, *map(int, numbers))


def _is_number(text: str, most: int) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text) <= most
