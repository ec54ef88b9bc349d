"""The blocks that the hash of a record is made of; the hash itself is specified in `interpreter.records`."""

from __future__ import annotations

from ludex.ir.program import Program, Record
from ludex.node import node
from ludex.typed import expr as e
from ludex.typed.types import MAX_SET_NUMBER, EntityType, SetType
from ludex.typed.world import World

__all__ = ["Part", "blocks", "parts"]


@node
class Part:
    """One of the values that are compared, for all values of its bindings.

    `first` is the number of its first block, None where the parts before it may have more or
    fewer; `blocks` is how many each of its values has.
    """

    bindings: tuple[e.Binding, ...]
    value: e.Expr
    first: int | None
    blocks: int


def parts(program: Program, record: Record) -> tuple[Part, ...]:
    found: list[Part] = []
    number: int | None = 0
    for bindings, value in record.parts:
        width = blocks(program.world, value)
        found.append(Part(bindings, value, number, width))
        for binding in bindings:
            match binding.domain:
                case e.SetDomain(e.Const(mask)):
                    width *= mask.bit_count()
                case _:
                    number = None
        number = None if number is None else number + width
    return tuple(found)


def blocks(world: World, value: e.Expr) -> int:
    """How many 32-bit blocks a value has: one, or of a set what its type needs."""
    if not isinstance(value.type, SetType):
        return 1
    element = value.type.element
    top = world.size if isinstance(element, EntityType) else max(0, min(element.hi, MAX_SET_NUMBER))
    return top // 32 + 1
