"""The rulebook as Markdown, for a web page or a wiki."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ludex.cli.rulebook import Item, Rulebook
from ludex.diagnostics import printable
from ludex.translation.wording import Wording


def as_markdown(book: Rulebook, drawing: Sequence[str] = ()) -> str:
    """Rules' texts are code, so nothing in them is taken as markup. `drawing` is the start of a game."""
    lines = [f"# {_escape(book.title)}", ""]
    lines += [f"- **{_escape(name)}:** {_escape(fact)}" for name, fact in book.facts]
    for title, note in book.overlays:
        lines.append(f"- **{_escape(book.wording.word('overlay'))}:** {_escape(title)}")
        lines += [f"  {_escape(note)}"] if note else []
    if book.note:
        lines += ["", _escape(book.note)]
    if drawing:
        lines += ["", f"## {_escape(book.wording.word('The start of a game'))}", "", *_code(drawing, "")]
    for section in book.sections:
        lines += ["", f"## {_escape(section.name)}", ""]
        lines += _code(section.text, "")
        for item in section.children:
            lines += _item(item, 0, book.wording)
    if book.sources:
        lines += ["", f"## {_escape(book.wording.word('Sources'))}", ""]
        lines += [f"- **{_escape(name)}:** {_escape(source)}" for name, source in book.sources]
    return printable("\n".join(lines))


def _item(item: Item, depth: int, wording: Wording) -> list[str]:
    indent = "  " * depth
    head = f"{indent}- **{f'{item.number}. ' if item.number is not None else ''}{_escape(item.name)}**"
    cite = f" *({_escape('; '.join(item.cites))})*" if item.cites else ""
    if item.overlay is not None:
        cite += f" — *{_escape(wording.word('changed by {overlay}', overlay=item.overlay))}*"
    if item.prose:
        lines = [f"{head}: {_escape(' '.join(item.text))}{cite}"]
    elif len(item.text) == 1:
        lines = [f"{head}: {_inline_code(item.text[0])}{cite}"]
    else:
        lines = [head + cite, *_code(item.text, indent + "  ")]
    if item.note:
        lines.append(f"{indent}  {_escape(item.note)}")
    for child in item.children:
        lines += _item(child, depth + 1, wording)
    return lines


def _code(text: Iterable[str], indent: str) -> list[str]:
    text = tuple(text)
    if not text:
        return []
    fence = "````" if any("```" in line for line in text) else "```"
    return [f"{indent}{fence}", *(f"{indent}{line}" for line in text), f"{indent}{fence}"]


def _inline_code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _escape(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\`*_[]<>#|" else c for c in text)
