"""The layout of a state: 32-bit words, each with a meaning and an audience.

A state is `words` canonical words, then the *trail* of the records, then scratch (registers
and derived data) that no state outside a running step has. Only the first two are saved.
"""

from __future__ import annotations

from ludex.node import node
from ludex.typed.tables import Dimension
from ludex.typed.types import Type
from ludex.typed.world import Audience

__all__ = ["Dimension", "Field", "Layout", "RecordLayout"]


@node
class Field:
    """A named array of words at `offset`, row-major over its dimensions.

    A set-typed element takes `width` words: its bits relative to `set_base`, 32 a word, lowest first.
    Otherwise `width` is 1. Words hold signed 32-bit values. `lo`/`hi` bound what may be stored.
    `owner_of` names the audience's owner for `owner`: the dimension that holds the player
    (by number), or None. `role` says what the engine itself uses the field for.
    """

    name: str
    offset: int
    dims: tuple[Dimension, ...]
    type: Type
    lo: int
    hi: int
    audience: Audience = "all"
    owner_dim: int | None = None
    width: int = 1
    set_base: int = 0
    role: str = "state"  # state | control | place | order | pile | token | face | frame | record

    @property
    def count(self) -> int:
        n = 1
        for d in self.dims:
            n *= d.size
        return n

    @property
    def size(self) -> int:
        return self.count * self.width


@node
class Layout:
    """All fields, in the order of their offsets; `words` is the size of the fixed part.

    Fields the engine knows (absent where a game has no use for them):

    | name | dims | meaning |
    |---|---|---|
    | `@pc` | – | block at which the state waits |
    | `active` | – | player whose turn it is, 0 outside turns |
    | `round_number`, `game_number` | – | from 1 |
    | `@ended_by` | – | rule index + 1 of the end condition that ended the game, else 0 |
    | `@result` | player | 0 none, 1 win, 2 lose, 3 tie, by decree of a rule |
    | `@total` | ranking key (0..), player | sums of ranking keys over the finished games of a match |
    | `@lines` | scoring line (0..), player | sums of scoring lines over the finished games of a match |
    | `@place` | movable (all movables are contiguous ids) | location |
    | `@order` | movable | its position in an ordered pile (below), 0 elsewhere |
    | `@head`, `@tail` | pile ids (contiguous) | sizes of known head and tail |
    | `@tokens` | location (contiguous), token face (contiguous) | number of tokens |
    | `frame:NAME` | – | locals of suspended code (audience none) |
    | `@strand` | player | block at which a strand of a sealed choice waits; 0 none, -1 finished |

    A shuffled pile is a known head, an unknown middle and a known tail. `@order` is k > 0 for the
    k-th card of the head, counted from the middle upwards, k < 0 for the |k|-th of the tail, counted
    downwards, and 0 in the middle. Where the middle is empty the tail is counted as head.
    """

    fields: tuple[Field, ...]
    words: int
    records: tuple[RecordLayout, ...] = ()

    def field(self, name: str) -> Field:
        for f in self.fields:
            if f.name == name:
                return f
        raise KeyError(name)

    def find(self, name: str) -> Field | None:
        for f in self.fields:
            if f.name == name:
                return f
        return None


@node
class RecordLayout:
    """The trail of a record: a length word at `offset` (within the fixed words), and up to
    `keep` entries of two words (low, high half of a 64-bit hash) in the trail."""

    name: str
    offset: int
    keep: int
