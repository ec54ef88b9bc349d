"""The list a state is, and what closures share besides it.

    canonical words | trail | registers | derived

Derived data: for each location id, the mask of the movables there, at `derived + id` (0 at
`derived`, so the location none is empty); at `nowhere` the mask of those not placed yet; for
each face of tokens, the mask of the locations that hold any, at `holders + face`.

Sets in registers are Python integers of any size; in canonical words they take 32 bits a
word, as the field that holds them says.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

from ludex.backends.machine import Coverage, Event, Fault, Words
from ludex.ir.layout import Field
from ludex.ir.program import Program, Variable
from ludex.ir.tokens import numbers_of_tokens
from ludex.limits import MAX_EFFORT, MAX_TICKS
from ludex.typed.types import SetType
from ludex.typed.world import Kind

Fn: TypeAlias = Callable[[Words], int]
"""A compiled expression."""

Act: TypeAlias = Callable[[Words], bool | None]
"""A compiled statement: true if the innermost loop is to be left."""

MASK32 = 0xFFFFFFFF

WAIT = -1
"""What a terminator answers instead of the next block: the state waits here."""


def signed(word: int) -> int:
    """The signed value of 32 bits."""
    return word - (1 << 32) if word >> 31 else word


class Members:
    """The elements of masks, ascending, remembered: the same few sets recur all the time."""

    __slots__ = ("_known",)

    LIMIT = 1 << 14

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, ...]] = {0: ()}

    def __call__(self, mask: int) -> tuple[int, ...]:
        found = self._known.get(mask)
        if found is None:
            rest, elements = mask, []
            while rest:
                low = rest & -rest
                elements.append(low.bit_length() - 1)
                rest ^= low
            found = tuple(elements)
            if len(self._known) >= self.LIMIT:
                self._known.clear()
            self._known[mask] = found
        return found


class Context:
    """What running code changes besides the state.

    `ticks` and `effort` count down; `events` is None where nobody listens; `applied` is the coverage
    counter, or a dummy in hypothetical positions; `collecting` is set in playouts, where the
    decision that comes next leaves its candidates in `pending`; `witnesses` masks who may notice anything
    (all but in sealed choices); `rule` is the rule last entered; `depth` counts recursion.
    """

    __slots__ = (
        "applied",
        "collecting",
        "coverage",
        "depth",
        "effort",
        "events",
        "pending",
        "rule",
        "ticks",
        "unseen",
        "witnesses",
    )

    def __init__(self, program: Program) -> None:
        rules = len(program.rules)
        self.coverage = Coverage([0] * rules, [0] * rules, [0] * len(program.blocks))
        self.unseen = [0] * rules
        self.collecting = False
        self.pending: list[tuple[int, tuple[int, ...]]] | None = None
        self.begin(None)

    def begin(self, events: list[Event] | None) -> None:
        """Before each call from outside, whatever the last one left behind."""
        self.ticks = MAX_TICKS
        self.effort = MAX_EFFORT
        self.collecting = False
        self.pending = None
        self.events = events
        self.applied = self.coverage.applied
        self.witnesses = -1
        self.rule = -1
        self.depth = 0

    def tick(self) -> None:
        self.ticks -= 1
        if self.ticks < 0:
            raise Fault("steps", -1, f"more than {MAX_TICKS} steps without a decision", self.rule)

    def spend(self, effort: int) -> None:
        """Counts work that no tick is counted for."""
        self.effort -= effort
        if self.effort < 0:
            raise Fault("steps", -1, "more is gone through than can be in a reasonable time", self.rule)


class Memory:
    """Where everything lies in the list, for one program."""

    def __init__(self, program: Program) -> None:
        layout = program.layout
        self.program = program
        self.words = layout.words
        self.trails: dict[str, int] = {}
        end = self.words
        for record in layout.records:
            self.trails[record.name] = end
            end += 2 * record.keep
        self.saved = end
        self.registers = end
        self.derived = end + program.registers
        self.locations: tuple[Kind, ...] = tuple(k for k in program.world.kinds if k.is_location)
        self.movables: tuple[Kind, ...] = tuple(k for k in program.world.kinds if k.is_movable)
        last = max((kind.ids[-1] for kind in self.locations if kind.count), default=0)
        self.nowhere = self.derived + last + 1
        tokens = next((field for field in layout.fields if field.name == "@tokens"), None)
        self.faces = range(0)
        if tokens is not None:
            self.faces = range(tokens.dims[1].base, tokens.dims[1].base + tokens.dims[1].size)
        self.holders = self.nowhere + 1 - self.faces.start
        self.size = self.nowhere + 1 + len(self.faces)
        self.fields: dict[str, Field] = {field.name: field for field in layout.fields}
        self.format = struct.Struct(f"<{self.saved}i")
        self.pc = self.fields["@pc"].offset

    @cached_property
    def numbers_of_tokens(self) -> dict[int, int]:
        return numbers_of_tokens(self.program)

    def base(self, name: str) -> int | None:
        """What to add to an index to get the word of a field of one dimension; None if absent."""
        field = self.fields.get(name)
        return None if field is None else field.offset - field.dims[0].base

    def slot(self, variable: Variable) -> int:
        return variable.word if variable.frame else self.registers + variable.word

    def wide(self, variable: Variable) -> tuple[int, int] | None:
        """(width, set_base) of a set that lies packed in frame words; None for all else."""
        if not (variable.frame and isinstance(variable.type, SetType)):
            return None
        for field in self.fields.values():
            if field.offset == variable.word and isinstance(field.type, SetType):
                return field.width, field.set_base
        return 1, 0

    def rebuild(self, words: Words) -> None:
        """Derived data from the canonical words (all 0: a state before anything is placed)."""
        words[self.derived :] = [0] * (self.size - self.derived)
        self._rebuild_tokens(words)
        place = self.base("@place")
        if place is None:
            return
        for kind in self.movables:
            for thing in kind.ids:
                at = words[place + thing]
                words[self.derived + at if at else self.nowhere] |= 1 << thing

    def _rebuild_tokens(self, words: Words) -> None:
        tokens = self.fields.get("@tokens")
        if tokens is not None:
            places, faces = tokens.dims
            for i, number in enumerate(words[tokens.offset : tokens.offset + tokens.size]):
                if number:
                    place, face = divmod(i, faces.size)
                    words[self.holders + faces.base + face] |= 1 << places.base + place


def unpack_set(offset: int, width: int, base: int) -> Fn:
    """Reads a set of `width` words at a fixed offset."""
    if width == 1:
        return lambda w: (w[offset] & MASK32) << base

    def read(w: Words) -> int:
        mask = 0
        for i in range(width):
            mask |= (w[offset + i] & MASK32) << 32 * i
        return mask << base

    return read


def read_set(w: Words, offset: int, width: int, base: int) -> int:
    mask = 0
    for i in range(width):
        mask |= (w[offset + i] & MASK32) << 32 * i
    return mask << base


def write_set(w: Words, offset: int, width: int, base: int, mask: int) -> bool:
    """Stores a set; false (and nothing stored) if it has elements outside the words."""
    bits = mask >> base
    if bits << base != mask or bits >> 32 * width:
        return False
    for i in range(width):
        w[offset + i] = signed(bits >> 32 * i & MASK32)
    return True
