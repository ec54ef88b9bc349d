"""The rulebook as plain text, for a terminal or a file."""

from __future__ import annotations

import textwrap

from ludex.cli.rulebook import Item, Rulebook
from ludex.diagnostics import printable
from ludex.translation.wording import Wording


def as_text(book: Rulebook, width: int) -> str:
    """For a terminal or a text file."""
    lines = [book.title, "=" * len(book.title), ""]
    for name, fact in book.facts:
        lines += textwrap.wrap(f"{name}: {fact}", width, subsequent_indent="  ")
    for title, note in book.overlays:
        text = f"{book.wording.word('overlay')}: {title}" + (f". {note}" if note else "")
        lines += textwrap.wrap(text, width, subsequent_indent="  ")
    if book.note:
        lines += textwrap.wrap(book.note, width)
    for section in book.sections:
        lines += ["", section.name, "-" * len(section.name)]
        lines += [f"  {line}" for line in section.text]
        for item in section.children:
            lines += _item(item, 0, width, book.wording)
    if book.sources:
        heading = book.wording.word("Sources")
        lines += ["", heading, "-" * len(heading)]
        for name, source in book.sources:
            lines += textwrap.wrap(f"{name}: {source}", width, subsequent_indent="  ")
    return printable("\n".join(lines))


def _item(item: Item, depth: int, width: int, wording: Wording) -> list[str]:
    indent = "  " * depth
    head = f"{indent}{item.number}. {item.name}" if item.number is not None else f"{indent}{item.name}"
    short = f"{head}: {item.text[0]}" if len(item.text) == 1 else head
    cite = f"  [{'; '.join(item.cites)}]" if item.cites else ""
    if item.overlay is not None:
        cite += f"  ({wording.word('changed by {overlay}', overlay=item.overlay)})"
    if len(item.text) == 1 and len(short + cite) <= width:
        lines = [short + cite]
        body: tuple[str, ...] = ()
    else:
        lines = textwrap.wrap(
            head + (":" if (item.text or item.children) and not cite else "") + cite,
            width,
            subsequent_indent=indent + "     ",
        ) or [head]
        body = item.text
    for line in body:
        room = max(width, len(indent) + 24)
        own = len(line) - len(line.lstrip())
        lines += textwrap.wrap(
            line.strip(),
            room,
            initial_indent=f"{indent}    {' ' * own}",
            subsequent_indent=f"{indent}      {' ' * own}",
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    if item.note:
        lines += textwrap.wrap(
            f"{wording.word('Note')}: {item.note}",
            width,
            initial_indent=f"{indent}    ",
            subsequent_indent=f"{indent}    ",
        )
    for child in item.children:
        lines += _item(child, depth + 1, width, wording)
    return lines
