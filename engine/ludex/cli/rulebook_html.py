"""The rulebook as one HTML page that stands alone: nothing is loaded, no script runs.

Every text of a definition is escaped; none can bring in markup, a link or a style.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from typing import TypeAlias

from ludex.cli.board import lines_of
from ludex.cli.chart import Chart
from ludex.cli.picture import Sheet
from ludex.cli.rulebook import Item, Rulebook
from ludex.cli.rulebook_style import STYLE
from ludex.cli.table import Cell, Table
from ludex.cli.view import BACK
from ludex.diagnostics import printable

Part: TypeAlias = Table | Chart | Sheet

_COLOURS = {
    "red": "#b3261e", "ruby": "#b3261e", "green": "#2e7031", "emerald": "#2e7031", "yellow": "#96690a",
    "gold": "#96690a", "orange": "#b5520a", "brown": "#6f4a20", "blue": "#27509b", "turquoise": "#16757a",
    "cyan": "#16757a", "magenta": "#94287c", "garnet": "#94287c", "purple": "#65379b", "violet": "#65379b",
    "pink": "#b83a70", "grey": "#6b6b6b", "gray": "#6b6b6b", "black": "#111111", "white": "#8a8578",
}  # fmt: skip
"""Words for colours, as definitions use them, dark enough to be read on white paper."""

_THINGS = frozenset({"types", "constants", "components", "options", "state", "records", "diagrams"})
_RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur", "yi"})
_INLINE = 64
"""Characters of a rule's text that stand behind its name; a longer one stands below."""


def as_html(book: Rulebook, drawing: Sequence[Part] = ()) -> str:
    """The page. `drawing` is the start of a game."""
    return "\n".join(_Page(book).lines(drawing))


@dataclass(slots=True)
class _Page:
    """Numbers the citations as they come: a passage that comes again keeps its number."""

    book: Rulebook
    passages: dict[str, int] = field(default_factory=dict)

    def lines(self, drawing: Sequence[Part]) -> Iterator[str]:
        book = self.book
        body = [line for section in book.sections for line in self._section(section)]
        language = book.wording.language or "en"
        direction = ' dir="rtl"' if language.partition("-")[0] in _RIGHT_TO_LEFT else ""
        yield "<!DOCTYPE html>"
        yield f'<html lang="{_text(language)}"{direction}>'
        yield "<head>"
        yield '<meta charset="utf-8">'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield f"<title>{_text(book.title)}</title>"
        yield f"<style>{STYLE}</style>"
        yield "</head>"
        yield "<body>"
        yield from self._header()
        yield from self._contents(has_drawing=bool(drawing))
        yield "<main>"
        if drawing:
            yield f'<section id="start"><h2>{self._word("The start of a game")}</h2>'
            for part in drawing:
                yield from _part(part)
            yield "</section>"
        yield from body
        yield from self._sources()
        yield "</main>"
        yield "</body>"
        yield "</html>"

    def _word(self, text: str, **values: object) -> str:
        return _text(self.book.wording.word(text, **values))

    def _header(self) -> Iterator[str]:
        yield f"<header><h1>{_text(self.book.title)}</h1>"
        if self.book.facts or self.book.overlays:
            yield "<dl>"
            for name, fact in self.book.facts:
                yield f"<dt>{_text(name)}</dt><dd>{_text(fact.replace('..', '–'))}</dd>"
            for title, note in self.book.overlays:
                more = f' <span class="note">{_text(note)}</span>' if note else ""
                yield f"<dt>{self._word('overlay')}</dt><dd>{_text(title)}{more}</dd>"
            yield "</dl>"
        if self.book.note:
            yield f'<p class="note">{_text(self.book.note)}</p>'
        yield "</header>"

    def _contents(self, *, has_drawing: bool) -> Iterator[str]:
        links = [("start", self._word("The start of a game"))] if has_drawing else []
        links += [(s.key or "section", _text(s.name)) for s in self.book.sections]
        if self.book.sources:
            links.append(("sources", self._word("Sources")))
        yield f'<nav aria-label="{self._word("Contents")}"><ul>'
        yield from (f'<li><a href="#{key}">{name}</a></li>' for key, name in links)
        yield "</ul></nav>"

    def _sources(self) -> Iterator[str]:
        if self.book.sources:
            yield f'<section id="sources"><h2>{self._word("Sources")}</h2><dl class="things">'
            for name, source in self.book.sources:
                yield f"<dt>{_text(name)}</dt><dd>{_text(source)}</dd>"
            yield "</dl></section>"
        if self.passages:
            yield f'<section id="passages"><h2>{self._word("Passages cited")}</h2><ol class="passages">'
            for cite, number in self.passages.items():
                yield f'<li id="passage-{number}">{_text(cite)}</li>'
            yield "</ol></section>"

    # --------------------------------------------------------------------------- sections

    def _section(self, section: Item) -> Iterator[str]:
        yield f'<section id="{_text(section.key or "section")}"><h2>{_text(section.name)}</h2>'
        if section.text:
            yield self._code(section.text)
        if section.key == "ambiguities":
            for item in section.children:
                yield from self._settled(item) if item.key == "settled" else self._doubt(item)
        elif section.key in _THINGS:
            yield from self._things(section.children)
        elif section.key in ("actions", "procedures", "phases"):
            for item in section.children:
                yield from self._action(item)
        else:
            yield from self._rules(section.children)
        yield "</section>"

    def _things(self, items: Sequence[Item]) -> Iterator[str]:
        """Names to the left, what they are to the right; groups of them under headings."""
        for is_group, run in groupby(items, key=_is_group):
            if is_group:
                for group in run:
                    yield f"<h3>{_text(group.name)}</h3>"
                    yield from self._things(group.children)
                continue
            yield '<dl class="things">'
            for item in run:
                yield f"<dt{_changed(item)}>{_text(item.name)}{self._key(item)}</dt>"
                yield f"<dd>{self._thing(item)}{self._cites(item)}{self._mark(item)}{self._note(item)}</dd>"
            yield "</dl>"

    def _thing(self, item: Item) -> str:
        parts = [_text(line) for line in item.text]
        parts += [f"{_text(child.name)} {_text('; '.join(_flat(child)))}" for child in item.children]
        return " · ".join(parts)

    def _action(self, item: Item) -> Iterator[str]:
        about = f"{self._key(item)}{self._cites(item)}{self._mark(item)}"
        yield f"<h3{_changed(item)}>{_text(item.name)}{about}</h3>"
        note = self._note(item)
        if note:
            yield note
        if item.text:
            yield self._code(item.text)
        for child in item.children:
            yield from self._part_of_action(child)

    def _part_of_action(self, part: Item) -> Iterator[str]:
        if part.prose or (part.text and not part.children):
            text = _text(" ".join(part.text))
            shown = (text if part.prose else f"<code>{text}</code>") + self._mark(part)
            yield f'<p class="rule"><span class="name">{_text(part.name)}:</span> {shown}</p>'
            return
        yield f"<h4>{_text(part.name)}{self._mark(part)}</h4>"
        if part.key == "phases":
            for inner in part.children:
                yield from self._action(inner)
        elif part.children:
            yield from self._rules(part.children)

    def _rules(self, items: Sequence[Item]) -> Iterator[str]:
        numbered = bool(items) and items[0].number is not None
        yield '<ol class="rules">' if numbered else '<ul class="rules">'
        for item in items:
            yield f"<li{_changed(item)}>"
            short = len(item.text) == 1 and len(item.text[0]) <= _INLINE and not item.prose
            text = f" <code>{_text(item.text[0])}</code>" if short else ""
            text = f": {_text(' '.join(item.text))}" if item.prose else text
            yield (
                f'<div class="rule"><span class="name">{_text(item.name)}</span>{self._cites(item)}'
                f"{self._mark(item)}{text}"
            )
            if item.text and not short and not item.prose:
                yield self._code(item.text)
            yield self._note(item) + "</div>"
            if item.children:
                yield from self._rules(item.children)
            yield "</li>"
        yield "</ol>" if numbered else "</ul>"

    def _doubt(self, item: Item) -> Iterator[str]:
        """A question with its readings, the chosen one marked."""
        parts = {child.key or child.name: child for child in item.children}
        chosen = " ".join(parts["chosen"].text) if "chosen" in parts else ""
        yield f'<div class="doubt{" changed" if item.overlay else ""}">'
        yield f"<h3>{_text(item.name)}{self._cites(item)}{self._mark(item)}</h3>"
        if "question" in parts:
            yield f'<p class="question">{_text(" ".join(parts["question"].text))}</p>'
        yield '<ul class="readings">'
        for reading in _children(parts.get("readings")):
            is_chosen = reading.name == chosen
            settings = "; ".join(_flat(reading))
            yield '<li class="chosen">' if is_chosen else "<li>"
            more = f" ({self._word('chosen')})" if is_chosen else ""
            yield f'<span class="name">{_text(reading.name)}</span>{more} <code>{_text(settings)}</code></li>'
        yield "</ul>"
        if "because" in parts:
            yield f"<p>{_text(' '.join(parts['because'].text))}</p>"
        yield self._note(item) + "</div>"

    def _settled(self, item: Item) -> Iterator[str]:
        yield f'<h3>{_text(item.name)}</h3><dl class="things">'
        for child in item.children:
            text = " ".join(child.text)
            yield f"<dt{_changed(child)}>{_text(child.name)}</dt>"
            yield f"<dd>{_text(text)}{self._cites(child)}{self._mark(child)}{self._note(child)}</dd>"
        yield "</dl>"

    # ----------------------------------------------------------------------------- pieces

    def _cites(self, item: Item) -> str:
        links = []
        for cite in item.cites:
            number = self.passages.setdefault(cite, len(self.passages) + 1)
            links.append(f'<a href="#passage-{number}" title="{_text(cite)}">{number}</a>')
        return f"<sup>{', '.join(links)}</sup>" if links else ""

    def _mark(self, item: Item) -> str:
        return f' <span class="mark">{_text(item.overlay)}</span>' if item.overlay else ""

    def _note(self, item: Item) -> str:
        return f'<p class="note">{_text(item.note)}</p>' if item.note else ""

    def _key(self, item: Item) -> str:
        """What the rules' texts call it, where a reader is shown another name."""
        name = item.key.partition("(")[0]
        is_name = self.book.wording.language and name in self.book.wording.names and item.key != item.name
        return f' <code class="key">{_text(name)}</code>' if is_name else ""

    def _code(self, lines: Sequence[str]) -> str:
        return f"<pre><code>{_text(chr(10).join(lines))}</code></pre>"


def _is_group(item: Item) -> bool:
    sorts = ("spaces", "tracks", "pieces", "tokens", "cards", "dice", "piles")
    return item.key in sorts and bool(item.children)


def _changed(item: Item) -> str:
    return ' class="changed"' if item.overlay else ""


def _children(item: Item | None) -> tuple[Item, ...]:
    return item.children if item is not None else ()


def _flat(item: Item) -> Iterator[str]:
    """All text under an item, on one line."""
    yield from item.text
    for child in item.children:
        yield f"{child.name}: {', '.join(_flat(child))}"


def _text(text: str) -> str:
    return escape(printable(text), quote=True)


# -------------------------------------------------------------------------------- drawing


def _part(part: Part) -> Iterator[str]:
    yield '<div class="board">'
    if isinstance(part, Table):
        yield from _table(part)
    else:
        yield f"<pre>{_text(chr(10).join(lines_of(part, 88)))}</pre>"
    yield "</div>"


def _table(table: Table) -> Iterator[str]:
    yield "<table>"
    if table.title:
        yield f"<caption>{_text(table.title)}</caption>"
    if table.columns:
        yield "<thead>"
        if any(table.groups):
            runs = ((name, len(list(run))) for name, run in groupby(table.groups))
            heads = (f'<th colspan="{n}" scope="colgroup">{_text(name)}</th>' for name, n in runs)
            yield f"<tr><th></th>{''.join(heads)}</tr>"
        heads = (f'<th scope="col">{_text(name)}</th>' for name in table.columns)
        yield f"<tr><th></th>{''.join(heads)}</tr></thead>"
    yield "<tbody>"
    kind = "" if table.columns else ' class="list"'
    for name, cells in table.rows:
        shown = "".join(f"<td{kind}>{_cell(cell)}</td>" for cell in cells)
        yield f'<tr><th scope="row">{_text(name)}</th>{shown}</tr>'
    yield "</tbody></table>"


def _cell(cell: Cell) -> str:
    parts = []
    for ink in cell:
        text = _text(ink.text).replace("  ", " &#160;")
        colour = _COLOURS.get((ink.colour or "").partition("(")[0].casefold())
        if ink.text.startswith(BACK):
            parts.append(f'<span class="back">{text.replace(BACK, "&#9642;", 1)}</span>')
        elif colour is not None:
            parts.append(f'<b style="color:{colour}">{text}</b>')
        else:
            parts.append(text)
    return "".join(parts)
