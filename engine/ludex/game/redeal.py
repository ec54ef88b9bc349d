"""Worlds that a viewer cannot tell from the real one: hidden things dealt anew in the words.

A world is a function of what the viewer knows and of the generator: positions that are one
to him give one world, to the last byte. So nothing starts from the true arrangement. Copies
of a face are numbered by what he knows of them; pieces and cards he has not followed are
dealt uniformly (see `deal`). Values he cannot see, references to things among them: those
straight from a chance event are drawn again from its outcomes, those never set are as
declared, and others may be anything their type allows (0 if it is unbounded). Tokens lie
where all see them or in the box, which so holds no secret. Positions in records that tell what he cannot see
become positions that never were. In suspended code, references to hidden things go with the
slot that the thing lay in, and other values that rest on what he cannot see are worked out
anew (`suspended`).
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from ludex.backends.machine import Words
from ludex.game.context import Context
from ludex.game.deal import Deals, shuffled
from ludex.game.knowledge import Belief
from ludex.game.naming import bits
from ludex.game.position import element, holds_things, index_of
from ludex.game.redraw import Redraw, put
from ludex.game.suspended import needs_working_out, worked_out_anew
from ludex.ir.layout import Field
from ludex.rng import Generator
from ludex.typed.types import SetType


def patched(context: Context, words: Words, changes: Mapping[int, int]) -> Words:
    """A copy of a state with other values in some canonical words."""
    data = bytearray(context.machine.pack(words))
    for word, value in changes.items():
        struct.pack_into("<i", data, 4 * word, value)
    return context.machine.unpack(bytes(data))


class World:
    """What is known in a world dealt anew: `belief` in its numbers, and which thing of it
    stands for which of the true position: `shown` where the viewer sees it, `slots` where not."""

    def __init__(
        self,
        belief: Callable[[], Belief],
        shown: Mapping[int, int],
        slots: Callable[[], Mapping[int, int]],
    ) -> None:
        self.shown = shown
        self._belief, self._slots = belief, slots

    @cached_property
    def belief(self) -> Belief:
        return self._belief()

    @cached_property
    def slots(self) -> Mapping[int, int]:
        return self._slots()

    def hidden(self, thing: int) -> int:
        """What a thing of the true position is that the viewer has not followed."""
        return self.slots.get(thing, self.shown.get(thing, thing))


def redealt(context: Context, words: Words, belief: Belief, rng: Generator) -> tuple[Words, World]:
    """A world for the holder of `belief`: the same for all positions that are one to him."""
    dealer = Dealer(context, words, belief, rng)
    data, world = dealer.deal()
    return context.machine.unpack(data), world


class Dealer:
    """Deals worlds for the holder of a belief about a position, each with more draws from `rng`.

    All that depends on his knowledge alone is worked out once: bots ask for worlds by the thousand.
    """

    def __init__(self, context: Context, words: Words, belief: Belief, rng: Generator) -> None:
        self._context = context
        self._rng = rng
        self._bit = belief.bit
        holders = _holders(context, words, belief.bit)
        self._shown = _renumbered(context, words, belief, holders)
        known = self._known = belief.renamed(self._shown)
        for thing, place in known.place.items():
            known.maybe[thing] |= 1 << place
        self._deals = Deals(context, known.place, known.maybe, known.pinned)
        self._redraw = Redraw(context, words, known, self._shown, rng)
        self._alike, self._ordered = _slots(context, words, belief, holders)
        self._references = tuple(_references(context, words, belief.bit, self._shown))
        self._words = array("i", context.machine.pack(words))
        self._place_words = {t: context.reader.place_word(t) for t in known.place if t not in known.pinned}
        for thing in self._place_words:
            self._put(self._words, thing, 0)
        for thing in sorted(belief.pinned):
            self._words[context.reader.place_word(self._shown[thing])] = belief.place[thing]
            self._put(self._words, self._shown[thing], context.reader.order(words, thing))
        self._anew = needs_working_out(context, words)

    @property
    def is_settled(self) -> bool:
        """Whether there is but one world: the player knows it all. Found out by the first deal."""
        return self._deals.is_settled and self._redraw.is_settled and not self._anew

    def deal(self) -> tuple[bytes, World]:
        """A world, packed, and what is known in it."""
        context = self._context
        dealt = self._deals.draw(self._rng)
        words = self._words[:]
        for thing, place in dealt.items():
            words[self._place_words[thing]] = place
        ordered = self._into_ordered(dealt, words)
        world = World(
            lambda: self._known.placed(self._known.place | dealt),
            self._shown,
            lambda: ordered | self._into_alike(dealt),
        )
        changes: dict[int, int] = {}
        for field, number, value, seen in self._references:
            put(field, number, self._renamed(value, field, world, seen=seen), changes)
        self._redraw.draw(changes)
        for word, value in changes.items():
            words[word] = value
        data = _bytes(words)
        if self._anew:
            new = context.machine.unpack(data)
            anew = worked_out_anew(context, self._redraw, new, self._bit)
            if anew is None:
                self._anew = False  # what is secret to him is so in all of them
            else:
                data = context.machine.pack(patched(context, new, anew))
        return data, world

    def _put(self, words: array[int], thing: int, order: int) -> None:
        word = self._context.reader.order_word(thing)
        if word is not None:
            words[word] = order

    def _into_ordered(self, dealt: Mapping[int, int], words: array[int]) -> dict[int, int]:
        """Puts what was dealt to places where slots differ into these, one each.

        Returns which thing took the slot of which.
        """
        taken: dict[int, int] = {}
        if self._ordered:
            coming = self._by_place(dealt)
            for key, before in self._ordered.items():
                for (old, order), thing in zip(before, shuffled(coming[key], self._rng), strict=True):
                    taken[old] = thing
                    self._put(words, thing, order)
        return taken

    def _into_alike(self, dealt: Mapping[int, int]) -> dict[int, int]:
        """Which thing took the slot of which, where it makes no difference."""
        coming = self._by_place(dealt)
        pairs = (zip(before, coming[key], strict=True) for key, before in self._alike.items())
        return {old: thing for pair in pairs for (old, _), thing in pair}

    def _by_place(self, dealt: Mapping[int, int]) -> dict[tuple[int, int], list[int]]:
        """The things dealt, by the first of their kind and their place, in order."""
        coming: dict[tuple[int, int], list[int]] = {}
        for thing in sorted(dealt):
            coming.setdefault((self._context.naming.kind(thing).base, dealt[thing]), []).append(thing)
        return coming

    @staticmethod
    def _renamed(value: int, field: Field, world: World, *, seen: bool) -> int:
        """A reference: what the viewer sees keeps its face, that of suspended code follows the slot."""
        if isinstance(field.type, SetType):
            moved = 0
            for i in bits(value):
                moved |= 1 << (world.shown.get(i, i) if seen else world.hidden(i))
            return moved
        return world.shown.get(value, value) if seen else world.hidden(value)


def _bytes(words: array[int]) -> bytes:
    return words.tobytes() if sys.byteorder == "little" else struct.pack(f"<{len(words)}i", *words)


Holders = Mapping[int, tuple[tuple[bool, int], ...]]
"""For each thing the words that hold it: (whether the viewer does not see the word, its offset).
Hidden items of the state are left out: he knows nothing of what they hold."""


def _holders(context: Context, words: Words, bit: int) -> Holders:
    found: dict[int, list[tuple[bool, int]]] = {thing: [] for thing in context.reader.movables}
    for field in _fields_of_things(context):
        for number in range(field.count):
            unseen = not _sees(context, field, number, bit)
            if unseen and field.role == "state":
                continue
            value = element(field, words, number)
            held = bits(value) if isinstance(field.type, SetType) else (value,)
            for thing in held:
                if thing in found:
                    found[thing].append((unseen, field.offset + number * field.width))
    return {thing: tuple(sorted(where)) for thing, where in found.items()}


def _sees(context: Context, field: Field, number: int, bit: int) -> bool:
    seen_by = context.visibility.field_element(field, index_of(field, number))
    return field.role == "state" and bool(seen_by & bit)


def _renumbered(context: Context, words: Words, belief: Belief, holders: Holders) -> dict[int, int]:
    """The copies of each face in an order that the viewer's knowledge gives: he sees no copy numbers.

    Where something is recorded of each copy they keep their numbers, which he then sees.
    """
    counted = {d.kind for f in context.reader.state_fields() for d in f.dims}
    copies: dict[int, list[int]] = {}
    shown: dict[int, int] = {}
    for kind in context.program.world.kinds:
        if not kind.is_movable:
            continue
        for thing in kind.ids:
            if kind.category == "card" and kind.name not in counted:
                copies.setdefault(context.program.world.copies[thing], []).append(thing)
            else:
                shown[thing] = thing

    def known(thing: int) -> tuple[int, int, int, tuple[tuple[bool, int], ...]]:
        if thing in belief.pinned:
            return 0, belief.place[thing], context.reader.order(words, thing), holders[thing]
        seen = tuple(h for h in holders[thing] if not h[0])
        return 1, belief.maybe[thing] | 1 << belief.place[thing], 0, seen

    for alike in copies.values():
        shown.update(zip(sorted(alike, key=known), alike, strict=True))
    return shown


Slots = dict[tuple[int, int], list[tuple[int, int]]]
"""By the first of a kind and a place: what lies there that a viewer has not followed, and its order."""


def _slots(context: Context, words: Words, belief: Belief, holders: Holders) -> tuple[Slots, Slots]:
    """Slots that differ in nothing; and the others, in an order that the viewer's knowledge gives."""
    reader, naming = context.reader, context.naming
    slots: dict[tuple[int, int], list[int]] = {}
    for thing, place in belief.place.items():
        if thing not in belief.pinned:
            slots.setdefault((naming.kind(thing).base, place), []).append(thing)
    alike: Slots = {}
    ordered: Slots = {}
    for key in sorted(slots):
        marks = {t: (reader.order(words, t), holders[t]) for t in slots[key]}
        things = sorted(slots[key], key=marks.__getitem__)
        kept = alike if all(mark == (0, ()) for mark in marks.values()) else ordered
        kept[key] = [(t, marks[t][0]) for t in things]
    return alike, ordered


def _references(
    context: Context, words: Words, bit: int, shown: Mapping[int, int]
) -> Iterator[tuple[Field, int, int, bool]]:
    """Values that refer to pieces or cards: field, element, value, whether the viewer sees it."""
    for field in _fields_of_things(context):
        for number in range(field.count):
            seen = _sees(context, field, number, bit)
            if field.role == "state" and not seen:
                continue
            value = element(field, words, number)
            if value if isinstance(field.type, SetType) else value in shown:
                yield field, number, value, seen


def _fields_of_things(context: Context) -> Iterator[Field]:
    """Declared state and suspended code that may hold pieces or cards."""
    fields = context.program.layout.fields
    return (f for f in fields if f.role in ("state", "frame") and holds_things(context.program, f))
