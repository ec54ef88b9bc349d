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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ludex.backends.machine import Words
from ludex.game.context import Context
from ludex.game.deal import deal, shuffled
from ludex.game.knowledge import Belief
from ludex.game.naming import bits
from ludex.game.position import element, holds_things, index_of
from ludex.game.redraw import Redraw, put
from ludex.game.suspended import worked_out_anew
from ludex.ir.layout import Field
from ludex.rng import Generator
from ludex.typed.types import SetType


def patched(context: Context, words: Words, changes: Mapping[int, int]) -> Words:
    """A copy of a state with other values in some canonical words."""
    data = bytearray(context.machine.pack(words))
    for word, value in changes.items():
        struct.pack_into("<i", data, 4 * word, value)
    return context.machine.unpack(bytes(data))


@dataclass(frozen=True, slots=True)
class World:
    """What is known in a world dealt anew: `belief` in its numbers, and which thing of it
    stands for which of the true position: `shown` where the viewer sees it, `slots` where not."""

    belief: Belief
    shown: Mapping[int, int]
    slots: Mapping[int, int]

    def hidden(self, thing: int) -> int:
        """What a thing of the true position is that the viewer has not followed."""
        return self.slots.get(thing, self.shown.get(thing, thing))


def redealt(context: Context, words: Words, belief: Belief, rng: Generator) -> tuple[Words, World]:
    """A world for the holder of `belief`: the same for all positions that are one to him."""
    holders = _holders(context, words, belief.bit)
    shown = _renumbered(context, words, belief, holders)
    known = belief.renamed(shown)
    for thing, place in known.place.items():
        known.maybe[thing] |= 1 << place
    dealt = deal(context, known.place, known.maybe, known.pinned, rng)
    redraw = Redraw(context, words, known, shown, rng)
    changes = redraw.changes
    for thing in sorted(belief.pinned):
        _put(context, shown[thing], belief.place[thing], context.reader.order(words, thing), changes)
    slots = _into_slots(context, words, belief, holders, dealt, changes, rng)
    known.place.update(dealt)
    world = World(known, shown, slots)
    _rename(context, words, world, changes)
    redraw.values()
    redraw.records()
    new = patched(context, words, changes)
    anew = worked_out_anew(context, redraw, new, belief.bit)
    return (patched(context, new, anew) if anew else new), world


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


def _put(context: Context, thing: int, place: int, order: int, changes: dict[int, int]) -> None:
    changes[context.reader.place_word(thing)] = place
    word = context.reader.order_word(thing)
    if word is not None:
        changes[word] = order


def _into_slots(
    context: Context,
    words: Words,
    belief: Belief,
    holders: Holders,
    dealt: Mapping[int, int],
    changes: dict[int, int],
    rng: Generator,
) -> dict[int, int]:
    """Puts each thing dealt into a slot of its place that a thing of its kind lay in.

    Returns which thing took the slot of which.
    """
    reader, naming = context.reader, context.naming
    slots: dict[tuple[int, int], list[int]] = {}
    for thing, place in belief.place.items():
        if thing not in belief.pinned:
            slots.setdefault((naming.kind(thing).base, place), []).append(thing)
    coming: dict[tuple[int, int], list[int]] = {}
    for thing in sorted(dealt):
        coming.setdefault((naming.kind(thing).base, dealt[thing]), []).append(thing)
    taken: dict[int, int] = {}
    for key in sorted(slots):
        slots[key].sort(key=lambda t: (reader.order(words, t), holders[t]))
        for before, after in zip(slots[key], shuffled(coming[key], rng), strict=True):
            taken[before] = after
            _put(context, after, key[1], reader.order(words, before), changes)
    return taken


def _rename(context: Context, words: Words, world: World, changes: dict[int, int]) -> None:
    """References that the viewer sees keep their face; those of suspended code follow the slot."""
    for field in _fields_of_things(context):
        for number in range(field.count):
            seen = _sees(context, field, number, world.belief.bit)
            if field.role == "state" and not seen:
                continue
            value = element(field, words, number)
            if isinstance(field.type, SetType):
                moved = 0
                for i in bits(value):
                    moved |= 1 << (world.shown.get(i, i) if seen else world.hidden(i))
                if moved != value:
                    put(field, number, moved, changes)
            elif value in world.shown:
                changes[field.offset + number] = world.shown[value] if seen else world.hidden(value)


def _fields_of_things(context: Context) -> Iterator[Field]:
    """Declared state and suspended code that may hold pieces or cards."""
    fields = context.program.layout.fields
    return (f for f in fields if f.role in ("state", "frame") and holds_things(context.program, f))
