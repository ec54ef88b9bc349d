"""What a viewer knows of where things are, derived from the events he has seen.

A *belief* says for each piece and card either that the viewer has followed it to where it
lies (*pinned*), or at which places it may be. It never excludes the truth. Where two cards
of one face cannot be told apart by him, seeing one of them makes the possible places of the
others the union of what they were: their copy numbers tell him nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ludex.backends.machine import ChancePoint, Event, Moved, Revealed, Shuffled, Words
from ludex.game.context import Context
from ludex.game.deal import refine
from ludex.game.history import Entry
from ludex.game.naming import bits


@dataclass(frozen=True, slots=True)
class Known:
    """For each piece and card (by the face the viewer knows; several copies of one face are
    listed each) the names of the places where it may be, in order. One name: he knows it."""

    places: Mapping[str, tuple[tuple[str, ...], ...]]


class Belief:
    """What one viewer (mask bit `bit`) knows after some entry.

    `place` is where each thing really is; `maybe` the set (mask of locations) where it may
    be as far as he knows, one location for the pinned ones.
    """

    __slots__ = ("_context", "bit", "maybe", "pinned", "place")

    def __init__(
        self, context: Context, bit: int, place: dict[int, int], maybe: dict[int, int], pinned: set[int]
    ):
        self._context = context
        self.bit = bit
        self.place = place
        self.maybe = maybe
        self.pinned = pinned

    @classmethod
    def initial(cls, context: Context, bit: int, places: Mapping[int, int]) -> Belief:
        """Before the game: all is where the rules put it."""
        belief = cls(context, bit, dict(places), {t: 1 << p for t, p in places.items()}, set())
        for thing, place in places.items():
            if context.visibility.location(place) & bit:
                belief.pinned.add(thing)
        return belief

    @classmethod
    def ignorant(cls, context: Context, bit: int, words: Words) -> Belief:
        """Only what lies open in a position is known."""
        everywhere = 0
        for location in context.reader.locations:
            everywhere |= 1 << location
        places = {t: context.reader.place(words, t) for t in context.reader.movables}
        belief = cls(context, bit, places, dict.fromkeys(places, everywhere), set())
        belief.look(words)
        return belief

    def copy(self) -> Belief:
        return Belief(self._context, self.bit, dict(self.place), dict(self.maybe), set(self.pinned))

    def follow(self, events: Iterable[Event]) -> None:
        """What is learnt from events, in order."""
        for event in events:
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
            if naming.kind(thing).category == "card":
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
        for thing in [t for t in self.pinned if self.place[t] == place]:
            if kind is None or self._context.naming.kind(thing).name == kind:
                self.pinned.discard(thing)
                self.maybe[thing] = 1 << place

    def known(self) -> Known:
        """As names, with the places that the numbers of cards exclude left out."""
        naming = self._context.naming
        maybe = refine(self._context, self.place, self.maybe, self.pinned)
        found: dict[str, list[tuple[str, ...]]] = {}
        for thing in self._context.reader.movables:
            places = tuple(naming.text(p) for p in bits(maybe[thing]))
            found.setdefault(naming.text(thing), []).append(places)
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
        belief.follow(e.events)
        if e.words is not None:
            belief.look(e.words)
    entry.beliefs[bit] = belief.copy()
    return belief
