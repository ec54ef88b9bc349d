"""The engine's random games against published figures.

Found by another independent program that was given to us with its figures, deciding uniformly
among legal actions with equal knights collapsed, in 20,000 four-player games: 68.57 ± .10 turns, mean
score 22.14 ± .03, wins in order of play .362 .271 .215 .152 (± .007).

Native code plays as many; the interpreter, which plays the same games, a few.
"""

from __future__ import annotations

from collections.abc import Iterator
from multiprocessing import get_context
from statistics import fmean, stdev

import pytest

import ludex
from ludex.backends.machine import Machine
from ludex.limits import MAX_DECISIONS
from ludex.rng import POLICY, Generator, derive

GAMES = 100
MANY_GAMES = 20_000
TOLERANCE = 4
"""Standard errors of the difference."""

TURNS, SCORE = 68.57, 22.14
WINS = (0.362, 0.271, 0.215, 0.152)
TURNS_ERROR, SCORE_ERROR, WINS_ERROR = 0.10 / 2, 0.03 / 2, 0.007 / 2
"""The published ± taken as two standard errors: so it is for the wins, sqrt(.362 * .638 / 20000) = .0034."""

Sample = list[float]
"""Of one game: turns, mean score, and what each player won, in order of play."""


def play(machine: Machine, seed: int) -> Sample:
    """A turn is counted where its first step is run; a win shared by n counts 1/n."""
    program = machine.program
    turn = next(i for i, rule in enumerate(program.rules) if rule.name == "one knight rides")
    before = machine.coverage.applied[turn]
    words = machine.start()
    decisions = machine.playout(words, Generator(seed), Generator(seed, POLICY), MAX_DECISIONS)
    assert decisions < MAX_DECISIONS
    turns = machine.coverage.applied[turn] - before
    starter = words[program.layout.field("starter").offset] - program.world.players.base
    won = machine.returns(words)
    in_order = [won[(starter + i) % program.players] for i in range(program.players)]
    return [turns, sum(map(sum, machine.lines(words))) / program.players, *in_order]


def sample(machine: Machine, seeds: range) -> list[Sample]:
    return [play(machine, derive(7, i)) for i in seeds]


def interpreted(seeds: range) -> list[Sample]:
    return sample(ludex.load("emerald", players=4).machine, seeds)


def check(samples: list[Sample]) -> None:
    expected = zip((TURNS, SCORE, *WINS), (TURNS_ERROR, SCORE_ERROR, *[WINS_ERROR] * 4), strict=True)
    columns = zip(*samples, strict=True)
    for number, (column, (value, error)) in enumerate(zip(columns, expected, strict=True)):
        own = stdev(column) / len(samples) ** 0.5
        allowed = TOLERANCE * (own**2 + error**2) ** 0.5
        assert abs(fmean(column) - value) <= allowed, (
            f"figure {number}: {fmean(column):.4f} ± {own:.4f}, published {value}"
        )


def test_random_games_agree_with_the_published_figures() -> None:
    check(interpreted(range(GAMES)))


def test_twenty_thousand_games_of_native_code_agree_with_the_published_figures() -> None:
    pytest.importorskip("wasmtime", reason="native code needs wasmtime")
    game = ludex.load("emerald", players=4, backend="wasm")
    check(sample(game.fastest_counting, range(MANY_GAMES)))


def parts(size: int) -> Iterator[range]:
    return (range(i, min(i + size, MANY_GAMES)) for i in range(0, MANY_GAMES, size))


@pytest.mark.long
def test_twenty_thousand_interpreted_games_agree_with_the_published_figures() -> None:
    with get_context("spawn").Pool() as pool:
        found = pool.map(interpreted, parts(1000), chunksize=1)
    check([one for part in found for one in part])
