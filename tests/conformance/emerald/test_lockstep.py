"""The engine and the hand-written reference play the same games, and must agree at every step.

The engine's chance outcomes (the deal, the first player, the die) are told to the reference. At every
decision and before every roll all that lies on the table must be equal, the player to move, and the
set of his options; at the end also the score by category, the ranking, and what ended the game.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

import ludex
from ludex.backends.machine import ChancePoint, OverPoint, TurnPoint, Words
from ludex.game import Game
from ludex.ir.program import DrawChance, MemberChance, RollChance
from ludex.rng import Generator

from . import reference as ref
from .translation import Translation, difference, reference_position

GAMES = 3
"""In the default run; a third of it where a game has two parts or an auction, and takes as much longer."""

LONG_GAMES = 100


@dataclass(frozen=True)
class Setting:
    """What is loaded, and the same for the reference."""

    name: str
    overlays: tuple[str, ...] = ()
    options: tuple[tuple[str, str | bool], ...] = ()
    reference: tuple[tuple[str, Any], ...] = ()
    players: tuple[int, ...] = (2, 3, 4, 5)
    """In the default run."""


def of_variants(*letters: str) -> dict[str, Any]:
    names = tuple(f"variant_{letter}" for letter in letters)
    return {"overlays": names, "reference": tuple((name, True) for name in names)}


SPENT = ("spent_bids", "when_hand_is_empty")
SETTINGS = (
    Setting("default"),
    Setting(
        "lair_counts", (), (("lair_counts_in_play", True),), (("lair_counts_in_play", True),), players=(2, 4)
    ),
    Setting("per_color", (), (("last_knight", "per_color"),), (("last_knight", "per_color"),), players=(2,)),
    Setting("must", (), (("second_knight", "must"),), (("second_knight", "must"),), players=(2, 5)),
    Setting("before_step", (), (("flip", "before_step"),), (("flip", "before_step"),), players=(3, 4)),
    Setting("bribe_shown", (), (("bribe_is_shown", True),), (), players=(4,)),  # no rule depends on it
    Setting("A", **of_variants("a")),
    Setting("B", **of_variants("b")),
    Setting("C", **of_variants("c")),
    Setting(
        "C_spent",
        ("variant_c",),
        (SPENT,),
        (("variant_c", True), ("spent_cards_return", True)),
        players=(2, 4),
    ),
    Setting("A+C", **of_variants("a", "c"), players=(3, 4)),
    Setting("A+B+C", **of_variants("a", "b", "c"), players=(2, 5)),
    Setting(
        "everything",
        ("variant_a", "variant_b", "variant_c"),
        (
            ("lair_counts_in_play", True),
            ("last_knight", "per_color"),
            ("second_knight", "must"),
            ("flip", "before_step"),
            ("bribe_is_shown", True),
            SPENT,
        ),
        (
            ("lair_counts_in_play", True),
            ("last_knight", "per_color"),
            ("second_knight", "must"),
            ("flip", "before_step"),
            ("variant_a", True),
            ("variant_b", True),
            ("variant_c", True),
            ("spent_cards_return", True),
        ),
        players=(2, 5),
    ),
)
CASES = [(setting, players) for setting in SETTINGS for players in setting.players]
LONG_CASES = [(setting, players) for setting in SETTINGS for players in (2, 3, 4, 5)]


def named(cases: list[tuple[Setting, int]]) -> list[str]:
    return [f"{setting.name}-{players}" for setting, players in cases]


@cache
def loaded(setting: Setting, players: int) -> Game:
    return ludex.load("emerald", setting.overlays, players, dict(setting.options))


class Taste:
    """How a random player chooses: uniformly, or with a leaning, so that rare ends are reached too."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._uniform = rng.random() < 0.4
        self._forward = rng.choice((-0.4, 0.0, 0.4))
        self._weights = {
            name: rng.choice((0.1, 1.0, 6.0))
            for name in (
                "pass",
                "take_gold",
                "take_jewel",
                "bribe",
                "give_up",
                "raise",
                "withdraw",
                "take",
                "leave",
            )
        }

    def choose(self, options: list[ref.Option]) -> ref.Option:
        if self._uniform:
            return self._rng.choice(options)
        return self._rng.choices(options, [self._weight(option) for option in options])[0]

    def _weight(self, option: ref.Option) -> float:
        if option[0] == "ride":
            return float(2.0 ** (self._forward * int(option[2])))
        return self._weights.get(str(option[0]), 1.0)


class Lockstep:
    """One game played by both."""

    def __init__(self, game: Game, translation: Translation, config: ref.Config, seed: int) -> None:
        self.machine = game.machine
        self.translation = translation
        self.chance = Generator(seed)
        self.rng = random.Random(seed)
        self.taste = Taste(self.rng)
        self.reference = ref.Game(config)
        self.trace: list[Any] = []

    def play(self) -> None:
        words = self.machine.start()
        try:
            while not isinstance(point := self.machine.point(words), OverPoint):
                if isinstance(point, ChancePoint):
                    self._resolve(words, point)
                else:
                    assert isinstance(point, TurnPoint)
                    self._decide(words, point)
            self._finish(words)
        except AssertionError as error:
            error.add_note(f"after {self.trace[-12:]}")
            raise

    def _resolve(self, words: Words, point: ChancePoint) -> None:
        outcome = self.machine.sample_outcome(words, self.chance)
        match self.translation.event(point):
            case DrawChance():
                self.translation.check_draw(words)
            case MemberChance():
                weights = dict(self.machine.outcomes(words))
                assert len(weights) == self.reference.config.players and set(weights.values()) == {1}
            case RollChance():
                self._compare(words)
                assert self.reference.pending == ("chance", "die", tuple(self.machine.outcomes(words)))
                self._apply(outcome)
        self.machine.resolve(words, outcome)

    def _decide(self, words: Words, point: TurnPoint) -> None:
        self._tell_setup(words)
        self._compare(words)
        pending = self.reference.pending
        options = self.translation.options(words, point)
        assert pending is not None
        assert pending.type == "decision"
        assert pending.who == self.translation.player(point.player)
        assert set(pending.options) == options.keys()
        option = self.taste.choose(list(pending.options))
        self._apply(option)
        self.machine.choose(words, point.player, options[option])

    def _tell_setup(self, words: Words) -> None:
        """Where a game has just been set up: its deal, and the first player."""
        while (pending := self.reference.pending) is not None and pending.type == "chance":
            match pending.who:
                case "starter":
                    self._apply(self.translation.player(self.translation.number(words, "starter")))
                case "gold":
                    self._apply(self.translation.gold_stacks(words))
                case "jewels":
                    self._apply(self.translation.jewel_stacks(words))
                case _:
                    raise AssertionError(f"the engine does not roll {pending.who}")

    def _apply(self, choice: Any) -> None:
        self.trace.append(choice)
        self.reference.apply(choice)

    def _compare(self, words: Words) -> None:
        assert difference(self.translation.position(words), reference_position(self.reference)) == {}
        if len(self.trace) % 8 == 0:
            assert self.translation.scores(words) == self.reference.scores

    def _finish(self, words: Words) -> None:
        assert self.reference.pending is None
        assert difference(self.translation.position(words), reference_position(self.reference)) == {}
        scores = self.reference.scores
        assert self.translation.scores(words) == scores
        groups = ref.ranking(scores)
        ranks = {p: 1 + sum(map(len, groups[:i])) for i, group in enumerate(groups) for p in group}
        found = self.machine.ranking(words)
        assert found == [ranks[p] for p in range(len(scores))]
        assert self.machine.returns(words) == [(rank == 1) / found.count(1) for rank in found]
        assert self.translation.ended_by(words) in self._reasons()

    def _reasons(self) -> set[str]:
        """The ends that the reference's last position allows."""
        game, reasons = self.reference, set()
        if sum(mine.treasures for mine in game.holdings) == ref.TREASURES:
            reasons.add("the last treasure card is taken")
        last = ref.NEST if game.config.lair_counts_in_play else ref.LAIR
        for by, name in (("owner", "a player"), ("color", "a colour")):
            groups = {getattr(k, by): 0 for k in game.knights}
            for knight in game.knights:
                groups[getattr(knight, by)] += knight.place < last
            if min(groups.values()) <= 1 and (by == "color") == (game.config.last_knight == "per_color"):
                reasons.add(f"{name} has no more than one knight in play")
        return reasons


def play_in_lockstep(setting: Setting, players: int, seeds: range) -> None:
    game = loaded(setting, players)
    translation = Translation(game)
    config = ref.Config(players, **dict(setting.reference))
    for seed in seeds:
        try:
            Lockstep(game, translation, config, seed).play()
        except BaseException as error:
            error.add_note(f"{setting.name}, {players} players, seed {seed}")
            raise


@pytest.mark.parametrize(("setting", "players"), CASES, ids=named(CASES))
def test_the_engine_plays_as_the_reference_does(setting: Setting, players: int) -> None:
    is_long = {"variant_a", "variant_c"} & set(setting.overlays)
    play_in_lockstep(setting, players, range(GAMES // 3 if is_long else GAMES))


@pytest.mark.long
@pytest.mark.parametrize(("setting", "players"), LONG_CASES, ids=named(LONG_CASES))
def test_the_engine_plays_many_games_as_the_reference_does(setting: Setting, players: int) -> None:
    play_in_lockstep(setting, players, range(LONG_GAMES))
