"""PyYAML's events made into nodes, with the refusals and limits that apply to nodes.

The events are walked with an explicit stack, so that no nesting can exhaust Python's.
An alias stands for the very node that its anchor marks; sizes and depths count it as if
it were written out.

May import: `source`, `diagnostics`, `limits`, `syntax.document`, `syntax.scalars`.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from yaml import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from ludex import limits
from ludex.diagnostics import Code, Label, Report, normalise, printable
from ludex.source import SourceFile, Span
from ludex.syntax import codes_yaml as codes
from ludex.syntax.document import Entry, Mapping, Node, Scalar, ScalarKind, ScalarStyle, Sequence
from ludex.syntax.scalars import offsets_of
from ludex.syntax.yaml_errors import QUOTE_HELP

Event: TypeAlias = Any  # PyYAML's events carry no types; none leaves this module

_STYLES: dict[str, ScalarStyle] = {"'": "single", '"': "double", "|": "literal", ">": "folded"}
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL = frozenset(("true", "True", "TRUE", "false", "False", "FALSE"))
_NUMBERS_BEGIN = frozenset("+-.0123456789")
_FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z"
_INVISIBLE = (
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
    "|\r(?!\n)"
)
"""Characters that no text should hold, written out or as an escape."""
_PROPERTIES = r"(?:[&!][^\s,\[\]{}]*[ \t\r\n]*)+"


class GiveUp(Exception):
    """The document breaks a limit; it has been reported."""


_Built: TypeAlias = tuple[Node, int, int]
"""A node, how many nodes it holds with aliases written out, and how deep it nests."""


class _Open:
    """A mapping or sequence whose end has not come yet."""

    def __init__(self, mapping: bool, start: int, flow: bool, anchor: str | None) -> None:
        self.mapping = mapping
        self.start = start
        self.flow = flow
        self.anchor = anchor
        self.entries: list[Entry] = []
        self.items: list[Node] = []
        self.seen: dict[str, Span] = {}
        self.key: Scalar | None = None
        self.awaits_value = False
        self.size = 1
        self.height = 0


class Composer:
    """Makes nodes of one text's events."""

    __slots__ = ("anchors", "documents", "report", "source", "span", "stack", "total")

    def __init__(self, source: SourceFile, report: Report) -> None:
        self.source = source
        self.report = report
        self.documents: list[tuple[Node, Span]] = []
        self.stack: list[_Open] = []
        self.anchors: dict[str, _Built | None] = {}
        self.total = 0
        self.span = Span(source, 0, 0)

    def take(self, event: Event) -> None:
        """Takes the next event. Raises `GiveUp` if a limit is broken."""
        kind = type(event)
        if kind is ScalarEvent:
            if event.tag is not None:
                self._tag(event)
            scalar = self._scalar(event)
            if event.anchor is not None:
                self.anchors[event.anchor] = scalar, 1, 0
            self._put(scalar, 1, 0, 1)
        elif kind is AliasEvent:
            self._alias(event)
        elif kind in (MappingStartEvent, SequenceStartEvent):
            self._start(event)
        elif kind in (MappingEndEvent, SequenceEndEvent):
            self._close(event)
        elif kind is DocumentStartEvent:
            if len(self.documents) >= limits.MAX_YAML_DOCUMENTS:
                self._large(self._at(event), "documents", limits.MAX_YAML_DOCUMENTS)
            self.anchors = {}
            self.total = 0
            self.span = self._at(event)

    # ---- nodes

    def _start(self, event: Event) -> None:
        if event.tag is not None:
            self._tag(event)
        self._deep(len(self.stack) + 1, event)
        start = event.start_mark.index
        if event.anchor is not None or event.tag is not None:
            start = self._after_properties(start, event.end_mark.index)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        mapping = type(event) is MappingStartEvent
        self.stack.append(_Open(mapping, start, bool(event.flow_style), event.anchor))

    def _scalar(self, event: Event) -> Scalar:
        start, end = event.start_mark.index, event.end_mark.index
        if event.anchor is not None or event.tag is not None:
            start = self._after_properties(start, end)
        value: str = event.value
        style: str = event.style or ""
        if not style and end - start == len(value) and self.source.text.startswith(value, start):
            plainly = range(start, end + 1)
            return Scalar(value, _kind(value), "plain", Span(self.source, start, end), plainly)
        offsets, stop = offsets_of(self.source.text, start, end, style, value)
        for bad in invisible(value)[:1] if style == '"' else ():
            self._say(
                codes.FILE_CONTROL_CHARACTER,
                f"this escape stands for the invisible character U+{ord(bad.group()):04X}",
                Span(self.source, offsets[bad.start()], offsets[bad.start() + 1]),
            )
        kind: ScalarKind = "string" if style else _kind(value)
        return Scalar(value, kind, _STYLES.get(style, "plain"), Span(self.source, start, stop), offsets)

    def _alias(self, event: Event) -> None:
        name: str = event.anchor
        if name not in self.anchors:
            self._say(
                codes.YAML_UNKNOWN_ALIAS,
                f"nothing is marked `&{printable(name)}` above, so `*{printable(name)}` stands for nothing",
                self._at(event),
                help=f"a text that begins with `*`: {QUOTE_HELP}",
            )
            self._put(self._nothing(event), 1, 0, 1)
            return
        built = self.anchors[name]
        if built is None:
            self._say(
                codes.YAML_RECURSIVE_ALIAS,
                f"`*{printable(name)}` stands inside what `&{printable(name)}` marks",
                self._at(event),
            )
            self._put(self._nothing(event), 1, 0, 1)
            return
        node, size, height = built
        self._deep(len(self.stack) + height, event)
        self._put(node, size, height, size)

    def _close(self, event: Event) -> None:
        frame = self.stack.pop()
        end = event.end_mark.index
        if not frame.flow:
            last = frame.entries[-1].value.span.end if frame.entries else frame.start
            last = frame.items[-1].span.end if frame.items else last
            end = max(last, frame.start) if frame.start <= last <= end else frame.start
        span = Span(self.source, frame.start, max(end, frame.start))
        node: Node
        if frame.mapping:
            node = Mapping(tuple(frame.entries), span, frame.flow)
        else:
            node = Sequence(tuple(frame.items), span, frame.flow)
        if frame.anchor is not None:
            self.anchors[frame.anchor] = node, frame.size, frame.height + 1
        self._put(node, frame.size, frame.height + 1, 1)

    def _put(self, node: Node, size: int, height: int, added: int) -> None:
        """Hands a finished node to what it stands in; `added` nodes of it are not counted yet."""
        self.total += added
        if self.total > limits.MAX_YAML_NODES:
            self._large(first_line(node.span), "values", limits.MAX_YAML_NODES)
        if not self.stack:
            self.documents.append((node, self.span))
            return
        parent = self.stack[-1]
        parent.size += size
        if height > parent.height:
            parent.height = height
        if not parent.mapping:
            parent.items.append(node)
        elif parent.awaits_value:
            if parent.key is not None:
                parent.entries.append(Entry(parent.key, node))
            parent.key, parent.awaits_value = None, False
        else:
            parent.key, parent.awaits_value = self._key(parent, node), True

    def _key(self, parent: _Open, node: Node) -> Scalar | None:
        """The key, or None if it was refused and its value is to be left out."""
        if not isinstance(node, Scalar):
            what = "list" if isinstance(node, Sequence) else "mapping"
            self._say(
                codes.YAML_NON_SCALAR_KEY,
                f"a {what} stands where a name is expected",
                first_line(node.span),
                help="a name that begins with a bracket or brace must be put in quotes",
            )
            return None
        if not node.text:
            self._say(codes.YAML_EMPTY_KEY, "there is no name before the colon", node.span)
            return None
        if node.text == "<<" and node.style == "plain":
            self._say(
                codes.YAML_MERGE_KEY,
                "the merge key `<<` is not supported: what it copies would have no place of its own",
                node.span,
                help="write the rules out, or name the common part in `define` or `procedures`",
            )
            return None
        folded = normalise(node.text)
        first = parent.seen.setdefault(folded, node.span)
        if first is not node.span:
            self._say(
                codes.YAML_DUPLICATE_KEY,
                f"`{printable(node.text)}` stands here a second time",
                node.span,
                labels=(Label(first, "first here"),),
                help="rename one of them, or join them",
            )
            return None
        return node

    # ---- limits and refusals

    def _say(
        self, code: Code, message: str, span: Span, *, labels: tuple[Label, ...] = (), help: str | None = None
    ) -> None:
        if len(self.report.found) < limits.MAX_DIAGNOSTICS:
            self.report.add(code, message, span, labels=labels, help=help)

    def _deep(self, depth: int, event: Event) -> None:
        if depth > limits.MAX_YAML_DEPTH:
            self._say(
                codes.YAML_TOO_DEEP,
                f"mappings and lists are nested more than {limits.MAX_YAML_DEPTH} deep",
                self._at(event),
                help="look for an unclosed bracket",
            )
            raise GiveUp

    def _large(self, span: Span, what: str, limit: int) -> None:
        self._say(codes.YAML_TOO_LARGE, f"the file holds more than {limit} {what}", span)
        raise GiveUp

    def _tag(self, event: Event) -> None:
        start = event.start_mark.index
        span = Span(self.source, start, self._after_properties(start, event.end_mark.index))
        trimmed = Span(self.source, start, start + len(span.text.rstrip()))
        self._say(
            codes.YAML_TAG,
            f"`{printable(trimmed.text)}` is read as a YAML tag, which is not supported",
            trimmed,
            help=f"a text that begins with `!`: {QUOTE_HELP}",
        )

    # ---- places

    def _at(self, event: Event) -> Span:
        return Span(self.source, event.start_mark.index, event.end_mark.index)

    def _nothing(self, event: Event) -> Scalar:
        span = self._at(event)
        return Scalar(span.text, "string", "plain", span, tuple(range(span.start, span.end + 1)))

    def _after_properties(self, start: int, end: int) -> int:
        found = re.compile(_PROPERTIES).match(self.source.text, start, max(start, end))
        return found.end() if found else start


def _kind(value: str) -> ScalarKind:
    """The kind of a plain scalar in YAML 1.2's core schema, decimal numbers only."""
    if value in _NULL:
        return "null"
    if value in _BOOL:
        return "bool"
    if value[0] not in _NUMBERS_BEGIN:
        return "string"
    digits = value[1:] if value[0] in "+-" else value
    if digits.isascii() and digits.isdigit():
        return "int"
    if re.match(_FLOAT, value):
        return "float"
    return "string"


def invisible(text: str) -> list[re.Match[str]]:
    """Where the characters stand that no text should hold."""
    if text.replace("\n", "").replace("\xa0", "").replace("\u202f", "").isprintable():
        return []  # as nearly always: the pattern need not be compiled
    return list(re.finditer(_INVISIBLE, text))


def first_line(span: Span) -> Span:
    """The first line of a span: enough to point at what is large."""
    stop = span.source.text.find("\n", span.start, span.end)
    return span if stop < 0 else Span(span.source, span.start, stop)
