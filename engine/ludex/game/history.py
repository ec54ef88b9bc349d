"""The history of a game: choices and chance outcomes, each with who may see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ludex.backends.machine import Choice, Entered, Event, Moved, Revealed, Stored, Words
from ludex.game.actions import Action
from ludex.game.context import Context
from ludex.game.naming import call_text
from ludex.ir.program import DrawChance, MemberChance
from ludex.typed.types import EntityType, Type

if TYPE_CHECKING:
    from ludex.game.knowledge import Belief


@dataclass(frozen=True, slots=True)
class Part:
    """An argument or outcome: `text` for those in the mask `seen_by` (bit 0: spectators
    too), `masked` for the others."""

    text: str
    masked: str
    seen_by: int


@dataclass(frozen=True, slots=True)
class Record:
    """One entry of the history: an action of `player`, or (None) the outcome of a chance event.

    `name` is the action's or chance event's name. `text` is what replays it: the stable
    text of the action, or of the outcome. In a masked record what the viewer may not see
    reads `?`, or `?gold` where he sees that it is a gold card; such a text replays nothing.
    `sealed_by` is the mask bit of the one player who knows of it at all (a sealed choice), else 0.
    """

    player: str | None
    name: str
    text: str
    parts: tuple[Part, ...] = field(default=(), repr=False)
    sealed_by: int = field(default=0, repr=False)
    masked: bool = False

    def for_viewer(self, bit: int) -> Record | None:
        """The record as the viewer with this mask bit may see it; None: he knows nothing of it."""
        if self.sealed_by and not self.sealed_by & bit:
            return None
        if all(p.seen_by & bit for p in self.parts):
            return replace(self, parts=()) if self.parts else self
        texts = [p.text if p.seen_by & bit else p.masked for p in self.parts]
        text = texts[0] if self.player is None else call_text(self.name, texts)
        return Record(self.player, self.name, text, masked=True)

    def __str__(self) -> str:
        return f"{self.player if self.player is not None else self.name}: {self.text}"


class Entry:
    """A link of the history: what was recorded, the events that followed, the one before.

    The first entry has no record. `words` (only of the last entry of a step) is the position
    it led to; nobody changes it. `outcomes` are those that a chance event may have had as far
    as everybody knows, with their weights, if the outcome is at once the value of a state
    item: that is the first change. `choice` is the raw choice of a player, or the raw
    outcome.
    """

    __slots__ = (
        "beliefs",
        "choice",
        "events",
        "initial",
        "number",
        "origin",
        "outcomes",
        "parent",
        "quiet",
        "record",
        "strand",
        "told",
        "words",
    )

    def __init__(
        self,
        parent: Entry | None,
        record: Record | None,
        events: tuple[Event, ...],
        *,
        choice: Choice | None = None,
        strand: int = 0,
        quiet: bool = False,
        outcomes: tuple[tuple[int, int], ...] = (),
    ) -> None:
        self.parent = parent
        self.record = record
        self.events = events
        self.choice = choice
        self.strand = strand
        """Player (id) whose strand these events belong to, 0 if the choice was not sealed."""
        self.quiet = quiet
        """A draw: the move that follows tells everything."""
        self.outcomes = outcomes
        self.words: Words | None = None
        self.initial: dict[int, int] | None = None
        """Of the first entry: where things were before anything happened, if that is known."""
        self.origin = False
        """Whether what went before is known as records only, without events."""
        self.beliefs: dict[int, Belief] = {}
        """What viewers know, where it has been worked out."""
        self.told: dict[int, tuple[str, ...]] = {}
        """Lines of the information state up to here, where they have been worked out."""
        self.number: int = 0 if parent is None else parent.number + 1

    def back(self) -> Iterator[Entry]:
        """This entry and all before it, newest first."""
        entry: Entry | None = self
        while entry is not None:
            yield entry
            entry = entry.parent

    def since(self, start: Entry | None) -> list[Entry]:
        """The entries after `start` up to this one, oldest first."""
        found = []
        for entry in self.back():
            if entry is start:
                break
            found.append(entry)
        found.reverse()
        return found


def action_record(
    context: Context,
    action: Action,
    player: int,
    types: Sequence[Type],
    before: Words,
    events: Sequence[Event],
    *,
    sealed: bool,
) -> Record:
    """The record of a choice: arguments that are hidden things are masked for the others."""
    everybody = context.visibility.everybody
    own = 1 << player
    if sealed:
        return Record(action.player, action.name, action.text, (), own)
    parts = []
    for text, value, type in zip(action.args, action.choice.values, types, strict=True):
        seen_by, masked = everybody, text
        if isinstance(type, EntityType) and context.naming.is_movable(value):
            seen_by = own | context.visibility.thing(before, value) | first_sight(value, events)
            masked = context.naming.back(value)
        parts.append(Part(text, masked, seen_by))
    if all(p.seen_by == everybody for p in parts):
        parts = []
    return Record(action.player, action.name, action.text, tuple(parts))


def chance_record(
    context: Context, block: int, outcome: Action, seen_before: int, end: Words, events: Sequence[Event]
) -> Record:
    """The record of an outcome, masked for those who do not see it happen.

    `seen_before` saw the face of the piece or card before; `end` is where the step led to.
    """
    chance = context.chance(block)
    everybody = context.visibility.everybody
    (value,) = outcome.choice.values
    if is_about_things(context, block, value):
        seen_by = seen_before | first_sight(value, events)
        if not any(isinstance(e, Moved) and e.thing == value for e in events):
            seen_by |= context.visibility.thing(end, value)
        masked = context.naming.back(value)
    else:
        seen_by = everybody
        masked = "?"
    if chance.audience != "all" and not isinstance(chance.event, DrawChance):
        stored = first_change(events) if context.is_stored(block) else None
        seen_by = stored.seen_by if isinstance(stored, Stored) else 0
    parts = () if seen_by & everybody == everybody else (Part(outcome.text, masked, seen_by),)
    return Record(None, outcome.name, outcome.text, parts)


def first_change(events: Sequence[Event]) -> Event | None:
    """The first event that is not the beginning of a rule."""
    return next((e for e in events if not isinstance(e, Entered)), None)


def is_about_things(context: Context, block: int, value: int) -> bool:
    """Whether the outcome of a chance event is a piece or a card."""
    event = context.chance(block).event
    if isinstance(event, DrawChance):
        return True
    return (
        isinstance(event, MemberChance)
        and isinstance(event.type, EntityType)
        and context.naming.is_movable(value)
    )


def first_sight(thing: int, events: Sequence[Event]) -> int:
    """Who saw the face of a thing when it first moved, or was shown it before that."""
    seen = 0
    for event in events:
        if isinstance(event, Moved) and event.thing == thing:
            return seen | event.seen_by
        if isinstance(event, Revealed) and event.things >> thing & 1:
            seen |= event.to
    return seen
