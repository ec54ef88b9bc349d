"""The tree of a definition as written: YAML sections with every DSL text parsed.

Nothing is resolved here: names are names. Built by `parser`, consumed by `check`.
Every node has the span it came from. May import: `source`.

Sections that may depend on the player count or on an option hold `By` values where the
definition says `{by: …}`; the checker folds them away once players and options are known.
"""

from __future__ import annotations

from typing import Generic, TypeAlias, TypeVar

from ludex.node import node
from ludex.source import NOWHERE, Span

T = TypeVar("T")


@node
class Ident:
    """A name where it was written. `text` is normalised (NFKC)."""

    text: str
    span: Span

    def __str__(self) -> str:
        return self.text


# --------------------------------------------------------------------------- expressions


@node
class Name:
    id: str
    span: Span


@node
class Int:
    value: int
    span: Span


@node
class Bool:
    value: bool
    span: Span


@node
class NoneLiteral:
    span: Span


@node
class Cond:
    """`if TEST then A else B`; `elif` is nested in `orelse`."""

    test: Expr
    then: Expr
    orelse: Expr
    span: Span


@node
class Try:
    """`try PROCEDURE(args) then BODY`: the value of BODY after it, rolled back."""

    procedure: Ident
    args: tuple[Expr, ...]
    body: Expr
    span: Span


@node
class Logic:
    """`and` / `or` over two or more operands; the two never mix without parentheses."""

    op: str  # "and" | "or"
    operands: tuple[Expr, ...]
    span: Span


@node
class Not:
    operand: Expr
    span: Span


@node
class Compare:
    op: str  # "==" "!=" "<" "<=" ">" ">="
    left: Expr
    right: Expr
    span: Span


@node
class Member:
    """`LEFT in RIGHT` or `LEFT not in RIGHT`."""

    left: Expr
    right: Expr
    negated: bool
    span: Span


@node
class Within:
    """`LEFT within RIGHT`: subset."""

    left: Expr
    right: Expr
    span: Span


@node
class Is:
    """`X is none`, `X is empty`, and their negations."""

    operand: Expr
    what: str  # "none" | "empty"
    negated: bool
    span: Span


@node
class Range:
    """`LO..HI`, both included."""

    lo: Expr
    hi: Expr
    span: Span


@node
class SeatsFrom:
    """`DIRECTION from PLAYER`: all seats, once round."""

    direction: Expr
    start: Expr
    span: Span


@node
class Binary:
    op: str  # "+" "-" "*" "div" "mod"
    left: Expr
    right: Expr
    span: Span


@node
class Neg:
    operand: Expr
    span: Span


@node
class At:
    """`THING at PLACE`."""

    thing: Expr
    place: Expr
    span: Span


@node
class Of:
    """`LEFT of RIGHT`: things of a player, or an attribute (`owner of k` is `k.owner`)."""

    left: Expr
    right: Expr
    span: Span


@node
class Attr:
    base: Expr
    name: Ident
    span: Span


@node
class Binder:
    """`NAME in DOMAIN`."""

    var: Ident
    domain: Expr
    span: Span


@node
class Call:
    """`f(a, b)` and every comprehension, as written.

    `binders` come from `for x in S, y in T`. A comprehension without `for`,
    `count(x in S where C)`, has one argument, a `Member`; whether it binds `x` is the
    checker's to decide (it does if the function takes a set and `x` is no known name).
    `from_` is the `from START` of `region(q from START where C)` and `next(p from q where C)`:
    there `args` is the single name that is bound.
    """

    func: Expr
    args: tuple[Expr, ...]
    span: Span
    binders: tuple[Binder, ...] = ()
    from_: Expr | None = None
    where: Expr | None = None
    by: Expr | None = None
    orelse: Expr | None = None

    @property
    def is_plain(self) -> bool:
        return (
            not self.binders
            and self.from_ is None
            and self.where is None
            and self.by is None
            and self.orelse is None
        )


Expr: TypeAlias = (
    Name
    | Int
    | Bool
    | NoneLiteral
    | Cond
    | Try
    | Logic
    | Not
    | Compare
    | Member
    | Within
    | Is
    | Range
    | SeatsFrom
    | Binary
    | Neg
    | At
    | Of
    | Attr
    | Call
)


# ---------------------------------------------------------------------------- statements


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


# ---------------------------------------------------------------- shared parts of sections


@node
class By(Generic[T]):
    """`{by: SELECTOR, KEY: VALUE, …, otherwise: VALUE}`.

    `selector` is `player_count`, an option, or a range or kind that indexes the cases.
    """

    selector: Expr
    cases: tuple[tuple[Ident, T], ...]
    otherwise: T | None
    span: Span


@node
class EnumType:
    """`[a, b, c]` written where a type is expected."""

    members: tuple[Ident, ...]
    span: Span


@node
class TypeRef:
    """`optional X`, `set of X`, `X or Y`, `lo..hi`, `bool`, `int`, a kind, or `[a, b]`."""

    optional: bool
    set_of: bool
    base: EnumType | Range | tuple[Ident, ...]
    """An inline enumeration, a range, or the names of a union (one for a plain kind)."""
    span: Span


@node
class Cite:
    """`source / heading / sentences`; headings may be missing."""

    source: Ident
    heading: str | None
    sentences: str | None
    span: Span

    def __str__(self) -> str:
        return " / ".join(p for p in (self.source.text, self.heading, self.sentences) if p)


@node
class Provenance:
    """What the long form of any rule may add."""

    cite: tuple[Cite, ...] = ()
    note: str | None = None


@node
class Condition:
    """A named expression: a `where` line, an `until`, an invariant, a scoring line."""

    name: Ident
    expr: Expr
    provenance: Provenance
    span: Span


@node
class Step:
    """A named block of statements."""

    name: Ident
    body: Block
    provenance: Provenance
    span: Span


Steps: TypeAlias = tuple[Step, ...]
Conditions: TypeAlias = tuple[Condition, ...]


@node
class Param:
    """`KIND NAME` in a signature, or an entry of `given`/`choose`."""

    type: TypeRef
    name: Ident
    span: Span


# ----------------------------------------------------------------------------- sections


@node
class Players:
    """`2..5`, `4`, or a list of seat names (then lo == hi == their number)."""

    lo: int
    hi: int
    seats: tuple[Ident, ...]
    span: Span


@node
class Heading:
    """A heading of a rulebook, with what the index knows of the sentences under it.

    `count` is their number, None where the heading alone is listed; `fingerprints` are theirs
    in order, and none where only the number is known.
    """

    name: Ident
    count: int | None
    fingerprints: tuple[str, ...]
    span: Span


@node
class SourceDecl:
    """A rulebook. `headings` are those that `ludex source index` lists, in order."""

    name: Ident
    title: str
    language: str | None
    edition: str | None
    sha256: str | None
    headings: tuple[Heading, ...]
    end: str | None
    """The words at which the text ends, where its file holds more."""
    exclude: tuple[Cite, ...]
    """Passages that state no rule of the game."""
    span: Span


@node
class OptionDecl:
    """`{type: …, default: …, needs: …}`."""

    name: Ident
    type: TypeRef
    default: Expr
    needs: Expr | None
    provenance: Provenance
    span: Span


@node
class Reading:
    """One reading of a doubtful passage: the option values (and overlays) that play it."""

    name: Ident
    options: tuple[tuple[Ident, Expr], ...]
    overlay: Ident | None
    span: Span


@node
class Ambiguity:
    name: Ident
    question: str
    readings: tuple[Reading, ...]
    chosen: Ident
    because: str
    provenance: Provenance
    span: Span


@node
class Settled:
    """A doubt that was settled without a switch: the matter and how it was read."""

    name: Ident
    answer: str
    provenance: Provenance
    span: Span


@node
class RangeType:
    """`{range: 2..14, names: {11: jack}}`: integers, some of them named."""

    lo: Expr
    hi: Expr
    names: tuple[tuple[int, Ident], ...]
    span: Span


@node
class TypeDecl:
    """An enumeration, a union (`site: island or village`), or a named range."""

    name: Ident
    body: EnumType | TypeRef | RangeType | By[EnumType]
    span: Span


@node
class Listing:
    """Values of a table along one dimension: a list, a mapping by key, or `each: value`."""

    items: tuple[TableValue, ...] | None
    keyed: tuple[tuple[Ident, TableValue], ...] | None
    each: TableValue | None
    otherwise: TableValue | None
    span: Span


TableValue: TypeAlias = Expr | Listing


@node
class ConstantDecl:
    """A constant, or with `per` a table indexed by kinds or ranges.

    A plain constant has no `per` and an Expr for a value.
    """

    name: Ident
    per: tuple[TypeRef, ...]
    type: TypeRef | None
    value: TableValue | By[TableValue]
    span: Span


@node
class PerField:
    """A field that multiplies a component: all values of its domain.

    `binder` is set for a dependent field, `c in color where C`; it may use earlier fields.
    `name` is None for the short form (`per: player` names the field `owner`, `per: suit`
    names it `suit`).
    """

    name: Ident | None
    domain: Expr
    binder: Ident | None
    where: Expr | None
    span: Span


@node
class Grid:
    """`8x8` or `[width, height]`."""

    width: Expr
    height: Expr
    span: Span


@node
class SpaceDecl:
    """Spaces of one kind, in exactly one of the forms: count, per, grid, hex, lines, at, pairs."""

    name: Ident
    per: tuple[PerField, ...]
    count: CountValue | None
    grid: Grid | None
    hex: Grid | None
    only: Expr | None
    """For grids: which cells exist (`x`, `y` bound)."""
    lines: tuple[tuple[Ident, ...], ...]
    points: tuple[tuple[Ident | None, Expr, Expr], ...]
    """`at`: name and coordinates in hundredths as written decimals (Int nodes, scaled)."""
    pairs: Ident | None
    where: Conditions
    fields: tuple[Condition, ...]
    """For pairs: derived fields, `a` and `b` bound."""
    holds: int | None
    name_pattern: str | None
    span: Span


CountValue: TypeAlias = Expr | By[Expr]


@node
class TrackDecl:
    """A sequence of spaces: kinds and single spaces in order."""

    name: Ident
    spaces: tuple[Expr, ...]
    span: Span


@node
class ComponentDecl:
    """Pieces, tokens or cards of one kind.

    `start` is the place where each begins (its fields are bound), the box by default.
    """

    name: Ident
    category: str  # "piece" | "token" | "card"
    per: tuple[PerField, ...]
    count: CountValue | None
    places: tuple[Ident, ...]
    start: Expr | None
    name_pattern: str | None
    span: Span


@node
class DieDecl:
    """A die: its faces in order; `per`/`count` make several, each with a `face` that is state."""

    name: Ident
    faces: tuple[Expr, ...] | Range
    per: tuple[PerField, ...]
    count: CountValue | None
    visible: Ident | None
    span: Span


@node
class PileDecl:
    """`{per: …, holds: KIND or [KINDS], visible: all|owner|none|top}`."""

    name: Ident
    per: tuple[PerField, ...]
    count: CountValue | None
    holds: tuple[Ident, ...]
    visible: Ident | None
    span: Span


@node
class StateDecl:
    """`{per: …, type: …, start: …, reset: …, visible: …}`."""

    name: Ident
    per: tuple[PerField, ...]
    type: TypeRef
    start: Expr | None
    reset: Ident | None
    visible: Ident | None
    span: Span


@node
class Define:
    name: Ident
    params: tuple[Param, ...]
    body: Expr
    provenance: Provenance
    span: Span


@node
class Procedure:
    name: Ident
    params: tuple[Param, ...]
    steps: Steps
    provenance: Provenance
    span: Span


@node
class ChooseParam:
    """An entry of an action's `choose`: a name and its domain (a kind, a range or any set)."""

    name: Ident
    domain: Expr
    optional: bool
    span: Span


@node
class LetParam:
    """An entry of an action's `let`."""

    name: Ident
    value: Expr
    span: Span


@node
class Action:
    name: Ident
    label: str | None
    given: tuple[Param, ...]
    choose: tuple[ChooseParam, ...]
    let: tuple[LetParam, ...]
    where: Conditions
    steps: Steps
    provenance: Provenance
    span: Span


@node
class EndCondition:
    """When `expr` holds the game ends; `winner` decides it, or else scoring does."""

    name: Ident
    expr: Expr
    winner: Expr | None
    provenance: Provenance
    span: Span


@node
class Phase:
    name: Ident
    when: Conditions
    begin: Steps
    each_round: Steps
    turns: Expr | None
    where: Conditions
    do: Steps
    finish: Steps
    until: Conditions
    rounds: Expr | None
    repeat: Expr | None
    repeat_until: Conditions
    phases: tuple[Phase, ...]
    end: tuple[EndCondition, ...]
    provenance: Provenance
    span: Span


@node
class RankingKey:
    """`most EXPR` or `least EXPR`; `score` is the sum of the scoring lines."""

    name: Ident
    most: bool
    expr: Expr
    provenance: Provenance
    span: Span


@node
class Match:
    """`{games: N, total: sum}`."""

    games: Expr
    span: Span


@node
class Record:
    """A multiset of earlier positions: what makes them equal, and how many are kept."""

    name: Ident
    of: tuple[Ident, ...]
    keep: Expr
    span: Span


@node
class Diagram:
    """A drawn layout: rows of signs, and what each sign stands for (a DSL entity)."""

    name: Ident
    space: Ident
    piece: Ident | None
    legend: tuple[tuple[str, Expr], ...]
    rows: tuple[tuple[str, ...], ...]
    span: Span


@node
class Template:
    """Text with `{expr}` holes: pieces alternate between str and Expr."""

    parts: tuple[str | Expr, ...]
    span: Span


@node
class Panel:
    """One part of the drawing of a game.

    With `across` (a binder and an optional condition) it is a table with a column for every
    element, otherwise each row is one line. `rows` are labelled templates.
    """

    name: Ident
    across: Binder | None
    where: Expr | None
    down: Binder | None
    rows: tuple[tuple[Ident, Template], ...]
    head: Template | None
    """What stands above each column; without it, the element's name."""
    foot: Template | None
    """What stands below each column."""
    side: Template | None
    """What stands before each line of `down`; without it, the element's name."""
    empty: str | None
    """What is drawn where a cell would be empty."""
    span: Span


@node
class Map:
    """A panel that draws spaces where they lie, and lines between the ends of pairs of them."""

    name: Ident
    spaces: Binder
    where: Expr | None
    sign: Template
    links: Binder | None
    links_where: Expr | None
    mark: Template | None
    span: Span


@node
class Sign:
    """A text with a colour, drawn where a condition holds."""

    text: Template
    color: Expr | None
    where: Expr | None
    span: Span


@node
class Picture:
    """A panel that is a drawing, for each element of `across`, with holes for what the legend says.

    A hole is a run of one character of the legend; of its signs the first that holds is drawn.
    `at` is the column and the line in which the upper left corner of a drawing stands.
    """

    name: Ident
    across: Binder | None
    where: Expr | None
    lines: tuple[str, ...]
    legend: tuple[tuple[str, tuple[Sign, ...]], ...]
    at: tuple[Expr, Expr] | None
    span: Span


@node
class Glyph:
    """How things of a kind are drawn: `{knight: "{color}"}`; the first of its signs that holds."""

    kind: Ident
    signs: tuple[Sign, ...]
    span: Span


@node
class View:
    panels: tuple[Panel | Map | Picture, ...]
    glyphs: tuple[Glyph, ...]
    span: Span


@node
class Game:
    """A whole definition, overlays already applied."""

    name: Ident
    title: str
    players: Players
    sources: tuple[SourceDecl, ...] = ()
    options: tuple[OptionDecl, ...] = ()
    ambiguities: tuple[Ambiguity, ...] = ()
    settled: tuple[Settled, ...] = ()
    types: tuple[TypeDecl, ...] = ()
    constants: tuple[ConstantDecl, ...] = ()
    spaces: tuple[SpaceDecl, ...] = ()
    tracks: tuple[TrackDecl, ...] = ()
    components: tuple[ComponentDecl, ...] = ()
    dice: tuple[DieDecl, ...] = ()
    piles: tuple[PileDecl, ...] = ()
    state: tuple[StateDecl, ...] = ()
    defines: tuple[Define, ...] = ()
    setup: Steps = ()
    phases: tuple[Phase, ...] = ()
    procedures: tuple[Procedure, ...] = ()
    actions: tuple[Action, ...] = ()
    end: tuple[EndCondition, ...] = ()
    scoring: tuple[Condition, ...] = ()
    ranking: tuple[RankingKey, ...] = ()
    payoff: Expr | None = None
    match: Match | None = None
    records: tuple[Record, ...] = ()
    diagrams: tuple[Diagram, ...] = ()
    invariants: tuple[Condition, ...] = ()
    view: View | None = None
    span: Span = NOWHERE
