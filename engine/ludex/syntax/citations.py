"""What the last part of a citation says: the numbers of sentences.

May import: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_SENTENCE = 9999
"""No heading has more sentences; a greater number is taken for none."""

_RANGE = re.compile(r"(\d+)(?:\s*[-–]\s*(\d+))?\Z")


def sentence_numbers(text: str) -> tuple[int, ...] | None:
    """`1, 4-6` as 1, 4, 5, 6, in the order written.

    None where the parts are no plain numbers (`3.1`, `b-c`: a rulebook's own numbering), run
    backwards, or are out of all proportion.
    """
    found: list[int] = []
    for part in text.split(","):
        match = _RANGE.match(part.strip())
        if match is None or max(len(match[1]), len(match[2] or "")) > 4:
            return None
        first = int(match[1])
        last = int(match[2] or first)
        if last < first:
            return None
        found.extend(range(first, last + 1))
    return tuple(dict.fromkeys(found))


def ranges(numbers: Iterable[int]) -> str:
    """1, 4, 5, 6 as `1, 4-6`."""
    runs: list[list[int]] = []
    for n in sorted(set(numbers)):
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
