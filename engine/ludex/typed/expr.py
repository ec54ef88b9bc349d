"""Typed expressions: pure, total but for the faults named, evaluated left to right.

Shared by the typed tree and the IR. Values are represented as `types` says: a set is a bit
mask, none is 0, a truth value 0 or 1. Nodes whose evaluation may fault carry `site`, an
index into the program's list of sites (rule and span), which the fault names.

A *variable* is a number: an index into the program's `variables`, whose entry says which
word holds it (a frame word of the state or a scratch register; code does not care).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from ludex.node import node
from ludex.typed.options import OptionAnswer as OptionAnswer
from ludex.typed.options import OptionBinding as OptionBinding
from ludex.typed.options import OptionGuard as OptionGuard
from ludex.typed.options import OptionLet as OptionLet
from ludex.typed.options import OptionLevel as OptionLevel
from ludex.typed.options import OptionMask as OptionMask
from ludex.typed.options import OptionSite as OptionSite
from ludex.typed.types import BOOL, IntType, Type


@node
class Const:
    """A constant; for a set, its bit mask."""

    value: int
    type: Type


@node
class Var:
    """The value of a variable (parameter, `let`, loop variable, binder, `me`)."""

    id: int
    type: Type


@node
class Load:
    """An element of a state field. The index values are entity ids or integers.

    Faults `index` (at `site`) when an integer index is outside the dimension; entity
    indices are right by type. If `lifted`, an index of 0 (none) yields 0.
    """

    field: str
    index: tuple[Expr, ...]
    type: Type
    site: int
    lifted: bool = False


@node
class Lookup:
    """An element of a constant table, indexed like a field. Values may be bit masks."""

    table: str
    index: tuple[Expr, ...]
    type: Type
    site: int
    lifted: bool = False


ArithmeticOp = Literal["add", "sub", "mul", "div", "mod", "min", "max"]


@node
class Arithmetic:
    """32-bit integers. `div` rounds down; `mod` has the divisor's sign.

    Faults `zero` when the divisor is 0; `overflow` when the exact result does not fit, to
    be tested only if `checked` (range analysis excludes it otherwise).
    """

    op: ArithmeticOp
    left: Expr
    right: Expr
    type: IntType
    site: int
    checked: bool


CompareOp = Literal["eq", "ne", "lt", "le", "gt", "ge"]


@node
class Comparison:
    """Two integers, entities (0 = none equals only none), truth values or sets (eq, ne)."""

    op: CompareOp
    left: Expr
    right: Expr
    type: Type = BOOL


@node
class Negation:
    operand: Expr
    type: Type = BOOL


@node
class Junction:
    """`and` / `or`, evaluated from the left and no further than needed."""

    op: Literal["and", "or"]
    operands: tuple[Expr, ...]
    type: Type = BOOL


@node
class Select:
    """`if test then a else b`: only the chosen branch is evaluated."""

    test: Expr
    then: Expr
    orelse: Expr
    type: Type


SetOp = Literal["union", "inter", "diff"]


@node
class SetOperation:
    op: SetOp
    left: Expr
    right: Expr
    type: Type


@node
class Singleton:
    """The set of one element; the empty set for none, unless `keep_none` (bit 0 set)."""

    element: Expr
    type: Type
    keep_none: bool = False


@node
class IntRange:
    """The set lo..hi of integers 0 or more (empty if hi < lo). Faults `range` beyond 0..1023."""

    lo: Expr
    hi: Expr
    type: Type
    site: int


@node
class InRange:
    """lo <= x <= hi, without building the set; lo and hi are evaluated once each."""

    element: Expr
    lo: Expr
    hi: Expr
    type: Type = BOOL


@node
class Membership:
    """`element in set`. None is in no set, unless bit 0 is set."""

    element: Expr
    set: Expr
    type: Type = BOOL


@node
class Subset:
    left: Expr
    right: Expr
    type: Type = BOOL


@node
class Size:
    """The number of elements of a set."""

    set: Expr
    type: Type


@node
class Pick:
    """`first`: the lowest element or 0; `the`: the only element; `some`: lowest, must exist.

    Faults `empty` for `the`/`some` of an empty set, `several` for `the` of two or more.
    """

    how: Literal["first", "the", "some"]
    set: Expr
    type: Type
    site: int


@node
class SetDomain:
    """The elements of a set, ascending."""

    set: Expr


@node
class RangeDomain:
    """Integers lo to hi, ascending (none if hi < lo); they may be negative."""

    lo: Expr
    hi: Expr


@node
class SeatsDomain:
    """All seats once, from `start` (entity) in `direction` (the entity `clockwise` or
    `counterclockwise`, that is `direction` as 1 or -1: an expression of value 1 or -1)."""

    direction: Expr
    start: Expr


@node
class FamilyDomain:
    """The sets of a constant family, in order; the variable is a bit mask."""

    family: Expr


Domain: TypeAlias = SetDomain | RangeDomain | SeatsDomain | FamilyDomain


@node
class Binding:
    """A variable and what it runs over; the domain may use earlier bindings."""

    var: int
    domain: Domain


FoldKind = Literal[
    "any", "all", "count", "sum", "min", "max", "set", "union", "first", "the", "most", "least"
]


@node
class Fold:
    """Every aggregate: nested loops over `bindings`, `guard` tested innermost.

    | kind | value |
    |---|---|
    | any, all | `value` is a truth value; stops at the first true (false) |
    | count | number of passing combinations (`value` unused: None) |
    | sum | of `value`; faults `overflow` |
    | min, max | of `value`; `default` if there is none, else faults `empty` |
    | set | the set of `value` (entity or integer; 0 entity is skipped) |
    | union | of the sets `value` |
    | first | `value` of the first, 0 (or `default`) if none |
    | the | `value` of the only one; faults `empty`, `several` |
    | most, least | `value` of the first with the greatest (least) `key`; `default`, else 0 |
    """

    kind: FoldKind
    bindings: tuple[Binding, ...]
    guard: Expr | None
    value: Expr | None
    key: Expr | None
    default: Expr | None
    type: Type
    site: int


@node
class Apply:
    """A call of a pure function (a `define` with parameters)."""

    function: str
    args: tuple[Expr, ...]
    type: Type


@node
class Hypothetical:
    """`try P(args) then body`: runs the atomic procedure, evaluates body, restores everything."""

    procedure: str
    args: tuple[Expr, ...]
    body: Expr
    type: Type


@node
class Occupants:
    """The pieces and cards at a location, those of `mask` only (constant set of movables).

    A location of 0 (none) has none.
    """

    place: Expr
    mask: int
    type: Type


@node
class Top:
    """The top card of an ordered pile. Faults `empty`.

    Only applied where the order of the pile is known (lowering sees to it).
    """

    pile: Expr
    type: Type
    site: int


@node
class TopSet:
    """The topmost `count` cards of an ordered pile, all of them if there are fewer."""

    pile: Expr
    count: Expr
    type: Type
    site: int


@node
class UnknownTop:
    """Whether an ordered pile is not empty and its top card is not determined yet."""

    pile: Expr
    type: Type = BOOL


@node
class TokenCount:
    """How many tokens of the faces `faces` (a set of token entities) a location holds."""

    faces: Expr
    place: Expr
    type: Type


@node
class TokenAt:
    """The face of the lowest token of `mask` at a location, 0 if none (or place none)."""

    place: Expr
    mask: int
    type: Type


@node
class Region:
    """Flood fill: the elements reachable from `starts` through `neighbors` (a table of masks
    over the kind) that pass `guard` (variable `var`); starts must pass it too."""

    var: int
    starts: Expr
    guard: Expr | None
    neighbors: str
    type: Type


@node
class Sights:
    """From a space along directions: empty spaces up to and including the first occupied.

    `rays` is the name of a constant table [space, direction] of tuples of ids (see
    `Table.sequences`). `directions` is a set of direction entities.
    """

    space: Expr
    directions: Expr
    rays: str
    type: Type


@node
class Holders:
    """The locations that hold any of `mask`: groups of movables (`Kind.groups`), faces of tokens."""

    mask: int
    type: Type


@node
class HoldersBy:
    """The entities for which a table of one index has a location that holds any of `mask`."""

    table: str
    mask: int
    type: Type


@node
class HoldersOf:
    """The locations that hold tokens of a face that is computed, `least` of them or more; none holds none."""

    face: Expr
    type: Type
    least: int = 1


@node
class Having:
    """The entities by which a field is indexed, and by nothing else, whose element is `value`."""

    field: str
    value: Expr
    type: Type


@node
class Shifted:
    """The elements of `within` that are `by` more than one of a set, whose type has all that they are `by`
    more than."""

    set: Expr
    by: Expr
    within: Expr
    type: Type


@node
class NextSeat:
    """The seat `steps` further in `direction` (value 1 or -1), cyclic; 0 for none."""

    player: Expr
    direction: Expr
    steps: Expr
    type: Type


@node
class FamilyMember:
    """Whether a set is one of the sets of a family."""

    set: Expr
    family: Expr
    type: Type = BOOL


@node
class FamilyLookup:
    """A constant family from a table of families."""

    table: str
    index: tuple[Expr, ...]
    type: Type
    site: int


@node
class Geometry:
    """`clearance` or `segments_cross` of constant points: only in what is computed at load."""

    name: str
    args: tuple[Expr, ...]
    type: Type


@node
class Family:
    """Sets of sets, computed at load: all `subsets` of `set` of lo..hi elements, or all
    `windows`: lo..hi elements whose keys follow one another without a gap."""

    how: str
    lo: int
    hi: int
    var: int
    set: Expr
    guard: Expr | None
    key: Expr | None
    type: Type


@node
class Reachable:
    """Whether some subset of `set` has a size in size_lo..size_hi and a total of `weight`
    (variable `var`, weights 0 or more) in lo..hi."""

    var: int
    set: Expr
    weight: Expr
    lo: Expr
    hi: Expr
    size_lo: Expr
    size_hi: Expr
    type: Type = BOOL


@node
class Seen:
    """How often the present value of a record was noted."""

    record: str
    type: Type


@node
class Exists:
    """`can(A)`: whether an action has an option (late conditions included)."""

    site: OptionSite
    type: Type = BOOL


Expr: TypeAlias = (
    Const
    | Var
    | Load
    | Lookup
    | Arithmetic
    | Comparison
    | Negation
    | Junction
    | Select
    | SetOperation
    | Singleton
    | IntRange
    | InRange
    | Membership
    | Subset
    | Size
    | Pick
    | Fold
    | Apply
    | Hypothetical
    | Occupants
    | Top
    | TopSet
    | UnknownTop
    | TokenCount
    | TokenAt
    | Region
    | Sights
    | Holders
    | HoldersBy
    | HoldersOf
    | Having
    | Shifted
    | NextSeat
    | FamilyMember
    | FamilyLookup
    | Geometry
    | Family
    | Reachable
    | Seen
    | Exists
)
