"""Interchangeable pieces: of several that nothing tells apart, one is offered.

Two movables are interchangeable if they have the same face (`World.copies`), equal words in
every field dimensioned by them (place and order included), and no word that may hold them
holds either: neither a state field or frame word nor what was bound or computed earlier in
the same option. The lowest number represents its class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import TYPE_CHECKING

from ludex.backends.interpreter.memory import Fn
from ludex.backends.machine import Words
from ludex.ir.layout import Field
from ludex.typed.types import EntityType, SetType, Type

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler

Key = tuple[int, object]


class Collapse:
    """Tells representatives from the rest, for one parameter (`earlier`: variables bound before it)."""

    def __init__(self, c: Compiler, kinds: tuple[str, ...], earlier: Iterable[int]) -> None:
        memory, world = c.memory, c.program.world
        self._copies = world.copies
        self._getters: dict[int, Callable[[Words], object]] = {}
        sizes: dict[int, int] = {}
        movables = [kind for kind in memory.movables if kind.name in kinds]
        for kind in movables:
            for thing in kind.ids:
                sizes[world.copies[thing]] = sizes.get(world.copies[thing], 0) + 1
        for kind in movables:
            for thing in kind.ids:
                if sizes[world.copies[thing]] > 1:
                    slots = [slot for field in memory.fields.values() for slot in _elements(field, thing)]
                    self._getters[thing] = itemgetter(*slots)
        self._held = _references(c, frozenset(kind.name for kind in movables), earlier)

    @property
    def needed(self) -> bool:
        return bool(self._getters)

    def held(self, w: Words) -> int:
        """The movables that some word holds."""
        mask = 0
        for read in self._held:
            mask |= read(w)
        return mask

    def key(self, w: Words, thing: int, held: int) -> Key | None:
        """What the things interchangeable with this one have in common; None if there is no other."""
        getter = self._getters.get(thing)
        if getter is None or held >> thing & 1:
            return None
        return self._copies[thing], getter(w)

    def lowest(self, w: Words, thing: int, domain: Iterable[int]) -> int:
        """The representative of a thing within a domain."""
        held = self.held(w)
        key = self.key(w, thing, held)
        if key is None:
            return thing
        return next((other for other in domain if self.key(w, other, held) == key), thing)


def collapse(c: Compiler, type_: Type, earlier: Iterable[int]) -> Collapse | None:
    """None where no two values of the type can be interchangeable."""
    if not isinstance(type_, EntityType):
        return None
    found = Collapse(c, type_.kinds, earlier)
    return found if found.needed else None


def _elements(field: Field, thing: int) -> list[int]:
    """The words of a field that belong to one movable: all with it as an index."""
    slots: list[int] = []
    for position, dim in enumerate(field.dims):
        if dim.kind is None or not dim.base <= thing < dim.base + dim.size:
            continue
        inner = field.width
        for later in field.dims[position + 1 :]:
            inner *= later.size
        for start in range(
            field.offset + (thing - dim.base) * inner, field.offset + field.size, inner * dim.size
        ):
            slots.extend(range(start, start + inner))
    return slots


def _may_hold(type_: Type, kinds: frozenset[str]) -> bool:
    element = type_.element if isinstance(type_, SetType) else type_
    return isinstance(element, EntityType) and not kinds.isdisjoint(element.kinds)


def _references(c: Compiler, kinds: frozenset[str], earlier: Iterable[int]) -> tuple[Fn, ...]:
    """Readers of masks of what is held, each word read once."""
    words: dict[int, Fn] = {}
    for field in c.memory.fields.values():
        if _may_hold(field.type, kinds):
            for slot in range(field.offset, field.offset + field.size, field.width):
                words[slot] = _reader(slot, field)
    frames = [i for i, variable in enumerate(c.program.variables) if variable.frame]
    for var in (*frames, *earlier):
        variable = c.program.variables[var]
        if _may_hold(variable.type, kinds):
            read = c.reader(var)
            words.setdefault(c.slot(var), read if isinstance(variable.type, SetType) else _bit(c.slot(var)))
    return tuple(words.values())


def _bit(slot: int) -> Fn:
    return lambda w: 1 << w[slot] if w[slot] > 0 else 0


def _reader(slot: int, field: Field) -> Fn:
    from ludex.backends.interpreter.memory import unpack_set

    return unpack_set(slot, field.width, field.set_base) if isinstance(field.type, SetType) else _bit(slot)
