"""What a viewer cannot see of the state drawn anew: values, faces of dice, records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ludex.backends.machine import Words
from ludex.game.context import Context
from ludex.game.deal import below
from ludex.game.knowledge import Belief
from ludex.game.naming import bits
from ludex.game.position import element, holds_things, index_of
from ludex.ir.layout import Field
from ludex.rng import Generator
from ludex.typed.types import BoolType, EntityType, IntType, SetType, Type

MAX_VALUES = 1 << 20
"""A hidden number with more values than this counts as unbounded."""


class Redraw:
    """Draws anew what the holder of a belief cannot see in a position.

    `shown` says what each piece and card is called in the new world. What is to be drawn is
    found out once; each draw puts it into `changes`, word by word.
    """

    def __init__(
        self, context: Context, words: Words, belief: Belief, shown: Mapping[int, int], rng: Generator
    ) -> None:
        self._context = context
        self._words = words
        self._belief = belief
        self._shown = shown
        self.rng = rng
        self._hidden = tuple(self._values())
        self._noise = tuple(self._secret_records())

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing to draw."""
        return not self._hidden and not self._noise

    def draw(self, changes: dict[int, int]) -> None:
        for field, number, value in self._hidden:
            put(field, number, value(), changes)
        for word in self._noise:
            changes[word] = self.rng.next() - (1 << 31)

    def _values(self) -> Iterator[tuple[Field, int, Callable[[], int]]]:
        """Hidden state items and dice, in the order of the layout, and how each is drawn."""
        belief, visibility = self._belief, self._context.visibility
        for field in self._context.reader.state_fields():
            if field.audience == "all":
                continue
            for number in range(field.count):
                index = index_of(field, number)
                if visibility.field_element(field, index) & belief.bit:
                    continue
                value = self._value(field, number, index)
                if value is not None:
                    yield field, number, value

    def _value(self, field: Field, number: int, index: tuple[int, ...]) -> Callable[[], int] | None:
        """None: it stays as it is, which follows from the rules."""
        belief = self._belief
        if field.role == "face":
            return self._face(field, number)
        source = belief.sources.get((field.name, index))
        if source is not None:
            return lambda: _drawn(source, self.rng)
        if (field.name, index) in belief.sources or not belief.complete:
            return lambda: self.any_value(field)
        if holds_things(self._context.program, field):
            declared = self._as_declared(field, number)
            return lambda: declared
        return None

    def any_value(self, field: Field) -> int:
        """Any value that the field may have; of a number without bounds 0."""
        if isinstance(field.type, SetType):
            members = self._members(field.type.element, field)
            return sum(self.rng.bounded(2) << member for member in members)
        values = self._members(field.type, field)
        return values[self.rng.bounded(len(values))] if values else 0

    def _members(self, type: Type, field: Field) -> Sequence[int]:
        match type:
            case BoolType():
                return (0, 1)
            case EntityType(kinds, optional):
                found = [i for k in kinds for i in self._context.program.world.kind(k).ids]
                return [0, *found] if optional else found
            case IntType() if isinstance(field.type, SetType):
                return range(type.lo, type.hi + 1)
            case _:
                return range(field.lo, field.hi + 1) if field.hi - field.lo < MAX_VALUES else (0,)

    def _as_declared(self, field: Field, number: int) -> int:
        value = element(field, self._words, number)
        if isinstance(field.type, SetType):
            return sum(1 << self._shown.get(i, i) for i in bits(value))
        return self._shown.get(value, value)

    def _face(self, field: Field, number: int) -> Callable[[], int] | None:
        """A die as it was shown to the viewer, else a new face if it was ever rolled, as all know."""
        (die,) = index_of(field, number)
        faces = self._context.naming.kind(die).attribute("@faces")
        assert faces is not None, "a die has faces"
        if die in self._belief.faces:
            shown = self._belief.faces[die]
            return lambda: shown
        if element(field, self._words, number) in faces.values:
            return lambda: faces.values[self.rng.bounded(len(faces.values))]
        return None

    def _secret_records(self) -> Iterator[int]:
        """The words of records that tell what the viewer cannot see: they get as many positions, but
        no real ones.

        What was noted cannot be worked out for other hidden things than were there; whether
        it was ever the same he does not know.
        """
        context, words = self._context, self._words
        if not context.program.records or not context.visibility.hides_something:
            return
        secrets = context.secrets(words, self._belief.bit)
        parts = {record.name: record.parts for record in context.program.records}
        trail = context.program.layout.words
        for layout in context.program.layout.records:
            if not all(secrets.is_open_for_all(*part) for part in parts[layout.name]):
                yield from range(trail, trail + 2 * words[layout.offset])
            trail += 2 * layout.keep


def put(field: Field, number: int, value: int, changes: dict[int, int]) -> None:
    """Notes a value of a field's element, word by word."""
    at = field.offset + number * field.width
    if not isinstance(field.type, SetType):
        changes[at] = value
        return
    mask = value >> field.set_base
    for i in range(field.width):
        word = mask >> 32 * i & 0xFFFFFFFF
        changes[at + i] = word - (1 << 32) if word >> 31 else word


def _drawn(outcomes: tuple[tuple[int, int], ...], rng: Generator) -> int:
    pick = below(rng, sum(weight for _, weight in outcomes))
    for value, weight in outcomes:
        if pick < weight:
            return value
        pick -= weight
    raise AssertionError("weights are positive")
