"""Chance, which the lockstep games only take as it comes, and random games against the reference's own.

Tiles, the way they are turned and both first players are equally likely (C2, C4, C6, CA3). Games that
the engine plays by itself are as long and end as those of the reference with choices made alike: knights
that move in are chosen territory by territory, each number equally likely.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import cache
from statistics import fmean, stdev

import pytest

import ludex
from ludex.backends.machine import TurnPoint
from ludex.game import Game
from ludex.limits import MAX_DECISIONS
from ludex.rng import POLICY, Generator, derive

from . import reference as ref
from .translation import Translation

PLAYERS = 3
GAMES = 100
LONG_GAMES = 4000
SETUPS = 400
TOLERANCE = 4
"""Standard errors of the difference."""

Sample = list[float]
"""Of one game: conquests, points in all, points of the first, knights left in all, shared victories."""


@cache
def loaded() -> tuple[Game, Translation]:
    game = ludex.load("seven_tiles", players=PLAYERS)
    return game, Translation(game, ref.Config(PLAYERS))


def engine_sample(seed: int) -> Sample:
    game, translation = loaded()
    machine = game.machine
    conquest = next(
        i for i, rule in enumerate(game.program.rules) if rule.name == "the defenders leave the game"
    )
    before = machine.coverage.applied[conquest]
    words = machine.start()
    machine.playout(words, Generator(seed), Generator(seed, POLICY), MAX_DECISIONS)
    conquests = machine.coverage.applied[conquest] - before
    points = [sum(own) for own in zip(*machine.lines(words), strict=True)]
    left = sum(translation.position(words)["knights"].values())
    return [conquests, sum(points), max(points), left, machine.ranking(words).count(1) > 1]


def reference_sample(seed: int) -> Sample:
    game = ref.random_game(ref.Config(PLAYERS), random.Random(seed))
    return [game.conquests, sum(game.scores), max(game.scores), sum(game.left), game.ranks.count(1) > 1]


def check(engine: list[Sample], reference: list[Sample]) -> None:
    for number, (ours, theirs) in enumerate(
        zip(zip(*engine, strict=True), zip(*reference, strict=True), strict=True)
    ):
        error = (stdev(ours) ** 2 / len(ours) + stdev(theirs) ** 2 / len(theirs)) ** 0.5
        difference = fmean(ours) - fmean(theirs)
        assert abs(difference) <= TOLERANCE * error, (
            f"figure {number}: {fmean(ours):.3f}, {fmean(theirs):.3f}"
        )


def test_random_games_are_as_those_of_the_reference() -> None:
    check([engine_sample(derive(3, i)) for i in range(GAMES)], [reference_sample(i) for i in range(GAMES)])


@pytest.mark.long
def test_thousands_of_random_games_are_as_those_of_the_reference() -> None:
    games = range(LONG_GAMES)
    check([engine_sample(derive(3, i)) for i in games], [reference_sample(i) for i in games])


def chi_square(found: Counter[int], values: Sequence[int]) -> float:
    """In standard deviations from what equally likely values give."""
    assert found.keys() <= set(values)
    expected = found.total() / len(values)
    free = len(values) - 1
    return float((sum((found[v] - expected) ** 2 / expected for v in values) - free) / (2 * free) ** 0.5)


def test_all_setups_are_equally_likely() -> None:
    game, translation = loaded()
    machine = game.machine
    middle: Counter[int] = Counter()
    east: Counter[int] = Counter()
    turned: Counter[int] = Counter()
    starters: Counter[int] = Counter()
    for i in range(SETUPS):
        chance = Generator(derive(5, i))
        words = machine.start()
        while not isinstance(machine.point(words), TurnPoint):
            machine.resolve(words, machine.sample_outcome(words, chance))
        board = translation.board(words)
        middle[board.tiles[0]] += 1
        east[board.tiles[2]] += 1
        turned.update(board.turned)
        starters[translation.player(translation.number(words, "starter"))] += 1
    for found, values in (
        (middle, ref.TILES),
        (east, ref.TILES),
        (turned, range(ref.SIDES)),
        (starters, range(PLAYERS)),
    ):
        assert abs(chi_square(found, values)) < TOLERANCE
