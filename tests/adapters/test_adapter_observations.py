"""Observations as numbers show what `State.observation` shows, no more, no less, under the right names."""

from __future__ import annotations

import re

import numpy as np
import played
import pytest

from ludex.adapters.position import Table
from ludex.game import Observation
from ludex.rng import Generator


class Reference:
    """What the numbers must be, worked out from the observation alone, by the name of each."""

    def __init__(self, table: Table, seen: Observation, player: str) -> None:
        self.table = table
        self.seen = seen
        self.player = player
        self.places = {view.place: view for view in seen.places}
        self.fields = {view.name: view.value for view in seen.fields}
        self.fields["round_number"] = seen.round_number
        self.fields["game_number"] = seen.game_number
        self.fields["active"] = seen.active

    def value(self, name: str, most: int) -> float:
        seen = self.seen
        if name.startswith("me is "):
            return name == f"me is {self.player}"
        if name.endswith(" decides"):
            return name.removesuffix(" decides") in seen.deciding
        if name == "over":
            return seen.is_terminal
        if name.startswith("asked: "):
            return not seen.is_terminal and name.removeprefix("asked: ") in (seen.about, "something")
        mine = re.sub(r"\bme\b", self.player, name)
        placed = {" on top of ": self._top, " in order of ": self._depth, " at ": self._lying}
        for word, found in placed.items():
            if word in mine:
                thing, _, place = mine.partition(word)
                return found(thing, place)
        for candidate in (name, mine):
            if candidate in self.fields:
                value = self.fields[candidate]
                assert isinstance(value, int), (name, value)
                return value / most
            field, is_, value = candidate.rpartition(" is ")
            if is_ and field in self.fields:
                return str(self.fields[field]) == value
            field, has, value = candidate.rpartition(" has ")
            if has and field in self.fields:
                members = self.fields[field]
                assert isinstance(members, tuple)
                return value in map(str, members)
        raise AssertionError(f"{name} is nothing that {self.player} sees")

    def _lying(self, thing: str, place: str) -> float:
        view = self.places[place]
        if thing.startswith("?"):
            return sum(self._kind(text) == thing for text in view.things)
        tokens = dict(view.tokens)
        return tokens[thing] if thing in tokens else view.things.count(thing)

    def _kind(self, text: str) -> str:
        naming = self.table.game.context.naming
        return text if text.startswith("?") else naming.back(naming.entities(text)[0])

    def _top(self, thing: str, place: str) -> float:
        view = self.places[place]
        if view.ordered:
            return bool(view.things) and view.things[0] == thing
        return view.things == (thing,)

    def _depth(self, thing: str, place: str) -> float:
        view = self.places[place]
        if thing not in view.things:
            return 0
        at = view.things.index(thing)
        if view.head <= at < view.head + view.unordered:
            at = view.head
        return 1 / (at + 1)


@pytest.mark.parametrize("name", played.GAMES, ids=played.short)
def test_numbers_are_what_the_observation_says(name: str) -> None:
    table = played.table(name)
    space = table.observations
    assert len(set(space.names)) == len(space.names) == space.size
    most, every = space.most, 20 if space.size > 5000 else 8
    for position in played.some(table, seed=2, most=played.LONG.get(name, 90), every=every):
        for seat, player in enumerate(table.game.players):
            numbers = position.numbers(seat)
            reference = Reference(table, position.state.observation(player), player)
            expected = [reference.value(name, int(most[i])) for i, name in enumerate(space.names)]
            wrong = np.flatnonzero(~np.isclose(numbers, np.array(expected, np.float32), atol=1e-6))
            assert not len(wrong), [(space.names[i], numbers[i], expected[i]) for i in wrong[:5]]
            assert (numbers >= space.low).all() and (numbers <= space.high).all()


HIDING = ["emerald", "mekong", "leduc_poker", *(name for name in played.GAMES if name.endswith("yaml"))]


@pytest.mark.parametrize("name", HIDING, ids=played.short)
def test_what_a_player_cannot_see_changes_nothing(name: str) -> None:
    table, rng, others = played.table(name), Generator(11), 0
    reached = (p for seed in (4, 5, 6) for p in played.some(table, seed, most=21, every=5))
    for position in reached:
        for seat, player in enumerate(table.game.players):
            twin = table.at(position.state.determinize(player, rng))
            assert np.array_equal(twin.numbers(seat), position.numbers(seat))
            assert twin.text(seat) == position.text(seat)
            assert twin.told(seat) == position.told(seat)
            others += twin.words != position.words
    assert others > 3, "no world was another one"


@pytest.mark.parametrize("name", ["emerald", "leduc_poker", "backgammon", "chess"])
def test_many_at_once_are_the_same_as_one_by_one(name: str) -> None:
    table = played.table(name)
    found = list(played.some(table, seed=9, most=60, every=6))
    words = np.array([position.words for position in found], np.int32)
    turns = np.zeros((len(found), table.players), np.float32)
    for i, position in enumerate(found):
        turns[i, list(position.deciding)] = 1
    for seat in range(table.players):
        many = table.observations.many(words, seat, turns)
        assert np.array_equal(many, [position.numbers(seat) for position in found])


def test_the_text_says_what_is_seen() -> None:
    position = next(played.positions(played.table("leduc_poker", 2), seed=1, most=1))
    text = position.text(0).split("; ")
    assert "me is player_1" in text and "player_1 decides" in text and "paid(player_2)" in text
    assert sum(part.endswith("at hand(me)") for part in text) == 1
    assert "?card at deck: 4" in text  # six cards, a card each


SEALING = ["mekong", str(played.SKETCHES / "goofspiel.yaml"), str(played.SKETCHES / "hearts.yaml")]


@pytest.mark.parametrize("name", SEALING, ids=played.short)
def test_in_sealed_choices_the_words_are_those_that_the_api_has_for_a_player(name: str) -> None:
    table, found = played.table(name, 3 if "hearts" not in name else 4), 0
    for position in played.positions(table, seed=3, most=24):
        if len(position.deciding) > 1 or position.sealed_view is not None:
            for seat, player in enumerate(table.game.players):
                words = position.state.bytes_for(player)
                assert np.array_equal(
                    table.observations.one(memoryview(words).cast("i"), seat, position.deciding),
                    position.numbers(seat),
                )
                found += 1
    assert found > 20
