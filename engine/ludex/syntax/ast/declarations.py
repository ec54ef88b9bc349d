"""What several sections have in them, and what there is: players, sources, options, types,
constants, components, state."""

from __future__ import annotations

from typing import Generic, TypeAlias, TypeVar

from ludex.node import node
from ludex.source import Span
from ludex.syntax.ast.expressions import Expr, Ident, Range
from ludex.syntax.ast.statements import Block

T = TypeVar("T")


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


@node
class Players:
    """`2..5`, `4`, or a list of seat names (then lo == hi == their number). `usual`: so many play where
    nothing else is said."""

    lo: int
    hi: int
    usual: int
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
