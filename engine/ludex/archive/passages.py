"""Passages that a rule cites, as they stand in the file of a rulebook.

A sentence is known by its fingerprint: one that stands elsewhere in another edition is found
there, and one whose words have changed is noticed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ludex.archive.definition import Rule
from ludex.archive.index import Source, SourceText
from ludex.archive.text import NotFound, Section, divide, in_order
from ludex.syntax import ast
from ludex.syntax.citations import sentence_numbers

State = Literal["same", "unindexed", "moved", "changed", "missing"]


@dataclass(frozen=True, slots=True)
class Place:
    heading: str
    number: int


@dataclass(frozen=True, slots=True)
class Found:
    """One cited sentence in a file.

    | state | meaning |
    |---|---|
    | same | it stands where it is cited, as it was indexed |
    | unindexed | it stands there; the definition has no fingerprint of it |
    | moved | it stands unchanged at `now` |
    | changed | another sentence stands where it is cited, and it stands nowhere else |
    | missing | nothing stands where it is cited, and it stands nowhere else |

    `text` is what stands at `now`, or else where it is cited.
    """

    number: int
    state: State
    text: str | None
    now: Place | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A citation and what it cites. `sentences` is None for a citation of the whole source.

    `unclear` are parts of the citation that number no sentence.
    """

    cite: ast.Cite
    sentences: tuple[Found, ...] | None
    unclear: str | None = None


class Book:
    """The text of a source, cut at the headings that the source lists (or else `cited`)."""

    def __init__(self, source: Source, text: SourceText, cited: Sequence[str] = ()) -> None:
        self.source = source
        self.text = text
        headings = [h.name for h in source.headings] or list(in_order(text.folded, cited))
        division = divide(text.folded, headings, source.end)
        self.missing: tuple[NotFound, ...] = division.missing
        self.sections: tuple[Section, ...] = division.sections
        self._places: dict[str, list[tuple[Place, str]]] = {}
        every = (Section("", division.before), *division.sections)
        for section in every:
            for number, sentence in enumerate(section.sentences, start=1):
                place = Place(section.heading, number)
                self._places.setdefault(sentence.fingerprint, []).append((place, sentence.text))

    @property
    def is_indexed_text(self) -> bool:
        """Whether the file is, byte for byte, the one that the definition was made from."""
        return self.source.sha256 == self.text.sha256

    @property
    def agreeing(self) -> int:
        """Sentences of the index that stand anywhere in the file."""
        return sum(f in self._places for h in self.source.headings for f in h.fingerprints)

    def passage(self, cite: ast.Cite) -> Passage:
        if cite.heading is None:
            return Passage(cite, None)
        indexed = self.source.heading(cite.heading)
        section = next((s for s in self.sections if s.heading == cite.heading), None)
        numbers: Iterable[int]
        if cite.sentences is None:
            count = len(section.sentences) if section else 0
            if indexed is not None and indexed.count is not None:
                count = indexed.count
            numbers = range(1, count + 1)
        else:
            known = sentence_numbers(cite.sentences)
            if known is None:
                return Passage(cite, (), cite.sentences)
            numbers = known
        fingerprints = indexed.fingerprints if indexed is not None else ()
        return Passage(cite, tuple(self._sentence(section, fingerprints, n) for n in numbers))

    def _sentence(self, section: Section | None, fingerprints: Sequence[str], number: int) -> Found:
        here = None
        if section is not None and 1 <= number <= len(section.sentences):
            here = section.sentences[number - 1]
        if not 1 <= number <= len(fingerprints):
            return Found(number, "unindexed" if here else "missing", here.text if here else None)
        expected = fingerprints[number - 1]
        if here is not None and here.fingerprint == expected:
            return Found(number, "same", here.text)
        elsewhere = self._places.get(expected)
        if elsewhere:
            place, text = elsewhere[0]
            return Found(number, "moved", text, place)
        return Found(number, "changed" if here else "missing", here.text if here else None)


def book_of(text: SourceText, sources: Iterable[Source], cited: Mapping[str, Sequence[str]]) -> Book | None:
    """The source that a file is the text of: by its sha256, else by the sentences that agree.

    None if no sentence of any source is in it (and there is more than one it could be of).
    """
    books = [Book(source, text, cited.get(source.name, ())) for source in sources]
    for book in books:
        if book.is_indexed_text:
            return book
    if len(books) == 1 and not any(h.fingerprints for h in books[0].source.headings):
        return books[0]
    best = max(books, key=lambda book: book.agreeing, default=None)
    return best if best is not None and best.agreeing else None


def cited_headings(rules: Iterable[Rule], sources: Iterable[Source]) -> dict[str, list[str]]:
    """For each source the headings that are cited or excluded, each once."""
    cites = [c for rule in rules for c in rule.cites]
    found: dict[str, list[str]] = {}
    for source in sources:
        own = (c for c in (*cites, *source.exclude) if c.source.text == source.name)
        found[source.name] = list(dict.fromkeys(c.heading for c in own if c.heading is not None))
    return found
