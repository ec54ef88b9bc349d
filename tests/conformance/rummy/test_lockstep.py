"""Rummy in step with a player written from the rules, on both back ends; the published number of melds."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from typing import Any

import pytest

import ludex
from ludex.backends.machine import ChancePoint, Choice, Machine, OverPoint, TurnPoint, Words
from ludex.game import Game
from ludex.game.offers import bindings, outcomes

from . import reference as ref

RANKS = "ace two three four five six seven eight nine ten jack queen king".split()  # noqa: SIM905
SUITS = ["clubs", "diamonds", "hearts", "spades"]


def card(name: str) -> ref.Card:
    rank, suit = name.split("_of_")
    return RANKS.index(rank) + 1, SUITS.index(suit)


class InStep:
    """One deal, played at random on both sides."""

    def __init__(self, game: Game, machine: Machine, turn_overs: int, melds: int) -> None:
        self.game, self.machine = game, machine
        self.turn_overs, self.melds = turn_overs, melds

    def option(self, deal: ref.Deal, block: int, choice: Choice) -> tuple[object, ...]:
        """What an option of ours is called in the reference."""
        context = self.game.context
        offered = context.decide(block).options[choice.option]
        args = [
            context.naming.value(v, b.type) for v, b in zip(choice.values, bindings(offered), strict=True)
        ]
        match offered.site.name, args:
            case "draw_stock", _:
                return ("stock",)
            case "draw_discard", _:
                return ("discards",)
            case "stop", _:
                return ("stop",)
            case "discard", [one]:
                return "discard", card(one)
            case "meld", [many]:
                names = many.removeprefix("set(").removesuffix(")").split(", ")
                return "meld", frozenset(map(card, names))
            case "lay_off", [one, pile]:
                return "lay", card(one), deal.spread[int(pile.removeprefix("spread(").removesuffix(")")) - 1]
        raise AssertionError(offered.site.name)

    def play(self, seed: int) -> Counter[str]:
        rng, played = random.Random(seed), Counter[str]()
        deal = ref.Deal(len(self.game.players), self.turn_overs, self.melds)
        words = self.machine.start()
        while not isinstance(point := self.machine.point(words), OverPoint):
            pending = deal.pending
            assert pending is not None, "over there, and not here"
            if isinstance(point, ChancePoint):
                self.chance(deal, words, point.block, pending, rng)
                continue
            assert isinstance(point, TurnPoint)
            kind, player, theirs = pending
            assert (kind, player) == ("decision", self.game.program.world.players.ids.index(point.player))
            ours = {self.option(deal, point.block, c): c for c in self.machine.options(words, point.player)}
            assert set(ours) == theirs
            chosen = rng.choice(sorted(ours, key=str))
            played[str(chosen[0])] += 1
            self.machine.choose(words, point.player, ours[chosen])
            deal.apply(chosen)
        assert deal.pending is None, "over here, and not there"
        end = self.game.from_bytes(self.machine.pack(words))
        assert list(end.scores.totals) == deal.points
        for player, hand in zip(self.game.players, deal.hands, strict=True):
            seen = end.observation(player)
            assert set(map(card, seen.place(f"hand({player})").things)) == hand
            for i, meld in enumerate(deal.spread, 1):
                assert set(map(card, seen.place(f"spread({i})").things)) == meld
        played["out" if any(deal.points) else "no stock"] += 1
        played["turned over"] += deal.turned
        return played

    def chance(
        self, deal: ref.Deal, words: Words, block: int, pending: tuple[Any, ...], rng: random.Random
    ) -> None:
        at_interpreter = self.game.machine.unpack(self.machine.pack(words))
        ours = {}
        for action, odds in outcomes(self.game.context, at_interpreter, block):
            seat = action.text.startswith("player_")
            name = int(action.text.removeprefix("player_")) - 1 if seat else card(action.text)
            ours[name] = action.choice.values[0]
            assert odds * len(pending[2]) == 1
        assert pending[0] == "chance" and set(ours) == pending[2]
        chosen = rng.choice(sorted(ours))
        self.machine.resolve(words, ours[chosen])
        deal.apply(chosen)


def in_step(players: int, turn_overs: int = 2, melds: int = 20, *, native: bool = True) -> InStep:
    options = {"most_deals": 1, "turn_overs": turn_overs, "melds_in_a_turn": melds}
    game = ludex.load("rummy", players=players, options=options)
    return InStep(game, game.fastest if native else game.machine, turn_overs, melds)


def test_deals() -> None:
    both = in_step(3)
    played = sum((both.play(seed) for seed in range(12)), Counter[str]())
    assert played["meld"] and played["lay"] and played["out"] and played["turned over"]


def test_both_back_ends_are_the_same_game() -> None:
    in_step(2, 1, 1, native=False).play(5)


@pytest.mark.long
@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize(("turn_overs", "melds"), [(0, 20), (2, 20), (5, 1)])
def test_many_deals(players: int, turn_overs: int, melds: int) -> None:
    both = in_step(players, turn_overs, melds)
    for seed in range(200):
        both.play(1000 + seed)


def test_there_are_65_sets_and_264_runs() -> None:
    """The published number: 329 melds in a pack of 52 cards. The definition has it as an invariant."""
    every = ref.melds_in(set(ref.PACK))
    assert len(every) == len(set(every)) == 329
    assert Counter(len({r for r, _ in m}) == 1 for m in every) == {True: 65, False: 264}
    game = ludex.load("rummy")
    assert game.machine.broken_invariants(game.machine.start()) == []
    assert all(map(ref.is_meld, every))
    small = sum(ref.is_meld(frozenset(c)) for c in combinations(ref.PACK, 3))
    assert small == 4 * 13 + 4 * 11
