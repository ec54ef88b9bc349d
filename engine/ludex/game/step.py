"""Steps: from one position to the next, with records, events and sampled chance.

A step is one choice of a player and the chance events that follow until somebody is to
decide (or one chance outcome, where chance is explicit).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ludex.backends.machine import ChancePoint, Event, Moved, Point, SealedPoint, Stored, Words
from ludex.game import offers
from ludex.game.actions import Action
from ludex.game.context import Context
from ludex.game.history import Entry, Record, action_record, chance_record, is_about_things
from ludex.game.position import index_of
from ludex.game.redeal import patched
from ludex.ir.program import DrawChance
from ludex.rng import Generator


@dataclass(frozen=True, slots=True)
class Sealed:
    """Where sealed choices began: the entry, the position, and what others see of it until
    the join (the position without what strands did before their first choice)."""

    entry: Entry
    start: Words
    view: Words


@dataclass(frozen=True, slots=True)
class Step:
    """A position and what goes on from it. `words` and `chance` are never changed.

    `chance` is the generator of the chance events to come. `first` is the entry before the
    step that led here (None at the start).
    """

    words: Words
    point: Point
    entry: Entry
    first: Entry | None
    chance: Generator
    explicit: bool
    seed: int
    sealed: Sealed | None


Resolver = Callable[[Words, int, Generator], Action]
"""Gives the outcome of a chance event: (words, block, generator)."""

Recorder = Callable[[Words], Record]
"""Makes the record of an entry once the position its step led to is known."""


def copied(generator: Generator) -> Generator:
    """A generator in the same state."""
    twin = Generator(0)
    twin.state = generator.state
    return twin


def begin(context: Context, seed: int, *, explicit: bool, resolver: Resolver | None = None) -> Step:
    """The first position."""
    events: list[Event] = []
    words = context.machine.start(events)
    root = Entry(None, None, tuple(events))
    step = Step(words, context.machine.point(words), root, None, Generator(seed), explicit, seed, None)
    step = _settle(context, step, [], resolver, None)
    root.initial = _initial(context, step)
    return step


def choose(
    context: Context, step: Step, player: int, block: int, action: Action, resolver: Resolver | None = None
) -> Step:
    """After a legal choice. Raises `Fault`."""
    machine = context.machine
    sealed = isinstance(step.point, SealedPoint)
    words = machine.copy(step.words)
    events: list[Event] = []
    machine.choose(words, player, action.choice, events)
    decide = context.decide(block)
    types = [b.type for b in offers.bindings(decide.options[action.choice.option])]
    secret = sealed or decide.audience != "all"
    strand = player if sealed else 0
    entry = Entry(step.entry, None, tuple(events), choice=action.choice, strand=strand)

    def record(_: Words) -> Record:
        return action_record(context, action, player, types, step.words, entry.events, sealed=secret)

    following = replace(
        step,
        words=words,
        point=machine.point(words),
        entry=entry,
        first=step.entry,
        chance=copied(step.chance),
    )
    return _settle(context, following, [(entry, record)], resolver, step)


def resolve(context: Context, step: Step, block: int, outcome: Action) -> Step:
    """After an outcome of the chance event that waits. Raises `Fault`."""
    words = context.machine.copy(step.words)
    entry, record = _resolved(context, step.entry, words, block, outcome)
    following = replace(
        step,
        words=words,
        point=context.machine.point(words),
        entry=entry,
        first=step.entry,
        chance=copied(step.chance),
    )
    return _settle(context, following, [(entry, record)], None, step)


def _settle(
    context: Context,
    step: Step,
    open_entries: list[tuple[Entry, Recorder]],
    resolver: Resolver | None,
    before: Step | None,
) -> Step:
    """Chance events happen until somebody decides; then it is known who has seen what.

    `step.words` and `step.chance` are still ours to change.
    """
    machine, words, entry, point = context.machine, step.words, step.entry, step.point
    while isinstance(point, ChancePoint) and not step.explicit:
        outcome = (resolver or sampler(context))(words, point.block, step.chance)
        entry, record = _resolved(context, entry, words, point.block, outcome, going_on=True)
        open_entries.append((entry, record))
        point = machine.point(words)
    entry.words = words
    rests = not isinstance(point, ChancePoint)
    if context.visibility.tops:
        for e in entry.since(step.first):
            e.events = tuple(
                context.visibility.settled(event, words, rests=rests) if isinstance(event, Moved) else event
                for event in e.events
            )
    for e, record in open_entries:
        e.record = record(words)
    settled = replace(step, point=point, entry=entry)
    return replace(settled, sealed=_sealed(context, settled, before))


def sampler(context: Context) -> Resolver:
    """Outcomes drawn by the back end."""

    def sample(words: Words, block: int, chance: Generator) -> Action:
        value = context.machine.sample_outcome(words, chance)
        for action, _ in offers.outcomes(context, words, block):
            if action.choice.values[0] == value:
                return action
        raise AssertionError("a sampled outcome is one of the outcomes")

    return sample


def _possible(
    context: Context, words: Words, block: int, value: int, *, things: bool
) -> tuple[tuple[int, int], ...]:
    """What may have come out as far as everybody knows; nothing where the outcomes are secret, too."""
    if context.chance(block).audience == "all" and not things:
        return ((value, 1),)
    weights = tuple(context.machine.outcomes(words))
    visibility = context.visibility
    if things and any(visibility.thing(words, v) != visibility.everybody for v, _ in weights):
        return ()
    return weights


def _resolved(
    context: Context, parent: Entry, words: Words, block: int, outcome: Action, *, going_on: bool = False
) -> tuple[Entry, Recorder]:
    """Resolves a chance event in place."""
    machine = context.machine
    (value,) = outcome.choice.values
    things = is_about_things(context, block, value)
    seen_before = context.visibility.thing(words, value) if things else 0
    chance = context.chance(block)
    weights = _possible(context, words, block, value, things=things) if context.is_stored(block) else ()
    events: list[Event] = []
    machine.resolve(words, value, events, going_on=going_on)
    quiet = isinstance(chance.event, DrawChance) and any(
        isinstance(e, Moved) and e.thing == value for e in events
    )
    entry = Entry(parent, None, tuple(events), choice=outcome.choice, quiet=quiet, outcomes=weights)

    def record(end: Words) -> Record:
        return chance_record(context, block, outcome, seen_before, end, entry.events)

    return entry, record


def _sealed(context: Context, step: Step, before: Step | None) -> Sealed | None:
    """The beginning of the sealed choices that a position is in the middle of."""
    point = step.point
    if not isinstance(point, SealedPoint):
        return None
    events = [event for entry in step.entry.since(step.first) for event in entry.events]
    if before is not None and before.sealed is not None and isinstance(before.point, SealedPoint):
        waited = {player for player, _ in before.point.waiting}
        waiting = {player for player, _ in point.waiting}
        same = (
            point.block == before.point.block
            and waiting <= waited
            and waiting >= waited - {step.entry.strand}
        )
        if same and not any(_is_public(context, event) for event in events):
            return before.sealed
    return Sealed(step.entry, step.words, _without_strands(context, step.words, events))


def _is_public(context: Context, event: Event) -> bool:
    everybody = context.visibility.everybody
    match event:
        case Moved(witnesses=witnesses):
            return witnesses == everybody
        case Stored(field=field, seen_by=seen_by):
            return seen_by == everybody and not field.startswith("frame:")
        case _:
            return False


def _without_strands(context: Context, words: Words, events: Sequence[Event]) -> Words:
    """The position without the moves within strands, where no order is kept. What all have seen moving
    since (strands of sealed choices before these) is where they saw it go."""
    everybody = context.visibility.everybody
    naming, reader = context.naming, context.reader
    changes: dict[int, int] = {}
    followed: set[int] = set()
    for event in reversed(events):
        if isinstance(event, Moved) and event.witnesses == everybody:
            followed.add(event.thing)
        elif isinstance(event, Moved) and event.thing not in followed:
            if naming.kind(event.source).ordered or naming.kind(event.target).ordered:
                continue
            changes[reader.place_word(event.thing)] = event.source
    return patched(context, words, changes) if changes else words


def before_sealed(context: Context, words: Words, view: Words, bit: int) -> Words:
    """The position before sealed choices (`view`) with what a viewer alone has changed since:
    items of the state that he sees, and what moved between places that he sees into."""
    reader, visibility = context.reader, context.visibility
    changes: dict[int, int] = {}
    for field in reader.state_fields():
        for number in range(field.count):
            if visibility.field_element(field, index_of(field, number)) & bit:
                at = field.offset + number * field.width
                changes.update((at + i, words[at + i]) for i in range(field.width))
    piles: set[int] = set()
    for thing in reader.movables:
        old, new = reader.place(view, thing), reader.place(words, thing)
        if old != new and visibility.location(old) & visibility.location(new) & bit:
            changes[reader.place_word(thing)] = new
            piles |= {old, new}
    changes.update((word, words[word]) for word in reader.order_words(words, piles))
    return patched(context, view, changes)


def _initial(context: Context, step: Step) -> dict[int, int]:
    """Where everything was before the game: the source of its first move, or where it was put first."""
    places = {thing: context.reader.place(step.words, thing) for thing in context.reader.movables}
    for entry in step.entry.back():
        for event in reversed(entry.events):
            if isinstance(event, Moved):
                places[event.thing] = event.source or event.target
    return places
