"""Worlds that a viewer cannot tell from the real one: hidden things dealt anew in the words.

What is dealt anew: pieces and cards the viewer has not followed, uniformly (see `deal`);
values he cannot see that came straight from a chance event, drawn again from its outcomes.
References to hidden things in hidden state and in suspended code go with the slot that the
thing lay in. Kept as they are: other hidden values, and tokens at hidden places.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from ludex.backends.machine import Stored, Words
from ludex.game.context import Context
from ludex.game.deal import below, deal, shuffled
from ludex.game.history import Entry
from ludex.game.knowledge import Belief
from ludex.game.naming import bits
from ludex.game.position import element, index_of, number_of
from ludex.ir.layout import Field
from ludex.rng import Generator
from ludex.typed.types import EntityType, SetType


def patched(context: Context, words: Words, changes: Mapping[int, int]) -> Words:
    """A copy of a state with other values in some canonical words."""
    data = bytearray(context.machine.pack(words))
    for word, value in changes.items():
        struct.pack_into("<i", data, 4 * word, value)
    return context.machine.unpack(bytes(data))


def redealt(
    context: Context, words: Words, belief: Belief, entry: Entry, rng: Generator
) -> tuple[Words, dict[int, int]]:
    """A world for the holder of `belief`, and where each piece and card lies in it."""
    dealt = deal(context, belief.place, belief.maybe, belief.pinned, rng)
    changes: dict[int, int] = {}
    renamed = _into_slots(context, words, belief, dealt, changes, rng)
    if renamed:
        _rename(context, words, belief.bit, renamed, changes)
    _redraw(context, words, belief.bit, entry, changes, rng)
    places = {**belief.place, **dealt}
    return (patched(context, words, changes) if changes else context.machine.copy(words)), places


def _into_slots(
    context: Context,
    words: Words,
    belief: Belief,
    dealt: Mapping[int, int],
    changes: dict[int, int],
    rng: Generator,
) -> dict[int, int]:
    """Puts each thing dealt into a slot of its place that a thing of its kind lay in.

    Returns which thing took the slot of which.
    """
    reader, naming = context.reader, context.naming
    owners: dict[tuple[str, int], list[int]] = {}
    for thing in dealt:
        owners.setdefault((naming.kind(thing).name, belief.place[thing]), []).append(thing)
    coming: dict[tuple[str, int], list[int]] = {}
    for thing, place in dealt.items():
        coming.setdefault((naming.kind(thing).name, place), []).append(thing)
    renamed: dict[int, int] = {}
    for key, old in owners.items():
        for before, after in zip(old, shuffled(coming[key], rng), strict=True):
            if before == after:
                continue
            renamed[before] = after
            changes[reader.place_word(after)] = key[1]
            word = reader.order_word(after)
            if word is not None:
                changes[word] = reader.order(words, before)
    return renamed


def _rename(
    context: Context, words: Words, bit: int, renamed: Mapping[int, int], changes: dict[int, int]
) -> None:
    """References to hidden things that the viewer cannot see follow the slot."""
    for field in context.program.layout.fields:
        if field.role not in ("state", "frame") or not _holds_things(context, field):
            continue
        for number in range(field.count):
            if (
                field.role == "state"
                and context.visibility.field_element(field, index_of(field, number)) & bit
            ):
                continue
            value = element(field, words, number)
            if isinstance(field.type, SetType):
                moved = 0
                for i in bits(value):
                    moved |= 1 << renamed.get(i, i)
                if moved != value:
                    _write_set(field, number, moved, changes)
            elif value in renamed:
                changes[field.offset + number] = renamed[value]


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
    """Hidden values that a hidden chance event gave, drawn anew."""
    hidden: set[tuple[str, int]] = set()
    fields: dict[str, Field] = {}
    for field in context.reader.state_fields():
        if field.audience == "all" or _holds_things(context, field) or isinstance(field.type, SetType):
            continue
        fields[field.name] = field
        for number in range(field.count):
            if not context.visibility.field_element(field, index_of(field, number)) & bit:
                hidden.add((field.name, number))
    if not hidden:
        return
    for e in entry.back():
        for event in reversed(e.events):
            if not isinstance(event, Stored) or event.field not in fields:
                continue
            field = fields[event.field]
            at = number_of(field, event.index)
            if at is None or (event.field, at) not in hidden:
                continue
            hidden.discard((event.field, at))
            if any(value == event.new for value, _ in e.outcomes):
                changes[field.offset + at] = _drawn(e.outcomes, rng)
        if not hidden:
            return


def _drawn(outcomes: tuple[tuple[int, int], ...], rng: Generator) -> int:
    pick = below(rng, sum(weight for _, weight in outcomes))
    for value, weight in outcomes:
        if pick < weight:
            return value
        pick -= weight
    raise AssertionError("weights are positive")
