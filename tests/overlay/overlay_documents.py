"""What the overlay tests share: texts read into documents and overlays, and documents as plain data."""

from __future__ import annotations

import textwrap
from pathlib import Path

from ludex.diagnostics import Diagnostic, Report
from ludex.overlay import Overlay, apply_overlays, load_overlay
from ludex.source import SourceFile
from ludex.syntax.document import Mapping, Node, Scalar
from ludex.syntax.reader import read_document

SKETCHES = Path(__file__).parent / "sketches"

BASE = """\
ludex: 1
game: small
title: A small game
options:
  speed: {type: [slow, fast], default: slow}
  limit: 3
ambiguities:
  how fast:
    question: How fast?
    readings: {slowly: {speed: slow}, fast: {speed: fast}}
    chosen: slowly
    because: The text says so.
    cite: book / 1
  settled:
    colours: none
constants:
  cards: 5
  heights: {per: 1..3, values: [1, 2, 3]}
components:
  pieces:
    man: {per: player, count: 2}
state:
  gold: {type: int}
define:
  rich(player p): gold > 3
  order: clockwise
setup:
  deal: deal cards
  shuffle:
    do: shuffle deck
    cite: book / 2
procedures:
  hop(square from, square to):
    take: remove it
    land: move it
  fall:
    do:
      drop: move me
actions:
  ride:
    choose: {k: knight}
    where:
      it is yours: owner(k) == me
    do:
      first: move k
      second: take card
    cite: book / 3
  rest:
    do: {sit: say nothing}
phases:
  play:
    turns: clockwise from first
    do:
      act: act ride or rest
    until: gold > 10
  finale:
    do: {bow: say bye}
end:
  gold is out: gold == 0
  all fall: fallen
scoring:
  gold: gold
"""


def read(text: str, name: str = "text") -> Mapping:
    report = Report()
    document = read_document(SourceFile(name, text), report)
    assert document is not None and not report.found, report.found
    return document


def sketch(name: str) -> Mapping:
    return read((SKETCHES / f"{name}.yaml").read_text(encoding="utf-8"), f"{name}.yaml")


def overlay_of(document: Mapping) -> Overlay:
    report = Report()
    overlay = load_overlay(document, report)
    assert overlay is not None and not report.found, report.found
    return overlay


def overlay(text: str, name: str = "one", extends: str = "small") -> Overlay:
    """An overlay from what stands below its name; its file is called by its name."""
    head = f"ludex: 1\noverlay: {name}\nextends: {extends}\n"
    return overlay_of(read(head + textwrap.dedent(text), f"{name}.yaml"))


def applied(base: Mapping, *overlays: Overlay) -> Mapping:
    report = Report()
    result = apply_overlays(base, overlays, report)
    assert result is not None and not report.found, [d.message for d in report.found]
    return result


def refused(base: Mapping, *overlays: Overlay) -> list[Diagnostic]:
    report = Report()
    assert apply_overlays(base, overlays, report) is None
    assert report.errors
    return report.errors


def plain(node: Node | None) -> object:
    """A node as dictionaries, lists and texts; a dictionary's order is the document's."""
    if node is None or isinstance(node, Scalar):
        return node.text if node is not None else None
    if isinstance(node, Mapping):
        return {e.name: plain(e.value) for e in node}
    return [plain(item) for item in node.items]


def at(node: Node, *path: str) -> object:
    """The plain value at exactly these keys."""
    found: object = plain(node)
    for name in path:
        assert isinstance(found, dict), path
        found = found[name]
    return found


def keys(node: Node, *path: str) -> list[str]:
    found = at(node, *path)
    assert isinstance(found, dict)
    return list(found)


def spoken(diagnostic: Diagnostic) -> tuple[str, str, list[str]]:
    """Code, the source at the span, and `file: source` of every label."""
    labels = [f"{x.span.source.name}: {x.span.text}" for x in diagnostic.labels]
    return diagnostic.code.name, diagnostic.span.text, labels
