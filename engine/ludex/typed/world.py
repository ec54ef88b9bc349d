"""The world of a game: every entity there is, its kind, its fields, its name.

Entities are numbered from 1 across the whole game, the members of a kind in a row, kinds
in the order: players, enumerations, spaces, piles, the box, pieces, cards, token faces,
dice. A *location* is an entity that can hold others (space, pile, box). A *movable* is a
piece or a card: it is always at exactly one location. Tokens have no identity: the entity
is a *face* (`stone(white)`), of which each location holds a number.
"""

from __future__ import annotations

from typing import Literal

from ludex.node import node
from ludex.source import Span
from ludex.typed.types import EntityType, IntType

Category = Literal["player", "enum", "space", "pile", "box", "piece", "card", "token", "die"]
Audience = Literal["all", "owner", "none", "top"]


@node
class FieldValues:
    """A constant attribute of the members of a kind: one value for each, in order."""

    name: str
    type: EntityType | IntType
    values: tuple[int, ...]


@node
class Kind:
    """A kind of entity: ids `base` to `base + count - 1`.

    `fields` are those its name is made of, in order (`per` fields, then `n` if there are
    copies): `gold(3, 1)`. `attributes` has every constant attribute, fields included.
    For spaces `capacity` is 1 if declared `holds: 1`, else 0 (any number).
    For piles `ordered` tells whether order is kept, `shuffled` whether it may be unknown.
    For movables and tokens `places` are the kinds they may be at (the box always).
    """

    name: str
    category: Category
    base: int
    count: int
    span: Span
    fields: tuple[str, ...] = ()
    attributes: tuple[FieldValues, ...] = ()
    capacity: int = 0
    holds: tuple[str, ...] = ()
    audience: Audience = "all"
    ordered: bool = False
    shuffled: bool = False
    places: tuple[str, ...] = ()

    @property
    def ids(self) -> range:
        return range(self.base, self.base + self.count)

    @property
    def mask(self) -> int:
        """The set of all members."""
        return ((1 << self.count) - 1) << self.base

    def attribute(self, name: str) -> FieldValues | None:
        for field in self.attributes:
            if field.name == name:
                return field
        return None

    @property
    def groups(self) -> tuple[int, ...]:
        """The members of each owner, as sets; one set of all where nobody owns them."""
        owner = self.attribute("owner")
        if owner is None:
            return (self.mask,)
        found: dict[int, int] = {}
        for i, value in zip(self.ids, owner.values, strict=True):
            found[value] = found.get(value, 0) | 1 << i
        return tuple(found.values())

    def may_hold(self, thing: Kind) -> bool:
        """Whether things of a kind may be at locations of this one."""
        if self.category == "box":
            return True
        if thing.places:
            return self.name in thing.places
        return not self.holds or thing.name in self.holds

    @property
    def is_location(self) -> bool:
        return self.category in ("space", "pile", "box")

    @property
    def is_movable(self) -> bool:
        return self.category in ("piece", "card")


@node
class Track:
    name: str
    spaces: tuple[int, ...]


@node
class World:
    """All kinds and entities. `names[id]` is the text form of entity `id` (`names[0]` is `none`).

    Each name is a DSL expression for the entity. `copies[id]` is the entity's face: the
    lowest id of the entities that no rule tells apart from it by its constant attributes
    (itself where copy numbers matter after setup). `faces[id]` is the name without the copy
    number, as players see it where copies are interchangeable.
    """

    kinds: tuple[Kind, ...]
    names: tuple[str, ...]
    copies: tuple[int, ...]
    faces: tuple[str, ...]
    tracks: tuple[Track, ...] = ()

    def kind(self, name: str) -> Kind:
        for kind in self.kinds:
            if kind.name == name:
                return kind
        raise KeyError(name)

    def kind_of(self, entity: int) -> Kind:
        for kind in self.kinds:
            if kind.base <= entity < kind.base + kind.count:
                return kind
        raise KeyError(entity)

    @property
    def players(self) -> Kind:
        return self.kind("player")

    @property
    def size(self) -> int:
        """The number of entities; ids run from 1 to `size`."""
        return len(self.names) - 1
