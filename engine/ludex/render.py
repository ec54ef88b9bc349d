"""Diagnostics as text for people: position, message, the source line with the span underlined.

The first line has the form `FILE:LINE:COLUMN: error: MESSAGE [CODE]`, which editors and
terminals recognise as a link. Nothing here knows of terminals: colours come from a `Paint`
that the caller passes, and everything that stems from a file passes through `printable`,
so that no definition can send control sequences to a screen. Imports only `diagnostics`
and `source`.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeAlias

from ludex.diagnostics import Diagnostic, Label, printable
from ludex.limits import MAX_DIAGNOSTICS
from ludex.source import BUILTIN, Span

Style: TypeAlias = Literal["error", "warning", "note", "help", "margin", "place", "code"]
Paint: TypeAlias = Callable[[str, Style], str]
"""Gives a piece of text the colour of its style."""

WIDTH = 100
"""Columns of a source line that are shown; a longer one is cut around its span."""


def plain(text: str, style: Style) -> str:
    """A `Paint` without colours."""
    return text


def render(diagnostic: Diagnostic, paint: Paint = plain) -> str:
    """One diagnostic, several lines, without a line end at the end."""
    severity = diagnostic.severity
    lines = [
        f"{paint(place(diagnostic.span), 'place')}: {paint(severity, severity)}: "
        f"{printable(diagnostic.message)} {paint(f'[{diagnostic.code.name}]', 'code')}"
    ]
    lines += _excerpt(diagnostic.span, severity, paint)
    for label in diagnostic.labels:
        lines += _label(label, diagnostic.span, paint)
    if diagnostic.help:
        lines.append(f"  {paint('help', 'help')}: {printable(diagnostic.help)}")
    return "\n".join(lines)


def render_all(diagnostics: Iterable[Diagnostic], paint: Paint = plain) -> str:
    """All of them up to a ceiling, a blank line between, and a last line that counts them."""
    found = list(diagnostics)
    parts = [render(d, paint) for d in found[:MAX_DIAGNOSTICS]]
    if found:
        parts.append(summary(found))
    return "\n\n".join(parts)


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors and 1 warning`, and how many of them are not shown."""
    found = list(diagnostics)
    errors = sum(d.severity == "error" for d in found)
    counts = [_count(errors, "error")] if errors else []
    if len(found) > errors:
        counts.append(_count(len(found) - errors, "warning"))
    text = " and ".join(counts) or "no errors"
    hidden = len(found) - MAX_DIAGNOSTICS
    return f"{text} (the last {hidden} not shown)" if hidden > 0 else text


def to_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """The same for programs; the form is documented in docs/formats.md."""
    return {
        "code": diagnostic.code.name,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "span": _span_json(diagnostic.span),
        "labels": [{"text": label.text, "span": _span_json(label.span)} for label in diagnostic.labels],
        "help": diagnostic.help,
    }


def place(span: Span) -> str:
    """`file:line:column`, the file relative to the working directory where it lies below it."""
    if span.source is BUILTIN:
        return "ludex"
    return f"{printable(file_name(span.source.name))}:{span.line}:{span.column}"


def file_name(name: str) -> str:
    """A path as a person would type it here."""
    if not os.path.isabs(name):
        return name
    try:
        relative = os.path.relpath(name)
    except (ValueError, OSError):  # another drive, or no working directory
        return name
    return name if relative.startswith("..") else relative


def _span_json(span: Span) -> dict[str, Any] | None:
    if span.source is BUILTIN:
        return None
    end_line, end_column = span.source.position(span.end)
    return {
        "file": span.source.name,
        "line": span.line,
        "column": span.column,
        "end_line": end_line,
        "end_column": end_column,
    }


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _label(label: Label, main: Span, paint: Paint) -> list[str]:
    same_file = label.span.source is main.source
    where = f"line {label.span.line}" if same_file else place(label.span)
    return [
        f"  {paint('note', 'note')}: {paint(where, 'place')}: {printable(label.text)}",
        *_excerpt(label.span, "note", paint),
    ]


def _excerpt(span: Span, style: Style, paint: Paint) -> list[str]:
    """The line of the source on which the span begins, and carets under it."""
    if span.source is BUILTIN or not span.source.text:
        return []
    number, column = span.source.position(span.start)
    text = span.source.line(number)
    end_line, end_column = span.source.position(span.end)
    last = end_column - 1 if end_line == number else len(text)
    start = min(column - 1, len(text))
    last = max(start + 1, min(last, len(text)) if last > start else start + 1)
    before, inside, after = _shown(text[:start]), _shown(text[start:last]), _shown(text[last:])
    before, inside, after = _cut(before, inside, after)
    gutter = f"{number:>5}"
    carets = "^" * max(1, _columns(inside)) + ("..." if end_line > number else "")
    return [
        f"{paint(gutter + ' |', 'margin')} {before}{inside}{after}".rstrip(),
        f"{paint(' ' * len(gutter) + ' |', 'margin')} {' ' * _columns(before)}{paint(carets, style)}",
    ]


def _shown(text: str) -> str:
    return printable(text.replace("\t", "    "))


def _cut(before: str, inside: str, after: str) -> tuple[str, str, str]:
    """The three parts shortened to `WIDTH` columns together, the span kept in sight."""
    if _columns(before) + _columns(inside) + _columns(after) <= WIDTH:
        return before, inside, after
    if _columns(inside) > WIDTH - 20:
        inside = inside[: WIDTH - 23] + "..."
        after = ""
    room = WIDTH - _columns(inside)
    if _columns(before) > room // 2:
        before = "..." + before[-(room // 2 - 3) :]
    room -= _columns(before)
    if _columns(after) > room:
        after = after[: max(0, room - 3)] + "..."
    return before, inside, after


def _columns(text: str) -> int:
    """Columns a terminal takes for a text: two for wide letters, none for combining marks."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )
