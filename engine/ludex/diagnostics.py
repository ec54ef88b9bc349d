"""Diagnostics: everything that can be wrong with what a user wrote, as values.

A stage never raises for a user's mistake: it reports to a `Report` and goes on, so that
all mistakes are shown at once. Base module: imports only `source` and `node`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal

from ludex.node import node
from ludex.source import Span

Severity = Literal["error", "warning"]


@node
class Code:
    """A kind of diagnostic: its stable name, and what it means and asks for.

    Each stage lists its codes in a `codes.py`; `docs/diagnostics.md` is generated from them.
    """

    name: str
    explanation: str
    severity: Severity = "error"


@node
class Label:
    """A further place that the message speaks of, with what is to be said there."""

    span: Span
    text: str


@node
class Diagnostic:
    """One finding: a code, a sentence, the span it is about, and what to do."""

    code: Code
    message: str
    span: Span
    labels: tuple[Label, ...] = ()
    help: str | None = None

    @property
    def severity(self) -> Severity:
        return self.code.severity


class Failed(Exception):
    """A stage cannot go on; what was wrong is in the report that was passed to it."""

    def __init__(self, diagnostics: Iterable[Diagnostic] = ()) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("; ".join(d.message for d in self.diagnostics))


class Report:
    """Collects diagnostics, each once, in the order found."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []

    def add(
        self,
        code: Code,
        message: str,
        span: Span,
        *,
        labels: Iterable[Label] = (),
        help: str | None = None,
    ) -> None:
        diagnostic = Diagnostic(code, message, span, tuple(labels), help)
        if diagnostic not in self.found:
            self.found.append(diagnostic)

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            if diagnostic not in self.found:
                self.found.append(diagnostic)

    @property
    def errors(self) -> list[Diagnostic]:
        return [d for d in self.found if d.severity == "error"]

    def stop_on_errors(self) -> None:
        """Raise `Failed` with all that was found if any of it is an error."""
        if self.errors:
            raise Failed(self.found)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.found)


MANY_NAMES = 500
"""Known names up to which all are compared with one that is misspelt."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name closest to a misspelt one, or None if none is close."""
    candidates = sorted(set(known))
    if len(candidates) > MANY_NAMES:  # comparing takes time: only those that begin alike
        candidates = [c for c in candidates if c[:1].casefold() == name[:1].casefold()][:MANY_NAMES]
    import difflib  # takes longer to import than a whole text to check

    matches = difflib.get_close_matches(name, candidates, n=1, cutoff=0.6)
    if matches:
        return matches[0]
    folded = {c.casefold().replace("_", ""): c for c in reversed(candidates)}
    return folded.get(name.casefold().replace("_", "").replace(" ", ""))


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A help sentence that offers the nearest known name, if there is one."""
    match = nearest(name, known)
    if match is None:
        return None
    differing = [(a, b) for a, b in zip(name, match, strict=False) if a != b]
    alike = [(a, b) for a, b in differing if not (a.isascii() and b.isascii())]
    if len(name) != len(match) or not alike:
        return f"did you mean `{match}`?"
    a, b = alike[0]  # they may look the same
    return f"did you mean `{match}`? It has U+{ord(b):04X} where this has the letter U+{ord(a):04X}"


def normalise(name: str) -> str:
    """The form under which identifiers are compared (Unicode NFKC, UAX #31)."""
    return unicodedata.normalize("NFKC", name)


def printable(text: str) -> str:
    """`text` with control and formatting characters made visible, safe for a terminal."""
    if text.isprintable():
        return text
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
        else f"\\u{{{ord(c):x}}}"
        for c in text
    )
