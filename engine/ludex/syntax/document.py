"""YAML read into nodes that know their place in the file.

Every node has a span; a scalar also knows, for each character of its text, the offset in
the file it came from, so that an error in the third line of a `|` block points there.
May import: `source`, `diagnostics`, `limits`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from ludex.node import node
from ludex.source import Span

ScalarKind = Literal["string", "int", "float", "bool", "null"]
ScalarStyle = Literal["plain", "single", "double", "literal", "folded"]


@node
class Scalar:
    """A YAML scalar. `offsets[i]` is the file offset of `text[i]`, with one entry more for the end.

    `kind` follows YAML 1.2's core schema for plain scalars; quoted and block ones are strings.
    """

    text: str
    kind: ScalarKind
    style: ScalarStyle
    span: Span
    offsets: tuple[int, ...] | range


@node
class Entry:
    """A key and its value in a mapping."""

    key: Scalar
    value: Node

    @property
    def name(self) -> str:
        return self.key.text


@node
class Mapping:
    """A YAML mapping: entries in the order written, keys are unique."""

    entries: tuple[Entry, ...]
    span: Span
    flow: bool = False

    def get(self, name: str) -> Node | None:
        for entry in self.entries:
            if entry.key.text == name:
                return entry.value
        return None

    def entry(self, name: str) -> Entry | None:
        for entry in self.entries:
            if entry.key.text == name:
                return entry
        return None

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)


@node
class Sequence:
    """A YAML sequence."""

    items: tuple[Node, ...]
    span: Span
    flow: bool = False


Node: TypeAlias = Scalar | Mapping | Sequence


def raw_text(node: Node) -> Scalar | None:
    """The node as text: a scalar as it is, a flow collection on one line as it was written.

    For slots that expect text where YAML saw a mapping or a list because the text begins
    with a brace or a bracket (`label: {k}`). Whatever stands between the two brackets is
    the text, so the slice is unambiguous; None for block collections and several lines.
    """
    if isinstance(node, Scalar):
        return node
    text = node.span.text
    if not node.flow or "\n" in text or text[:1] not in ("{", "["):
        return None
    offsets = tuple(range(node.span.start, node.span.end + 1))
    return Scalar(text, "string", "plain", node.span, offsets)


def walk(node: Node) -> Iterator[Node]:
    """The node and all nodes in it, parents first, in the order written."""
    stack: list[Node] = [node]
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, Mapping):
            for entry in reversed(current.entries):
                stack += (entry.value, entry.key)
        elif isinstance(current, Sequence):
            stack.extend(reversed(current.items))


def plain(node: Node) -> object:
    """The document as plain Python data: for comparison with jsonschema, and for dumps."""
    if isinstance(node, Mapping):
        return {entry.name: plain(entry.value) for entry in node}
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    match node.kind:
        case "int":
            return int(node.text)
        case "float":
            return float(node.text)
        case "bool":
            return node.text.lower() == "true"
        case "null":
            return None
        case _:
            return node.text
