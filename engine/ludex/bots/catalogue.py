"""The bots there are, by the names used on the command line and in saves."""

from __future__ import annotations

from collections.abc import Mapping

from ludex.bots.bot import Bot
from ludex.bots.montecarlo import PLAYOUTS, MonteCarloBot
from ludex.bots.uniform import RandomBot
from ludex.diagnostics import did_you_mean
from ludex.rng import SEATS, Generator

BOTS: Mapping[str, str] = {
    "random": "plays any legal move",
    "mc": f"tries its moves in random continuations; mc:N with N playouts a decision ({PLAYOUTS})",
}

MAX_PLAYOUTS = 1_000_000


class BadBot(ValueError):
    """There is no such bot; the message says which there are."""


def normal_form(spec: str) -> str:
    """A bot's name in full (`mc` is `mc:48`). Raises `BadBot`."""
    name, playouts = _parse(spec)
    return name if playouts is None else f"{name}:{playouts}"


def make_bot(spec: str, seed: int, seat: int) -> Bot:
    """A bot by its name (`random`, `mc`, `mc:200`) for a seat, counted from 0. Raises `BadBot`.

    Its random numbers are stream 2 + `seat` of the game's seed.
    """
    _, playouts = _parse(spec)
    rng = Generator(seed, SEATS + seat)
    return RandomBot(rng) if playouts is None else MonteCarloBot(rng, playouts)


def _parse(spec: str) -> tuple[str, int | None]:
    """Name and playouts; None for the bot that needs none."""
    name, colon, budget = spec.strip().casefold().partition(":")
    if name not in BOTS:
        help = did_you_mean(name, BOTS) or "there are " + " and ".join(f"`{b}`" for b in BOTS)
        raise BadBot(f"there is no bot `{spec}`; {help}")
    if name == "random":
        if colon:
            raise BadBot(f"`{spec}`: the random bot takes no number")
        return name, None
    if not colon:
        return name, PLAYOUTS
    if not (budget.isascii() and budget.isdigit()) or not 1 <= int(budget) <= MAX_PLAYOUTS:
        raise BadBot(f"`{spec}`: the number of playouts is 1 to {MAX_PLAYOUTS}, as in mc:200")
    return name, int(budget)
