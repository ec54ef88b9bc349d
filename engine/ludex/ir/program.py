"""A program: tables, functions, and blocks that suspend only at decisions and chance points.

A state waits at a block whose terminator is `Decide`, `Chance` or `Simultaneous`, or has
ended at `GameOver`; `@pc` holds the block's index. Running a program is: execute blocks
from a start block until one of these terminators has something to wait for.

Before a state is left waiting at block B, all words in `B.clear` are set to 0 (frame words
that are dead there), so equal positions are equal bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from ludex.ir.code import Code
from ludex.ir.layout import Layout
from ludex.node import node
from ludex.typed.expr import Binding, Domain, Expr, OptionSite
from ludex.typed.tables import Function, Rule, Site, Table
from ludex.typed.types import Type
from ludex.typed.world import Audience, World

__all__ = [
    "Atomic",
    "Block",
    "Branch",
    "Chance",
    "Decide",
    "DrawChance",
    "FaultKind",
    "Function",
    "GameOver",
    "Glyph",
    "Invariant",
    "Jump",
    "MapPanel",
    "MemberChance",
    "Option",
    "Panel",
    "PanelRow",
    "PicturePanel",
    "Program",
    "RankingKey",
    "Record",
    "Return",
    "RollChance",
    "Rule",
    "ScoreLine",
    "Sign",
    "Simultaneous",
    "Site",
    "StrandEnd",
    "Table",
    "Terminator",
    "Variable",
    "turn_rules",
]


@node
class Variable:
    """A variable's home: word `word` of the state if it outlives a suspension, else scratch.

    `word` counts from 0 among the canonical words (`frame`) or among the registers.
    Registers are never shared by two variables, so only recursion has to save them.
    """

    name: str
    type: Type
    frame: bool
    word: int


@node
class Atomic:
    """A procedure that never suspends: used by `run` in structured code and by `try`."""

    name: str
    params: tuple[int, ...]
    body: Code


@node
class Jump:
    target: int


@node
class Branch:
    test: Expr
    then: int
    orelse: int


@node
class Return:
    """Continues at the block whose index is in the frame word of `var`, which becomes 0."""

    var: int


@node
class Option:
    """What an offer of a decision leads to: values stored once chosen, and the next block.

    `stores`: evaluated in order after the site's bindings and lets are set.
    `label` is a template for people: fixed text and expressions over the bindings.
    """

    site: OptionSite
    stores: tuple[tuple[int, Expr], ...]
    target: int
    rule: int
    label: tuple[str | Expr, ...] = ()


@node
class Decide:
    """`player` chooses one option. With none, the program goes on at `orelse`.

    `audience`: who may see what was chosen (a strand's choices: the owner).
    `longest`: only options that begin a longest run of these same offers; `effects[i]` is
    the atomic procedure that plays option i (arguments: its stores' values in order).
    `default` is the index of the option named for an absent player, -1 for none;
    of several actions of that option the first counts, or the one whose first parameter is
    `default_value`.
    """

    player: Expr
    options: tuple[Option, ...]
    orelse: int
    default: int
    longest: bool
    effects: tuple[str, ...]
    audience: Audience
    rule: int
    default_value: Expr | None = None


@node
class RollChance:
    """A die: outcomes are its distinct faces, weighted, in order of first appearance."""

    faces: tuple[int, ...]


@node
class MemberChance:
    """`random x in S where C`, uniform; interchangeable pieces merged with their weights.

    With no member it faults `empty`.
    """

    var: int
    domain: Domain
    guard: Expr | None
    type: Type
    site: int


@node
class DrawChance:
    """Which card of the unknown middle is on top: cards by face, weighted by copies.

    The one with the lowest id of its face is taken; it becomes the whole known head
    (drawn only where head is 0).
    """

    pile: Expr


@node
class Chance:
    """A chance event: its outcome goes to `var` (-1: nowhere), then `next`."""

    event: RollChance | MemberChance | DrawChance
    var: int
    next: int
    name: str
    audience: Audience
    rule: int


@node
class Simultaneous:
    """Sealed choices: each player of `players` (a set) has a strand, from `entries[seat]` on.

    `entries` has one block per seat of the table. A strand waits at its own `Decide`
    (word `@strand` of the player) and ends at `StrandEnd`. When all have ended: `next`.
    """

    players: Expr
    entries: tuple[int, ...]
    next: int
    rule: int


@node
class StrandEnd:
    pass


@node
class GameOver:
    """The whole match is over."""


Terminator: TypeAlias = Jump | Branch | Return | Decide | Chance | Simultaneous | StrandEnd | GameOver


@node
class Block:
    """Code, then a terminator. `clear`: words set to 0 before a state waits here.

    `tick`: whether entering it costs a tick (loop heads and procedure entries).
    """

    code: Code
    end: Terminator
    clear: tuple[int, ...] = ()
    tick: bool = False


@node
class ScoreLine:
    """A scoring line: its value for the player in variable `me`."""

    rule: int
    me: int
    value: Expr


@node
class Heuristic:
    """How well the player in variable `me` stands; bots judge by it after `horizon` decisions."""

    me: int
    value: Expr
    horizon: int


@node
class RankingKey:
    """`most`/`least`; value None means the sum of the scoring lines."""

    rule: int
    me: int
    most: bool
    value: Expr | None


@node
class Record:
    """What is hashed for a record: each expression for all values of its bindings, in order."""

    name: str
    parts: tuple[tuple[tuple[Binding, ...], Expr], ...]


@node
class Invariant:
    rule: int
    test: Expr


@node
class PanelRow:
    """A row of a drawing: its name and a cell template (text and expressions)."""

    name: str
    cell: tuple[str | Expr, ...]


@node
class Panel:
    """A drawing: a column for each element of `across` (if any), a line for each of `down`.

    `head` and `foot` stand above and below a column, `side` before a line; where there is no
    `head` or `side`, the name of the element does.
    """

    name: str
    across: Binding | None
    across_guard: Expr | None
    down: Binding | None
    rows: tuple[PanelRow, ...]
    head: tuple[str | Expr, ...] | None = None
    foot: tuple[str | Expr, ...] | None = None
    side: tuple[str | Expr, ...] | None = None
    empty: str = ""


@node
class MapPanel:
    """A drawing of spaces where they lie, and of lines between two of them.

    `spots` has the coordinates of every space that may be drawn, y to the north; `ends` the two
    spaces of everything that may be a line.
    """

    name: str
    spaces: Binding
    guard: Expr | None
    sign: tuple[str | Expr, ...]
    links: Binding | None
    links_guard: Expr | None
    mark: tuple[str | Expr, ...]
    spots: tuple[tuple[int, int, int], ...]
    ends: tuple[tuple[int, int, int], ...]


@node
class Sign:
    """A text with a colour, drawn where the guard holds."""

    text: tuple[str | Expr, ...]
    color: Expr | None = None
    guard: Expr | None = None


@node
class PicturePanel:
    """A drawing for each element of `across`, or one: `at` is the column and line of its upper left corner.

    Each run of a character of the legend is a hole: the first of its signs that holds is drawn there.
    """

    name: str
    across: Binding | None
    guard: Expr | None
    lines: tuple[str, ...]
    legend: tuple[tuple[str, tuple[Sign, ...]], ...]
    at: tuple[Expr, Expr] | None


@node
class Glyph:
    """How an entity of a kind is drawn: `var` is bound to it; the first sign that holds."""

    kind: str
    var: int
    signs: tuple[Sign, ...]


@node
class Program:
    """Everything a back end needs. Block 0 is the start.

    `viewer` is the variable that stands for `me` in panels (0: a spectator).
    `references` lists canonical words (with their count for sets) that may hold a movable,
    for telling interchangeable ones apart: all fields of a type that includes its kind.
    `order_reads`: kinds of movables whose copy number matters only in setup are merged.
    """

    title: str
    players: int
    world: World
    layout: Layout
    tables: tuple[Table, ...]
    variables: tuple[Variable, ...]
    registers: int
    functions: tuple[Function, ...]
    atomics: tuple[Atomic, ...]
    blocks: tuple[Block, ...]
    rules: tuple[Rule, ...]
    sites: tuple[Site, ...]
    scoring: tuple[ScoreLine, ...]
    ranking: tuple[RankingKey, ...]
    payoff: tuple[int, Expr] | None
    heuristic: Heuristic | None
    records: tuple[Record, ...]
    invariants: tuple[Invariant, ...]
    panels: tuple[Panel | MapPanel | PicturePanel, ...]
    glyphs: tuple[Glyph, ...]
    viewer: int
    games: int


ASKED = ("scoring", "ranking", "payoff", "heuristic", "records", "invariants")
"""The parts of a program whose code is asked for from outside its blocks."""


def turn_rules(rules: Sequence[Rule]) -> tuple[int, ...]:
    """The first step of every phase: it runs once for each turn (or repetition of the phase)."""
    firsts: dict[str, int] = {}
    for index, rule in enumerate(rules):
        match = re.fullmatch(r"(phases/(?:.+/)?)do/[^/]+", rule.path)
        if match is not None and rule.kind == "step":
            firsts.setdefault(match.group(1), index)
    return tuple(firsts.values())


FaultKind = Literal[
    "overflow",
    "zero",
    "range",
    "index",
    "empty",
    "several",
    "capacity",
    "place",
    "tokens",
    "steps",
    "record",
    "options",
    "depth",
]
