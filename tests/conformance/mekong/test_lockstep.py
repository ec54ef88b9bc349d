"""The engine and the hand-written reference play the same games, and must agree at every step.

The first player, who is drawn, is told to the reference. At every decision all that lies on the table
and in the hands must be equal, the player to move, and the set of his options; at the end also the
winner. Programs are chosen in a random order of arrival.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from functools import cache
from math import dist, exp
from typing import Any

import pytest

import ludex
from ludex.backends.machine import ChancePoint, Choice, OverPoint, SealedPoint, TurnPoint, Words
from ludex.game import Game
from ludex.rng import Generator

from . import reference as ref
from .translation import Translation, difference, reference_position

GAMES = 15
LONG_GAMES = 400
CAP = 8
"""Rounds, in the default run."""


@dataclass(frozen=True)
class Setting:
    """What is loaded, and the same for the reference."""

    name: str
    options: tuple[tuple[str, str | bool], ...] = ()
    reference: tuple[tuple[str, Any], ...] = ()
    players: tuple[int, ...] = ()
    """In the default run."""
    overlays: tuple[str, ...] = ()


REEDITION = ("red", "green", "blue", "yellow", "black")
SETTINGS = (
    Setting("default", players=(2, 3, 4, 5, 6)),
    Setting("by eye", (("plank_commit", "plank_and_gap"),), (("plank_commit", "plank_and_gap"),), (3,)),
    Setting("overhang", (("overhang", True),), (("overhang", True),), (4,)),
    Setting("no hopeless plank", (("hopeless_plank", False),), (("impossible_plank", False),), (2,)),
    Setting("joined by villages", (("villages_join_planks", True),), (("village_joins_planks", True),), (6,)),
    Setting("far end", (("jump_landing", "far_end"),), (("jump_landing", "far_end"),), (6,)),
    Setting(
        "everything",
        (
            ("plank_commit", "plank_and_gap"),
            ("overhang", True),
            ("hopeless_plank", False),
            ("villages_join_planks", True),
            ("jump_landing", "far_end"),
        ),
        (
            ("plank_commit", "plank_and_gap"),
            ("overhang", True),
            ("impossible_plank", False),
            ("village_joins_planks", True),
            ("jump_landing", "far_end"),
        ),
        (5,),
    ),
    Setting("reedition", (), (("colors", REEDITION),), (5,), ("reedition",)),
)
CASES = [(setting, players) for setting in SETTINGS for players in setting.players]
LONG_CASES = [
    (setting, players) for setting in SETTINGS for players in ((5,) if setting.overlays else (2, 3, 4, 5, 6))
]


def named(cases: list[tuple[Setting, int]]) -> list[str]:
    return [f"{setting.name}-{players}" for setting, players in cases]


@cache
def loaded(setting: Setting, players: int, cap: int) -> Game:
    return ludex.load("mekong", setting.overlays, players, {**dict(setting.options), "round_cap": cap})


class Taste:
    """How a random player chooses: uniformly, or with a leaning to get across, so that games are won, too."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._uniform = rng.random() < 0.15
        self._eagerness = rng.choice((1.0, 3.0))
        self._cards = {card: rng.choice((0.3, 1.0, 3.0)) for card in (*ref.ACTIONS, "dragon")}
        self._verbs = {verb: rng.choice((0.2, 1.0, 5.0)) for verb in ("take", "return")}

    def choose(self, game: ref.Game, player: int, options: list[ref.Option]) -> ref.Option:
        if self._uniform or len(options) == 1:
            return self._rng.choice(options)
        mine = game.players[player]
        self._target, self._reached = ref.VILLAGES[mine.target], self._within_reach(game, mine.pawn)
        self._gaps = game.nameable() if options[0][0] == "plank" else []
        return self._rng.choices(options, [self._weight(game, option) for option in options])[0]

    @staticmethod
    def _within_reach(game: ref.Game, start: ref.Place) -> set[ref.Point]:
        """The stones and villages to which a pawn could walk, if nobody were in its way."""
        found = {start} if isinstance(start, str) else set(start)
        size = 0
        while size < len(found):
            size = len(found)
            found |= {point for gap in game.planks if set(gap) & found for point in gap}
        return found

    def _weight(self, game: ref.Game, option: ref.Option) -> float:
        verb, what = option
        if verb == "card":
            return self._cards[what if isinstance(what, str) else "dragon"]
        if verb == "plank":
            return sum((self._weight(game, ("gap", gap)) for gap in self._gaps if game.fits(what, gap)), 0.01)
        if verb not in ("step", "land", "gap", "stone"):
            return self._verbs.get(verb, 1.0)
        points = {what} if isinstance(what, str) else set(what)
        near = exp(-self._eagerness * min(dist(game.board.at[p], self._target) for p in points) / 500)
        leads_on = verb == "gap" and len(self._reached & points) == 1
        return near * (50 if leads_on else 1)


class Lockstep:
    """One game played by both."""

    def __init__(self, game: Game, translation: Translation, config: ref.Config, seed: int) -> None:
        self.machine = game.machine
        self.translation = translation
        self.config = config
        self.chance = Generator(seed)
        self.rng = random.Random(seed)
        self.taste = Taste(self.rng)
        self.trace: list[Any] = []

    def play(self) -> ref.Game:
        words = self.machine.start()
        self.reference = self._begin(words)
        try:
            while not isinstance(point := self.machine.point(words), OverPoint):
                if isinstance(point, SealedPoint):
                    self._plan(words, point)
                else:
                    assert isinstance(point, TurnPoint), "there is no chance but the first player"
                    self._decide(words, point)
            self._finish(words)
        except AssertionError as error:
            error.add_note(f"after {self.trace[-12:]}")
            raise
        return self.reference

    def _begin(self, words: Words) -> ref.Game:
        """The statuette is drawn."""
        point = self.machine.point(words)
        assert isinstance(point, ChancePoint)
        everybody = dict.fromkeys(range(self.config.players), 1)
        assert self.translation.drawn_players(words, point) == everybody
        starter = self.machine.sample_outcome(words, self.chance)
        self.machine.resolve(words, starter)
        values = {**vars(self.config), "starter": self.translation.player(starter)}
        return ref.Game(ref.Config(**values))

    def _plan(self, words: Words, point: SealedPoint) -> None:
        """Whoever has not finished may choose; one of them does."""
        pending = self.reference.pending
        assert pending is not None
        assert set(pending.options) == {self.translation.player(p) for p, _ in point.waiting}
        entity, block = self.rng.choice(point.waiting)
        player = self.translation.player(entity)
        self._choose(words, player, pending, self.translation.options(words, entity, block))

    def _decide(self, words: Words, point: TurnPoint) -> None:
        self._compare(words)
        pending = self.reference.pending
        assert pending is not None
        player = self.translation.player(point.player)
        assert list(pending.options) == [player]
        self._choose(words, player, pending, self.translation.options(words, point.player, point.block))

    def _choose(
        self, words: Words, player: int, pending: ref.Pending, options: dict[ref.Option, Choice]
    ) -> None:
        legal = list(pending.options[player])
        assert set(legal) == options.keys() and len(legal) == len(options)
        option = self.taste.choose(self.reference, player, sorted(legal, key=repr))
        self.trace.append((player, option))
        self.reference.apply(option, player)
        self.machine.choose(words, self.translation.entity(player), options[option])

    def _compare(self, words: Words) -> None:
        assert difference(self.translation.position(words), reference_position(self.reference)) == {}

    def _finish(self, words: Words) -> None:
        game, players = self.reference, self.config.players
        assert game.over
        found = self.translation.position(words)
        if game.winner is None:
            assert self.translation.ended_by(words) is None
            assert self.machine.ranking(words) == [1] * players
            assert self.machine.returns(words) == [1 / players] * players
        else:
            assert self.translation.ended_by(words) == "a pawn reaches the village opposite its own"
            assert self.machine.returns(words) == [float(p == game.winner) for p in range(players)]
            assert self.machine.ranking(words) == [1 if p == game.winner else 2 for p in range(players)]
        assert difference(found, reference_position(game)) == {}
        game.check()


def play_in_lockstep(setting: Setting, players: int, seeds: range, cap: int = CAP) -> Counter[str]:
    game = loaded(setting, players, cap)
    translation = Translation(game)
    config = ref.Config(players, cap=cap, **dict(setting.reference))
    ends: Counter[str] = Counter()
    for seed in seeds:
        try:
            end = Lockstep(game, translation, config, seed).play()
        except BaseException as error:
            error.add_note(f"{setting.name}, {players} players, seed {seed}")
            raise
        ends["draw" if end.winner is None else "win"] += 1
    return ends


@pytest.mark.parametrize(("setting", "players"), CASES, ids=named(CASES))
def test_the_engine_plays_as_the_reference_does(setting: Setting, players: int) -> None:
    ends = play_in_lockstep(setting, players, range(GAMES))
    assert ends["win"] or players < 6, "games with a winner are wanted, too"


@pytest.mark.long
@pytest.mark.parametrize(("setting", "players"), LONG_CASES, ids=named(LONG_CASES))
def test_the_engine_plays_thousands_of_games_as_the_reference_does(setting: Setting, players: int) -> None:
    play_in_lockstep(setting, players, range(1000, 1000 + LONG_GAMES), cap=60)
