"""Random games: nothing is lost, nothing faults, states survive as bytes, and nothing hidden leaks.

The numbers of cards and knights and where they may be are those of the rule model (E1-E12, E42).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

import pytest

import ludex
from ludex.backends.machine import ChancePoint, OverPoint, TurnPoint, Words
from ludex.game import Game, State
from ludex.limits import MAX_DECISIONS
from ludex.rng import POLICY, Generator, derive

SETTINGS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (2, ()),
    (3, ()),
    (4, ()),
    (5, ()),
    (2, ("variant_a", "variant_b", "variant_c")),
    (4, ("variant_b", "variant_c")),
)
LONG_GAMES = 10_000
BETWEEN_CHECKS = 16
"""Decisions, in the long run."""

KNIGHTS = {2: 16, 3: 15, 4: 20, 5: 20}  # E11
OF_EACH_COLOR = {2: 4, 3: 5, 4: 5, 5: 4}
RIDABLE = {f"tower({n})" for n in range(1, 6)} | {f"plain({n})" for n in range(1, 7)}
MOUNTAINS = {f"mountain({n})" for n in range(1, 10)}


@cache
def loaded(players: int, overlays: tuple[str, ...]) -> Game:
    return ludex.load("emerald", overlays, players)


class Inventory:
    """Counts what lies where, by the names in the words of a state."""

    def __init__(self, game: Game) -> None:
        self.machine = game.machine
        self.players = game.players
        world, layout = game.program.world, game.program.layout
        self.names = world.names
        self.kind = {i: k.name for k in world.kinds if k.is_movable for i in k.ids}
        self.face = {i: world.faces[i] for i in self.kind}
        place, order = layout.field("@place"), layout.field("@order")
        self.place_at = place.offset - place.dims[0].base
        self.order_at = order.offset - order.dims[0].base
        owners = [f"({p})" for p in game.players]
        stacks = {f"({m})" for m in MOUNTAINS}
        self.allowed = {
            "knight": RIDABLE | MOUNTAINS | {"lair", "nest"},
            "dragon": MOUNTAINS,
            "gold": {f"gold_stack{m}" for m in stacks} | {f"purse{p}" for p in owners} | {"box", "paid"},
            "jewel": {f"jewel_stack{m}" for m in stacks} | {f"jewels{p}" for p in owners} | {"box"},
            "treasure": {f"treasures{p}" for p in owners} | {"hoard"},
            "set_bonus": {f"bonuses{p}" for p in owners} | {"bonus_row"},
            "bid_card": {f"{pile}{p}" for p in owners for pile in ("bid_hand", "bid")} | {"spent"},
        }

    def place(self, words: Words, thing: int) -> str:
        return self.names[words[self.place_at + thing]]

    def check(self, words: Words) -> None:
        players = len(self.players)
        totals: Counter[str] = Counter()
        lying: Counter[tuple[str, str]] = Counter()
        stacks: dict[str, list[int]] = {}
        for thing, kind in self.kind.items():
            place = self.place(words, thing)
            assert place in self.allowed[kind], f"{self.names[thing]} at {place}"
            totals[kind] += 1
            lying[kind, place.split("(")[0]] += 1
            if "_stack(" in place:
                stacks.setdefault(place, []).append(words[self.order_at + thing])
        assert totals["knight"] == KNIGHTS[players]
        assert (totals["dragon"], totals["gold"], totals["jewel"]) == (1, 25, 24)
        assert (totals["treasure"], totals["set_bonus"]) == (4, 1)
        assert totals["bid_card"] in (0, 8 * players)
        assert lying["jewel", "box"] == 2  # E8
        assert lying["gold", "box"] >= 2
        assert lying["knight", "lair"] == 4 - lying["treasure", "hoard"]  # E21
        for place, orders in stacks.items():
            m = int(place.split("(")[2].rstrip(")"))
            height = 3 if (m % 2 == 1) == place.startswith("gold") else 2
            assert len(orders) <= height and sorted(orders) == list(range(1, len(orders) + 1)), place
        assert self.machine.broken_invariants(words) == []


def advance(game: Game, words: Words, chance: Generator, policy: Generator) -> None:
    """One step of a random game."""
    point = game.machine.point(words)
    if isinstance(point, ChancePoint):
        game.machine.resolve(words, game.machine.sample_outcome(words, chance))
    elif isinstance(point, TurnPoint):
        game.machine.choose(words, point.player, game.machine.sample_choice(words, point.player, policy))


@pytest.mark.parametrize(("players", "overlays"), SETTINGS)
def test_nothing_is_lost_and_states_survive_as_bytes(players: int, overlays: tuple[str, ...]) -> None:
    game = loaded(players, overlays)
    machine, inventory = game.machine, Inventory(game)
    for seed in range(2):
        chance, policy = Generator(seed), Generator(seed, POLICY)
        words = machine.start()
        while not isinstance(point := machine.point(words), OverPoint):
            if isinstance(point, TurnPoint):
                inventory.check(words)
                data = machine.pack(words)
                again = machine.unpack(data)
                assert machine.pack(again) == data
                assert machine.point(again) == point
                assert machine.options(again, point.player) == machine.options(words, point.player)
                assert machine.lines(again) == machine.lines(words)
            else:
                again = machine.unpack(machine.pack(words))
                assert machine.outcomes(again) == machine.outcomes(words)
            twins = [Generator(0), Generator(0)]
            twins[0].state, twins[1].state = chance.state, policy.state
            advance(game, again, *twins)
            advance(game, words, chance, policy)
            assert machine.pack(again) == machine.pack(words)
        inventory.check(words)


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_ten_thousand_random_games_lose_nothing(players: int) -> None:
    game = loaded(players, ())
    machine, inventory = game.machine, Inventory(game)
    for i in range(LONG_GAMES):
        seed = derive(players, i)
        chance, policy = Generator(seed), Generator(seed, POLICY)
        words = machine.start()
        decisions = 0
        while not isinstance(machine.point(words), OverPoint):
            decisions += machine.playout(words, chance, policy, BETWEEN_CHECKS)
            inventory.check(words)
            assert decisions < MAX_DECISIONS, f"game {i} does not end"


# ---- two worlds


def hidden_slots(game: Game, words: Words, inventory: Inventory, viewer: str | None) -> dict[str, list[int]]:
    """Cards that the viewer cannot see, by kind: under a stack's top, put away, in the purses of others."""
    contents: dict[str, list[int]] = {}
    for thing in inventory.kind:
        contents.setdefault(inventory.place(words, thing), []).append(thing)
    found: dict[str, list[int]] = {"gold": [], "jewel": []}
    for place, things in contents.items():
        cards = [t for t in things if inventory.kind[t] in found]
        if "_stack(" in place:
            top = max(words[inventory.order_at + t] for t in cards)
            cards = [t for t in cards if words[inventory.order_at + t] < top]
        elif not (place == "box" or (place.startswith("purse(") and place != f"purse({viewer})")):
            continue
        for card in cards:
            found[inventory.kind[card]].append(card)
    return found


def permuted(words: Words, inventory: Inventory, cards: Iterable[Sequence[int]], rng: random.Random) -> Words:
    """The same words with these cards, of one kind each, in each other's places."""
    other = words.copy()
    for old in cards:
        new = rng.sample(old, len(old))
        for start in (inventory.place_at, inventory.order_at):
            for a, b in zip(old, new, strict=True):
                other[start + b] = words[start + a]
    return other


def told(state: State, viewer: str | None) -> tuple[str, ...]:
    """All that the viewer is sent about a position without its history."""
    seen = state.observation(viewer).to_json()
    if viewer is None:
        return (seen,)
    actions = [f"{action.text} {action.label} {action.args}" for action in state.legal_actions(viewer)]
    tried = ("bribe(gold(3))", "ride(red_1)", "take_gold")
    return (seen, *actions, *(repr(state.game.explain(state, text, viewer)) for text in tried))


@pytest.mark.parametrize(("players", "overlays"), SETTINGS)
def test_what_a_player_cannot_see_changes_nothing_he_is_sent(players: int, overlays: tuple[str, ...]) -> None:
    game = loaded(players, overlays)
    machine, inventory, rng = game.machine, Inventory(game), random.Random(players)
    chance, policy = Generator(players), Generator(players, POLICY)
    words = machine.start()
    compared = changed = 0
    while True:
        machine.playout(words, chance, policy, rng.randint(5, 25))
        if isinstance(machine.point(words), OverPoint):
            break
        here = game.from_bytes(machine.pack(words))
        for viewer in (None, *game.players):
            hidden = hidden_slots(game, words, inventory, viewer)
            other = permuted(words, inventory, hidden.values(), rng)
            there = game.from_bytes(machine.pack(other))
            assert told(there, viewer) == told(here, viewer)
            compared += 1
            changed += there != here
    assert changed > compared / 2 > 10


def test_the_comparison_would_notice_what_can_be_seen() -> None:
    """The top cards of two stacks changed places: everybody must be sent something else."""
    game = loaded(4, ())
    inventory = Inventory(game)
    state = game.start(1)
    words = state.at.words
    stacks = [game.context.reader.contents(words)[i] for i in game.program.world.kind("gold_stack").ids]
    tops = [cards[0] for cards in stacks]
    one = tops[0]
    two = next(card for card in tops if inventory.face[card] != inventory.face[one])
    other = words.copy()
    for start in (inventory.place_at, inventory.order_at):
        other[start + one], other[start + two] = words[start + two], words[start + one]
    swapped = game.from_bytes(game.machine.pack(other))
    for viewer in (None, *game.players):
        assert told(swapped, viewer) != told(state, viewer)
