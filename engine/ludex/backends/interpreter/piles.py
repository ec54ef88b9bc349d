"""Moving things: places, the order of piles, tokens, and who sees what.

An ordered pile is a known head, an unknown middle and a known tail. `@order` counts the head
upwards from the middle (its top card has the number `@head`) and the tail downwards (its
bottom card has minus `@tail`); the middle has 0. Where the middle is empty all cards are
head, from 1 at the bottom: so the same cards in the same order are always the same words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludex.backends.machine import Fault, Moved, Shuffled, TokensMoved, Words, viewers

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler


class Piles:
    """All moves of one program.

    By entity id: `ordered` and `single` tell of locations whether they keep order or hold
    one thing, `allowed` of things where they may be (mask).
    """

    def __init__(self, c: Compiler) -> None:
        memory, world = c.memory, c.program.world
        self._context, self._members, self._world = c.context, c.members, world
        self._place = memory.base("@place") or 0
        self._order = memory.base("@order") or 0
        self._head = memory.base("@head") or 0
        self._tail = memory.base("@tail") or 0
        self._derived, self._nowhere = memory.derived, memory.nowhere
        tokens = memory.fields.get("@tokens")
        self._holders = memory.holders
        self._faces = memory.faces
        self._tokens = self._row = 0
        if tokens is not None:
            locations, faces = tokens.dims
            self._row = faces.size
            self._tokens = tokens.offset - locations.base * faces.size - faces.base
        self.everyone = world.players.mask | 1
        ordered = "@order" in memory.fields
        self.ordered = bytearray(world.size + 1)
        self.single = bytearray(world.size + 1)
        self._audience = [0] * (world.size + 1)
        self._top_seen = bytearray(world.size + 1)
        for kind in memory.locations:
            for place, seen_by in zip(kind.ids, viewers(kind, self.everyone), strict=True):
                self.ordered[place] = ordered and kind.ordered
                self.single[place] = kind.capacity == 1
                self._top_seen[place] = kind.audience == "top"
                self._audience[place] = seen_by
        self.allowed = [0] * (world.size + 1)
        for kind in world.kinds:
            if kind.is_movable or kind.category == "token":
                mask = sum(place.mask for place in memory.locations if place.may_hold(kind))
                for thing in kind.ids:
                    self.allowed[thing] = mask

    # -------------------------------------------------------------------------------- seeing

    def visible(self, w: Words, thing: int) -> int:
        """Who may see the face of a movable where it lies (mask; bit 0: spectators)."""
        place = w[self._place + thing]
        if self._top_seen[place]:
            if self.ordered[place]:
                known = w[self._head + place]
                return self.everyone if known and w[self._order + thing] == known else 0
            return self.everyone if w[self._derived + place] == 1 << thing else 0
        return self._audience[place]

    def occupied(self, w: Words, place: int) -> bool:
        return w[self._derived + place] != 0 or self._has_tokens(w, place)

    def _has_tokens(self, w: Words, place: int) -> bool:
        if not self._row:
            return False
        first = self.token_slot(place, self._faces.start)
        return any(w[first : first + self._row])

    # -------------------------------------------------------------------------------- moving

    def move(self, w: Words, thing: int, target: int, under: bool, site: int) -> None:
        """Moves a movable; to the bottom of an ordered pile if `under`, else to its top."""
        if thing == 0:
            return
        bit, at = 1 << thing, self._derived + target
        if not self.allowed[thing] >> target & 1:
            names = self._world.names
            raise Fault("place", site, f"{names[thing]} may not be at {names[target]}")
        if self.single[target] and (w[at] & ~bit or self._has_tokens(w, target)):
            raise Fault("capacity", site, f"{self._world.names[target]} is taken")
        source = w[self._place + thing]
        events = self._context.events
        seen = self.visible(w, thing) if events is not None else 0
        if source:
            w[self._derived + source] ^= bit
            if self.ordered[source]:
                self._take(w, thing, source)
        else:
            w[self._nowhere] ^= bit
        w[at] |= bit
        w[self._place + thing] = target
        if self.ordered[target]:
            self._put(w, thing, target, under)
        if events is not None:
            witnesses = self._context.witnesses
            seen = (seen | self.visible(w, thing)) & witnesses
            rule = self._context.rule
            events.append(Moved(thing, source, target, under, seen, witnesses & self.everyone, rule))

    def move_all(self, w: Words, things: int, target: int, under: bool, site: int) -> None:
        self._context.spend(12 * things.bit_count())
        for thing in self._sequence(w, things):
            self.move(w, thing, target, under, site)

    def _sequence(self, w: Words, things: int) -> tuple[int, ...] | list[int]:
        """Ascending, but the places that one ordered pile's cards take are filled from its top down."""
        ascending = self._members(things)
        by_pile: dict[int, list[int]] = {}
        for thing in ascending:
            place = w[self._place + thing]
            if self.ordered[place]:
                by_pile.setdefault(place, []).append(thing)
        if not by_pile:
            return ascending
        downwards = {
            pile: iter(sorted(cards, key=lambda x: self._depth(w, x))) for pile, cards in by_pile.items()
        }
        places = [w[self._place + thing] for thing in ascending]
        return [next(downwards[p]) if p in downwards else x for x, p in zip(ascending, places, strict=True)]

    def _depth(self, w: Words, card: int) -> tuple[int, int]:
        """Sorts the cards of a pile from the top down; the unknown middle by number."""
        k = w[self._order + card]
        return (0, -k) if k > 0 else (1, card) if k == 0 else (2, -k)

    def _take(self, w: Words, card: int, pile: int) -> None:
        """Closes the gap of a card that is no longer counted among the pile's."""
        order, others = self._order, self._members(w[self._derived + pile])
        k = w[order + card]
        w[order + card] = 0
        if k > 0:
            head = w[self._head + pile]
            w[self._head + pile] = head - 1
            if k < head:
                for other in others:
                    if w[order + other] > k:
                        w[order + other] -= 1
        elif k < 0:
            w[self._tail + pile] -= 1
            for other in others:
                if w[order + other] < k:
                    w[order + other] += 1
        else:
            self._settle(w, pile)

    def _put(self, w: Words, card: int, pile: int, under: bool) -> None:
        """Numbers a card that was just added to the pile's."""
        order, head = self._order, w[self._head + pile]
        if not under:
            w[self._head + pile] = w[order + card] = head + 1
            return
        occupants = w[self._derived + pile]
        if occupants.bit_count() - 1 > head:
            tail = w[self._tail + pile] + 1
            w[self._tail + pile] = tail
            w[order + card] = -tail
            return
        for other in self._members(occupants):
            w[order + other] += 1
        w[order + card] = 1
        w[self._head + pile] = head + 1

    def _settle(self, w: Words, pile: int) -> None:
        """If the middle has become empty, the head takes over the tail."""
        head, tail = w[self._head + pile], w[self._tail + pile]
        occupants = w[self._derived + pile]
        if tail == 0 or occupants.bit_count() > head + tail:
            return
        for card in self._members(occupants):
            k = w[self._order + card]
            w[self._order + card] = k + tail if k > 0 else k + tail + 1
        w[self._head + pile] = head + tail
        w[self._tail + pile] = 0

    # --------------------------------------------------------------------------------- order

    def shuffle(self, w: Words, pile: int) -> None:
        """The order becomes unknown; that of no card or one is known all the same."""
        if self.ordered[pile]:
            cards = self._members(w[self._derived + pile])
            self._context.spend(len(cards))
            known = 1 if len(cards) == 1 else 0
            for card in cards:
                w[self._order + card] = known
            w[self._head + pile] = known
            w[self._tail + pile] = 0
        if self._context.events is not None:
            self._context.events.append(Shuffled(pile, self._context.rule))

    def reverse(self, w: Words, pile: int) -> None:
        if not self.ordered[pile]:
            return
        occupants = w[self._derived + pile]
        self._context.spend(occupants.bit_count())
        head, tail = w[self._head + pile], w[self._tail + pile]
        if occupants.bit_count() > head + tail:
            for card in self._members(occupants):
                w[self._order + card] = -w[self._order + card]
            w[self._head + pile], w[self._tail + pile] = tail, head
        else:
            for card in self._members(occupants):
                w[self._order + card] = head + 1 - w[self._order + card]

    def top(self, w: Words, pile: int, site: int) -> int:
        occupants = w[self._derived + pile]
        if occupants == 0:
            raise Fault("empty", site, f"{self._world.names[pile]} is empty")
        if self.ordered[pile] and (head := w[self._head + pile]):
            for card in self._members(occupants):
                if w[self._order + card] == head:
                    return card
        return (occupants & -occupants).bit_length() - 1

    def top_set(self, w: Words, pile: int, count: int) -> int:
        occupants = w[self._derived + pile]
        if count >= occupants.bit_count():
            return occupants
        if count <= 0:
            return 0
        downwards = sorted(self._members(occupants), key=lambda card: self._depth(w, card))
        return sum(1 << card for card in downwards[:count])

    def unknown_top(self, w: Words, pile: int) -> bool:
        return bool(self.ordered[pile]) and w[self._head + pile] == 0 and w[self._derived + pile] != 0

    def middle(self, w: Words, pile: int) -> list[int]:
        """The cards whose position is unknown, ascending: all of a pile that keeps no order."""
        if not self.ordered[pile]:
            return list(self._members(w[self._derived + pile]))
        return [card for card in self._members(w[self._derived + pile]) if w[self._order + card] == 0]

    def settle_top(self, w: Words, pile: int, card: int) -> None:
        """A card of the unknown middle turns out to be the top one, where there is no known head."""
        if self.ordered[pile]:
            w[self._order + card] = w[self._head + pile] = 1
            self._settle(w, pile)

    # -------------------------------------------------------------------------------- tokens

    def token_slot(self, place: int, face: int) -> int:
        return self._tokens + place * self._row + face

    def move_tokens(self, w: Words, count: int, face: int, source: int, target: int, site: int) -> None:
        """Moves tokens of one face; none at all if `face` or `count` is 0."""
        if face == 0:
            return
        names = self._world.names
        here = w[self.token_slot(source, face)] if source else 0
        if not 0 <= count <= here:
            raise Fault("tokens", site, f"{count} of {names[face]} asked for, {here} at {names[source]}")
        if count == 0:
            return
        if not self.allowed[face] >> target & 1:
            raise Fault("place", site, f"{names[face]} may not be at {names[target]}")
        if self.single[target] and source != target and (count > 1 or self.occupied(w, target)):
            raise Fault("capacity", site, f"{names[target]} is taken")
        w[self.token_slot(source, face)] -= count
        w[self.token_slot(target, face)] += count
        if count == here and source != target:
            w[self._holders + face] &= ~(1 << source)
        w[self._holders + face] |= 1 << target
        if self._context.events is not None:
            self._context.events.append(TokensMoved(face, count, source, target, self._context.rule))

    def move_all_tokens(self, w: Words, faces: int, source: int, target: int, site: int) -> None:
        self._context.spend(12 * faces.bit_count())
        for face in self._members(faces):
            if source:
                self.move_tokens(w, w[self.token_slot(source, face)], face, source, target, site)

