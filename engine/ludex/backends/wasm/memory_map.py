"""Where the host finds things in a module's memory.

A module says so itself, in words at `WHERE`, so that one from the cache need not be planned anew.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, fields
from functools import cached_property

from ludex.backends.wasm.plan import WHERE, Plan
from ludex.backends.wasm.shapes import Shape, Shapes
from ludex.ir.layout import Field
from ludex.ir.program import Program
from ludex.typed.types import SetType


@dataclass(frozen=True)
class MemoryMap:
    """Addresses and sizes, as `Plan` has them."""

    program: Program
    stride: int
    options: int
    chosen: int
    counters: int
    blocks: int
    lines: int
    keys: int
    ranks: int
    records: int
    record_words: int
    record_count: int
    state_count: int
    places_base: int
    movables_base: int

    @classmethod
    def read(cls, program: Program, memory: memoryview) -> MemoryMap:
        return cls(program, *_words().unpack_from(memory, WHERE))

    @cached_property
    def fields(self) -> dict[str, Field]:
        return {f.name: f for f in self.program.layout.fields}

    @cached_property
    def saved(self) -> int:
        """The words of a state."""
        layout = self.program.layout
        return layout.words + 2 * sum(record.keep for record in layout.records)

    @cached_property
    def _shapes(self) -> Shapes:
        return Shapes(self.program.world, self.places_base, self.movables_base)

    def shape(self, type_: SetType) -> Shape:
        return self._shapes.of(type_)


def _numbers() -> tuple[str, ...]:
    return tuple(f.name for f in fields(MemoryMap) if f.name != "program")


def _words() -> struct.Struct:
    return struct.Struct(f"<{len(_numbers())}i")


def written(plan: Plan) -> bytes:
    """What a module of this plan has at `WHERE`."""
    return _words().pack(*(getattr(plan, name) for name in _numbers()))
