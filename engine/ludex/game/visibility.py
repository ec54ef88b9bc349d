"""Who may see what: declared audiences as masks. The one place that decides it.

A viewer is a mask bit: `1 << player` (entity id), or bit 0 for a spectator. Sets of viewers
are masks of these. Faces of pieces and cards follow the back end's `visible_to`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from ludex.backends.machine import Machine, Moved, Words, viewers
from ludex.game.naming import Naming
from ludex.game.position import Reader, index_of
from ludex.ir.layout import Field

SPECTATOR = 1


class Visibility:
    """The declared audiences of one program."""

    def __init__(self, machine: Machine, naming: Naming, reader: Reader) -> None:
        world = machine.program.world
        self._machine = machine
        self.naming = naming
        self.reader = reader
        self.everybody = SPECTATOR | world.players.mask
        self._locations: dict[int, int] = {}
        self.tops = frozenset(i for k in world.kinds if k.is_location and k.audience == "top" for i in k.ids)
        """Piles of which everybody sees the top card."""
        self._box = world.kind("box").ids
        self._dice: dict[int, int] = {}
        for kind in world.kinds:
            if kind.is_location or kind.category == "die":
                masks = self._locations if kind.is_location else self._dice
                masks.update(zip(kind.ids, viewers(kind, self.everybody), strict=True))

    def location(self, location: int) -> int:
        """Who sees all that lies there (for `top`: nobody; the top card is seen by face)."""
        return self._locations.get(location, self.everybody)

    def things(self, words: Words) -> dict[int, int]:
        """Who sees the face of each piece and card where it lies."""
        see = self._machine.visible_to
        return {thing: see(words, thing) for thing in self.reader.movables}

    def thing(self, words: Words, thing: int) -> int:
        return self._machine.visible_to(words, thing)

    def settled(self, event: Moved, end: Words, *, rests: bool) -> Moved:
        """A move as it was seen in the end, in a step that led to `end`.

        What comes to lie on a pile of which the top is seen, and is covered before anybody
        decides, has not been seen there: so stacks are laid face down, and then the top is
        turned up. `rests`: whether the step ended in a decision.
        """
        if event.target not in self.tops:
            return event
        seen = self.everybody if event.source in self.tops else self.location(event.source)
        if rests and self.reader.place(end, event.thing) == event.target:
            seen |= self.thing(end, event.thing)
        return replace(event, seen_by=event.seen_by & seen)

    def field_element(self, field: Field, index: Sequence[int]) -> int:
        """Who sees an element of a field."""
        if field.role == "face":
            return self._dice[index[0]]
        if field.audience == "all":
            return self.everybody
        if field.audience == "owner" and field.owner_dim is not None:
            return 1 << index[field.owner_dim]
        return 0

    @cached_property
    def hides_something(self) -> bool:
        """Whether anything at all in this game is hidden from somebody.

        The box alone hides nothing: what is not seen elsewhere is in it, in no order.
        """
        return any(m != self.everybody for i, m in self._locations.items() if i not in self._box) or any(
            self.field_element(f, index_of(f, number)) != self.everybody
            for f in self.reader.state_fields()
            for number in range(f.count if f.role == "face" else 1)
        )
