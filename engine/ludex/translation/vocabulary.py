"""What there is to translate in a definition: names, phrases that name rules, texts.

Found in the documents, the game's and those of the overlays beside it, without stacking them:
a file of translations is for the game with any of its overlays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ludex.diagnostics import normalise
from ludex.node import node
from ludex.syntax.document import Entry, Mapping, Node, Scalar, Sequence

_STEPS = ("do", "begin", "each_round", "finish")
_CONDITIONS = ("where", "until", "when", "repeat_until", "end")
_RULES = ("setup", "end", "scoring", "ranking", "invariants")
_NAMED = ("options", "constants", "state", "records", "diagrams")
_SAY = re.compile(r'\bsay\s+"([^"\n]*)"')
_HOLE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


@node
class Term:
    """Something to translate, and what it is. What is not `needed` may well stay as it is."""

    text: str
    what: str
    needed: bool = True


class Vocabulary:
    """By the form under which they are looked up (`key`)."""

    __slots__ = ("names", "rules", "texts")

    def __init__(self) -> None:
        self.names: dict[str, Term] = {}
        self.rules: dict[str, Term] = {}
        self.texts: dict[str, Term] = {}

    def name(self, text: str, what: str, *, needed: bool = True) -> None:
        _put(self.names, Term(key(text.partition("(")[0]), what, needed))

    def rule(self, text: str, what: str) -> None:
        _put(self.rules, Term(key(text), what))

    def text(self, node: Node | None, what: str, *, needed: bool = True) -> None:
        if isinstance(node, Scalar) and node.kind == "string" and node.text.strip():
            _put(self.texts, Term(key(node.text), what, needed))

    def template(self, node: Node | None, what: str, *, needed: bool = True) -> None:
        """A text with holes: nothing to translate if there are no words around them."""
        if isinstance(node, Scalar) and re.search(r"[^\W\d_]", _HOLE.sub("", node.text)):
            self.text(node, what, needed=needed)


def _put(terms: dict[str, Term], term: Term) -> None:
    known = terms.get(term.text)
    if term.text and (known is None or (term.needed and not known.needed)):
        terms[term.text] = term


def key(text: str) -> str:
    """Composition and white space aside."""
    return normalise(" ".join(text.split()))


def holes(text: str) -> list[str]:
    """What stands in the holes of a template, sorted; white space aside."""
    if "{" not in text:
        return []
    return sorted("".join(m[1].split()) for m in _HOLE.finditer(text) if m[1] is not None)


def vocabulary(game: Mapping, overlays: Iterable[Mapping] = ()) -> Vocabulary:
    found = Vocabulary()
    found.name("player", "kind", needed=not isinstance(game.get("players"), Sequence))
    found.name("box", "place", needed=False)
    _document(found, game)
    for overlay in overlays:
        for part in (overlay, overlay.get("add"), overlay.get("replace")):
            if isinstance(part, Mapping):
                _document(found, part)
    return found


def _document(v: Vocabulary, document: Mapping) -> None:
    v.text(document.get("title"), "title")
    v.text(document.get("note"), "note")
    for entry in document:
        section, node = entry.name, entry.value
        if section == "players" and isinstance(node, Sequence):
            _members(v, node, "seat")
        elif section in _RULES:
            _rule_list(v, entry)
        elif section == "view":
            _view(v, node)
        elif section == "ambiguities":
            _register(v, node)
        elif section == "components":
            for sort in _entries(node):
                for component in _entries(sort.value):
                    _component(v, component)
        elif section == "sources":
            for source in _entries(node):
                v.text(_get(source.value, "title"), "title of a source", needed=False)
                v.text(_get(source.value, "note"), "note")
        elif section in _NAMED or section in ("types", "define", "procedures", "actions", "phases"):
            for item in _entries(node):
                _item(v, section, item)


def _item(v: Vocabulary, section: str, entry: Entry) -> None:
    v.name(entry.name, _WHAT.get(section, section.removesuffix("s")))
    node = entry.value
    v.text(_get(node, "note"), "note")
    match section:
        case "types":
            _members(v, node, "member")
            for case in _entries(node) if _get(node, "by") is not None else ():
                _members(v, case.value, "member")
            for named in _entries(_get(node, "names")):
                _members(v, Sequence((named.value,), named.value.span), "member")
        case "options":
            _members(v, _get(node, "type"), "value of an option")
        case "procedures":
            _steps_and_conditions(v, node)
        case "actions":
            v.template(_get(node, "label"), "label")
            _steps_and_conditions(v, node)
            for part in ("choose", "given", "let"):
                for parameter in _entries(_get(node, part)):
                    v.name(parameter.name, "parameter", needed=False)
        case "phases":
            _phase(v, node)


_WHAT = {"define": "definition", "state": "state item"}


def _phase(v: Vocabulary, node: Node) -> None:
    _steps_and_conditions(v, node)
    for inner in _entries(_get(node, "phases")):
        _item(v, "phases", inner)


def _component(v: Vocabulary, entry: Entry) -> None:
    v.name(entry.name, "component")
    v.text(_get(entry.value, "note"), "note")
    per = _get(entry.value, "per")
    for part in _entries(per):
        v.name(part.name, "field", needed=False)
    for point in _entries(_get(entry.value, "at")):
        v.name(point.name, "place", needed=False)


def _steps_and_conditions(v: Vocabulary, node: Node) -> None:
    for entry in _entries(node):
        if entry.name in (*_STEPS, *_CONDITIONS):
            _rule_list(v, entry)


def _rule_list(v: Vocabulary, entry: Entry) -> None:
    """Rules by name; a single one without a name bears that of its section, a word of the program."""
    what = "step" if entry.name in (*_STEPS, "setup") else "condition"
    if entry.name in ("scoring", "ranking", "invariants"):
        what = {"scoring": "scoring line", "ranking": "ranking line", "invariants": "invariant"}[entry.name]
    node = entry.value
    single = not isinstance(node, Mapping) or node.get("is") is not None or node.get("do") is not None
    if single:
        _body(v, node)
        return
    for rule in _entries(node):
        if rule.name not in ("cite", "note", "after", "before"):
            v.rule(rule.name, what)
            _body(v, rule.value)


def _body(v: Vocabulary, node: Node) -> None:
    v.text(_get(node, "note"), "note")
    steps = _get(node, "do") or node
    if isinstance(steps, Scalar):
        for said in _SAY.finditer(steps.text):
            v.template(Scalar(said[1], "string", "double", steps.span, ()), "text that is said")


def _register(v: Vocabulary, node: Node) -> None:
    for entry in _entries(node):
        if entry.name == "settled":
            for settled in _entries(entry.value):
                v.rule(settled.name, "settled doubt")
                answer = _get(settled.value, "answer") or _get(settled.value, "is")
                v.text(answer if answer is not None else settled.value, "answer")
                v.text(_get(settled.value, "note"), "note")
            continue
        v.rule(entry.name, "doubt")
        for reading in _entries(_get(entry.value, "readings")):
            v.rule(reading.name, "reading")
        for part, what in (("question", "question"), ("because", "reason"), ("note", "note")):
            v.text(_get(entry.value, part), what)


def _view(v: Vocabulary, node: Node) -> None:
    for panel in _entries(_get(node, "panels")):
        v.text(_caption(panel), "caption")
        rows = _get(panel.value, "rows")
        for row in _entries(rows):
            v.text(_caption(row), "caption")
            v.template(row.value, "text of a row")
        for text in (rows, panel.value, _get(panel.value, "sign"), _get(panel.value, "mark")):
            v.template(text, "text of a row", needed=text in (rows, panel.value))
    for glyph in _entries(_get(node, "glyphs")):
        v.template(_get(glyph.value, "sign") or glyph.value, "sign", needed=False)


def _caption(entry: Entry) -> Scalar:
    return Scalar(entry.name, "string", entry.key.style, entry.key.span, entry.key.offsets)


def _members(v: Vocabulary, node: Node | None, what: str) -> None:
    if isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Scalar):
                v.name(item.text, what)


def _entries(node: Node | None) -> tuple[Entry, ...]:
    return node.entries if isinstance(node, Mapping) else ()


def _get(node: Node | None, name: str) -> Node | None:
    return node.get(name) if isinstance(node, Mapping) else None
