"""Whether words from outside can be a state of a program at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludex.backends.machine import Words
from ludex.ir import program as p
from ludex.typed.types import EntityType, SetType

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler

_POINTS = (p.Decide, p.Chance, p.Simultaneous, p.GameOver)


def check_words(c: Compiler, w: Words) -> None:
    """Raises ValueError unless each word is in its field's range, the state waits at a point,
    piles are numbered as they should be, records end where they say and all tokens are somewhere."""
    blocks = c.program.blocks
    for field in c.memory.fields.values():
        if isinstance(field.type, SetType):
            continue
        for i in range(field.offset, field.offset + field.size):
            if not field.lo <= w[i] <= field.hi and not (field.role == "frame" and w[i] == 0):
                if isinstance(field.type, EntityType) and w[i] == 0:
                    continue
                raise ValueError(f"word {i}: {w[i]} is not in {field.lo}..{field.hi} of {field.name}")
    pc = w[c.memory.pc]
    if not (0 <= pc < len(blocks) and isinstance(blocks[pc].end, _POINTS)):
        raise ValueError(f"no state waits at block {pc}")
    strand = c.memory.fields.get("@strand")
    if strand is not None:
        for i in range(strand.offset, strand.offset + strand.size):
            at = w[i]
            if at > 0 and not (at < len(blocks) and isinstance(blocks[at].end, p.Decide)):
                raise ValueError(f"no strand waits at block {at}")
    for record in c.program.layout.records:
        trail, n = c.memory.trails[record.name], w[record.offset]
        if not 0 <= n <= record.keep or any(w[trail + 2 * n : trail + 2 * record.keep]):
            raise ValueError(f"the record {record.name} does not end where it says")
    _check_places(c, w)
    _check_tokens(c, w)


def _check_tokens(c: Compiler, w: Words) -> None:
    field = c.memory.fields.get("@tokens")
    if field is None:
        return
    faces = field.dims[1]
    for face, number in c.memory.numbers_of_tokens.items():
        there = sum(w[field.offset + face - faces.base : field.offset + field.size : faces.size])
        if there != number:
            raise ValueError(f"of {c.program.world.names[face]} there are {there}, not {number}")


def _check_places(c: Compiler, w: Words) -> None:
    place = c.memory.base("@place")
    if place is None:
        return
    locations = {i for kind in c.memory.locations for i in kind.ids}
    cards: dict[int, list[int]] = {}
    for kind in c.memory.movables:
        for thing in kind.ids:
            if w[place + thing] not in locations:
                raise ValueError(f"{c.program.world.names[thing]} is nowhere")
            cards.setdefault(w[place + thing], []).append(thing)
    order, head, tail = c.memory.base("@order"), c.memory.base("@head"), c.memory.base("@tail")
    if order is None or head is None or tail is None:
        return
    for kind in c.memory.locations:
        for pile in kind.ids:
            numbers = sorted(w[order + card] for card in cards.get(pile, ()))
            expected = [0] * len(numbers)
            if kind.category == "pile" and kind.ordered:
                h, t = w[head + pile], w[tail + pile]
                unknown = len(numbers) - h - t
                if h < 0 or t < 0 or unknown < 0 or (unknown == 0 and t):
                    raise ValueError(f"{c.program.world.names[pile]} has an impossible order")
                expected = [*range(-t, 0), *[0] * unknown, *range(1, h + 1)]
            if numbers != expected:
                raise ValueError(f"{c.program.world.names[pile]} has an impossible order")
