"""What happens, how it ends and how it is drawn; and the whole definition."""

from __future__ import annotations

from ludex.node import node
from ludex.source import NOWHERE, Span
from ludex.syntax.ast.declarations import (
    Ambiguity,
    ComponentDecl,
    Condition,
    Conditions,
    ConstantDecl,
    DieDecl,
    OptionDecl,
    Param,
    PileDecl,
    Players,
    Provenance,
    Settled,
    SourceDecl,
    SpaceDecl,
    StateDecl,
    Steps,
    TrackDecl,
    TypeDecl,
)
from ludex.syntax.ast.expressions import Binder, Expr, Ident


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
class Heuristic:
    """`EXPR` or `{is: EXPR, horizon: N}`."""

    expr: Expr
    horizon: Expr | None


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
    heuristic: Heuristic | None = None
    match: Match | None = None
    records: tuple[Record, ...] = ()
    diagrams: tuple[Diagram, ...] = ()
    invariants: tuple[Condition, ...] = ()
    view: View | None = None
    span: Span = NOWHERE
