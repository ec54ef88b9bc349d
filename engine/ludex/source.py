"""Source texts and spans: where every node of a definition came from.

Base module: imports only `node`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from ludex.node import node


class SourceFile:
    """One text and the name under which it is shown to people.

    Two source files are the same only if they are the same object, so a span never
    compares equal to a span of another file that happens to hold the same text.
    """

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        """Where the lines begin."""
        return (0, *(found.end() for found in re.finditer("\n", self.text)))

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column of a character offset, both counted from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its end."""
        if not 1 <= number <= len(self._starts):
            return ""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    @property
    def line_count(self) -> int:
        return len(self._starts)


@node
class Span:
    """Characters `start` to `end` (exclusive) of a source file."""

    source: SourceFile
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`, in the same file."""
        if other.source is not self.source:
            return self
        return Span(self.source, self.start, max(self.end, other.end))

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"


BUILTIN = SourceFile("<ludex>", "")
NOWHERE = Span(BUILTIN, 0, 0)
"""The span of what no file says (built-in names, defaults)."""
