"""Random games: no man is lost, nothing faults, states survive as bytes, and the invariants would notice.

The numbers of men and where they may be are those of the rule model (T1, T6).
"""

from __future__ import annotations

from functools import cache

import pytest

import ludex
from ludex.backends.machine import ChancePoint, OverPoint, TurnPoint, Words
from ludex.game import Game
from ludex.limits import MAX_DECISIONS
from ludex.rng import POLICY, Generator, derive

from . import reference as ref
from .translation import Translation, options_for

SETTINGS = (
    ref.Config(),
    ref.Config("four", "strict", "optional", "ace_18", shut_out_loses=True),
    ref.Config("two", "strict", "most", "ace_7"),
)
LONG_GAMES = 2000
BETWEEN_CHECKS = 8
"""Decisions, in the long run."""


@cache
def loaded(config: ref.Config) -> Game:
    return ludex.load("todas_tablas", options=options_for(config))


def check(game: Game, translation: Translation, words: Words) -> None:
    men = [translation.men(words, player) for player in (0, 1)]
    assert [sum(side) for side in men] == [ref.MEN] * 2
    for point in range(1, 25):
        assert not (men[0][point] and men[1][25 - point]), f"both stand on {point}"
    if translation.active(words) is not None:
        assert sum(translation.dice(words).values()) <= 4
    assert game.machine.broken_invariants(words) == []


@pytest.mark.parametrize("config", SETTINGS, ids=str)
def test_no_man_is_lost_and_states_survive_as_bytes(config: ref.Config) -> None:
    game = loaded(config)
    machine, translation = game.machine, Translation(game)
    chance, policy = Generator(1), Generator(1, POLICY)
    words = machine.start()
    steps = 0
    while not isinstance(point := machine.point(words), OverPoint):
        check(game, translation, words)
        data = machine.pack(words)
        again = machine.unpack(data)
        assert machine.pack(again) == data and machine.point(again) == point
        if isinstance(point, TurnPoint):
            assert machine.options(again, point.player) == machine.options(words, point.player)
            choice = machine.sample_choice(words, point.player, policy)
            machine.choose(words, point.player, choice)
            machine.choose(again, point.player, choice)
        else:
            assert isinstance(point, ChancePoint)
            assert machine.outcomes(again) == machine.outcomes(words)
            outcome = machine.sample_outcome(words, chance)
            machine.resolve(words, outcome)
            machine.resolve(again, outcome)
        assert machine.pack(again) == machine.pack(words)
        steps += 1
    check(game, translation, words)
    assert steps > 50


@pytest.mark.parametrize(
    ("target", "broken"),
    [
        ("box", {"fifteen men of each"}),
        ("p13", {"no point is held by both"}),
        ("bar(black)", {"fifteen men of each", "bars and trays hold men of their owner alone"}),
    ],
)
def test_the_invariants_notice(target: str, broken: set[str]) -> None:
    """What no rule does is done by force."""
    game = loaded(ref.Config())
    machine, translation = game.machine, Translation(game)
    words = machine.start()
    for outcome in (6, 6, 1, 1, 3, 1):
        machine.resolve(words, outcome)
    assert machine.broken_invariants(words) == []
    translation.carry(words, 0, "p19", target)
    carried = machine.unpack(machine.pack(words))
    assert {game.program.rules[rule].name for rule in machine.broken_invariants(carried)} == broken


@pytest.mark.long
@pytest.mark.parametrize("config", SETTINGS, ids=str)
def test_thousands_of_random_games_lose_no_man(config: ref.Config) -> None:
    game = loaded(config)
    machine, translation = game.machine, Translation(game)
    for i in range(LONG_GAMES // (8 if config.must_play == "most" else 1)):
        seed = derive(3, i)
        chance, policy = Generator(seed), Generator(seed, POLICY)
        words = machine.start()
        decisions = 0
        while not isinstance(machine.point(words), OverPoint):
            decisions += machine.playout(words, chance, policy, BETWEEN_CHECKS)
            check(game, translation, words)
            assert decisions < MAX_DECISIONS, f"game {i} does not end"
