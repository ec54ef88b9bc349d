"""The engine and the hand-written reference play the same games, and must agree at every step.

The engine's dice are told to the reference. At every decision and before every throw all men must
stand alike, and the same player must be to move with the same dice and the same options; every die must
have six outcomes of equal weight; at the end the winner, the scores and the reason must be the same.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import pytest

import ludex
from ludex.backends.machine import ChancePoint, OverPoint, TurnPoint, Words
from ludex.game import Game
from ludex.rng import Generator

from . import reference as ref
from .translation import Translation, options_for, reference_position

DEFAULT = ref.Config()
SINGLY = (
    DEFAULT,
    replace(DEFAULT, doubles="four"),
    replace(DEFAULT, bear_off="strict"),
    replace(DEFAULT, must_play="optional"),
    replace(DEFAULT, shut_out_loses=True),
    *(replace(DEFAULT, layout=layout) for layout in ref.LAYOUTS if layout != DEFAULT.layout),
)
TOGETHER = (
    ref.Config("four", "strict", "each", "ace_7", shut_out_loses=True),
    ref.Config("four", "beyond", "optional", "ace_18", shut_out_loses=True),
    ref.Config("two", "strict", "optional", "querki"),
)
SEARCHING = (
    replace(DEFAULT, must_play="most"),
    ref.Config("four", "strict", "most", "ace_12"),
    ref.Config("two", "strict", "most", "ace_18", shut_out_loses=True),
)
"""Where all dice that can be played must be, so that each decision looks ahead."""

EVERYTHING = [
    ref.Config(*values)
    for values in product(
        ("two", "four"), ("beyond", "strict"), ("each", "most", "optional"), ref.LAYOUTS, (False, True)
    )
]
GAMES = 16
SEARCHING_GAMES = 4
LONG_GAMES = 40


@cache
def loaded(config: ref.Config) -> Game:
    return ludex.load("todas_tablas", options=options_for(config))


class Taste:
    """How a random player chooses: uniformly, or with a leaning, so that games differ and rare things happen.

    Who runs with his last men is hit and shut out less, and bears off sooner; who hits and stays behind
    closes points and meets full bars.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._uniform = rng.random() < 0.2
        self._forward = [rng.choice((-0.15, -0.05, 0.05, 0.15)) for _ in range(2)]
        self._hits = [rng.choice((0.3, 1.0, 8.0)) for _ in range(2)]
        self._makes_points = [rng.choice((1.0, 8.0)) for _ in range(2)]
        self._stops = rng.choice((0.02, 0.3))

    def choose(self, game: ref.Game, options: list[ref.Option]) -> ref.Option:
        if self._uniform:
            return self._rng.choice(options)
        return self._rng.choices(options, [self._weight(game, option) for option in options])[0]

    def _weight(self, game: ref.Game, option: ref.Option) -> float:
        if option == ("stop",):
            return self._stops
        player = game.active
        start = ref.BAR if option[0] == "enter" else int(option[1])
        goal = start + int(option[-1])
        if goal > ref.LAST:
            return 8.0
        weight = float(2.0 ** (self._forward[player] * start))
        if game.board.enemies(player, goal) == 1:
            weight *= self._hits[player]
        if game.board.men[player][goal] == 1:
            weight *= self._makes_points[player]
        return weight


class Lockstep:
    """One game played by both."""

    def __init__(
        self,
        game: Game,
        translation: Translation,
        config: ref.Config,
        seed: int,
        start: list[list[int]] | None = None,
    ) -> None:
        self.machine = game.machine
        self.translation = translation
        self.chance = Generator(seed)
        self.taste = Taste(random.Random(seed))
        self.reference = ref.Game(config)
        self.start = start
        """Where the men stand before the first turn is thrown for; as the rules say if None."""
        self.thrown: list[int] = []
        self.seen: Counter[str] = Counter()
        self.trace: list[Any] = []

    def play(self) -> None:
        words = self.machine.start()
        try:
            while not isinstance(point := self.machine.point(words), OverPoint):
                if self.start is not None and self.reference.phase == "throw" and not self.thrown:
                    words = self.translation.placed(words, self.start)
                    self.reference.board.men, self.start = self.start, None
                if isinstance(point, ChancePoint):
                    self._resolve(words)
                else:
                    assert isinstance(point, TurnPoint)
                    self._decide(words, point)
            self._finish(words)
        except AssertionError as error:
            error.add_note(f"after {self.trace[-12:]}")
            raise

    def _resolve(self, words: Words) -> None:
        """Two dice are one throw: six outcomes and six are thirty-six of equal weight."""
        pending = self.reference.pending
        assert pending is not None and pending.type == "chance"
        assert self.machine.outcomes(words) == [(face, 1) for face in range(1, ref.SIDES + 1)]
        if not self.thrown:
            self._compare(words)
            assert pending.who == (self.translation.active(words) or 0) or self.reference.phase == "opening"
        outcome = self.machine.sample_outcome(words, self.chance)
        self.machine.resolve(words, outcome)
        self.thrown.append(outcome)
        if len(self.thrown) == 2:
            first, second = self.thrown
            self.thrown = []
            assert ((first, second), 1) in pending.options and len(pending.options) == ref.SIDES**2
            self._apply((first, second))
            self._look(first == second)

    def _look(self, is_double: bool) -> None:
        if self.reference.phase == "opening":
            return
        self.seen["doublet"] += is_double
        self.seen["shut out"] += any(self.reference.board.is_shut_out(p) for p in (0, 1))

    def _decide(self, words: Words, point: TurnPoint) -> None:
        assert not self.thrown, "a decision between two dice"
        self._compare(words)
        pending = self.reference.pending
        assert pending is not None and pending.type == "decision"
        assert pending.who == self.translation.player(point.player) == self.translation.active(words)
        assert self.translation.dice(words) == Counter(self.reference.dice)
        options = self.translation.options(words, point)
        assert set(pending.options) == options.keys()
        option = self.taste.choose(self.reference, list(options))
        self.seen[str(option[0])] += 1
        if option[0] == "move" and int(option[1]) + int(option[2]) > ref.LAST:
            self.seen["off"] += 1
        self._apply(option)
        self.machine.choose(words, point.player, options[option])

    def _apply(self, choice: Any) -> None:
        self.trace.append(choice)
        self.reference.apply(choice)

    def _compare(self, words: Words) -> None:
        found, expected = self.translation.position(words), reference_position(self.reference)
        assert found == expected

    def _finish(self, words: Words) -> None:
        reference, winner = self.reference, self.reference.winner
        assert reference.pending is None and winner is not None
        self._compare(words)
        assert self.machine.returns(words) == [float(p == winner) for p in (0, 1)]
        assert self.machine.ranking(words) == [1 + (p != winner) for p in (0, 1)]
        (borne_off,) = self.machine.lines(words)
        assert borne_off == [reference.board.men[p][ref.OFF] for p in (0, 1)]
        assert borne_off[1 - winner] < ref.MEN
        is_borne_off = borne_off[winner] == ref.MEN
        assert (self.translation.ended_by(words) == "a player has borne off all his men") == is_borne_off
        assert is_borne_off or reference.config.shut_out_loses
        self.seen["won by " + ("bearing off" if is_borne_off else "shutting out")] += 1
        self.seen["hit"] += reference.hits


def play_in_lockstep(config: ref.Config, seeds: range) -> Counter[str]:
    """Plays the games, and counts what happened in them."""
    game = loaded(config)
    translation = Translation(game)
    seen: Counter[str] = Counter()
    for seed in seeds:
        try:
            lockstep = Lockstep(game, translation, config, seed)
            lockstep.play()
            seen += lockstep.seen
        except BaseException as error:
            error.add_note(f"{config}, seed {seed}")
            raise
    return seen


def check_variety(config: ref.Config, seen: Counter[str]) -> None:
    """The games had in them what they are to compare."""
    expected = {"doublet", "enter", "move", "off", "hit", "won by bearing off"}
    expected |= {"stop"} if config.must_play == "optional" else set()
    assert expected <= seen.keys()
    assert ("stop" in seen) == (config.must_play == "optional")


@pytest.mark.parametrize("config", [*SINGLY, *TOGETHER], ids=str)
def test_the_engine_plays_as_the_reference_does(config: ref.Config) -> None:
    check_variety(config, play_in_lockstep(config, range(GAMES)))


@pytest.mark.parametrize("config", SEARCHING, ids=str)
def test_the_engine_finds_the_most_dice_as_the_reference_does(config: ref.Config) -> None:
    check_variety(config, play_in_lockstep(config, range(SEARCHING_GAMES)))


def nearly_shut_out(rng: random.Random) -> list[list[int]]:
    """One player waits to enter, the other holds five of the six points and has a man on the last."""
    holder = rng.randrange(2)
    held, waiting = [0] * (ref.OFF + 1), [0] * (ref.OFF + 1)
    lone = rng.choice(ref.HOME)
    for point in ref.HOME:
        held[point] = 1 if point == lone else 2
    for _ in range(ref.MEN - sum(held)):
        held[rng.randrange(13, 19)] += 1
    waiting[ref.BAR] = 1
    for _ in range(ref.MEN - 1):
        waiting[rng.choice(ref.HOME)] += 1
    return [held, waiting] if holder == 0 else [waiting, held]


@pytest.mark.parametrize("loses", [False, True])
def test_who_is_shut_out_loses_where_that_is_played(loses: bool) -> None:
    config = replace(DEFAULT, shut_out_loses=loses)
    game = loaded(config)
    translation = Translation(game)
    seen: Counter[str] = Counter()
    for seed in range(12):
        lockstep = Lockstep(game, translation, config, seed, nearly_shut_out(random.Random(seed)))
        lockstep.play()
        seen += lockstep.seen
    assert ("won by shutting out" in seen) == loses
    assert loses or seen["shut out"] > 0


@pytest.mark.long
@pytest.mark.parametrize("config", EVERYTHING, ids=str)
def test_the_engine_plays_all_combinations_as_the_reference_does(config: ref.Config) -> None:
    check_variety(config, play_in_lockstep(config, range(LONG_GAMES)))
