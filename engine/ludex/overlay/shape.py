"""Where the rules of a definition stand: the one table of its sections that overlays go by.

A document is a tree of three shapes. A `Record` has attributes with names fixed by the language
(an action's `where`, a phase's `turns`). A `Named` holds things that the author named (actions,
steps, conditions). A `Rule` is a leaf: what is added, replaced or removed as one thing, whatever
YAML it consists of. The path of a rule is the names from the root down to it.
"""

from __future__ import annotations

from collections.abc import Mapping as Table
from dataclasses import dataclass, field
from typing import TypeAlias

from ludex.diagnostics import normalise
from ludex.source import Span
from ludex.syntax.document import Entry, Mapping, Node, Scalar


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A leaf. In long form its text stands under `body`, beside `attributes`.

    A mapping of attributes alone is no rule: it speaks of the attributes of an existing one,
    so that an overlay can add a citation to a rule without repeating it.
    """

    body: str | None = None
    attributes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """Things with names of the author's.

    `ordered`: their order means something, so that one can be inserted before or after another.
    `signatures`: keys may carry parameters, which are no part of the name.
    `single`: the place may instead hold one unnamed rule. `special`: names with another shape.
    """

    item: Shape
    ordered: bool = False
    signatures: bool = False
    single: Rule | None = None
    special: Table[str, Shape] = field(default_factory=dict)

    def is_single(self, node: Node) -> bool:
        """Whether the node is the one unnamed rule, not a mapping of named ones."""
        if self.single is None:
            return False
        return not isinstance(node, Mapping) or any(e.name == self.single.body for e in node)


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """Attributes named by the language; those not in `fields` are leaves.

    `bare`: the attribute whose contents may stand directly in the record (a procedure's steps).
    `fixed`: attributes that no overlay may touch.
    """

    fields: Table[str, Shape]
    bare: str | None = None
    fixed: frozenset[str] = frozenset()


Shape: TypeAlias = Rule | Named | Record

_LEAF = Rule()
_PROVENANCE = frozenset({"cite", "note"})
_NOTED = Rule(attributes=_PROVENANCE)
_STEP = Rule("do", _PROVENANCE)
_CONDITION = Rule("is", _PROVENANCE)
_END = Rule("is", _PROVENANCE | {"winner"})
_BINDING = Rule("is")

_STEPS = Named(_STEP, ordered=True, single=_STEP)
_CONDITIONS = Named(_CONDITION, ordered=True, single=_CONDITION)
_BINDINGS = Named(_BINDING, ordered=True)
_ENDS = Named(_END, ordered=True)

_phase_fields: dict[str, Shape] = {
    "when": _CONDITIONS,
    "begin": _STEPS,
    "each_round": _STEPS,
    "where": _CONDITIONS,
    "do": _STEPS,
    "finish": _STEPS,
    "until": _CONDITIONS,
    "repeat_until": _CONDITIONS,
    "end": _ENDS,
}
_PHASES = Named(Record(_phase_fields), ordered=True)
_phase_fields["phases"] = _PHASES

_ACTION = Record(
    {"given": _BINDINGS, "choose": _BINDINGS, "let": _BINDINGS, "where": _CONDITIONS, "do": _STEPS}
)
_PROCEDURE = Record({"do": _STEPS, "cite": _LEAF, "note": _LEAF}, bare="do")
_AMBIGUITY = Record({"readings": Named(_LEAF)})
_COMPONENTS = Record(
    {
        kind: Named(_NOTED)
        for kind in ("spaces", "tracks", "pieces", "tokens", "cards", "dice", "piles")
    }
)
_PANEL = Record({"rows": Named(_LEAF, ordered=True), "legend": Named(_LEAF)})

DOCUMENT = Record(
    {
        "sources": Named(_LEAF),
        "options": Named(Record({})),
        "ambiguities": Named(_AMBIGUITY, special={"settled": Named(_NOTED)}),
        "types": Named(_LEAF),
        "constants": Named(_NOTED),
        "components": _COMPONENTS,
        "state": Named(_NOTED),
        "define": Named(_CONDITION, signatures=True),
        "setup": Named(_STEP, ordered=True),
        "phases": _PHASES,
        "procedures": Named(_PROCEDURE, signatures=True),
        "actions": Named(_ACTION, signatures=True),
        "end": _ENDS,
        "scoring": Named(_CONDITION, ordered=True),
        "ranking": Named(_CONDITION, ordered=True),
        "match": Record({}),
        "records": Named(_NOTED),
        "diagrams": Named(_NOTED),
        "invariants": Named(_CONDITION, ordered=True),
        "view": Record({"glyphs": Named(_LEAF), "panels": Named(_PANEL, ordered=True)}),
    },
    fixed=frozenset({"ludex", "game", "overlay", "extends"}),
)


def address(shape: Shape, key: str) -> str:
    """The name under which a key is found: normalised, without the parameters of a signature."""
    name = normalise(key).strip()
    if isinstance(shape, Named) and shape.signatures:
        name = name.partition("(")[0].rstrip()
    return name


def child_shape(shape: Shape, name: str) -> Shape:
    """The shape of what stands under a name."""
    match shape:
        case Named():
            return shape.special.get(name, shape.item)
        case Record():
            return shape.fields.get(name, _LEAF)
        case Rule():
            return _LEAF


def find(node: Node | None, shape: Shape, name: str) -> Entry | None:
    """The entry with that name in a node of that shape."""
    if isinstance(node, Mapping):
        for entry in node:
            if address(shape, entry.name) == name:
                return entry
    return None


def unfold(node: Node, shape: Shape) -> Node:
    """A record whose bare contents are put under their attribute; any other node as it is.

    `hop: {take: …}` and `hop: {do: {take: …}}` say the same, and a procedure in the one form may
    be changed by an overlay in the other.
    """
    if not isinstance(shape, Record) or shape.bare is None:
        return node
    if not isinstance(node, Mapping):
        return Mapping((Entry(made(shape.bare, node.span), node),), node.span)
    if node.entry(shape.bare) is not None or not node.entries:
        return node
    inner = tuple(e for e in node if e.name not in shape.fields)
    outer = tuple(e for e in node if e.name in shape.fields)
    if not inner:
        return node
    steps = Entry(made(shape.bare, inner[0].key.span), Mapping(inner, node.span, node.flow))
    return Mapping((steps, *outer), node.span, node.flow)


def long_form(node: Node, rule: Rule) -> Mapping:
    """A rule as a mapping, its text under `body`."""
    if isinstance(node, Mapping):
        return node
    return Mapping((Entry(made(rule.body or "do", node.span), node),), node.span)


def made(text: str, at: Span) -> Scalar:
    """A scalar that nobody wrote, with the span of what is the reason for it."""
    return Scalar(text, "string", "plain", at, (at.start,) * (len(text) + 1))


def said(path: tuple[str, ...]) -> str:
    """A path as people read it."""
    return " / ".join(path)
