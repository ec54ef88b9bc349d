"""Positions reached at random, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import ludex
from ludex.adapters.position import Position, Table
from ludex.rng import CHANCE, POLICY, Generator

SKETCHES = Path(__file__).resolve().parents[1] / "sketches"

GAMES = {
    "tic_tac_toe": 2,
    "connect_four": 2,
    "backgammon": 2,
    "chess": 2,
    "leduc_poker": 3,
    "emerald": 3,
    "mekong": 3,
    "seven_tiles": 3,
    str(SKETCHES / "rummy.yaml"): 3,
    str(SKETCHES / "goofspiel.yaml"): 3,
    str(SKETCHES / "liars_dice.yaml"): 3,
}
"""Games with all sorts of things in them, and how many play: pieces, cards, tokens, dice, hidden hands,
stacks of which the top is seen, sealed choices, melds, amounts."""

LONG = {"chess": 9, "mekong": 41}
"""Decisions of those whose states take long to work out in words."""


def short(name: str) -> str:
    return Path(name).stem


@cache
def table(name: str, players: int | None = None) -> Table:
    return Table(ludex.load(name, players=players if players is not None else GAMES[name]))


def positions(of: Table, seed: int, most: int) -> Iterator[Position]:
    """A game played at random from its beginning, as far as so many decisions."""
    policy, chance = Generator(seed, POLICY), Generator(seed, CHANCE)
    position = of.begin(seed, chance)
    for _ in range(most):
        yield position
        if position.is_over:
            return
        seat = position.deciding[policy.bounded(len(position.deciding))]
        numbers = list(position.legal(seat))
        position = position.after(numbers[policy.bounded(len(numbers))], seat, chance)


def some(of: Table, seed: int, most: int, every: int) -> Iterator[Position]:
    """Every so many-th of them, the first one too."""
    for i, position in enumerate(positions(of, seed, most)):
        if i % every == 0:
            yield position
