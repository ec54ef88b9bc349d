"""Static types, and how their values are represented in 32-bit words.

| type | value |
|---|---|
| `IntType(lo, hi)` | the integer |
| `BoolType` | 0 or 1 |
| `EntityType(kinds)` | the entity's id, 1 or more; with `optional`, 0 is none |
| `SetType(element)` | a bit mask: bit `id` for entities, bit `value` for integers 0 or more |
| `BagType(kind)` | tokens of a kind, counted: only the argument of `count`, `any`, moves |
| `SeatsType` | a sequence of players, only the domain of a loop or comprehension |
| `TrackType(track)` | a constant sequence of spaces |
| `FamilyType(element)` | a constant sequence of sets (bit masks) |
"""

from __future__ import annotations

from typing import TypeAlias

from ludex.node import node

INT_MIN = -(2**31)
INT_MAX = 2**31 - 1
MAX_SET_NUMBER = 1023
"""The greatest number that a set of numbers can hold; the least is 0."""


@node
class IntType:
    lo: int = INT_MIN
    hi: int = INT_MAX

    def __str__(self) -> str:
        return "int" if (self.lo, self.hi) == (INT_MIN, INT_MAX) else f"{self.lo}..{self.hi}"


@node
class BoolType:
    def __str__(self) -> str:
        return "bool"


@node
class EntityType:
    """An entity of one of `kinds` (names, in declaration order); no kinds: only `none`."""

    kinds: tuple[str, ...]
    optional: bool = False

    def __str__(self) -> str:
        text = " or ".join(self.kinds) or "none"
        return f"optional {text}" if self.optional and self.kinds else text


@node
class SetType:
    element: EntityType | IntType

    def __str__(self) -> str:
        return f"set of {self.element}"


@node
class BagType:
    kind: str

    def __str__(self) -> str:
        return f"tokens of {self.kind}"


@node
class SeatsType:
    def __str__(self) -> str:
        return "sequence of players"


@node
class TrackType:
    track: str

    def __str__(self) -> str:
        return f"track {self.track}"


@node
class FamilyType:
    element: EntityType | IntType

    def __str__(self) -> str:
        return f"sets of {self.element}"


Type: TypeAlias = IntType | BoolType | EntityType | SetType | BagType | SeatsType | TrackType | FamilyType

INT = IntType()
BOOL = BoolType()
NONE = EntityType((), optional=True)
PLAYER = EntityType(("player",))
