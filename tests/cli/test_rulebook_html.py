"""The rulebook as HTML: well-formed, self-contained, and nothing of a definition gets out of its place."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import Result

from ludex.cli.rulebook import outline
from ludex.cli.rulebook_html import as_html
from ludex.diagnostics import Report
from ludex.resources import definition_names
from ludex.source import SourceFile
from ludex.syntax.reader import read_document

VOID = {"meta", "br"}
BLOCKS_IN_P = {"p", "div", "ul", "ol", "dl", "pre", "table", "section", "h2", "h3", "h4"}


class Reader(HTMLParser):
    """Tags must nest; texts, links and names of places are collected."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.links: set[str] = set()
        self.places: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        assert len(values) == len(attrs)
        assert set(values) <= {
            "id", "class", "href", "title", "lang", "dir", "charset", "name", "content", "scope", "colspan",
            "style", "aria-label",
        }, values  # fmt: skip
        assert tag not in BLOCKS_IN_P or "p" not in self.open, tag
        if tag in ("dt", "dd"):
            assert self.open[-1] == "dl"
        if tag == "li":
            assert self.open[-1] in ("ol", "ul")
        if self.open and self.open[-1] in ("ol", "ul"):
            assert tag == "li", tag
        if "id" in values:
            self.places.append(str(values["id"]))
        if "href" in values:
            self.links.add(str(values["href"]))
        if "style" in values:
            assert re.fullmatch(r"color:#[0-9a-f]{6}", str(values["style"]))
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, (self.open, tag)
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.texts.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    assert page.startswith("<!DOCTYPE html>\n<html lang=")
    reader.feed(page.removeprefix("<!DOCTYPE html>\n"))
    reader.close()
    assert reader.open == []
    assert len(reader.places) == len(set(reader.places))
    assert {link.removeprefix("#") for link in reader.links} <= set(reader.places)
    assert not reader.tags & {"script", "link", "img", "iframe", "object", "form"}
    assert "url(" not in page and "@import" not in page
    return reader


@pytest.mark.parametrize("name", definition_names())
def test_games_that_ship(ludex: Callable[..., Result], name: str) -> None:
    read(ludex("show", name, "--format", "html").stdout)


NASTY = """\
ludex: 1
game: nasty
title: "</title><script>alert(1)</script>"
players: 2
note: "</p><b onclick='x'>&amp;"
sources:
  book: {title: "<img src=x>", language: '" onload="x'}
options:
  "<i>o": {type: [a, "<b>"], default: a, note: "]]>"}
ambiguities:
  "<u>doubt":
    question: "</p><h1>?"
    readings: {"</li>": {"<i>o": a}, other: {"<i>o": "<b>"}}
    chosen: "</li>"
    because: "-->"
    cite: "book / <em> / 1"
  settled: {"<s>": "</dl>"}
setup:
  "</ol>": {do: "</code></pre><script>", cite: ["book / \\"><script> / 2"], note: "<!--"}
actions:
  a<b: {label: "<label>", where: {"</ul>": "1 < 2"}, do: {"<step>": "a & b"}}
components:
  spaces: {"<sp>": {count: "<n>"}}
"""


def test_texts_of_a_definition_stay_texts() -> None:
    report = Report()
    document = read_document(SourceFile("game.yaml", NASTY), report)
    assert document is not None and not report.found
    reader = read(as_html(outline(document)))
    shown = "".join(reader.texts)
    for text in (
        "</title><script>alert(1)</script>",
        "</ol>",
        "</code></pre><script>",
        "-->",
        "</dl>",
        "<label>",
    ):
        assert text in shown, text
    assert not reader.tags & {"b", "i", "u", "s", "em", "img", "label", "step", "sp"}


def test_a_passage_has_one_number(ludex: Callable[..., Result]) -> None:
    page = ludex("show", "emerald", "--format", "html").stdout
    passages = re.findall(r'<li id="passage-(\d+)">(.*?)</li>', page)
    assert [int(n) for n, _ in passages] == list(range(1, len(passages) + 1))
    assert len({text for _, text in passages}) == len(passages) > 50
    number = next(n for n, text in passages if text == "rulebook / Score / 1")
    assert page.count(f'<a href="#passage-{number}" title="rulebook / Score / 1">') == 4


def test_what_an_overlay_changes_is_marked_with_its_title(ludex: Callable[..., Result]) -> None:
    plain = ludex("show", "emerald", "--format", "html").stdout
    page = ludex("show", "emerald+variant_a", "--format", "html").stdout
    mark = '<span class="mark">Variant A, there and back again</span>'
    assert mark not in plain and "changed by" not in ludex("show", "emerald").stdout
    assert re.search(rf"draw the first player</span>(<sup>.*?</sup>)? {re.escape(mark)}", page)
    assert not re.search(rf"shuffle the gold</span>(<sup>.*?</sup>)? {re.escape(mark)}", page)
    shown = ludex("show", "emerald+variant_a", "--format", "markdown").stdout
    assert "*changed by Variant A, there and back again*" in shown
    assert "(changed by Variant A, there and" in ludex("show", "emerald+variant_a").stdout


def test_in_another_language(ludex: Callable[..., Result]) -> None:
    page = ludex("show", "emerald", "--format", "html", "--language", "fr").stdout
    assert '<html lang="fr">' in page
    assert "<h2>Mise en place</h2>" in page and "mélanger l&#x27;or" in page
    assert 'or <code class="key">gold</code>' in page
    for form in ("text", "markdown"):
        shown = ludex("show", "emerald", "--language", "de", "--format", form).stdout
        assert "Aufbau" in shown and "das Gold mischen" in shown


def test_the_start_is_drawn_if_there_is_a_view(heap: Callable[..., Result], tmp_path: Path) -> None:
    assert '<section id="start">' in heap("show", "emerald", "--format", "html").stdout
    text = "ludex: 1\ngame: bare\ntitle: Bare\nplayers: 2\nphases: {p: {do: {it ends: end game}}}\n"
    (tmp_path / "game.yaml").write_text(text, "utf-8")
    bare = heap("show", str(tmp_path / "game.yaml"), "--format", "html").stdout
    assert '<section id="start">' not in bare
    wrong = text.replace("end game", "end gaem")
    (tmp_path / "game.yaml").write_text(wrong, "utf-8")
    assert "end gaem" in heap("show", str(tmp_path / "game.yaml"), "--format", "html").stdout


def test_it_is_written_into_a_file(ludex: Callable[..., Result], tmp_path: Path) -> None:
    file = tmp_path / "rules.html"
    result = ludex("show", "emerald", "--format", "html", "--output", str(file))
    assert result.exit_code == 0 and result.stdout == ""
    assert file.read_text("utf-8").startswith("<!DOCTYPE html>")
    failed = ludex("show", "emerald", "--output", str(tmp_path / "no" / "rules.txt"))
    assert failed.exit_code == 1 and "cannot be written" in failed.output
