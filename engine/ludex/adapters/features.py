"""What a player may see of a position, as a list of named numbers: made once for each seat.

Everything is derived from the layout of the state, the world, and the declared audiences. The list of
every seat is as long, and its entries mean the same: what is the player's own stands at the same place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ludex.backends.machine import viewers
from ludex.diagnostics import printable
from ludex.game import Game
from ludex.game.naming import call_text
from ludex.game.observation import OF_EVERY_GAME, element_name
from ludex.game.position import index_of
from ludex.ir import program as p
from ludex.ir.layout import Field
from ludex.node import node
from ludex.typed.types import BoolType, EntityType, IntType, SetType
from ludex.typed.world import Kind

ONE_HOT = 16
"""Numbers of a range of at most so many values have an entry for each; others are one entry."""

UNBOUNDED = 1 << 16
"""Numbers that may be as great are given as they are, smaller ones divided by the greatest."""


@node
class Same:
    """How many of some words have a value: (word, value) pairs."""

    name: str
    pairs: tuple[tuple[int, int], ...]
    most: int = 1


@node
class Number:
    """The sum of some words, divided by `most` (1: as it is); it is at least `least` before that."""

    name: str
    words: tuple[int, ...]
    most: int = 1
    least: int = 0


@node
class Bit:
    """A bit of a word."""

    name: str
    word: int
    bit: int


@node
class TopIs:
    """Whether one of some things lies on top of a pile, face up for all."""

    name: str
    things: tuple[int, ...]
    pile: int


@node
class Depth:
    """One by the place of the uppermost of some things from the top of an open pile; 0 if none is there."""

    name: str
    things: tuple[int, ...]
    pile: int


@node
class Decides:
    """Whether the player of a seat is to decide."""

    name: str
    seat: int


@node
class Seat:
    """1 for the player of a seat, whatever the position."""

    name: str
    seat: int


@node
class Blank:
    """Nothing: where other seats have more of their own."""

    name: str


Feature = Same | Number | Bit | TopIs | Depth | Decides | Seat | Blank


class Features:
    """The features of one game."""

    def __init__(self, game: Game) -> None:
        self._context = game.context
        self._program = game.program
        self._faces_of: dict[str, dict[str, tuple[int, ...]]] = {}
        everybody, each = self._for_everybody, self._for_each
        self.of: dict[str, list[list[Feature]]] = {
            "seat": everybody(self._seat()),
            "asked": everybody(self._asked()),
            "state": everybody(self._state()),
            "own state": each(self._own_state),
            "things": everybody(self._things()),
            "own things": each(self._own_things),
            "hidden": everybody(self._hidden()),
            "order": each(self._order),
            "tokens": everybody(self._lying()),
        }
        """For each section the list of every seat, in the order of the seats."""

    def _for_everybody(self, found: Iterable[Feature]) -> list[list[Feature]]:
        return [list(found)] * self._program.players

    def _for_each(self, found: Callable[[int], Iterable[Feature]]) -> list[list[Feature]]:
        """The lists of all seats, made equally long."""
        lists = [list(found(seat)) for seat in range(self._program.players)]
        longest = max(lists, key=len)
        return [mine + [Blank(f.name) for f in longest[len(mine) :]] for mine in lists]

    def _mine(self, name: str, seat: int) -> str:
        """A name in which the player of a seat is called `me`."""
        return re.sub(rf"\b{re.escape(self._context.players[seat])}\b", "me", name)

    def _bit(self, seat: int) -> int:
        return 1 << self._context.player_ids[seat]

    def _name(self, entity: int) -> str:
        return self._context.naming.text(entity)

    # --------------------------------------------------------------------------- who, what is asked

    def _seat(self) -> list[Feature]:
        names = self._context.players
        seats: list[Feature] = [Seat(f"me is {name}", s) for s, name in enumerate(names)]
        return seats + [Decides(f"{name} decides", s) for s, name in enumerate(names)]

    def _asked(self) -> list[Feature]:
        """By the rule that asks, which all know: a block of its own may tell what only some do."""
        pc = self._program.layout.field("@pc").offset
        blocks: dict[str, list[int]] = {}
        for number, block in enumerate(self._program.blocks):
            match block.end:
                case p.Decide() | p.Chance() | p.Simultaneous():
                    name = f"asked: {self._context.about(number) or 'something'}"
                    blocks.setdefault(name, []).append(number)
                case p.GameOver():
                    blocks.setdefault("over", []).append(number)
                case _:
                    pass
        return [Same(name, tuple((pc, b) for b in found)) for name, found in blocks.items()]

    # ------------------------------------------------------------------------------------ the state

    def _state(self) -> Iterator[Feature]:
        for name in OF_EVERY_GAME:
            field = self._program.layout.find(name)
            if field is not None and (name != "game_number" or self._program.games > 1):
                yield from self._element(field, 0, name)
        for field, number, name, seen_by in self._elements():
            if seen_by == self._context.visibility.everybody:
                yield from self._element(field, number, name)

    def _own_state(self, seat: int) -> Iterator[Feature]:
        for field, number, name, seen_by in self._elements():
            if seen_by != self._context.visibility.everybody and seen_by & self._bit(seat):
                yield from self._element(field, number, self._mine(name, seat))

    def _elements(self) -> Iterator[tuple[Field, int, str, int]]:
        """All that the definition declares: field, number of the element, its name, who sees it."""
        for field in self._context.reader.state_fields():
            if field.name in OF_EVERY_GAME:
                continue
            for number in range(field.count):
                index = index_of(field, number)
                name = call_text(*element_name(self._context, field, index))
                yield field, number, name, self._context.visibility.field_element(field, index)

    def _element(self, field: Field, number: int, name: str) -> Iterator[Feature]:
        word = field.offset + number * field.width
        match field.type:
            case BoolType():
                yield Number(name, (word,))
            case EntityType(kinds):
                for i in self._members(kinds):
                    yield Same(f"{name} is {self._name(i)}", ((word, i),))
            case SetType(EntityType(kinds)):
                for i in self._members(kinds):
                    yield self._member(field, word, i, f"{name} has {self._name(i)}")
            case SetType(IntType(lo, hi)):
                for i in range(lo, hi + 1):
                    yield self._member(field, word, i, f"{name} has {i}")
            case _ if field.hi - field.lo < ONE_HOT:
                for value in range(field.lo, field.hi + 1):
                    yield Same(f"{name} is {value}", ((word, value),))
            case _:
                most = max(abs(field.lo), abs(field.hi))
                yield Number(name, (word,), most if most < UNBOUNDED else 1, field.lo)

    @staticmethod
    def _member(field: Field, word: int, value: int, name: str) -> Bit:
        at = value - field.set_base
        return Bit(name, word + at // 32, at % 32)

    def _members(self, kinds: Sequence[str]) -> Iterator[int]:
        for name in kinds:
            yield from self._program.world.kind(name).ids

    # ---------------------------------------------------------------------------- pieces and cards

    def _kinds(self) -> Iterator[tuple[Kind, Kind]]:
        """Kinds of places, and of pieces and cards that may be there."""
        for place in self._program.world.kinds:
            if place.is_location:
                for thing in self._program.world.kinds:
                    if thing.is_movable and place.may_hold(thing):
                        yield place, thing

    def _faces(self, kind: Kind) -> Iterable[tuple[str, tuple[int, ...]]]:
        """The faces of a kind: their names, and all things that have them."""
        if kind.name not in self._faces_of:
            found: dict[str, list[int]] = {}
            for thing in kind.ids:
                found.setdefault(self._name(thing), []).append(thing)
            self._faces_of[kind.name] = {name: tuple(things) for name, things in found.items()}
        return self._faces_of[kind.name].items()

    def _at(self, things: Sequence[int], place: int) -> tuple[tuple[int, int], ...]:
        return tuple((self._context.reader.place_word(t), place) for t in things)

    def _things(self) -> Iterator[Feature]:
        """Where each lies, of places that all see."""
        for place, kind in self._kinds():
            if place.audience == "all":
                for at in place.ids:
                    for name, things in self._faces(kind):
                        yield Same(f"{name} at {self._name(at)}", self._at(things, at), len(things))

    def _own_things(self, seat: int) -> Iterator[Feature]:
        everybody = self._context.visibility.everybody
        for place, kind in self._kinds():
            for at, seen_by in zip(place.ids, viewers(place, everybody), strict=True):
                if seen_by != everybody and seen_by & self._bit(seat):
                    own = self._mine(self._name(at), seat)
                    for name, things in self._faces(kind):
                        yield Same(f"{name} at {own}", self._at(things, at), len(things))

    def _hidden(self) -> Iterator[Feature]:
        """How many of a kind lie where not all see them: that is public."""
        for place, kind in self._kinds():
            if place.audience != "all":
                for at in place.ids:
                    yield Same(
                        f"?{printable(kind.name)} at {self._name(at)}", self._at(kind.ids, at), kind.count
                    )

    def _order(self, seat: int) -> Iterator[Feature]:
        """Tops of piles of which all see them, and the order of piles that the player sees."""
        everybody = self._context.visibility.everybody
        for place, kind in self._kinds():
            seen = viewers(place, everybody)
            for at, seen_by in zip(place.ids, seen, strict=True):
                label = self._name(at)
                if seen_by != everybody:
                    label = self._mine(label, seat)
                for name, things in self._faces(kind):
                    if place.audience == "top":
                        yield TopIs(f"{name} on top of {label}", things, at)
                    elif place.ordered and seen_by & self._bit(seat):
                        yield Depth(f"{name} in order of {label}", things, at)

    # -------------------------------------------------------------------------------------- tokens

    def _lying(self) -> Iterator[Feature]:
        """Tokens by face. No space hides them; the box is left out, where the others are."""
        field = self._program.layout.find("@tokens")
        if field is None:
            return
        rows, columns = field.dims
        kinds = [k for k in self._program.world.kinds if k.category == "token"]
        for place in self._program.world.kinds:
            within = [at for at in place.ids if rows.base <= at < rows.base + rows.size]
            if place.category != "space" or not within:
                continue
            for kind in filter(place.may_hold, kinds):
                for at in within:
                    first = field.offset + (at - rows.base) * columns.size - columns.base
                    for i in kind.ids:
                        yield Number(f"{self._name(i)} at {self._name(at)}", (first + i,))
