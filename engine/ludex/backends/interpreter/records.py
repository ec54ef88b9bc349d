"""Records of earlier positions: a 64-bit hash of what a record is about, kept in the trail.

**The hash, bit for bit.** The values of the record's parts are taken in order: each part's
expression for all combinations of its bindings, the last binding fastest. A value gives one
32-bit block (two's complement); a set gives a fixed number of blocks, lowest bits first:
enough for bits 0 to the number of entities of the world if its elements are entities, for
bits 0 to the greatest element (at most 1023) if they are integers. The blocks go through two
lanes, all arithmetic modulo 2**32; n is the number of blocks.

| | start | c1 | r1 | c2 | r2 | add |
|---|---|---|---|---|---|---|
| low word | 0 | 0xCC9E2D51 | 15 | 0x1B873593 | 13 | 0xE6546B64 |
| high word | 0x9E3779B9 | 0xAB0E9789 | 16 | 0x38B34AE5 | 17 | 0x0BCAA747 |

    for each block k:  k *= c1;  k = rotl(k, r1);  k *= c2;  h ^= k;  h = rotl(h, r2);  h = h * 5 + add
    h ^= 4 * n;  h ^= h >> 16;  h *= 0x85EBCA6B;  h ^= h >> 13;  h *= 0xC2B2AE35;  h ^= h >> 16

The low word is MurmurHash3_x86_32 with seed 0 of the blocks as little-endian bytes; the high
word takes its constants from the second lane of MurmurHash3_x86_128. Entry i of a record is
the words 2i (low) and 2i + 1 (high) of its trail; entries beyond its length are 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ludex.backends.interpreter.folds import each
from ludex.backends.interpreter.memory import MASK32, Fn, signed
from ludex.backends.machine import Fault, Words
from ludex.ir.layout import RecordLayout
from ludex.typed import expr as e
from ludex.typed.types import EntityType, SetType

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler

LANES = (
    (0, 0xCC9E2D51, 15, 0x1B873593, 13, 0xE6546B64),
    (0x9E3779B9, 0xAB0E9789, 16, 0x38B34AE5, 17, 0x0BCAA747),
)


def digest(blocks: Iterable[int]) -> tuple[int, int]:
    """(low, high) words of the hash of 32-bit blocks, unsigned."""
    values = [block & MASK32 for block in blocks]
    words = []
    for h, c1, r1, c2, r2, add in LANES:
        for k in values:
            k = k * c1 & MASK32
            k = (k << r1 | k >> 32 - r1) * c2 & MASK32
            h ^= k
            h = ((h << r2 | h >> 32 - r2) & MASK32) * 5 + add & MASK32
        h ^= 4 * len(values)
        h ^= h >> 16
        h = h * 0x85EBCA6B & MASK32
        h ^= h >> 13
        h = h * 0xC2B2AE35 & MASK32
        words.append(h ^ h >> 16)
    return words[0], words[1]


class Records:
    """The records of a program: noting, forgetting and counting positions."""

    def __init__(self, c: Compiler) -> None:
        self._c = c
        self._layouts = {layout.name: layout for layout in c.program.layout.records}
        self._hashes: dict[str, Callable[[Words], tuple[int, int]]] = {}

    def _hash(self, name: str) -> Callable[[Words], tuple[int, int]]:
        if name not in self._hashes:
            record = next(r for r in self._c.program.records if r.name == name)
            parts = tuple(self._part(bindings, value) for bindings, value in record.parts)

            def run(w: Words) -> tuple[int, int]:
                blocks: list[int] = []
                for part in parts:
                    part(w, blocks)
                return digest(blocks)

            self._hashes[name] = run
        return self._hashes[name]

    def _part(self, bindings: tuple[e.Binding, ...], value: e.Expr) -> Callable[[Words, list[int]], None]:
        f, width = self._c.word(value), self._blocks(value)

        def take(w: Words, blocks: list[int]) -> None:
            x = f(w)
            if width == 0:
                blocks.append(x)
            else:
                blocks.extend(x >> 32 * i for i in range(width))

        if not bindings:
            return take
        run = each(self._c, bindings, [])
        return lambda w, blocks: void(run(w, lambda w: take(w, blocks)))

    def _blocks(self, value: e.Expr) -> int:
        """How many blocks a set gives; 0 for a single word."""
        if not isinstance(value.type, SetType):
            return 0
        element = value.type.element
        top = self._c.program.world.size if isinstance(element, EntityType) else max(0, min(element.hi, 1023))
        return top // 32 + 1

    def _place(self, name: str) -> tuple[RecordLayout, int]:
        return self._layouts[name], self._c.memory.trails[name]

    def note(self, name: str, site: int) -> Callable[[Words], None]:
        layout, trail = self._place(name)
        hash_, length, keep = self._hash(name), layout.offset, layout.keep

        def run(w: Words) -> None:
            n = w[length]
            if n >= keep:
                raise Fault("record", site, f"`{name}` holds {keep} positions")
            low, high = hash_(w)
            w[trail + 2 * n] = signed(low)
            w[trail + 2 * n + 1] = signed(high)
            w[length] = n + 1

        return run

    def forget(self, name: str) -> Callable[[Words], None]:
        layout, trail = self._place(name)
        length = layout.offset

        def run(w: Words) -> None:
            n = w[length]
            w[trail : trail + 2 * n] = [0] * (2 * n)
            w[length] = 0

        return run

    def seen(self, name: str) -> Fn:
        layout, trail = self._place(name)
        hash_, length = self._hash(name), layout.offset

        def run(w: Words) -> int:
            low, high = (signed(word) for word in hash_(w))
            end = trail + 2 * w[length]
            noted = list(zip(w[trail:end:2], w[trail + 1 : end : 2], strict=True))
            return noted.count((low, high))

        return run


def void(_: object) -> None:
    """Drops a result."""
