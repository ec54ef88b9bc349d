"""Random games: nothing is lost, nothing faults, states survive as bytes, and the game ends in time.

The numbers of tiles and knights and where they may be are those of the rule model (C1-C14).
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
from .translation import Translation

Options = tuple[tuple[str, str | bool], ...]

SETTINGS: tuple[tuple[int, Options], ...] = (
    (2, ()),
    (3, (("castles", True),)),
    (4, (("map", "mixed"), ("hollow_conquest", True), ("empty_may_be_taken", True))),
)
LONG_GAMES = 3000
BETWEEN_CHECKS = 8
"""Decisions, in the long run."""


@cache
def loaded(players: int, options: Options) -> tuple[Game, Translation]:
    game = ludex.load("seven_tiles", players=players, options=dict(options))
    config = ref.Config(players, map="M28" if ("map", "mixed") in options else "U28")
    return game, Translation(game, config)


def check(game: Game, translation: Translation, words: Words) -> list[int]:
    """What holds at every decision; returns the knights discarded so far, by player."""
    found = translation.position(words)
    own = [0] * len(game.players)
    for territory, player in found["owner"].items():
        own[player] += found["knights"][territory]
    totals = [sum(n) for n in zip(own, found["reserve"], found["discarded"], strict=True)]
    assert totals == [ref.KNIGHTS[len(game.players)]] * len(game.players)
    assert max(found["knights"].values()) <= 5
    assert sum(found["knights"].values()) == sum(own), "two owners in one territory"
    board = translation.board(words)
    assert sorted(board.tiles) == [1, 2, 3, 4, 5, 6, 7]
    assert all(0 <= n < 6 for n in board.turned)
    assert game.machine.broken_invariants(words) == []
    return list(found["discarded"])


@pytest.mark.parametrize(("players", "options"), SETTINGS)
def test_nothing_is_lost_and_states_survive_as_bytes(players: int, options: Options) -> None:
    game, translation = loaded(players, options)
    machine = game.machine
    for seed in range(2):
        chance, policy = Generator(seed), Generator(seed, POLICY)
        words = machine.start()
        while not isinstance(point := machine.point(words), OverPoint):
            again = machine.unpack(machine.pack(words))
            assert machine.pack(again) == machine.pack(words)
            assert machine.point(again) == point
            if isinstance(point, ChancePoint):
                assert machine.outcomes(again) == machine.outcomes(words)
                outcome = machine.sample_outcome(words, chance)
                machine.resolve(again, outcome)
                machine.resolve(words, outcome)
            else:
                assert isinstance(point, TurnPoint)
                check(game, translation, words)
                assert machine.options(again, point.player) == machine.options(words, point.player)
                assert machine.lines(again) == machine.lines(words)
                choice = machine.sample_choice(words, point.player, policy)
                machine.choose(again, point.player, choice)
                machine.choose(words, point.player, choice)
            assert machine.pack(again) == machine.pack(words)
        discarded = check(game, translation, words)
        assert sum(discarded) < 72  # somebody is left


@pytest.mark.long
@pytest.mark.parametrize(("players", "options"), SETTINGS)
def test_thousands_of_random_games_lose_nothing(players: int, options: Options) -> None:
    game, translation = loaded(players, options)
    machine = game.machine
    for i in range(LONG_GAMES):
        seed = derive(players, i)
        chance, policy = Generator(seed), Generator(seed, POLICY)
        words = machine.start()
        decisions, before = 0, [0] * players
        while not isinstance(machine.point(words), OverPoint):
            decisions += machine.playout(words, chance, policy, BETWEEN_CHECKS)
            discarded = check(game, translation, words)
            assert all(now >= then for now, then in zip(discarded, before, strict=True))
            before = discarded
            assert decisions < MAX_DECISIONS, f"game {i} does not end"
