"""Rules that YAML has cut: by a comma within `{ }` or `[ ]`, or by a comment's ` #`.

`{is: max(a, b), cite: x}` reads as three keys, `is`, `b)` and `cite`. Neither YAML nor the
schema can say what happened; unbalanced parentheses can.

May import: `source`, `diagnostics`, `limits`, `syntax.document`.
"""

from __future__ import annotations

import re

from ludex.diagnostics import Report, printable
from ludex.limits import MAX_DIAGNOSTICS
from ludex.node import node
from ludex.source import Span
from ludex.syntax import codes_yaml as codes
from ludex.syntax.document import Entry, Mapping, Node, Scalar

_HELP = "put the text in quotes, or use the block form: one `name: text` a line, without braces"
_COMMENT = re.compile(r"[ \t]+(#[^\n]*)")


@node
class Splits:
    """What was cut: the spans of whole texts, and by identity the entries and items in them."""

    spans: tuple[Span, ...]
    parts: frozenset[int]
    flow_entries: frozenset[int]

    def holds(self, part: Entry | Node) -> bool:
        """Whether an entry or item is a piece of a text that was cut."""
        return id(part) in self.parts

    def in_flow(self, entry: Entry) -> bool:
        """Whether an entry stands after a comma within braces."""
        return id(entry) in self.flow_entries

    def report_to(self, report: Report) -> None:
        for span in self.spans[:MAX_DIAGNOSTICS]:
            text = printable(span.text)
            shown = text if len(text) <= 60 else text[:57] + "…"
            quoted = "" if "\n" in shown else f": `{shown}`"
            report.add(codes.YAML_SPLIT_TEXT, f"a comma split this rule{quoted}", span, help=_HELP)

    def report_entry(self, entry: Entry, report: Report) -> None:
        """Says that a key without value is what a comma has cut off from the text before it."""
        if len(report.found) >= MAX_DIAGNOSTICS:
            return
        message = f"a comma split the rule before this: `{printable(entry.name)}` is read as a name"
        report.add(codes.YAML_SPLIT_TEXT, message, entry.key.span, help=_HELP)

    def report_name(self, entry: Entry, expected: str, report: Report) -> None:
        """Says of a name without a colon within braces that the comma after it has ended it."""
        if len(report.found) >= MAX_DIAGNOSTICS:
            return
        message = f"a comma ended this name: `{printable(entry.name)}`"
        advice = f"put the name in quotes if the comma is part of it; else write `:` and {expected} after it"
        report.add(codes.YAML_SPLIT_TEXT, message, entry.key.span, help=advice)


def find_splits(document: Node) -> Splits:
    """All texts in the document that a comma has cut."""
    spans: list[Span] = []
    parts: set[int] = set()
    flow: set[int] = set()
    seen: set[int] = set()
    stack: list[Node] = [document]
    while stack:
        node = stack.pop()
        if isinstance(node, Scalar) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Mapping):
            if node.flow:
                flow.update(id(entry) for entry in node.entries[1:])
                _scan([_of_entry(e) for e in node], spans, parts)
            stack.extend(entry.value for entry in reversed(node.entries))
        else:
            if node.flow:
                _scan([_of_item(item) for item in node.items], spans, parts)
            stack.extend(reversed(node.items))
    return Splits(tuple(spans), frozenset(parts), frozenset(flow))


@node
class _Part:
    """What stands between two commas: its open parentheses, and where its text begins and ends."""

    id: int
    open: int
    start: int
    end: int
    span: Span
    continues: bool
    """Whether it can be the rest of a text: a key without value, or an item of a list."""


def _of_entry(entry: Entry) -> _Part:
    value = entry.value
    bare = isinstance(value, Scalar) and value.kind == "null" and value.span.start == value.span.end
    text = entry.key if bare else value
    in_key, in_value = _open(entry.key), 0 if bare else _open(value)
    continues = bare or in_key < 0
    return _Part(id(entry), in_key + in_value, text.span.start, text.span.end, entry.key.span, continues)


def _of_item(item: Node) -> _Part:
    return _Part(id(item), _open(item), item.span.start, item.span.end, item.span, isinstance(item, Scalar))


def _open(node: Node) -> int:
    if not isinstance(node, Scalar) or node.style != "plain":
        return 0
    return node.text.count("(") - node.text.count(")")


def _scan(parts: list[_Part], spans: list[Span], found: set[int]) -> None:
    i = 0
    while i < len(parts):
        depth = parts[i].open
        j = i
        while depth > 0 and j + 1 < len(parts) and _follows(parts[i], parts[j + 1]):
            j += 1
            depth += parts[j].open
        if j > i and depth <= 0:
            first, last = parts[i], parts[j]
            spans.append(Span(first.span.source, first.start, max(last.end, first.start)))
            found.update(part.id for part in parts[i : j + 1])
            i = j
        i += 1


def _follows(first: _Part, part: _Part) -> bool:
    return part.continues and part.span.source is first.span.source


def cut_by_comment(text: Scalar) -> Span | None:
    """The comment after a plain text with an unclosed parenthesis or quote, which belongs to it."""
    if text.style != "plain" or (_open(text) <= 0 and text.text.count('"') % 2 == 0):
        return None
    source = text.span.source
    found = _COMMENT.match(source.text, text.span.end)
    return Span(source, found.start(1), found.end(1)) if found else None
