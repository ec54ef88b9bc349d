"""A definition as a rulebook: headings, named rules, what they say and what they cite.

Works on the resolved document (overlays applied), so it also shows a definition that has
mistakes in it, and for no particular number of players. `outline` gives the tree of rules, in
the order in which people read rules; `rulebook_text`, `rulebook_markdown` and `rulebook_html`
print it.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Names
from dataclasses import dataclass, field

from ludex.source import SourceFile
from ludex.syntax.document import Entry, Mapping, Node, Scalar, Sequence
from ludex.translation.wording import PLAIN, Wording

_SECTIONS = {
    "types": "Kinds of things",
    "constants": "Numbers and tables",
    "components": "Material",
    "setup": "Setup",
    "phases": "Course of the game",
    "actions": "Actions",
    "procedures": "Procedures",
    "define": "Terms",
    "end": "End of the game",
    "scoring": "Scoring",
    "ranking": "Ranking",
    "payoff": "Payoff",
    "match": "Match",
    "options": "Options",
    "ambiguities": "Doubtful passages",
    "state": "What is kept track of",
    "records": "Records",
    "diagrams": "Diagrams",
    "invariants": "What always holds",
}
_NUMBERED = frozenset({"setup", "do", "begin", "each_round", "finish"})
_HIDDEN = frozenset({"cite", "note", "sha256", "headings", "end", "exclude"})
_NOTES = frozenset({"cite", "note"})
_DATA = frozenset({"types", "components", "state", "options"})
"""Sections whose values are data and no rules' texts: names in them are translated."""
_PROSE = frozenset({"question", "because", "answer", "label"})
"""Keys whose values are sentences for people."""
_GROUPS = frozenset({"settled", "readings", "spaces", "tracks", "pieces", "tokens", "cards", "dice", "piles"})
"""Keys whose values are named items, however they are written."""
_WORDS = {
    "do": "Steps",
    "where": "Allowed if",
    "choose": "Choose",
    "given": "Given",
    "let": "With",
    "begin": "At the start",
    "each_round": "Each round",
    "finish": "At the end",
    "when": "Played if",
    "turns": "Turns",
    "rounds": "Rounds",
    "repeat": "Repeated",
    "until": "Until",
    "repeat_until": "Repeated until",
    "question": "Question",
    "readings": "Readings",
    "because": "Because",
    "settled": "Settled",
    "spaces": "Spaces",
    "tracks": "Tracks",
    "pieces": "Pieces",
    "tokens": "Tokens",
    "cards": "Cards",
    "dice": "Dice",
    "piles": "Piles",
}


@dataclass(frozen=True, slots=True)
class Item:
    """A rule or a heading: its name, its text, its citations, and what stands under it.

    `prose` says that its text is a sentence for people, not the rule language; `overlay` is the
    title of the overlay that it comes from.
    """

    name: str
    text: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    note: str | None = None
    number: int | None = None
    children: tuple[Item, ...] = ()
    prose: bool = False
    overlay: str | None = None
    key: str = ""
    """What the definition calls it, if that is another name or a word of the language."""


@dataclass(frozen=True, slots=True)
class Rulebook:
    """`facts` stand before the rules, `sources` behind them; `overlays` are titles and notes."""

    title: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Item, ...]
    sources: tuple[tuple[str, str], ...] = ()
    overlays: tuple[tuple[str, str | None], ...] = ()
    note: str | None = None
    wording: Wording = field(default=PLAIN)


def outline(
    document: Mapping, wording: Wording = PLAIN, overlays: Names[SourceFile, Mapping] | None = None
) -> Rulebook:
    """The rules of a resolved document, in words of a language.

    `overlays` are the documents of those that are applied, by their files.
    """
    made = _Outline(wording, {file: _overlay_title(node, wording) for file, node in (overlays or {}).items()})
    title = wording.title or _scalar(document.get("title")) or _scalar(document.get("game")) or "A game"
    facts: list[tuple[str, str]] = []
    players = document.get("players")
    if players is not None:
        facts.append((wording.word("Players"), made.data(players)))
    sources = document.get("sources")
    sections = [
        made.section(key, wording.word(heading), node)
        for key, heading in _SECTIONS.items()
        if (node := document.get(key)) is not None
    ]
    return Rulebook(
        title,
        tuple(facts),
        tuple(sections),
        tuple((e.name, _source(e.value, wording)) for e in sources) if isinstance(sources, Mapping) else (),
        tuple((_overlay_title(node, wording), made.note(node)) for node in (overlays or {}).values()),
        made.note(document),
        wording,
    )


def _overlay_title(node: Mapping, wording: Wording) -> str:
    title = _scalar(node.get("title"))
    return wording.text(title) if title is not None else _scalar(node.get("overlay")) or "overlay"


@dataclass(frozen=True, slots=True)
class _Outline:
    wording: Wording
    overlays: Names[SourceFile, str]

    def section(self, key: str, heading: str, node: Node) -> Item:
        if isinstance(node, Mapping) and not (key == "match" and node.flow):
            items = tuple(self._items(node, numbered=key in _NUMBERED, data=key in _DATA, over=None))
            return Item(heading, children=items, key=key)
        return Item(heading, text=tuple(_lines(node)), key=key, overlay=self.overlays.get(node.span.source))

    def note(self, node: Node) -> str | None:
        note = _scalar(node.get("note")) if isinstance(node, Mapping) else None
        return self.wording.text(note) if note is not None else None

    def _items(self, node: Mapping, *, numbered: bool, data: bool, over: str | None) -> Iterator[Item]:
        number = 0
        for entry in node:
            if entry.name in _NOTES or (data and entry.name == "name"):  # how things are called: no rule
                continue
            number += 1
            yield self._item(entry, number if numbered else None, data=data, over=over)

    def _item(self, entry: Entry, number: int | None, *, data: bool, over: str | None) -> Item:
        """`over` is the overlay of what it stands under, which need not be said again."""
        value = entry.value
        overlay = self.overlays.get(value.span.source)
        made = Item(
            self._name(entry.name), (), (), None, number,
            key=entry.name, overlay=None if overlay == over else overlay,
        )  # fmt: skip
        if entry.name in _PROSE and isinstance(value, Scalar):
            text = self.wording.text(_scalar(value) or "")
            return _with(made, text=(text,), prose=True)
        is_plain = entry.name not in _GROUPS and isinstance(value, Mapping) and value.flow
        if not isinstance(value, Mapping) or (is_plain and not _has_rules(value)):
            return _with(made, text=self._text(entry.name, value, data=data))
        answer = value.get("answer")
        cites, note = tuple(_cites(value.get("cite"))), self.note(value)
        if isinstance(answer, Scalar):
            text = self.wording.text(_scalar(answer) or "")
            return _with(made, text=(text,), prose=True, cites=cites, note=note)
        body = value.get("is") or value.get("do")
        rest = [e for e in value if e.name not in _NOTES]
        if isinstance(body, Scalar) and all(e.name in ("is", "do", "winner") for e in rest):
            winner = value.get("winner")
            extra = [f"{self.wording.word('winner')}: {_one_line(winner)}"] if winner is not None else []
            return _with(made, text=(*_lines(body), *extra), cites=cites, note=note)
        inner = Mapping(tuple(rest), value.span)
        data = data and not _has_rules(value)
        children = self._items(inner, numbered=entry.name in _NUMBERED, data=data, over=overlay)
        return _with(made, cites=cites, note=note, children=tuple(children))

    def _name(self, name: str) -> str:
        """A word of the language, the phrase of a rule, or a name with its parameters."""
        word = _WORDS.get(name)
        if word is not None:
            return self.wording.word(word)
        rule = self.wording.rule(name)
        if rule != name:
            return rule
        if name.partition("(")[0].strip() in self.wording.names:
            return self.wording.entity(name)
        return self.wording.word(name)

    def _text(self, name: str, value: Node, *, data: bool) -> tuple[str, ...]:
        if name == "chosen":
            return (self.wording.rule(_one_line(value)),)
        if data:
            return (self.data(value),)
        lines = tuple(_lines(value))
        return (self.wording.text(lines[0]),) if len(lines) == 1 else lines

    def data(self, node: Node) -> str:
        """What is no rule's text, on one line, with all names and words in it translated."""
        if isinstance(node, Scalar):
            text = _one_line(node)
            word = self.wording.word(text) if text not in self.wording.names else text
            return word if word != text else self.wording.declared(text)
        if isinstance(node, Sequence):
            return ", ".join(self.data(item) for item in node.items)
        parts = (
            (self._name(e.name), e.value, self.data(e.value))
            for e in node
            if e.name not in (*_NOTES, "name")
        )
        return ", ".join(f"{n}: {t if isinstance(v, Scalar) else f'({t})'}" for n, v, t in parts)


def _with(
    item: Item,
    *,
    text: tuple[str, ...] = (),
    cites: tuple[str, ...] = (),
    note: str | None = None,
    children: tuple[Item, ...] = (),
    prose: bool = False,
) -> Item:
    key = item.key if item.key != item.name else ""
    return Item(item.name, text, cites, note, item.number, children, prose, item.overlay, key)


def _has_rules(node: Mapping) -> bool:
    """Whether a mapping in braces is a rule in long form rather than a plain value."""
    return any(e.name in ("is", "do", "where", "question", "readings", "answer") for e in node)


def _cites(node: Node | None) -> Iterator[str]:
    if isinstance(node, Sequence):
        for item in node.items:
            yield from _cites(item)
    elif isinstance(node, Scalar):
        yield " ".join(node.text.split())


def _source(node: Node, wording: Wording) -> str:
    if not isinstance(node, Mapping):
        return wording.text(_one_line(node))
    title = wording.text(_scalar(node.get("title")) or "")
    parts = [title, *(_scalar(node.get(key)) for key in ("language", "edition"))]
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
