"""The host's side of an option's record; `options` says what it is."""

from __future__ import annotations

import struct
from typing import cast

from ludex.backends.machine import Choice
from ludex.backends.wasm.memory_map import MemoryMap
from ludex.backends.wasm.plan import bindings
from ludex.backends.wasm.shapes import Shape
from ludex.typed import expr as e
from ludex.typed.types import EntityType, SetType


class OptionForm:
    """How an option of one offer lies in memory."""

    def __init__(self, plan: MemoryMap, site: e.OptionSite) -> None:
        own = bindings(site)
        self.arity = len(own)
        form = "<"
        self._sets: list[Shape | None] = []
        for binding in own:
            if isinstance(binding.type, SetType):
                shape = plan.shape(binding.type)
                form += f"{shape.size}Q"
                self._sets.append(shape)
            else:
                form += "i"
                self._sets.append(None)
        self._struct = struct.Struct(form)
        self._plain = not any(self._sets)
        copies = plan.program.world.copies
        self.merges = any(
            binding.collapse
            and isinstance(binding.type, EntityType)
            and any(copies[i] != i for name in binding.type.kinds for i in plan.program.world.kind(name).ids)
            for binding in own
        )

    def read(self, memory: memoryview, address: int) -> tuple[int, ...]:
        found = self._struct.unpack_from(memory, address + 4)
        if self._plain:
            return cast("tuple[int, ...]", found)
        values, i = list[int](), 0
        for shape in self._sets:
            if shape is None:
                values.append(found[i])
                i += 1
                continue
            values.append(shape.mask(found[i : i + shape.size]))
            i += shape.size
        return tuple(values)

    def write(self, memory: memoryview, address: int, choice: Choice) -> None:
        flat: list[int] = []
        for value, shape in zip(choice.values, self._sets, strict=True):
            if shape is None:
                flat.append(value)
            else:
                flat.extend(shape.numbers(value))
        struct.pack_into("<i", memory, address, choice.option)
        self._struct.pack_into(memory, address + 4, *flat)
