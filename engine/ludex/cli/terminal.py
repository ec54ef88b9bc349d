"""What the program writes to: colours or none, how wide, and how to say it.

Colours are used only on a terminal, never with NO_COLOR set or TERM=dumb (no-color.org);
FORCE_COLOR=1 asks for them in a pipe. Plain SGR sequences through click serve for text: rich
takes longer to import than most commands take to run, so it is left to the progress bar.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
import unicodedata
from typing import IO, Any

from ludex.diagnostics import printable
from ludex.render import Paint, Style, plain

_STYLES: dict[Style, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "note": {"fg": "cyan", "bold": True},
    "help": {"fg": "green", "bold": True},
    "margin": {"fg": "blue"},
    "place": {"bold": True},
    "code": {"dim": True},
}


_HARMFUL = (
    "[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]"
    r"|\x1b(?!\[[0-9;]*m)"
)
"""What moves the cursor, is not seen, or turns the direction of writing; all escapes but colours."""


def wrapped(text: str, indent: int = 0) -> list[str]:
    """`text` in lines of 80 columns; a path that is longer by itself stays whole, to be copied."""
    return textwrap.wrap(
        text, 80, subsequent_indent=" " * indent, break_on_hyphens=False, break_long_words=False
    )


def has_colours(stream: IO[str]) -> bool:
    """Whether what is written to `stream` may hold colours."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: IO[str]) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # closed, or replaced by something simpler
        return False


def paint_for(stream: IO[str]) -> Paint:
    """The `Paint` for diagnostics that are written to `stream`."""
    return _paint if has_colours(stream) else plain


def _paint(text: str, style: Style) -> str:
    import click

    return click.style(text, **_STYLES[style])


def width() -> int:
    """Columns to draw in: those of the terminal, at least 40 and 80 if unknown."""
    import shutil  # brings the compressors along

    return max(40, shutil.get_terminal_size((80, 24)).columns)


def write(text: str = "", *, error: bool = False, end: str = "\n") -> None:
    """Writes text that already has the colours it should have.

    Whoever writes has made what is not his own `printable`; this is the second wall. Nothing
    but colours can be told to the terminal here.
    """
    stream = sys.stderr if error else sys.stdout
    if stream is None:  # closed by whoever started the program
        return
    if not text.replace("\n", "").isprintable():
        text = re.sub(_HARMFUL, lambda found: f"\\u{{{ord(found.group()):x}}}", text)
    try:
        stream.write(text + end)
    except UnicodeEncodeError:  # a terminal of a narrower encoding: what it cannot show becomes ?
        encoding = stream.encoding or "ascii"
        stream.write((text + end).encode(encoding, "replace").decode(encoding))
    stream.flush()


def safe(text: str) -> str:
    """A name or a sign from a definition, on one line and harmless to a terminal."""
    return printable(text).replace("\n", " ").replace("\t", " ")


def columns(text: str) -> int:
    """Columns a terminal takes for a text: two for wide letters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )
