"""Which sentences of a source are cited, by what, and which are not.

A citation of a heading alone covers all its sentences; one of a whole source covers none, as it
says nothing of what became of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ludex.archive.definition import Rule
from ludex.archive.index import Source
from ludex.syntax import ast
from ludex.syntax.citations import sentence_numbers


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence: the addresses of the rules that cite it, and whether it is excluded."""

    number: int
    cited_by: tuple[str, ...]
    excluded: bool

    @property
    def is_covered(self) -> bool:
        return bool(self.cited_by) or self.excluded


@dataclass(frozen=True, slots=True)
class HeadingCoverage:
    heading: str
    lines: tuple[Line, ...]

    @property
    def cited(self) -> int:
        return sum(bool(line.cited_by) for line in self.lines)

    @property
    def excluded(self) -> int:
        """Sentences that are excluded and not cited all the same."""
        return sum(line.excluded and not line.cited_by for line in self.lines)

    @property
    def neither(self) -> tuple[int, ...]:
        return tuple(line.number for line in self.lines if not line.is_covered)


@dataclass(frozen=True, slots=True)
class SourceCoverage:
    """`counted` is false for a source of which nobody knows how many sentences it has."""

    source: Source
    headings: tuple[HeadingCoverage, ...]
    counted: bool

    @property
    def sentences(self) -> int:
        return sum(len(h.lines) for h in self.headings)

    @property
    def cited(self) -> int:
        return sum(h.cited for h in self.headings)

    @property
    def excluded(self) -> int:
        return sum(h.excluded for h in self.headings)

    @property
    def neither(self) -> int:
        return sum(len(h.neither) for h in self.headings)

    @property
    def is_complete(self) -> bool:
        return self.counted and not self.neither


def coverage(sources: Iterable[Source], rules: Iterable[Rule]) -> tuple[SourceCoverage, ...]:
    rules = tuple(rules)
    return tuple(_source(source, rules) for source in sources)


def _source(source: Source, rules: tuple[Rule, ...]) -> SourceCoverage:
    if not source.is_counted:
        return SourceCoverage(source, (), counted=False)
    counts = {h.name: h.count or 0 for h in source.headings}
    citing: dict[tuple[str, int], dict[str, None]] = {}
    for rule in rules:
        for cite in rule.cites:
            for place in _places(cite, source, counts):
                citing.setdefault(place, {})[rule.address or "the game"] = None
    excluded = {place for cite in source.exclude for place in _places(cite, source, counts)}
    headings = tuple(
        HeadingCoverage(
            name,
            tuple(
                Line(n, tuple(citing.get((name, n), ())), (name, n) in excluded) for n in range(1, count + 1)
            ),
        )
        for name, count in counts.items()
    )
    return SourceCoverage(source, headings, counted=True)


def _places(cite: ast.Cite, source: Source, counts: dict[str, int]) -> list[tuple[str, int]]:
    """Headings and numbers of the sentences that a citation covers."""
    if cite.source.text != source.name or cite.heading not in counts:
        return []
    heading = cite.heading
    count = counts[heading]
    if cite.sentences is None:
        return [(heading, n) for n in range(1, count + 1)]
    return [(heading, n) for n in sentence_numbers(cite.sentences) or () if 1 <= n <= count]
