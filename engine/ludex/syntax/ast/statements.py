"""Statements of the DSL."""

from __future__ import annotations

from typing import TypeAlias

from ludex.node import node
from ludex.source import Span
from ludex.syntax.ast.expressions import Expr, Ident


@node
class Roll:
    """`roll(die)` as the right-hand side of `let` or an assignment."""

    die: Expr
    span: Span


@node
class RandomIn:
    """`random x in S where C` as the right-hand side of `let` or an assignment."""

    var: Ident
    domain: Expr
    where: Expr | None
    span: Span


Value: TypeAlias = Expr | Roll | RandomIn


@node
class Let:
    name: Ident
    value: Value
    span: Span


@node
class Assign:
    """`PLACE = VALUE`, `+=`, `-=`. The target is a Name, an Attr or a Call."""

    target: Expr
    op: str  # "=" "+=" "-="
    value: Value
    span: Span


@node
class Move:
    """`move [COUNT] THING [from PLACE] to PLACE`, or `under PLACE`; `all X` is plain X."""

    thing: Expr
    count: Expr | None
    source: Expr | None
    target: Expr
    under: bool
    span: Span


@node
class Put:
    """`place THING on SPACE`: a token from the box."""

    thing: Expr
    target: Expr
    span: Span


@node
class Remove:
    """`remove THING`: to the box."""

    thing: Expr
    span: Span


@node
class Replace:
    """`replace THING with THING`: the first to the box, the second from it to the same space."""

    thing: Expr
    by: Expr
    span: Span


@node
class Deal:
    """`deal N from PILE to PLACE`: `move top(PILE, N) to PLACE`."""

    count: Expr
    source: Expr
    target: Expr
    span: Span


@node
class Shuffle:
    pile: Expr
    span: Span


@node
class TurnOver:
    """`turn PILE over`: its order is reversed."""

    pile: Expr
    span: Span


@node
class Lay:
    """`lay DIAGRAM`."""

    diagram: Ident
    span: Span


@node
class RollStep:
    """`roll DICE` as a statement: each die of the set gets a new `face`."""

    dice: Expr
    span: Span


@node
class Show:
    """`show X to PLAYERS` (`reveal X` is `show X to players`)."""

    thing: Expr
    to: Expr | None
    span: Span


@node
class Note:
    """`note RECORD`: remembers the present value of a record."""

    record: Ident
    span: Span


@node
class Forget:
    record: Ident
    span: Span


@node
class Say:
    text: str
    to: Expr | None
    span: Span


@node
class End:
    what: str  # "turn" | "round" | "phase" | "game"
    span: Span


@node
class Again:
    span: Span


@node
class Stop:
    """`stop`: leaves the innermost loop."""

    span: Span


@node
class Result:
    """`win PLAYERS`, `lose PLAYERS`, `tie`: the game ends with this result."""

    kind: str  # "win" | "lose" | "tie"
    players: Expr | None
    span: Span


@node
class Run:
    procedure: Ident
    args: tuple[Expr, ...]
    span: Span


@node
class If:
    """`if` / `elif` / `else`; `elif` is an `If` alone in `orelse`."""

    test: Expr
    then: Block
    orelse: Block
    span: Span


@node
class ForEach:
    var: Ident
    domain: Expr
    where: Expr | None
    body: Block
    span: Span


@node
class Repeat:
    """`repeat N:` or, without a count, `repeat:` until `stop` or an `end`."""

    count: Expr | None
    body: Block
    span: Span


@node
class While:
    test: Expr
    body: Block
    span: Span


@node
class Ask:
    player: Expr
    body: Block
    span: Span


@node
class SecretlyAsk:
    players: Expr
    body: Block
    span: Span


@node
class Offer:
    """One action (or `pass`, `stop`) offered by `act`, with the arguments for its `given`."""

    name: Ident
    args: tuple[Expr, ...]
    span: Span


@node
class Act:
    """`act A or B(x) or pass [default A] [longest]`, with an optional `else:` block."""

    offers: tuple[Offer, ...]
    default: Offer | None
    longest: bool
    orelse: Block
    span: Span


@node
class Choose:
    """`choose x in S [where C] [default E]:`, or `choose N x in S:` with `count`."""

    var: Ident
    domain: Expr
    where: Expr | None
    count: Expr | None
    default: Expr | None
    body: Block
    orelse: Block
    span: Span


@node
class ChooseSeveral:
    """`choose several x in S [where C] [size LO..HI] [total E in LO..HI]:`."""

    var: Ident
    domain: Expr
    where: Expr | None
    size: Expr | None
    weight: Expr | None
    total: Expr | None
    body: Block
    orelse: Block
    span: Span


@node
class ChooseAmounts:
    """`choose amounts n for x in S [where C] each LO..HI total LO..HI:`."""

    amount: Ident
    var: Ident
    domain: Expr
    where: Expr | None
    each: Expr
    total: Expr
    body: Block
    orelse: Block
    span: Span


Stmt: TypeAlias = (
    Let
    | Assign
    | Move
    | Put
    | Remove
    | Replace
    | Deal
    | Shuffle
    | TurnOver
    | Lay
    | RollStep
    | Show
    | Note
    | Forget
    | Say
    | End
    | Again
    | Stop
    | Result
    | Run
    | If
    | ForEach
    | Repeat
    | While
    | Ask
    | SecretlyAsk
    | Act
    | Choose
    | ChooseSeveral
    | ChooseAmounts
)
Block: TypeAlias = tuple[Stmt, ...]
