"""The worlds that a player may be in, for bots that search: packed states by the thousand.

    walk = state.game.walk()
    worlds = state.worlds(player, rng, walk)
    walk.begin(worlds.draw())

In the midst of sealed choices a world is the position before them, with his own choices made
and nobody else's: what the others choose is for the search to think of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from ludex.backends.machine import CHANCE_TURN, OVER_TURN, Choice, Fault, Luck, Walk
from ludex.game.context import Context
from ludex.game.determinize import MAX_DEALS, in_world
from ludex.game.history import is_about_things
from ludex.game.knowledge import belief_at
from ludex.game.offers import bindings
from ludex.game.redeal import Dealer, World
from ludex.game.step import Step
from ludex.ir.program import DrawChance
from ludex.rng import Generator
from ludex.typed.types import EntityType, Type

__all__ = ["CHANCE_TURN", "OVER_TURN", "Fault", "Luck", "Walk", "Worlds"]


class Worlds:
    """All that one player knows at one decision of his; and what he would see of what may follow."""

    def __init__(self, context: Context, step: Step, player: str, rng: Generator, walk: Walk) -> None:
        self._context = context
        self._walk = walk
        self._bit = context.bit(player)
        self._me = context.player_id(player)
        sealed = step.sealed
        entry, words = (sealed.entry, sealed.start) if sealed is not None else (step.entry, step.words)
        self._dealer = Dealer(context, words, belief_at(context, entry, self._bit), rng)
        self._sealed = sealed is not None
        made = step.entry.since(sealed.entry) if sealed is not None else []
        self._own = tuple(e.choice for e in made if e.strand == self._me and e.choice is not None)
        self._data: bytes | None = None
        self._copies = context.program.world.copies
        self._parameters: dict[int, tuple[frozenset[int], ...]] = {}

    def draw(self) -> bytes:
        """A world. The walk that was given may stand anywhere afterwards."""
        if self._data is not None:
            return self._data
        for _ in range(MAX_DEALS):
            data, world = self._dealer.deal()
            if not self._sealed or self._all_can_choose(data):
                break
        if self._own:
            data = self._with_his_choices(data, world)
        if self._dealer.is_settled:
            self._data = data
        return data

    @property
    def is_settled(self) -> bool:
        """Whether there is only one: he knows where everything is. Found out by the first draw."""
        return self._data is not None

    def _all_can_choose(self, data: bytes) -> bool:
        """Whether everybody else who has sealed choices to make has an option, as all know that he has."""
        walk = self._walk
        walk.begin(data)
        for player in walk.waiting():
            walk.ask(player)
            if player != self._me and not walk.count():
                return False
        return True

    def _with_his_choices(self, data: bytes, world: World) -> bytes:
        context, walk = self._context, self._walk
        walk.begin(data)
        for made in self._own:
            walk.ask(self._me)
            choice = in_world(context, walk.block, made, world)
            walk.count()
            try:
                number = walk.choices().index(choice)
            except ValueError:  # it stands for another that it is interchangeable with
                words = context.machine.unpack(walk.data())
                context.machine.choose(words, self._me, choice)
                walk.begin(context.machine.pack(words))
            else:
                walk.choose(number)
        return walk.data()

    def sees(self, block: int, outcome: int) -> bool:
        """Whether he sees what came out of the chance event at a block, which the walk has just let
        happen: open dice, and cards that come to lie where he sees them."""
        chance, context = self._context.chance(block), self._context
        if isinstance(chance.event, DrawChance) or is_about_things(context, block, outcome):
            place = self._walk.word(context.reader.place_word(outcome))
            return bool(context.visibility.location(place) & self._bit)
        return chance.audience == "all"

    def labels(self, block: int, choices: Iterable[Choice]) -> list[Hashable]:
        """What the options of a decision are called in any world: copies of a card are one, told
        apart only where several of them may be chosen."""
        copies, cards = self._copies, self._cards(block)
        met: Counter[tuple[int, ...]] = Counter()
        labels: list[Hashable] = []
        for choice in choices:
            of_cards, values = cards[choice.option], choice.values
            if of_cards:
                values = tuple(copies[v] if i in of_cards else v for i, v in enumerate(values))
            label = (choice.option, *values)
            labels.append((label, met[label]) if met[label] else label)
            if of_cards:
                met[label] += 1
        return labels

    def _cards(self, block: int) -> tuple[frozenset[int], ...]:
        """For each offer of a decision, which of its parameters are pieces or cards that there may be
        several of."""
        if block not in self._parameters:
            world = self._context.program.world

            def is_merged(type: Type) -> bool:
                kinds = map(world.kind, type.kinds) if isinstance(type, EntityType) else ()
                return any(k.is_movable and any(world.copies[i] != i for i in k.ids) for k in kinds)

            self._parameters[block] = tuple(
                frozenset(i for i, b in enumerate(bindings(option)) if is_merged(b.type))
                for option in self._context.decide(block).options
            )
        return self._parameters[block]
