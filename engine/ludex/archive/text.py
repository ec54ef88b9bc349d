"""The text of a rulebook as headings and sentences; specified in docs/language.md, section 4.

The same bytes give the same headings, sentence numbers and fingerprints on every machine.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

FINGERPRINT_LENGTH = 6
"""Hexadecimal digits of a fingerprint: two different sentences share one in 1 of 16 million cases."""

_STOPS = ".!?…؟।"
_FULL_STOPS = "。！？"
_CLOSERS = "\"'”’»›)]}"
_OPENERS = "\"'“„‚‘«‹([{¿¡"
_END = re.compile(f"[{re.escape(_STOPS)}]+(?: ?[»›]|[{re.escape(_CLOSERS)}])*")
_NEXT = re.compile(f" (?:[{re.escape(_OPENERS)}] ?)*(.)")
_EITHER = re.compile(f"[{_FULL_STOPS}]+[{re.escape(_CLOSERS)}]*|{_END.pattern}")
_CURLY = str.maketrans("’‘ʼ‚“”„«»", '\'\'\'\'"""""')
"""Signs that are one in a heading, whichever the printer took; one character for one."""
_TRIM = " |:-–—•*·"
_NUMBERED = re.compile(r"(.+) \((\d+)\)\Z")


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the sentences under it."""

    heading: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class NotFound:
    """A heading whose words do not stand where they should; `earlier` if they stand before that."""

    heading: str
    earlier: bool


@dataclass(frozen=True, slots=True)
class Division:
    """A text cut at its headings. `before` are the sentences that stand before the first."""

    sections: tuple[Section, ...]
    before: tuple[Sentence, ...]
    missing: tuple[NotFound, ...]

    def section(self, heading: str) -> Section | None:
        return next((s for s in self.sections if s.heading == heading), None)

    @property
    def count(self) -> int:
        return sum(len(s.sentences) for s in self.sections)


def folded(text: str) -> str:
    """Unicode composed (NFC), each run of white space one blank, no invisible characters."""
    kept = (
        " " if c.isspace() else c
        for c in unicodedata.normalize("NFC", text)
        if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf", "Cs")
    )
    return re.sub(" +", " ", "".join(kept)).strip()


def normalised(text: str) -> str:
    """What of a sentence counts for its fingerprint: its letters and digits.

    NFKC, then case-folded, then without invisible characters; each run of characters that are
    neither letters nor marks nor numbers (categories L, M, N) is one blank, and none at the ends.
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    kept = (c for c in text if unicodedata.category(c) != "Cf")
    return " ".join("".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in kept).split())


def fingerprint(sentence: str) -> str:
    """The first six hexadecimal digits of the sha256 of the normalised sentence in UTF-8."""
    return hashlib.sha256(normalised(sentence).encode("utf-8")).hexdigest()[:FINGERPRINT_LENGTH]


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a folded text.

    One ends at a stop before white space and a letter that is not a small one; quotation marks
    and brackets may stand between. A piece without a letter or digit is no sentence.
    """
    pieces: list[str] = []
    start = 0
    for stop in _EITHER.finditer(text):
        if stop.start() < start or not _ends(text, stop):
            continue
        pieces.append(text[start : stop.end()])
        start = stop.end()
    pieces.append(text[start:])
    shown = (piece.lstrip(_TRIM + _STOPS).rstrip(_TRIM) for piece in pieces)
    return tuple(Sentence(piece, fingerprint(piece)) for piece in shown if any(c.isalnum() for c in piece))


def _ends(text: str, stop: re.Match[str]) -> bool:
    if stop.group()[0] in _FULL_STOPS:
        return True
    following = _NEXT.match(text, stop.end())
    return following is not None and unicodedata.category(following[1]) in ("Lu", "Lt", "Lo")


def divide(text: str, headings: Sequence[str], end: str | None = None) -> Division:
    """A folded text cut at these headings, in this order.

    A heading is the first place where its words stand, as whole words, after the heading before.
    `end` are words at which the text ends, looked for after the last heading.
    """
    flat = text.translate(_CURLY)
    found: list[tuple[str, int, int]] = []
    missing: list[NotFound] = []
    at = 0
    for heading in headings:
        place = _place(flat, heading, at)
        if place is None:
            missing.append(NotFound(heading, earlier=_place(flat, heading, 0) is not None))
            continue
        found.append((heading, *place))
        at = place[1]
    last = len(text)
    if end is not None:
        place = _place(flat, end, at)
        if place is None:
            missing.append(NotFound(end, earlier=_place(flat, end, 0) is not None))
        else:
            last = place[0]
    starts = [start for _, start, _ in found] + [last]
    sections = tuple(
        Section(heading, sentences(text[stop : starts[i + 1]])) for i, (heading, _, stop) in enumerate(found)
    )
    return Division(sections, sentences(text[: starts[0]]) if found else (), tuple(missing))


def _place(flat: str, heading: str, at: int) -> tuple[int, int] | None:
    """Where the words of a heading first stand from `at` on.

    `Example (2)` is the second heading `Example`, unless the words stand there as they are.
    """
    for words in (heading, *(m[1] for m in [_NUMBERED.match(heading)] if m)):
        sought = folded(words).translate(_CURLY)
        start = flat.find(sought, at) if sought else -1
        while start >= 0:
            stop = start + len(sought)
            if not (_joined(flat, start - 1, start) or _joined(flat, stop - 1, stop)):
                return start, stop
            start = flat.find(sought, start + 1)
    return None


def _joined(text: str, i: int, j: int) -> bool:
    """Whether two neighbouring characters belong to one word."""
    return i >= 0 and j < len(text) and text[i].isalnum() and text[j].isalnum()


# ------------------------------------------------------------------------------ guessing

_LONGEST = 60
_MOST_WORDS = 8
_LIST = re.compile(r"[-–•*·|]|\d+ ")


def guess_headings(raw: str) -> tuple[str, ...]:
    """Lines that look like headings: short, without a stop at the end, and not one of three in a row."""
    lines = [line for line in map(folded, raw.split("\n")) if line]
    found: list[str] = []
    run: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if _like_a_heading(line) and following and not following[0].islower():
            run.append(line.rstrip(": "))
            continue
        if len(run) < 3:
            found += run
        run = []
    counts: dict[str, int] = {}
    named = []
    for heading in found:
        counts[heading] = counts.get(heading, 0) + 1
        named.append(heading if counts[heading] == 1 else f"{heading} ({counts[heading]})")
    return tuple(named)


def _like_a_heading(line: str) -> bool:
    words = line.split()
    if len(line) > _LONGEST or len(words) > _MOST_WORDS or _LIST.match(line):
        return False
    if line[-1] in ".!?…;,|)]" or (line[-1] == ":" and len(words) > 5):
        return False
    first = next((c for c in line if c.isalpha()), None)
    return first is not None and (not first.islower() or line[0].isdigit())


def in_order(text: str, headings: Sequence[str]) -> tuple[str, ...]:
    """Headings in the order in which they seem to stand in a folded text; those not found come last.

    For headings that are known from citations only. The place of one is the first where its
    words begin a sentence and a sentence, a number or a colon follows; else the first at all.
    """
    flat = text.translate(_CURLY)
    starts = _sentence_starts(text)

    def rank(heading: str) -> tuple[int, int]:
        place = _place(flat, heading, 0)
        first = place
        while place is not None:
            start, stop = place
            i = bisect_left(starts, start)
            rest = flat[stop : stop + 3].lstrip()
            if i < len(starts) and starts[i] == start and (not rest or not rest[0].islower()):
                return 0, start
            place = _place(flat, heading, stop)
        return (0, first[0]) if first is not None else (1, 0)

    return tuple(sorted(dict.fromkeys(headings), key=rank))


def _sentence_starts(text: str) -> list[int]:
    starts = [0]
    starts += [m.end() + 1 for m in _EITHER.finditer(text) if _ends(text, m)]
    return starts
