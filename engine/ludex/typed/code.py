"""Statements of structured code: they run to their end without suspending."""

from __future__ import annotations

from typing import TypeAlias

from ludex.node import node
from ludex.typed.expr import Domain, Expr


@node
class SetVar:
    """A variable gets a value."""

    var: int
    value: Expr


@node
class Store:
    """A field element gets a value. Faults `range` outside the field's lo..hi, `index` as `Load`."""

    field: str
    index: tuple[Expr, ...]
    value: Expr
    site: int


@node
class MoveOne:
    """A piece or card goes to a location: to the top of an ordered pile, or its bottom.

    0 (none) as thing: nothing happens. Faults `capacity` if the location holds 1 and is
    taken, `place` if it may not be there (by kind).
    """

    thing: Expr
    target: Expr
    under: bool
    site: int


@node
class MoveAll:
    """All movables of a set go, in ascending order; those leaving one ordered pile go from its top down."""

    things: Expr
    target: Expr
    under: bool
    site: int


@node
class MoveTokens:
    """`count` tokens of the one face `face` go from one location to another.

    Faults `tokens` if there are fewer; `capacity` as above. Face 0: nothing happens.
    """

    count: Expr
    face: Expr
    source: Expr
    target: Expr
    site: int


@node
class MoveAllTokens:
    """All tokens of the faces in `faces` (a set) go from one location to another."""

    faces: Expr
    source: Expr
    target: Expr
    site: int


@node
class ShufflePile:
    """The order of a pile becomes unknown: no head, no tail."""

    pile: Expr


@node
class ReversePile:
    """`turn P over`: head and tail change places, each reversed."""

    pile: Expr


@node
class If:
    test: Expr
    then: Code
    orelse: Code


@node
class For:
    """Members are fixed at the start, `guard` is tested as each turn comes. One tick a turn."""

    var: int
    domain: Domain
    guard: Expr | None
    body: Code


@node
class Loop:
    """`repeat`/`while`: runs `body` while `test` holds, at most `count` times. One tick a turn."""

    count: Expr | None
    test: Expr | None
    body: Code


@node
class Break:
    """Leaves the innermost `For` or `Loop`."""


@node
class RunAtomic:
    """Calls an atomic procedure. One tick."""

    procedure: str
    args: tuple[Expr, ...]


@node
class Reveal:
    """`show`: the things of a set are shown to `to` (a set of players)."""

    things: Expr
    to: Expr


@node
class Announce:
    """`say`: text with values. `parts` alternates fixed text and expressions (with how to name them)."""

    parts: tuple[str | Expr, ...]
    to: Expr | None


@node
class NoteRecord:
    """Faults `record` if the record is full."""

    record: str
    site: int


@node
class ForgetRecord:
    record: str


@node
class Enter:
    """A named rule begins: for coverage, events and faults. `rule` indexes the program's rules."""

    rule: int


@node
class Resume:
    """A named rule goes on after what it ran: for events and faults, and no more for coverage."""

    rule: int


Stmt: TypeAlias = (
    SetVar
    | Store
    | MoveOne
    | MoveAll
    | MoveTokens
    | MoveAllTokens
    | ShufflePile
    | ReversePile
    | If
    | For
    | Loop
    | Break
    | RunAtomic
    | Reveal
    | Announce
    | NoteRecord
    | ForgetRecord
    | Enter
    | Resume
)
Code: TypeAlias = tuple[Stmt, ...]
