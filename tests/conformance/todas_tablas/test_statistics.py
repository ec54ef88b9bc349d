"""Random games of the engine against as many of the reference, which has its own generator and policy.

Lockstep compares what may happen; this compares how often it does: that dice and choices are drawn
evenly, and that the first player is.
"""

from __future__ import annotations

import random
from statistics import fmean, stdev

import pytest

import ludex
from ludex.game import Game
from ludex.limits import MAX_DECISIONS
from ludex.rng import POLICY, Generator, derive

from . import reference as ref
from .translation import Translation

GAMES = 30
LONG_GAMES = 2000
TOLERANCE = 4
"""Standard errors of the difference."""

FIGURES = ("decisions", "won by White", "men left to the loser")


def of_engine(game: Game, translation: Translation, seed: int) -> list[float]:
    machine = game.machine
    words = machine.start()
    decisions = machine.playout(words, Generator(seed), Generator(seed, POLICY), MAX_DECISIONS)
    assert decisions < MAX_DECISIONS
    won = machine.returns(words)[0] == 1
    return [decisions, won, ref.MEN - translation.men(words, int(won))[ref.OFF]]


def of_reference(rng: random.Random) -> list[float]:
    found = ref.random_game(ref.Config(), rng)
    assert found.winner is not None
    return [found.decisions, found.winner == 0, ref.MEN - found.board.men[1 - found.winner][ref.OFF]]


def compare(games: int) -> None:
    game = ludex.load("todas_tablas")
    translation, rng = Translation(game), random.Random(5)
    engine = [of_engine(game, translation, derive(11, i)) for i in range(games)]
    reference = [of_reference(rng) for _ in range(games)]
    columns = zip(FIGURES, zip(*engine, strict=True), zip(*reference, strict=True), strict=True)
    for name, found, expected in columns:
        error = ((stdev(found) ** 2 + stdev(expected) ** 2) / games) ** 0.5
        assert abs(fmean(found) - fmean(expected)) <= TOLERANCE * error, (
            f"{name}: {fmean(found):.2f}, the reference has {fmean(expected):.2f} ± {error:.2f}"
        )


def test_random_games_are_as_those_of_the_reference() -> None:
    compare(GAMES)


def test_the_comparison_would_notice_other_rules() -> None:
    """Games last longer where all men begin far behind."""
    rng = random.Random(5)
    usual = [of_reference(rng)[0] for _ in range(GAMES)]
    other = [ref.random_game(ref.Config(layout="querki"), rng).decisions for _ in range(GAMES)]
    error = ((stdev(usual) ** 2 + stdev(other) ** 2) / GAMES) ** 0.5
    assert abs(fmean(usual) - fmean(other)) > TOLERANCE * error


@pytest.mark.long
def test_thousands_of_random_games_are_as_those_of_the_reference() -> None:
    compare(LONG_GAMES)
