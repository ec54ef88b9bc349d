"""Emerald's definition with something deleted, and what is found wrong with it.

One number of players is enough here: what differs between them is the same code. Texts that were
read before are not parsed again: the tree of an unchanged text is looked up (`remembered_trees`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import ludex.syntax.dsl as dsl
from ludex.check.check import check
from ludex.check.survey import walk
from ludex.diagnostics import Diagnostic, Failed, Report
from ludex.resources import definition_path
from ludex.source import SourceFile
from ludex.syntax import ast
from ludex.syntax.document import Mapping, Node, Sequence
from ludex.syntax.parser import parse_game
from ludex.syntax.reader import read_document
from ludex.syntax.shape import validate_shape

PLAYERS = 2
KEYWORDS = re.compile(
    r"\b(act|again|all|and|any|ask|at|box|by|can|choose|clockwise|count|default|div|do|each|elif|else|empty|end"
    r"|false|for|from|if|in|is|let|max|me|min|mod|most|move|none|not|of|or|pass|players|random|repeat|roll|run"
    r"|set|shuffle|stop|sum|then|to|top|true|turn|where|while)\b"
)
_MARKS = re.compile(r"[()\[\]{}\"':]")
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.M)


def emerald() -> str:
    path = definition_path("emerald")
    assert path is not None
    return path.read_text(encoding="utf-8")


@contextmanager
def remembered_trees() -> Iterator[None]:
    """While it lasts, each text is parsed once."""
    real = dsl.parser
    trees: dict[tuple[str, str], Any] = {}

    class Remembering:
        def parse(self, text: str, start: str) -> Any:
            key = text, start
            if key not in trees:
                trees[key] = real().parse(text, start=start)
            return trees[key]

    dsl.parser = Remembering  # type: ignore[assignment]
    try:
        yield
    finally:
        dsl.parser = real


def diagnose(text: str) -> list[Diagnostic]:
    """All stages before the game is made, as `pipeline.check` runs them."""
    report = Report()
    try:
        document = read_document(SourceFile("game.yaml", text), report)
        report.stop_on_errors()
        assert document is not None
        validate_shape(document, "game", report)
        report.stop_on_errors()
        game = parse_game(document, report)
        report.stop_on_errors()
        assert game is not None
        check(game, min(max(PLAYERS, game.players.lo), game.players.hi), {}, report)
    except Failed:
        pass
    return report.found


@dataclass(frozen=True, slots=True)
class Deletion:
    start: int
    end: int
    what: str

    def apply(self, text: str) -> str:
        return text[: self.start] + text[self.end :]


class Definition:
    """The sound text, its constructs, and all deletions."""

    def __init__(self, text: str) -> None:
        self.source = SourceFile("game.yaml", text)
        self.text = text
        report = Report()
        document = read_document(self.source, report)
        assert document is not None
        game = parse_game(document, report)
        assert game is not None and not report.errors
        self.document = document
        nodes = [n for n in walk(game) if isinstance(n, ast.Stmt | ast.Expr)]
        self.statements = [n.span for n in nodes if isinstance(n, ast.Stmt)]
        self.rules = [n.span for n in nodes]

    def line(self, offset: int) -> int:
        return self.source.position(offset)[0]

    def deletions(self) -> list[Deletion]:
        """Every bracket, quote and colon outside comments; every keyword within a rule's text."""
        comments = [m.span() for m in _COMMENT.finditer(self.text)]
        found = [
            Deletion(m.start(), m.end(), m[0])
            for m in _MARKS.finditer(self.text)
            if not any(a <= m.start() < b for a, b in comments)
        ]
        covered = [False] * (len(self.text) + 1)
        for span in self.rules:
            covered[span.start : span.end] = [True] * (span.end - span.start)
        found += [
            Deletion(m.start(), m.end(), m[0])
            for m in KEYWORDS.finditer(self.text)
            if covered[m.start()] and not any(a <= m.start() < b for a, b in comments)
        ]
        return sorted(found, key=lambda d: d.start)

    def construct_lines(self, at: Deletion) -> set[int]:
        """Where what is damaged starts: the statements around the deletion, and the rule's name lines."""
        lines = {self.line(s.start) for s in self.statements if s.start <= at.start < s.end}
        names: list[int] = []
        node: Node | None = self.document
        while node is not None:
            node = self._inside(node, at, names)
        return lines | set(names[-2:])

    def _inside(self, node: Node, at: Deletion, names: list[int]) -> Node | None:
        """The value in `node` in which the deletion lies; its name's line is added to `names`."""
        if isinstance(node, Sequence):
            return next((i for i in node.items if i.span.start <= at.start < i.span.end), None)
        for entry in node if isinstance(node, Mapping) else ():
            if entry.key.span.start <= at.start < max(entry.value.span.end, entry.key.span.end + 1):
                names.append(self.line(entry.key.span.start))
                return entry.value
        return None
