"""Where each character of a YAML scalar's value stands in the file.

PyYAML gives a scalar's value and the marks of its source, not how the two correspond.
This module scans the source between the marks once more and notes an offset for every
character. The result is compared with PyYAML's value, which always wins: where the two
differ the offsets are a best effort, and nothing is ever raised.

May import: nothing of ludex.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

Scan: TypeAlias = tuple[str, list[int]]
"""A value and the offset of each of its characters."""

_BREAK = re.compile(r"\r\n|\n")
_SPACES: Final = re.compile(r"[ \t]*")
_FOLD: Final = re.compile(r"[ \t]*(?:\r\n|\n)[ \t\r\n]*")
_RUN: Final = re.compile(r"[^ \t\r\n'\\]+(?:[ \t]+[^ \t\r\n'\\]+)*")
"""Characters of a flow scalar that stand for themselves, whatever its quotes."""
_HEADER: Final = re.compile(r"[|>](?P<flags>[-+0-9]*)[ \t]*(?:#[^\n]*)?(?:\r\n|\n|\Z)")
_ESCAPES: Final = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f",
    "r": "\r", "e": "\x1b", " ": " ", '"': '"', "\\": "\\", "/": "/", "N": "\x85",
    "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_MAX_TRIED: Final = 200
"""Indentations tried for a block scalar that states its own, which is relative to a node above."""
_HEX_LENGTH: Final = {"x": 2, "u": 4, "U": 8}


def offsets_of(
    source: str, start: int, end: int, style: str, value: str
) -> tuple[tuple[int, ...] | range, int]:
    """The offset of each character of `value` and of its end; and where its source ends.

    `source[start:end]` is the scalar without anchor; `style` is PyYAML's (`|`, `>`, quotes
    or empty). The source's end is `end`, except that block scalars lose trailing blank lines.
    """
    try:
        text, offsets, stop = _scan(source, start, end, style, value)
    except (ValueError, IndexError, OverflowError):
        text, offsets, stop = "\0", [], end
    if text != value or len(offsets) != len(value):
        offsets, stop = _align(source, start, end, value), end
    if style in ("|", ">"):
        stop = start + len(source[start:stop].rstrip(" \t\r\n"))
        final = offsets[-1] + 1 if offsets else stop
        return (*offsets, min(final, len(source))), max(stop, start)
    return (*offsets, stop), end


def _scan(source: str, start: int, end: int, style: str, value: str) -> tuple[str, list[int], int]:
    if style in ("|", ">"):
        return *_block(source, start, end, style, value), end
    if style == "'":
        return *_flow(source, start + 1, end - 1, _single_quote), end - 1
    if style == '"':
        return *_flow(source, start + 1, end - 1, _backslash), end - 1
    return *_flow(source, start, end, None), end


def _align(source: str, start: int, end: int, value: str) -> list[int]:
    """Offsets by looking for each character in order; missing ones stand at the last one found."""
    offsets = []
    at = start
    for c in value:
        found = source.find(c, at, min(end, at + 200))
        if found >= 0:
            offsets.append(found)
            at = found + 1
        else:
            offsets.append(min(at, end))
    return offsets


# ------------------------------------------------------------------- plain and quoted ones

Escape: TypeAlias = Callable[[str, int, list[str], list[int]], int]
"""Reads an escape at an offset, appends what it stands for, and returns the offset after it."""


def _flow(source: str, i: int, end: int, escape: Escape | None) -> Scan:
    """A scalar whose line breaks fold: one to a space, n to n - 1 line breaks."""
    out: list[str] = []
    offsets: list[int] = []
    mark = "" if escape is None else "'" if escape is _single_quote else "\\"
    while i < end:
        c = source[i]
        if c == mark and escape is not None:
            i = escape(source, i, out, offsets)
        elif c in " \t\r\n" and (fold := _FOLD.match(source, i, end)):
            _folded_breaks(source, fold.start(), fold.end(), out, offsets)
            i = fold.end()
        elif c in " \t":
            spaces = _SPACES.match(source, i, end)
            stop = spaces.end() if spaces else i + 1
            out.extend(source[i:stop])
            offsets.extend(range(i, stop))
            i = stop
        elif run := _RUN.match(source, i, end):
            out.append(run[0])
            offsets.extend(range(i, run.end()))
            i = run.end()
        else:
            out.append(c)
            offsets.append(i)
            i += 1
    return "".join(out), offsets


def _folded_breaks(source: str, start: int, end: int, out: list[str], offsets: list[int]) -> None:
    breaks = [m.start() for m in _BREAK.finditer(source, start, end)]
    if len(breaks) == 1:
        out.append(" ")
        offsets.append(breaks[0])
    else:
        out.extend("\n" * (len(breaks) - 1))
        offsets.extend(breaks[1:])


def _single_quote(source: str, i: int, out: list[str], offsets: list[int]) -> int:
    out.append("'")
    offsets.append(i)
    return i + 2


def _backslash(source: str, i: int, out: list[str], offsets: list[int]) -> int:
    c = source[i + 1]
    if c in "\r\n":
        after = _FOLD.match(source, i + 1)
        stop = after.end() if after else i + 2
        breaks = [m.start() for m in _BREAK.finditer(source, i + 1, stop)]
        out.extend("\n" * (len(breaks) - 1))
        offsets.extend(breaks[1:])
        return stop
    if c in _HEX_LENGTH:
        stop = i + 2 + _HEX_LENGTH[c]
        out.append(chr(int(source[i + 2 : stop], 16)))
        offsets.append(i)
        return stop
    out.append(_ESCAPES.get(c, c))
    offsets.append(i)
    return i + 2


# ----------------------------------------------------------------------------- block scalars


def _block(source: str, start: int, end: int, style: str, value: str) -> Scan:
    """A `|` or `>` scalar: the indentation is found, or with an explicit one tried out."""
    header = _HEADER.match(source, start)
    if header is None:
        raise ValueError("no block scalar header")
    flags = header["flags"]
    chomp = "+" if "+" in flags else "-" if "-" in flags else ""
    digits = flags.strip("+-")
    body = header.end()
    deepest = _leading_indent(source, body, end)
    candidates = range(int(digits), min(deepest + int(digits), _MAX_TRIED) + 1) if digits else (deepest,)
    scan: Scan = ("\0", [])
    for indent in candidates:
        scan = _block_lines(source, body, end, indent, style == ">", chomp)
        if scan[0] == value:
            break
    return scan


def _leading_indent(source: str, i: int, end: int) -> int:
    """The indentation of the first line with text, or of a deeper blank line before it."""
    deepest = 1
    while i < end:
        stop = i
        while stop < end and source[stop] == " ":
            stop += 1
        deepest = max(deepest, stop - i)
        if stop >= end or source[stop] not in "\r\n":
            break
        i = stop + (2 if source.startswith("\r\n", stop) else 1)
    return deepest


def _block_lines(source: str, i: int, end: int, indent: int, folded: bool, chomp: str) -> Scan:
    """PyYAML's reading of block scalars (`scan_block_scalar`), with offsets."""
    out: list[str] = []
    offsets: list[int] = []
    i, breaks = _blank_lines(source, i, end, indent)
    last_break: int | None = None
    while i < end and source.startswith(" " * indent, i - indent) and source[i - indent - 1] == "\n":
        for b in breaks:
            out.append("\n")
            offsets.append(b)
        spaced = source[i] in " \t"
        stop = source.find("\n", i, end)
        line_end = end if stop < 0 else stop - 1 if source[stop - 1] == "\r" and stop > i else stop
        out.append(source[i:line_end])
        offsets.extend(range(i, line_end))
        last_break = None if stop < 0 else line_end
        i, breaks = _blank_lines(source, line_end if stop < 0 else stop + 1, end, indent)
        more = i < end and source[i - indent - 1 : i] == "\n" + " " * indent
        if not more:
            break
        if last_break is not None:
            if folded and not spaced and source[i] not in " \t":
                if not breaks:
                    out.append(" ")
                    offsets.append(last_break)
            else:
                out.append("\n")
                offsets.append(last_break)
    if chomp != "-" and last_break is not None:
        out.append("\n")
        offsets.append(last_break)
    if chomp == "+":
        for b in breaks:
            out.append("\n")
            offsets.append(b)
    return "".join(out), offsets


def _blank_lines(source: str, i: int, end: int, indent: int) -> tuple[int, list[int]]:
    """Skips lines without text. Returns where the next line's text begins, and the breaks skipped."""
    breaks: list[int] = []
    while i < end:
        stop = i
        while stop < end and stop - i < indent and source[stop] == " ":
            stop += 1
        if stop < end and (m := _BREAK.match(source, stop)):
            breaks.append(stop)
            i = m.end()
        else:
            return stop, breaks
    return i, breaks
