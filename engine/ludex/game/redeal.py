"""Worlds that a viewer cannot tell from the real one: hidden things dealt anew in the words.

A world is a function of what the viewer knows and of the generator: positions that are one
to him give one world, to the last byte. So nothing starts from the true arrangement. Copies
of a face are numbered by what he knows of them; pieces and cards he has not followed are
dealt uniformly (see `deal`). Values he cannot see: those straight from a chance event are
drawn again from its outcomes, those that never changed are as declared, and others may be
anything their type allows (0 if it is unbounded). Tokens at hidden places change places
among them. References to hidden things in hidden state and in suspended code go with the
slot that the thing lay in.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ludex.backends.machine import Stored, Words
from ludex.game.context import Context
from ludex.game.deal import below, deal, shuffled
from ludex.game.history import Entry
from ludex.game.knowledge import Belief
from ludex.game.naming import bits
from ludex.game.position import element, index_of, number_of
from ludex.ir.layout import Field
from ludex.rng import Generator
from ludex.typed.types import BoolType, EntityType, IntType, SetType, Type

MAX_VALUES = 1 << 20
"""A hidden number with more values than this counts as unbounded."""


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


def redealt(
    context: Context, words: Words, belief: Belief, entry: Entry, rng: Generator
) -> tuple[Words, World]:
    """A world for the holder of `belief`: the same for all positions that are one to him."""
    holders = _holders(context, words, belief.bit)
    shown = _renumbered(context, words, belief, holders)
    place = {shown[t]: p for t, p in belief.place.items()}
    maybe = {shown[t]: m | 1 << belief.place[t] for t, m in belief.maybe.items()}
    known = Belief(context, belief.bit, place, maybe, {shown[t] for t in belief.pinned})
    dealt = deal(context, place, maybe, known.pinned, rng)
    changes: dict[int, int] = {}
    for thing in sorted(belief.pinned):
        _put(context, shown[thing], belief.place[thing], context.reader.order(words, thing), changes)
    slots = _into_slots(context, words, belief, holders, dealt, changes, rng)
    known.place.update(dealt)
    world = World(known, shown, slots)
    _rename(context, words, world, changes)
    _redraw(context, words, belief.bit, entry, changes, rng)
    _redeal_tokens(context, words, belief.bit, changes, rng)
    return patched(context, words, changes), world


Holders = Mapping[int, tuple[tuple[bool, int], ...]]
"""For each thing the words that hold it: (whether the viewer does not see the word, its offset)."""


def _holders(context: Context, words: Words, bit: int) -> Holders:
    found: dict[int, list[tuple[bool, int]]] = {thing: [] for thing in context.reader.movables}
    for field in _fields_of_things(context):
        for number in range(field.count):
            value = element(field, words, number)
            held = bits(value) if isinstance(field.type, SetType) else (value,)
            for thing in held:
                if thing in found:
                    unseen = not _sees(context, field, number, bit)
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
    """References that the viewer sees keep their face; the others follow the slot."""
    for field in _fields_of_things(context):
        for number in range(field.count):
            seen = _sees(context, field, number, world.belief.bit)
            value = element(field, words, number)
            if isinstance(field.type, SetType):
                moved = 0
                for i in bits(value):
                    moved |= 1 << (world.shown.get(i, i) if seen else world.hidden(i))
                if moved != value:
                    _write_set(field, number, moved, changes)
            elif value in world.shown:
                changes[field.offset + number] = world.shown[value] if seen else world.hidden(value)


def _fields_of_things(context: Context) -> Iterator[Field]:
    """Declared state and suspended code that may hold pieces or cards."""
    fields = context.program.layout.fields
    return (f for f in fields if f.role in ("state", "frame") and _holds_things(context, f))


def _holds_things(context: Context, field: Field) -> bool:
    type = field.type.element if isinstance(field.type, SetType) else field.type
    return isinstance(type, EntityType) and any(context.program.world.kind(k).is_movable for k in type.kinds)


def _write_set(field: Field, number: int, mask: int, changes: dict[int, int]) -> None:
    mask >>= field.set_base
    for i in range(field.width):
        word = mask >> 32 * i & 0xFFFFFFFF
        changes[field.offset + number * field.width + i] = word - (1 << 32) if word >> 31 else word


def _redraw(
    context: Context, words: Words, bit: int, entry: Entry, changes: dict[int, int], rng: Generator
) -> None:
    """Hidden values drawn anew, in the order of the layout."""
    fields: dict[str, Field] = {}
    hidden: list[tuple[str, int]] = []
    for field in context.reader.state_fields():
        if field.audience == "all":
            continue
        if _holds_things(context, field):
            continue
        fields[field.name] = field
        for number in range(field.count):
            if not context.visibility.field_element(field, index_of(field, number)) & bit:
                hidden.append((field.name, number))
    if not hidden:
        return
    sources, complete = _sources(fields, set(hidden), entry)
    for name, number in hidden:
        if fields[name].role == "face":
            _roll(context, words, fields[name], number, changes, rng)
            continue
        source = sources.get((name, number))
        if source is not None:
            changes[fields[name].offset + number] = _drawn(source, rng)
        elif (name, number) in sources or not complete:
            _any_value(context, fields[name], number, changes, rng)


def _sources(
    fields: Mapping[str, Field], hidden: set[tuple[str, int]], entry: Entry
) -> tuple[dict[tuple[str, int], tuple[tuple[int, int], ...] | None], bool]:
    """Where the hidden values that ever changed came from: the outcomes of a chance event, or None.

    Also whether what happened is known from the start, so that the others are as declared.
    """
    found: dict[tuple[str, int], tuple[tuple[int, int], ...] | None] = {}
    complete = False
    for e in entry.back():
        for event in reversed(e.events):
            if not isinstance(event, Stored) or event.field not in fields:
                continue
            at = number_of(fields[event.field], event.index)
            if at is None or (event.field, at) not in hidden or (event.field, at) in found:
                continue
            direct = bool(e.outcomes) and e.choice is not None and e.choice.values == (event.new,)
            found[event.field, at] = e.outcomes if direct else None
        complete = e.initial is not None
        if e.origin:
            break
    return found, complete


def _roll(
    context: Context, words: Words, field: Field, number: int, changes: dict[int, int], rng: Generator
) -> None:
    """A new face for a die that has been rolled; when that was everybody knows."""
    (die,) = index_of(field, number)
    kind = context.naming.kind(die)
    faces = kind.attribute("@faces")
    assert faces is not None, "a die has faces"
    if words[field.offset + number] in faces.values:
        changes[field.offset + number] = faces.values[rng.bounded(len(faces.values))]


def _any_value(context: Context, field: Field, number: int, changes: dict[int, int], rng: Generator) -> None:
    """Any value that the item may have; of a number without bounds, and of one it cannot
    have otherwise, 0."""
    match field.type:
        case SetType(element_type):
            mask = 0
            for member in _values(context, element_type, field):
                mask |= rng.bounded(2) << member
            _write_set(field, number, mask, changes)
        case _:
            values = _values(context, field.type, field)
            changes[field.offset + number] = values[rng.bounded(len(values))] if values else 0


def _values(context: Context, type: Type, field: Field) -> Sequence[int]:
    match type:
        case BoolType():
            return (0, 1)
        case EntityType(kinds, optional):
            found = [i for k in kinds for i in context.program.world.kind(k).ids]
            return [0, *found] if optional else found
        case IntType() if isinstance(field.type, SetType):
            return range(type.lo, type.hi + 1)
        case _:
            return range(field.lo, field.hi + 1) if field.hi - field.lo < MAX_VALUES else (0,)


def _redeal_tokens(context: Context, words: Words, bit: int, changes: dict[int, int], rng: Generator) -> None:
    """Tokens at places that the viewer does not see: their faces dealt anew, as many of each
    kind at each place as before."""
    field = context.program.layout.find("@tokens")
    if field is None:
        return
    rows, faces = field.dims
    unseen = [i for i in range(rows.base, rows.base + rows.size) if not context.visibility.location(i) & bit]
    for kind in context.program.world.kinds:
        if kind.category != "token":
            continue
        pool: list[int] = []
        counts: dict[int, int] = {}
        for location in unseen:
            row = field.offset + (location - rows.base) * faces.size - faces.base
            counts[row] = sum(words[row + face] for face in kind.ids)
            changes.update((row + face, 0) for face in kind.ids)
        for face in kind.ids:
            pool.extend([face] * sum(words[row + face] for row in counts))
        pool = shuffled(pool, rng)
        for row, number in counts.items():
            for _ in range(number):
                changes[row + pool.pop()] += 1


def _drawn(outcomes: tuple[tuple[int, int], ...], rng: Generator) -> int:
    pick = below(rng, sum(weight for _, weight in outcomes))
    for value, weight in outcomes:
        if pick < weight:
            return value
        pick -= weight
    raise AssertionError("weights are positive")
