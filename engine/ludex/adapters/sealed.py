"""What may be seen in the midst of sealed choices, worked out from words alone where that can be done.

`State.bytes_for` is what defines it: the position before these choices, with what a player alone has
changed since. Where the first steps of a sealed choice may move things, and in a few other cases, it is
asked; else the words tell as much, and a hundred times as fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ludex.backends.machine import SealedPoint, Words
from ludex.game import Game
from ludex.game.position import index_of
from ludex.game.step import before_sealed
from ludex.ir import code as s
from ludex.ir import program as p

if TYPE_CHECKING:
    from ludex.adapters.position import Position

_HARMLESS = (s.SetVar, s.Store, s.Enter, s.Resume)


class Seals:
    """For one game."""

    def __init__(self, game: Game) -> None:
        program, visibility, reader = game.program, game.context.visibility, game.context.reader
        self._context = game.context
        self._blocks = program.blocks
        self.are_plain = all(map(self._begins_plainly, self._entries()))
        strand, place = program.layout.find("@strand"), program.layout.find("@place")
        self._strand = slice(strand.offset, strand.offset + strand.size) if strand else slice(0, 0)
        self._place = slice(place.offset, place.offset + place.size) if place else slice(0, 0)
        bits = [1 << player for player in game.context.player_ids]
        own: list[list[int]] = [[] for _ in bits]
        for field in reader.state_fields():
            for number in range(field.count):
                seen_by = visibility.field_element(field, index_of(field, number))
                first = field.offset + number * field.width
                for words, bit in zip(own, bits, strict=True):
                    if seen_by & bit:
                        words.extend(range(first, first + field.width))
        self._own = [np.array(words, np.intp) for words in own]
        locations = range(program.world.size + 1)
        self._sees = [
            np.array([bool(i in reader.locations and visibility.location(i) & bit) for i in locations])
            for bit in bits
        ]
        ordered = {i for kind in program.world.kinds if kind.is_location and kind.ordered for i in kind.ids}
        self._ordered = np.array([i in ordered for i in locations])

    def _entries(self) -> Iterator[int]:
        for block in self._blocks:
            if isinstance(block.end, p.Simultaneous):
                yield from block.end.entries

    def _begins_plainly(self, entry: int) -> bool:
        """Whether nothing moves before the first decision from a block on."""
        waiting, seen = [entry], set[int]()
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            block = self._blocks[number]
            if not all(isinstance(statement, _HARMLESS) for statement in block.code):
                return False
            match block.end:
                case p.Jump(target):
                    waiting.append(target)
                case p.Branch(_, then, orelse):
                    waiting += [then, orelse]
                case p.Decide(orelse=orelse):
                    waiting.append(orelse)
                case p.StrandEnd():
                    pass
                case _:
                    return False
        return True

    def view(self, position: Position) -> Words | None:
        """The position before the sealed choices at which one waits; None if the words do not tell."""
        point, before = position.point, position.parent
        assert isinstance(point, SealedPoint)
        if not self.are_plain or position.is_given:
            return None
        if before is None or not isinstance(before.point, SealedPoint) or before.point.block != point.block:
            return position.words
        if len(before.deciding) > 1:
            return before.sealed_view
        others = list(position.words[self._strand])
        del others[before.deciding[0]]
        if any(block > 0 for block in others):
            return position.words  # they have been asked anew
        return before.sealed_view if any(block < 0 for block in others) else None

    def seen(self, words: Words, view: Words, seat: int) -> bytes:
        """The words for the player of a seat."""
        now, found = np.asarray(words, np.int32), np.array(view, np.int32)
        own, sees = self._own[seat], self._sees[seat]
        found[own] = now[own]
        old, new = found[self._place], now[self._place]
        moved = (old != new) & sees[old] & sees[new]
        if (moved & (self._ordered[old] | self._ordered[new])).any():
            made = before_sealed(self._context, words, view, 1 << self._context.player_ids[seat])
            return self._context.machine.pack(made)
        old[moved] = new[moved]
        return found.tobytes()
