"""Reading the canonical words of a state by the program's layout, without a back end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from ludex.ir.layout import Field
from ludex.ir.program import Program
from ludex.typed.types import EntityType, SetType


class Reader:
    """Where everything lies in the words of one program's states."""

    __slots__ = (
        "_head",
        "_order",
        "_place",
        "_strand",
        "_tail",
        "_tokens",
        "locations",
        "movables",
        "program",
    )

    def __init__(self, program: Program) -> None:
        self.program = program
        kinds = program.world.kinds
        self.locations = tuple(i for k in kinds if k.is_location for i in k.ids)
        self.movables = tuple(i for k in kinds if k.is_movable for i in k.ids)
        find = program.layout.find
        self._place, self._order = find("@place"), find("@order")
        self._head, self._tail = find("@head"), find("@tail")
        self._tokens, self._strand = find("@tokens"), find("@strand")

    def place(self, words: Sequence[int], thing: int) -> int:
        """The location of a piece or card."""
        return _at(self._place, words, thing)

    def order(self, words: Sequence[int], thing: int) -> int:
        """Its `@order` (0 where no order is kept or it is unknown)."""
        return _at(self._order, words, thing)

    def place_word(self, thing: int) -> int:
        assert self._place is not None
        return self._place.offset + thing - self._place.dims[0].base

    def order_word(self, thing: int) -> int | None:
        field = self._order
        if field is None or not field.dims[0].base <= thing < field.dims[0].base + field.dims[0].size:
            return None
        return field.offset + thing - field.dims[0].base

    def order_words(self, words: Sequence[int], piles: AbstractSet[int]) -> Iterator[int]:
        """The words that hold the order of some piles as they are now."""
        for field in (self._head, self._tail):
            if field is not None:
                dim = field.dims[0]
                yield from (field.offset + p - dim.base for p in piles if 0 <= p - dim.base < dim.size)
        for thing in self.movables:
            word = self.order_word(thing)
            if word is not None and self.place(words, thing) in piles:
                yield word

    def head(self, words: Sequence[int], pile: int) -> int:
        return _at(self._head, words, pile)

    def tail(self, words: Sequence[int], pile: int) -> int:
        return _at(self._tail, words, pile)

    def strand(self, words: Sequence[int], player: int) -> int:
        return _at(self._strand, words, player)

    def contents(self, words: Sequence[int]) -> dict[int, list[int]]:
        """The pieces and cards at each location, from the top down where order is kept.

        The unknown middle of a pile (order 0) is listed by number.
        """
        found: dict[int, list[int]] = {location: [] for location in self.locations}
        if self._place is None:
            return found
        for thing in self.movables:
            found.setdefault(self.place(words, thing), []).append(thing)
        if self._order is not None:
            for things in found.values():
                things.sort(key=lambda t: self._depth(words, t))
        return found

    def _depth(self, words: Sequence[int], thing: int) -> tuple[int, int]:
        order = self.order(words, thing)
        if order > 0:
            return (0, -order)
        return (1, thing) if order == 0 else (2, -order)

    def tokens(self, words: Sequence[int], location: int) -> list[tuple[int, int]]:
        """(face, number) of the tokens a location holds, numbers above 0."""
        field = self._tokens
        if field is None:
            return []
        rows, faces = field.dims
        if not rows.base <= location < rows.base + rows.size:
            return []
        start = field.offset + (location - rows.base) * faces.size
        return [(faces.base + i, words[start + i]) for i in range(faces.size) if words[start + i]]

    def number(self, words: Sequence[int], name: str) -> int | None:
        """The value of a field without dimensions, None if the game has none of this name."""
        field = self.program.layout.find(name)
        return None if field is None else words[field.offset]

    def state_fields(self) -> Iterator[Field]:
        """The fields that the definition declares, and the faces of its dice."""
        return (
            f
            for f in self.program.layout.fields
            if f.role == "face" or (f.role == "state" and not f.name.startswith("@"))
        )


def _at(field: Field | None, words: Sequence[int], index: int) -> int:
    if field is None:
        return 0
    i = index - field.dims[0].base
    return words[field.offset + i] if 0 <= i < field.dims[0].size else 0


def element(field: Field, words: Sequence[int], number: int) -> int:
    """Element `number` (row-major) of a field; a set as a bit mask."""
    start = field.offset + number * field.width
    if not isinstance(field.type, SetType):
        return words[start]
    mask = 0
    for i in range(field.width):
        mask |= (words[start + i] & 0xFFFFFFFF) << 32 * i
    return mask << field.set_base


def index_of(field: Field, number: int) -> tuple[int, ...]:
    """The index values of element `number`."""
    index: list[int] = []
    for dimension in reversed(field.dims):
        number, i = divmod(number, dimension.size)
        index.append(dimension.base + i)
    return tuple(reversed(index))


def number_of(field: Field, index: Sequence[int]) -> int | None:
    """Inverse of `index_of`; None outside the dimensions."""
    number = 0
    for dimension, value in zip(field.dims, index, strict=True):
        if not dimension.base <= value < dimension.base + dimension.size:
            return None
        number = number * dimension.size + value - dimension.base
    return number


def holds_things(program: Program, field: Field) -> bool:
    """Whether a field may hold pieces or cards, or sets of them."""
    type = field.type.element if isinstance(field.type, SetType) else field.type
    return isinstance(type, EntityType) and any(program.world.kind(k).is_movable for k in type.kinds)
