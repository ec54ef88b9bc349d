"""Sets as 64-bit words: which element is which bit.

A set whose elements are numbers `base` to `base + 64 * size - 1` is `size` words, the lowest
elements in the first. The shape follows from the program and the static type; another shape of the
same set is made by `reshaped`. Where it costs no word, all sets of locations are cut at the same numbers,
and so are all sets of movables: then the words of the one are words of the other, and nothing is shifted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from ludex.backends.wasm.asm import Ex, const
from ludex.ir.program import Program
from ludex.typed.types import MAX_SET_NUMBER, EntityType, IntType, SetType
from ludex.typed.world import Kind, World


@dataclass(frozen=True, slots=True)
class Shape:
    base: int
    size: int

    @property
    def end(self) -> int:
        """One more than the greatest element."""
        return self.base + 64 * self.size

    def words(self, mask: int) -> list[Ex]:
        """A constant set."""
        return [const(word, "i64") for word in self.numbers(mask)]

    def numbers(self, mask: int) -> list[int]:
        """A constant set, word by word."""
        bits = self.bits(mask)
        return [bits >> 64 * i & (1 << 64) - 1 for i in range(self.size)]

    def mask(self, numbers: Iterable[int]) -> int:
        """The set that has these words."""
        bits = sum((word & (1 << 64) - 1) << 64 * i for i, word in enumerate(numbers))
        return bits << self.base if self.base >= 0 else bits >> -self.base

    def bits(self, mask: int) -> int:
        """A constant set as one number, all words in a row."""
        moved = mask >> self.base if self.base >= 0 else mask << -self.base
        return moved & (1 << 64 * self.size) - 1

    def union(self, other: Shape) -> Shape:
        """A shape that holds what either holds."""
        return covering(min(self.base, other.base), max(self.end, other.end) - 1)

    def holds(self, lo: int, hi: int) -> bool:
        return self.base <= lo and hi < self.end


@dataclass(frozen=True, slots=True)
class Words:
    """A set at run time: words that cost nothing to read (locals, constants)."""

    shape: Shape
    words: tuple[Ex, ...]


def covering(lo: int, hi: int) -> Shape:
    """The smallest shape for elements lo to hi."""
    return Shape(lo, max(hi - lo, 0) // 64 + 1)


def span(world: World, type_: EntityType | IntType) -> tuple[int, int]:
    """The least and the greatest value of a type; of integers as far as sets can hold them."""
    match type_:
        case IntType(lo, hi):
            lo = min(max(lo, 0), MAX_SET_NUMBER)
            return lo, min(max(hi, lo), MAX_SET_NUMBER)
        case EntityType(kinds, optional):
            ids = [
                i for name in kinds if (kind := world.kind(name)).count for i in (kind.ids[0], kind.ids[-1])
            ]
            if optional or not ids:
                ids.append(0)
            return min(ids), max(ids)
        case _:
            assert_never(type_)


class Shapes:
    """The shapes of a program's sets: of places with a word that begins at `places_base`, of movables with
    one that begins at `movables_base`."""

    def __init__(self, world: World, places_base: int, movables_base: int) -> None:
        self._world = world
        locations, movables = _locations(world), _movables(world)
        self.places = _whole(locations, places_base)
        """That of sets of any locations."""
        self.movables = _whole(movables, movables_base)
        """That of sets of any movables."""
        both = ((locations, places_base), (movables, movables_base))
        self._bases = [(*_ends(kinds), base) for kinds, base in both if kinds]
        """For locations and for movables the first and the last, and where a word begins."""
        self._of: dict[int, tuple[SetType, Shape]] = {}
        """By identity of the type, which must live on."""

    @classmethod
    def chosen(cls, program: Program) -> Shapes:
        """Those in which most of a program's variables need few words."""
        world = program.world
        used = Counter(
            span(world, type_)
            for variable in program.variables
            if isinstance(type_ := getattr(variable.type, "element", variable.type), EntityType)
        )
        return cls(world, _base(_locations(world), used), _base(_movables(world), used))

    def of(self, type_: SetType) -> Shape:
        found = self._of.get(id(type_))
        if found is None:
            found = self._of[id(type_)] = type_, self.covering(*span(self._world, type_.element))
        return found[1]

    def covering(self, lo: int, hi: int) -> Shape:
        """A smallest shape for elements lo to hi: of locations, or of movables, cut as all of them are."""
        smallest = covering(lo, hi)
        for first, last, base in self._bases:
            if first <= lo and hi <= last:
                cut = _cut_at(base, lo, hi)
                return cut if cut.size == smallest.size else smallest
        return smallest


def _locations(world: World) -> list[Kind]:
    return [kind for kind in world.kinds if kind.is_location and kind.count]


def _movables(world: World) -> list[Kind]:
    return [kind for kind in world.kinds if kind.is_movable and kind.count]


def _ends(kinds: list[Kind]) -> tuple[int, int]:
    return min(kind.ids[0] for kind in kinds), max(kind.ids[-1] for kind in kinds)


def _whole(kinds: list[Kind], base: int) -> Shape:
    return covering(base, _ends(kinds)[1]) if kinds else covering(0, 0)


def _base(kinds: list[Kind], used: Counter[tuple[int, int]]) -> int:
    """Where to begin the words of sets of some kinds, so that what lies between the least and the greatest
    values that are `used` together takes few."""
    if not kinds:
        return 0
    lo, hi = _ends(kinds)
    spans = [(own, n) for own, n in used.items() if lo <= own[0] and own[1] <= hi]
    spans.append(((lo, hi), 1))

    def words(base: int) -> int:
        return sum(n * _cut_at(base, *own).size for own, n in spans)

    return min(range(lo, lo - 64, -1), key=words)


def _cut_at(base: int, lo: int, hi: int) -> Shape:
    """The smallest shape for elements lo to hi with a multiple of 64 between its base and another."""
    return covering(lo - (lo - base) % 64, hi)


def reshaped(words: Words, shape: Shape) -> Words:
    """The same set in another shape; elements that it has no bit for are left out."""
    if words.shape == shape:
        return words
    made: list[Ex] = []
    for i in range(shape.size):
        at = shape.base + 64 * i - words.shape.base
        index, shift = at // 64, at % 64
        parts: list[Ex] = []
        if 0 <= index < words.shape.size:
            parts.append(words.words[index].shr(shift))
        if shift and 0 <= index + 1 < words.shape.size:
            parts.append(words.words[index + 1].shl(64 - shift))
        if not parts:
            made.append(const(0, "i64"))
        else:
            made.append(parts[0] if len(parts) == 1 else parts[0] | parts[1])
    return Words(shape, tuple(made))
