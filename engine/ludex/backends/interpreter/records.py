"""Records of earlier positions: a 64-bit hash of what a record is about, kept in the trail.

**The hash, bit for bit.** The values of the record's parts are taken in order: each part's
expression for all combinations of its bindings, the last binding fastest. A value gives one
32-bit block (two's complement); a set gives a fixed number of blocks, lowest bits first:
enough for bits 0 to the number of entities of the world if its elements are entities, for
bits 0 to the greatest element (at most 1023) if they are integers. Blocks are numbered from 0;
the hash is the sum of what each block adds, modulo 2**64. A block of 0 adds nothing; block
number k of value v adds the first output of splitmix64 (Steele, Lea, Flood) with seed k * 2**32 + v:

    z = k * 2**32 + v + 0x9E3779B97F4A7C15
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;  z = (z ^ z >> 27) * 0x94D049BB133111EB;  z ^= z >> 31

So a hash can be kept up: where one block changes, the rest of the sum stays. Entry i of a
record is the words 2i (low) and 2i + 1 (high) of its trail; entries beyond its length are 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from ludex.backends.interpreter.folds import each
from ludex.backends.interpreter.memory import MASK32, Fn, signed
from ludex.backends.machine import Fault, Words
from ludex.ir import recorded
from ludex.ir.layout import RecordLayout
from ludex.rng import derive
from ludex.typed import expr as e
from ludex.typed.types import SetType

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler


def digest(blocks: Iterable[int]) -> tuple[int, int]:
    """(low, high) words of the hash of 32-bit blocks, unsigned."""
    total = sum(_share(number, value) for number, block in enumerate(blocks) if (value := block & MASK32))
    return total & MASK32, total >> 32 & MASK32


@lru_cache(maxsize=1 << 16)
def _share(number: int, value: int) -> int:
    """What a block other than 0 adds."""
    return derive(number << 32 | value, 0)


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
        f = self._c.word(value)
        width = recorded.blocks(self._c.program.world, value) if isinstance(value.type, SetType) else 0

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
