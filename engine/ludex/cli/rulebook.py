"""A definition as a rulebook: headings, named rules, what they say and what they cite.

Works on the resolved document (overlays applied), so it also shows a definition that has
mistakes in it, and for no particular number of players. Two steps: `outline` gives the tree
of rules, `as_text` and `as_markdown` print it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from ludex.diagnostics import printable
from ludex.syntax.document import Entry, Mapping, Node, Scalar, Sequence

_SECTIONS = {
    "options": "Options",
    "ambiguities": "Doubtful passages",
    "types": "Kinds of things",
    "constants": "Numbers and tables",
    "components": "Material",
    "state": "What is kept track of",
    "define": "Terms",
    "setup": "Setup",
    "phases": "Course of the game",
    "actions": "Actions",
    "procedures": "Procedures",
    "end": "End of the game",
    "scoring": "Scoring",
    "ranking": "Ranking",
    "payoff": "Payoff",
    "match": "Match",
    "records": "Records",
    "diagrams": "Diagrams",
    "invariants": "What always holds",
}
_NUMBERED = frozenset({"setup", "do", "begin", "each_round", "finish"})
_HIDDEN = frozenset({"cite", "note", "sha256", "headings", "exclude"})
_WORDS = {
    "do": "Steps",
    "where": "Allowed if",
    "choose": "Choose",
    "given": "Given",
    "let": "With",
    "begin": "At the start",
    "each_round": "Each round",
    "finish": "At the end",
    "until": "Until",
    "repeat_until": "Repeated until",
    "readings": "Readings",
}


@dataclass(frozen=True, slots=True)
class Item:
    """A rule or a heading: its name, its text, its citations, and what stands under it."""

    name: str
    text: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    note: str | None = None
    number: int | None = None
    children: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Rulebook:
    title: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Item, ...]


def outline(document: Mapping) -> Rulebook:
    """The rules of a resolved document, in the order in which people read rules."""
    title = _scalar(document.get("title")) or _scalar(document.get("game")) or "A game"
    facts: list[tuple[str, str]] = []
    players = document.get("players")
    if players is not None:
        facts.append(("Players", _one_line(players)))
    sources = document.get("sources")
    for entry in sources if isinstance(sources, Mapping) else ():
        facts.append((f"Source `{entry.name}`", _source(entry.value)))
    sections = []
    for key, heading in _SECTIONS.items():
        node = document.get(key)
        if node is not None:
            sections.append(_section(key, heading, node))
    return Rulebook(title, tuple(facts), tuple(sections))


def _section(key: str, heading: str, node: Node) -> Item:
    if isinstance(node, Mapping):
        return Item(heading, children=tuple(_items(node, numbered=key in _NUMBERED)))
    return Item(heading, text=tuple(_lines(node)))


def _items(node: Mapping, *, numbered: bool) -> Iterator[Item]:
    number = 0
    for entry in node:
        if entry.name in _HIDDEN:
            continue
        number += 1
        yield _item(entry, number if numbered else None)


def _item(entry: Entry, number: int | None) -> Item:
    name, value = _WORDS.get(entry.name, entry.name), entry.value
    if not isinstance(value, Mapping) or (value.flow and not _has_rules(value)):
        return Item(name, tuple(_lines(value)), number=number)
    body = value.get("is") or value.get("do")
    cites, note = tuple(_cites(value.get("cite"))), _scalar(value.get("note"))
    rest = [e for e in value if e.name not in _HIDDEN]
    if isinstance(body, Scalar) and all(e.name in ("is", "do", "winner") for e in rest):
        winner = value.get("winner")
        extra = [f"winner: {_one_line(winner)}"] if winner is not None else []
        return Item(name, (*_lines(body), *extra), cites, note, number)
    inner = Mapping(tuple(rest), value.span)
    children = tuple(_items(inner, numbered=entry.name in _NUMBERED))
    return Item(name, (), cites, note, number, children)


def _has_rules(node: Mapping) -> bool:
    """Whether a mapping in braces is a rule in long form rather than a plain value."""
    return any(e.name in ("is", "do", "where", "question", "readings") for e in node)


def _cites(node: Node | None) -> Iterator[str]:
    if isinstance(node, Sequence):
        for item in node.items:
            yield from _cites(item)
    elif isinstance(node, Scalar):
        yield node.text.strip()


def _source(node: Node) -> str:
    if not isinstance(node, Mapping):
        return _one_line(node)
    parts = [_scalar(node.get(key)) for key in ("title", "language", "edition")]
    return ", ".join(p for p in parts if p)


def _scalar(node: Node | None) -> str | None:
    return " ".join(node.text.split()) if isinstance(node, Scalar) and node.kind != "null" else None


def _one_line(node: Node) -> str:
    if isinstance(node, Scalar):
        return " ".join(node.text.split())
    if isinstance(node, Sequence):
        return ", ".join(_one_line(item) for item in node.items)
    return ", ".join(f"{e.name}: {_nested(e.value)}" for e in node)


def _nested(node: Node) -> str:
    text = _one_line(node)
    return text if isinstance(node, Scalar) else f"({text})"


def _lines(node: Node) -> list[str]:
    if isinstance(node, Scalar) and node.style == "literal":
        return node.text.rstrip().split("\n")
    return [_one_line(node)]


# --------------------------------------------------------------------------------- printing


def as_text(book: Rulebook, width: int) -> str:
    """For a terminal or a text file."""
    lines = [book.title, "=" * len(book.title), ""]
    for name, fact in book.facts:
        lines += textwrap.wrap(f"{name}: {fact}", width, subsequent_indent="  ")
    for section in book.sections:
        lines += ["", section.name, "-" * len(section.name)]
        lines += [f"  {line}" for line in section.text]
        for item in section.children:
            lines += _text_item(item, 0, width)
    return printable("\n".join(lines))


def _text_item(item: Item, depth: int, width: int) -> list[str]:
    indent = "  " * depth
    head = f"{indent}{item.number}. {item.name}" if item.number is not None else f"{indent}{item.name}"
    short = f"{head}: {item.text[0]}" if len(item.text) == 1 else head
    cite = f"  [{'; '.join(item.cites)}]" if item.cites else ""
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
            f"Note: {item.note}", width, initial_indent=f"{indent}    ", subsequent_indent=f"{indent}    "
        )
    for child in item.children:
        lines += _text_item(child, depth + 1, width)
    return lines


def as_markdown(book: Rulebook) -> str:
    """For a web page or a wiki. Rules' texts are code, so nothing in them is taken as markup."""
    lines = [f"# {_escape(book.title)}", ""]
    lines += [f"- **{_escape(name)}:** {_escape(fact)}" for name, fact in book.facts]
    for section in book.sections:
        lines += ["", f"## {_escape(section.name)}", ""]
        lines += _code(section.text, "")
        for item in section.children:
            lines += _markdown_item(item, 0)
    return printable("\n".join(lines))


def _markdown_item(item: Item, depth: int) -> list[str]:
    indent = "  " * depth
    head = f"{indent}- **{f'{item.number}. ' if item.number is not None else ''}{_escape(item.name)}**"
    cite = f" *({_escape('; '.join(item.cites))})*" if item.cites else ""
    if len(item.text) == 1:
        lines = [f"{head}: {_inline_code(item.text[0])}{cite}"]
    else:
        lines = [head + cite, *_code(item.text, indent + "  ")]
    if item.note:
        lines.append(f"{indent}  {_escape(item.note)}")
    for child in item.children:
        lines += _markdown_item(child, depth + 1)
    return lines


def _code(text: tuple[str, ...], indent: str) -> list[str]:
    if not text:
        return []
    fence = "````" if any("```" in line for line in text) else "```"
    return [f"{indent}{fence}", *(f"{indent}{line}" for line in text), f"{indent}{fence}"]


def _inline_code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _escape(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\`*_[]<>#|" else c for c in text)
