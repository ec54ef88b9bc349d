"""What a viewer knows of what is hidden, derived from the events he has seen.

A *belief* says for each piece and card either that the viewer has followed it to where it
lies (*pinned*), or at which places it may be. It never excludes the truth. Where two cards
of one face cannot be told apart by him, seeing one of them makes the possible places of the
others the union of what they were: their copy numbers tell him nothing.

What happens before the first decision and the first chance event follows from the rules, which
everybody knows: of what moves then every viewer knows where it goes.

It also has the faces of dice that were shown to him, and for the hidden values of the state
what he knows of where they come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ludex.backends.machine import (
    ChancePoint,
    FacesShown,
    Moved,
    Revealed,
    Shuffled,
    Stored,
    Words,
)
from ludex.game.context import Context
from ludex.game.deal import refine
from ludex.game.history import Entry, first_change
from ludex.game.naming import bits
from ludex.game.position import holds_things

MAX_WORK = 1 << 24
"""Things looked at while a viewer's knowledge is worked out, in all of a game. Beyond it he is
taken to know no more than what lies open: some seconds of work, a thousand times what games need."""

Element: TypeAlias = tuple[str, tuple[int, ...]]
"""An element of the state: the name of its field, its index."""

Source: TypeAlias = tuple[tuple[int, int], ...] | None
"""Outcomes of the chance event that a value came from, with their weights; None: anything else."""


@dataclass(frozen=True, slots=True)
class Known:
    """For each piece and card (by the face the viewer knows; several copies of one face are
    listed each) the names of the places where it may be, in order. One name: he knows it."""

    places: Mapping[str, tuple[tuple[str, ...], ...]]


class Belief:
    """What one viewer (mask bit `bit`) knows after some entry.

    `place` is where each thing really is; `maybe` the set (mask of locations) where it may
    be as far as he knows, one location for the pinned ones. `faces` are those of dice shown to
    him and not rolled since. `sources` has the hidden values that were ever set; where
    `complete`, the others are as declared. `work` counts what it took to find all that out.
    """

    __slots__ = ("_context", "bit", "complete", "faces", "maybe", "pinned", "place", "sources", "work")

    def __init__(
        self, context: Context, bit: int, place: dict[int, int], maybe: dict[int, int], pinned: set[int]
    ):
        self._context = context
        self.bit = bit
        self.place = place
        self.maybe = maybe
        self.pinned = pinned
        self.faces: dict[int, int] = {}
        self.sources: dict[Element, Source] = {}
        self.complete = False
        self.work = 0

    @classmethod
    def initial(cls, context: Context, bit: int, places: Mapping[int, int]) -> Belief:
        """Before the game: all is where the rules put it."""
        belief = cls(context, bit, dict(places), {t: 1 << p for t, p in places.items()}, set())
        belief.complete = True
        for thing, place in places.items():
            if context.visibility.location(place) & bit:
                belief.pinned.add(thing)
        return belief

    @classmethod
    def ignorant(cls, context: Context, bit: int, words: Words) -> Belief:
        """Only what lies open in a position is known."""
        places = {t: context.reader.place(words, t) for t in context.reader.movables}
        belief = cls(context, bit, places, {}, set())
        belief._forget()
        belief.look(words)
        return belief

    def copy(self) -> Belief:
        return self.renamed({thing: thing for thing in self.place})

    def renamed(self, names: Mapping[int, int]) -> Belief:
        """The same where each thing goes by another number."""
        place = {names[t]: p for t, p in self.place.items()}
        maybe = {names[t]: m for t, m in self.maybe.items()}
        twin = Belief(self._context, self.bit, place, maybe, {names[t] for t in self.pinned})
        twin.faces, twin.sources = dict(self.faces), dict(self.sources)
        program = self._context.program
        for at, source in self.sources.items():
            if source is not None and holds_things(program, program.layout.field(at[0])):
                twin.sources[at] = tuple((names.get(value, value), weight) for value, weight in source)
        twin.complete, twin.work = self.complete, self.work
        return twin

    def placed(self, place: dict[int, int]) -> Belief:
        """The same where things really are elsewhere. Both share what is known: neither may learn."""
        twin = Belief(self._context, self.bit, place, self.maybe, self.pinned)
        twin.faces, twin.sources = self.faces, self.sources
        twin.complete, twin.work = self.complete, self.work
        return twin

    def _forget(self) -> None:
        everywhere = 0
        for location in self._context.reader.locations:
            everywhere |= 1 << location
        self.pinned.clear()
        self.maybe = dict.fromkeys(self.place, everywhere)

    @property
    def is_given_up(self) -> bool:
        return self.work > MAX_WORK

    def follow(self, entry: Entry) -> None:
        """What is learnt from the events of an entry, in order."""
        first, is_first = first_change(entry.events), entry.parent is None
        for event in entry.events:
            match event:
                case Stored(field, index, seen_by=seen_by, rule=rule) if rule >= 0 and not seen_by & self.bit:
                    if field == "@face":
                        self.faces.pop(index[0], None)
                    else:
                        self.sources[field, index] = (entry.outcomes or None) if event is first else None
                case FacesShown(dice, to):
                    if to & self.bit:
                        self.faces.update(dice)
                case Moved(thing, target=target) if self.is_given_up:
                    self.place[thing] = target
                case Moved(thing, target=target, seen_by=seen_by) if is_first and not seen_by & self.bit:
                    self.place[thing], self.maybe[thing] = target, 1 << target
                    self.pinned.discard(thing)
                case Moved() | Revealed() | Shuffled():
                    self._follow_things(event)

    def _follow_things(self, event: Moved | Revealed | Shuffled) -> None:
        match event:
            case Moved(source=0):
                pass  # put in its first place, where it was from the beginning
            case Moved(thing, source, target, seen_by=seen_by):
                if seen_by & self.bit:
                    self._see(thing)
                    self.maybe[thing] = 1 << target
                else:
                    self._moved_unseen(thing, source, target)
                self.place[thing] = target
            case Revealed(things, to):
                if to & self.bit:
                    for thing in bits(things):
                        self._see(thing)
            case Shuffled(pile):
                if not self._context.visibility.location(pile) & self.bit:
                    self._loosen(pile, None)

    def look(self, words: Words) -> None:
        """What is learnt from looking at a position: tops of piles that came to light.

        Nobody looks while a chance event waits (a stack may be half laid).
        """
        if self.is_given_up:
            self._forget()
        if isinstance(self._context.machine.point(words), ChancePoint):
            return
        for thing, seen_by in self._context.visibility.things(words).items():
            if seen_by & self.bit and thing not in self.pinned:
                self._see(thing)

    def _see(self, thing: int) -> None:
        """The face of a thing is seen where it is."""
        place = 1 << self.place[thing]
        if thing not in self.pinned:
            world, naming = self._context.program.world, self._context.naming
            if naming.kind(thing).category == "card" and not self.is_given_up:
                self.work += naming.kind(thing).count
                face = world.copies[thing]
                alike = [
                    t
                    for t in naming.kind(thing).ids
                    if world.copies[t] == face and t not in self.pinned and self.maybe[t] & place
                ]
                union = self.maybe[thing]
                for t in alike:
                    union |= self.maybe[t]
                for t in alike:
                    self.maybe[t] = union
            self.pinned.add(thing)
        self.maybe[thing] = place

    def _moved_unseen(self, thing: int, source: int, target: int) -> None:
        """One thing of a kind went from one place to another, and he did not see which."""
        naming = self._context.naming
        kind = naming.kind(thing)
        self.work += 2 * kind.count
        if naming.kind(source).ordered:
            pass  # the top went: he knows which object, if he has followed it there
        else:
            hidden = sum(1 for t in kind.ids if self.place[t] == source)
            if hidden > 1:
                self._loosen(source, kind.name)
        if thing in self.pinned:
            self.maybe[thing] = 1 << target
            return
        for t in kind.ids:
            if t not in self.pinned and self.maybe[t] >> source & 1:
                self.maybe[t] |= 1 << target

    def _loosen(self, place: int, kind: str | None) -> None:
        """What he has followed to a place cannot be told from the rest there any more."""
        self.work += len(self.pinned)
        for thing in [t for t in self.pinned if self.place[t] == place]:
            if kind is None or self._context.naming.kind(thing).name == kind:
                self.pinned.discard(thing)
                self.maybe[thing] = 1 << place

    def known(self) -> Known:
        """As names, with the places that the numbers of cards exclude left out."""
        naming = self._context.naming
        maybe = refine(self._context, self.place, self.maybe, self.pinned)
        names = {mask: tuple(naming.text(p) for p in bits(mask)) for mask in set(maybe.values())}
        found: dict[str, list[tuple[str, ...]]] = {}
        for thing in self._context.reader.movables:
            found.setdefault(naming.text(thing), []).append(names[maybe[thing]])
        return Known({text: tuple(sorted(rows)) for text, rows in found.items()})


def belief_at(context: Context, entry: Entry, bit: int) -> Belief:
    """The belief of a viewer after an entry, from the nearest one worked out before."""
    pending: list[Entry] = []
    belief: Belief | None = None
    for e in entry.back():
        if bit in e.beliefs:
            belief = e.beliefs[bit].copy()
            break
        pending.append(e)
        if e.origin:
            break
    pending.reverse()
    if belief is None:
        root = pending[0]
        if root.initial is not None:
            belief = Belief.initial(context, bit, root.initial)
        else:
            assert root.words is not None, "an origin says where things were, or are"
            belief = Belief.ignorant(context, bit, root.words)
    for e in pending:
        belief.follow(e)
        if e.words is not None:
            belief.look(e.words)
    entry.beliefs[bit] = belief.copy()
    return belief
