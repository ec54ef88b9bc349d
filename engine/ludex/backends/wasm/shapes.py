"""Sets as 64-bit words: which element is which bit.

A set whose elements are numbers `base` to `base + 64 * size - 1` is `size` words, the lowest
elements in the first. The shape follows from the static type alone; another shape of the same set
is made by `reshaped`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from ludex.backends.wasm.asm import Ex, const
from ludex.typed.types import MAX_SET_NUMBER, EntityType, IntType
from ludex.typed.world import World


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
        mask >>= self.base
        return [const(mask >> 64 * i & (1 << 64) - 1, "i64") for i in range(self.size)]

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
