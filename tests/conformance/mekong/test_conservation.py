"""Random games: nothing is lost, nothing faults, states survive as bytes, and no program leaks.

The numbers of things and where they may be are those of the rule model (M1-M9, M17, M20, M21).
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest

import ludex
from ludex.backends.machine import ChancePoint, OverPoint, SealedPoint, TurnPoint, Words
from ludex.game import Game, State
from ludex.limits import MAX_DECISIONS
from ludex.rng import POLICY, Generator, derive

SETTINGS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (2, ()),
    (4, ()),
    (6, ()),
    (3, ("flood",)),
)
LONG_GAMES = 500
HAND = {2: 9, 3: 10, 4: 11, 5: 12, 6: 13}  # M7
PROGRAMS = {2: 15_120, 3: 23_520, 4: 31_920, 5: 40_320, 6: 48_720}  # M27


@cache
def loaded(players: int, overlays: tuple[str, ...] = (), cap: int = 60) -> Game:
    return ludex.load("mekong", overlays, players, {"round_cap": cap})


class Inventory:
    """Counts what lies where, by the names in the words of a state."""

    def __init__(self, game: Game) -> None:
        self.machine, self.players = game.machine, game.players
        world, layout = game.program.world, game.program.layout
        self.names = world.names
        self.kind = {i: k.name for k in world.kinds if k.is_movable for i in k.ids}
        place, order, stones = (layout.field(name) for name in ("@place", "@order", "@tokens"))
        self.place_at = place.offset - place.dims[0].base
        self.order_at = order.offset - order.dims[0].base
        self.stones_at = stones.offset - stones.dims[0].base
        self.gaps = [self.names[i] for i in world.kind("gap").ids]
        self.villages = [self.names[i] for i in world.kind("village").ids]
        self.islands = list(world.kind("island").ids)
        self.supply = world.kind("supply").base

    def place(self, words: Words, thing: int) -> str:
        return self.names[words[self.place_at + thing]]

    def cards_of(self, words: Words, player: str, piles: tuple[str, ...]) -> list[int]:
        places = {f"{pile}({player})" for pile in piles}
        return [i for i in self.kind if self.place(words, i) in places]

    def check(self, words: Words) -> None:
        stones = [words[self.stones_at + i] for i in self.islands]
        assert set(stones) <= {0, 1} and sum(stones) + words[self.stones_at + self.supply] == 27
        on_gap, loads = Counter[str](), Counter[str]()
        cards = Counter[str]()
        for thing, kind in self.kind.items():
            place, name = self.place(words, thing), self.names[thing]
            if kind == "pawn":
                assert place in self.gaps or place in self.villages
            elif kind == "plank":
                assert place in self.gaps or place == "lost" or place.startswith("reserve(")
                if place in self.gaps:
                    on_gap[place] += 1
                    loads.update(place.removeprefix("gap(").removesuffix(")").split(", "))
            else:
                pile, _, owner = place.removesuffix(")").partition("(")
                assert pile in ("hand", "program", "played") and owner in name, f"{name} at {place}"
                cards[owner] += 1
        pawns = Counter(
            place
            for i, kind in self.kind.items()
            if kind == "pawn" and (place := self.place(words, i)) in self.gaps
        )
        assert not pawns or max(pawns.values()) == 1
        assert pawns.keys() <= on_gap.keys() and not [gap for gap, n in on_gap.items() if n > 1]
        assert not loads or max(loads.values()) <= 3
        supports = {self.names[i] for i, n in zip(self.islands, stones, strict=True) if n} | set(
            self.villages
        )
        assert loads.keys() <= supports
        assert cards == dict.fromkeys(self.players, HAND[len(self.players)])
        for player in self.players:
            planks = [
                self.names[i].split("_") for i, k in self.kind.items() if self.in_reserve(words, i, k, player)
            ]
            assert len({color for color, _ in planks}) <= 2
            assert len({size for _, size in planks}) == len(planks)
        assert self.machine.broken_invariants(words) == []

    def in_reserve(self, words: Words, thing: int, kind: str, player: str) -> bool:
        return kind == "plank" and self.place(words, thing) == f"reserve({player})"


def advance(game: Game, words: Words, chance: Generator, policy: Generator) -> None:
    """One step of a random game."""
    machine = game.machine
    match machine.point(words):
        case ChancePoint():
            machine.resolve(words, machine.sample_outcome(words, chance))
        case TurnPoint(player):
            machine.choose(words, player, machine.sample_choice(words, player, policy))
        case SealedPoint(waiting):
            player, _ = waiting[policy.bounded(len(waiting))]
            machine.choose(words, player, machine.sample_choice(words, player, policy))


@pytest.mark.parametrize(("players", "overlays"), SETTINGS)
def test_nothing_is_lost_and_states_survive_as_bytes(players: int, overlays: tuple[str, ...]) -> None:
    game = loaded(players, overlays, 8)
    machine, inventory = game.machine, Inventory(game)
    chance, policy = Generator(players), Generator(players, POLICY)
    words = machine.start()
    steps = 0
    while not isinstance(point := machine.point(words), OverPoint):
        steps += 1
        if isinstance(point, TurnPoint) or steps % 7 == 0:
            inventory.check(words)
            data = machine.pack(words)
            again = machine.unpack(data)
            assert machine.pack(again) == data and machine.point(again) == point
            twins = [Generator(0), Generator(0)]
            twins[0].state, twins[1].state = chance.state, policy.state
            advance(game, again, *twins)
            advance(game, words, chance, policy)
            assert machine.pack(again) == machine.pack(words)
        else:
            advance(game, words, chance, policy)
    inventory.check(words)
    assert steps > 100


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_hundreds_of_random_games_lose_nothing(players: int) -> None:
    game = loaded(players)
    machine, inventory = game.machine, Inventory(game)
    for i in range(LONG_GAMES):
        seed = derive(players, i)
        chance, policy = Generator(seed), Generator(seed, POLICY)
        words = machine.start()
        decisions = 0
        while not isinstance(machine.point(words), OverPoint):
            decisions += machine.playout(words, chance, policy, 25)
            inventory.check(words)
            assert decisions < MAX_DECISIONS, f"game {i} does not end"


# ---- programs


def programs(game: Game, words: Words, player: int, left: int) -> int:
    """In how many ways a player can choose `left` more cards."""
    choices = game.machine.options(words, player)
    if left == 1:
        return len(choices)
    found = 0
    for choice in choices:
        after = game.machine.copy(words)
        game.machine.choose(after, player, choice)
        found += programs(game, after, player, left - 1)
    return found


@pytest.mark.parametrize("players", [2, *(pytest.param(n, marks=pytest.mark.long) for n in (3, 4, 5, 6))])
def test_as_many_programs_as_computed(players: int) -> None:
    game = loaded(players)
    words = game.machine.start()
    game.machine.resolve(words, game.machine.outcomes(words)[0][0])
    assert programs(game, words, game.program.world.players.base, 5) == PROGRAMS[players]


# ---- two worlds


def told(state: State, viewer: str | None) -> tuple[str, ...]:
    """All that the viewer is sent about a position without its history."""
    seen = state.observation(viewer).to_json()
    if viewer is None:
        return (seen,)
    actions = [f"{action.text} {action.label} {action.args}" for action in state.legal_actions(viewer)]
    tried = ("plan(jump)", "plan_dragon(white)", "walk(white_village)", "place_stone(A1)")
    return (seen, *actions, *(repr(state.game.explain(state, text, viewer)) for text in tried))


def permuted(words: Words, inventory: Inventory, viewer: str | None, rng: random.Random) -> Words:
    """The same words with the cards in the others' hands and face-down programs in each other's places."""
    other = words.copy()
    for player in inventory.players:
        if player == viewer:
            continue
        old = inventory.cards_of(words, player, ("hand", "program"))
        new = rng.sample(old, len(old))
        for start in (inventory.place_at, inventory.order_at):
            for a, b in zip(old, new, strict=True):
                other[start + b] = words[start + a]
    return other


@pytest.mark.parametrize("players", [2, 5])
def test_programs_of_others_change_nothing_that_a_player_is_sent(players: int) -> None:
    game = loaded(players, (), 8)
    machine, inventory, rng = game.machine, Inventory(game), random.Random(players)
    chance, policy = Generator(players), Generator(players, POLICY)
    words = machine.start()
    compared = changed = 0
    while not isinstance(machine.point(words), OverPoint):
        machine.playout(words, chance, policy, rng.randint(3, 15))
        if not isinstance(machine.point(words), TurnPoint):
            continue
        here = game.from_bytes(machine.pack(words))
        for viewer in (None, *game.players):
            there = game.from_bytes(machine.pack(permuted(words, inventory, viewer, rng)))
            assert told(there, viewer) == told(here, viewer)
            compared += 1
            changed += there != here
    assert changed > compared / 2 > 5


def test_the_comparison_would_notice_what_can_be_seen() -> None:
    """A card that lies face up is another one: everybody must be sent something else."""
    game = loaded(2, (), 8)
    machine, inventory = game.machine, Inventory(game)
    words = machine.start()
    chance, policy = Generator(1), Generator(1, POLICY)
    while not isinstance(machine.point(words), TurnPoint):
        advance(game, words, chance, policy)
    here = game.from_bytes(machine.pack(words))
    (shown,) = inventory.cards_of(words, game.players[1], ("played",))
    hidden = inventory.cards_of(words, game.players[1], ("hand",))[0]
    for start in (inventory.place_at, inventory.order_at):
        words[start + shown], words[start + hidden] = words[start + hidden], words[start + shown]
    there = game.from_bytes(machine.pack(words))
    for viewer in (None, *game.players):
        assert told(there, viewer) != told(here, viewer)
