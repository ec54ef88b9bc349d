"""`ludex cite`: the passages that a rule cites, read from the rulebook's own file."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludex.cli import errors
from ludex.cli.errors import Mistake
from ludex.cli.games import F, OptionValue, game_argument, parse_spec, resolved_document
from ludex.cli.source import read
from ludex.cli.terminal import safe, width, write
from ludex.diagnostics import did_you_mean, printable

if TYPE_CHECKING:
    from ludex.archive.definition import Rule
    from ludex.archive.index import Source
    from ludex.archive.passages import Book, Found, Passage
    from ludex.syntax.ast import Cite

_NOTES = {
    "moved": "moved",
    "changed": "its words are not those that were indexed",
    "missing": "not in this text",
}


@dataclass(frozen=True, slots=True)
class Library:
    """What a definition cites, and the texts that are at hand."""

    sources: tuple[Source, ...]
    rules: tuple[Rule, ...]
    books: dict[str, Book]


def source_option(function: F) -> F:
    """The option `--source FILE` or `--source NAME=FILE`."""
    return click.option(
        "--source",
        "files",
        multiple=True,
        metavar="[NAME=]FILE",
        help="The text of a source; repeatable. Which source it is is found out, unless NAME says so.",
    )(function)


@click.command(
    help="""Show the passages that RULE cites, read from the texts of the rulebooks.

RULE is the name of a rule or its address. Each sentence is compared with its fingerprint: where
it stands elsewhere in the text at hand, or reads otherwise, that is said, and the exit code is 1.

\b
  ludex cite emerald "draw the first player" --source rules.txt
  ludex cite emerald actions/ride --source rules.txt --source forum.txt
"""
)
@game_argument
@click.argument("rule")
@source_option
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    rule: str,
    files: tuple[str, ...],
    as_json: bool,
) -> int:
    library = open_library(game, files)
    found = _find(library.rules, rule)
    rows = [(r, [_passage(library, c) for c in r.cites]) for r in found]
    if as_json:
        write(json.dumps(_to_json(library, rows), indent=2, ensure_ascii=False))
    else:
        write(printable("\n".join(_as_text(library, rows, min(width(), 100)))))
    passages = [p for _, ps in rows for p in ps if not isinstance(p, str)]
    stray = any(s.state in _NOTES for p in passages for s in p.sentences or ())
    return errors.MISTAKE if stray else errors.OK


def open_library(game: tuple[str, ...], files: Iterable[str]) -> Library:
    """The sources and rules of a definition, with the texts in these files. Raises `Mistake`."""
    from ludex.archive.definition import rules_of, sources_of
    from ludex.archive.passages import Book, book_of, cited_headings

    document = resolved_document(parse_spec(game))
    sources, rules = sources_of(document), rules_of(document)
    if not sources:
        raise Mistake(f"`{'+'.join(game)}` lists no sources, so there is nothing that it could cite")
    cited = cited_headings(rules, sources)
    books: dict[str, Book] = {}
    for given in files:
        name, file = _name_and_file(given, [s.name for s in sources])
        text = read(file)
        own = [s for s in sources if name in (None, s.name)]
        book = Book(own[0], text, cited[own[0].name]) if name is not None else book_of(text, own, cited)
        if book is None:
            names = ", ".join(s.name for s in sources)
            raise Mistake(
                f"no sentence in {file} is one of a source ({names}); "
                f"if it is one of them all the same: --source {sources[0].name}={file}"
            )
        if book.source.name in books:
            other = books[book.source.name].text.path
            raise Mistake(f"{other} and {file} are both texts of `{book.source.name}`")
        books[book.source.name] = book
    return Library(sources, rules, books)


def _name_and_file(given: str, names: Sequence[str]) -> tuple[str | None, Path]:
    name, separator, rest = given.partition("=")
    if separator and not Path(given).is_file():
        if name not in names:
            raise Mistake(f"there is no source `{name}`; {did_you_mean(name, names) or ', '.join(names)}")
        given = rest
    path = Path(given)
    if not path.is_file():
        raise Mistake(f"there is no file {given}")
    return (name if given == rest and separator else None), path


def _find(rules: Sequence[Rule], text: str) -> list[Rule]:
    """The rules meant that cite anything, or those below them that do. Raises `Mistake`."""
    from ludex.archive.definition import citing, find_rules, nearest_rule

    meant = find_rules(rules, text)
    if not meant:
        near = nearest_rule(rules, text)
        help = f"did you mean `{near}`?" if near else "`ludex show GAME` lists the rules"
        raise Mistake(f"there is no rule `{text}`; {help}")
    found = list(dict.fromkeys(r for rule in meant for r in citing(rules, rule)))
    if not found:
        raise Mistake(f"`{meant[0].address}` cites nothing")
    return found


def _passage(library: Library, cite: Cite) -> Passage | str:
    """The passage, or why it cannot be shown."""
    book = library.books.get(cite.source.text)
    if book is not None:
        return book.passage(cite)
    source = next((s for s in library.sources if s.name == cite.source.text), None)
    if source is None:
        return "the definition lists no such source"
    return f"“{source.title}” is not at hand: --source FILE"


# ------------------------------------------------------------------------------- printing


def _as_text(library: Library, rows: list[tuple[Rule, list[Passage | str]]], room: int) -> list[str]:
    lines: list[str] = []
    for rule, passages in rows:
        lines += ["", rule.address] if lines else [rule.address]
        for cite, passage in zip(rule.cites, passages, strict=True):
            lines.append(f"  {cite}")
            if isinstance(passage, str):
                lines.append(f"    ({passage})")
            elif passage.sentences is None:
                lines.append("    (the whole of it)")
            elif passage.unclear is not None:
                lines.append(f"    (`{passage.unclear}` is the rulebook's own numbering: look there)")
            for sentence in [] if isinstance(passage, str) else passage.sentences or ():
                lines += _sentence(sentence, room)
        if rule.note:
            lines += textwrap.wrap(
                f"Note: {safe(rule.note)}", room, initial_indent="  ", subsequent_indent="  "
            )
    notes = [note for book in library.books.values() for note in book_notes(book)]
    return [*lines, "", *notes] if notes else lines


def _sentence(found: Found, room: int) -> list[str]:
    lines = []
    if found.state in _NOTES:
        note = _NOTES[found.state]
        if found.now is not None:
            note += f" to {found.now.heading or 'before the first heading'} / {found.now.number}"
        lines.append(f"{found.number:>5}  ({note})")
    if found.text is not None:
        first = " " * 7 if lines else f"{found.number:>5}  "
        lines += textwrap.wrap(
            safe(found.text), room, initial_indent=first, subsequent_indent=" " * 7, break_on_hyphens=False
        )
    return lines


def book_notes(book: Book) -> list[str]:
    """What is to be said of a file as the text of a source."""
    name, file = book.source.name, book.text.path
    if book.is_indexed_text:
        return [f"{name}: {file}, the text that was indexed"]
    total = sum(len(h.fingerprints) for h in book.source.headings)
    if book.source.sha256 is None:
        notes = [f"{name}: {file}"]
    else:
        notes = [f"{name}: {file} is not the file that was indexed (its sha256 differs)"]
    if total:
        notes[0] += f"; {book.agreeing} of {total} sentences agree"
    notes += [f"{name}: the heading “{m.heading}” was not found" for m in book.missing]
    return notes


def _to_json(library: Library, rows: list[tuple[Rule, list[Passage | str]]]) -> dict[str, object]:
    return {
        "sources": [
            {
                "source": book.source.name,
                "file": str(book.text.path),
                "sha256": book.text.sha256,
                "is_indexed_text": book.is_indexed_text,
                "missing_headings": [m.heading for m in book.missing],
            }
            for book in library.books.values()
        ],
        "rules": [
            {
                "path": rule.address,
                "passages": [
                    {
                        "cite": str(cite),
                        "sentences": [] if isinstance(p, str) else [_row(s) for s in p.sentences or ()],
                    }
                    for cite, p in zip(rule.cites, passages, strict=True)
                ],
            }
            for rule, passages in rows
        ],
    }


def _row(found: Found) -> dict[str, object]:
    return {
        "number": found.number,
        "state": found.state,
        "text": found.text,
        "now": None if found.now is None else {"heading": found.now.heading, "number": found.now.number},
    }
