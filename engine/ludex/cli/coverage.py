"""`ludex coverage`: which sentences of the rulebooks are cited, which are excluded, which neither."""

from __future__ import annotations

import json
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludex.cli import errors
from ludex.cli.cite import Library, book_notes, open_library, source_option
from ludex.cli.games import OptionValue, game_argument, parse_spec
from ludex.cli.terminal import columns, safe, width, write
from ludex.diagnostics import printable

if TYPE_CHECKING:
    from ludex.archive.coverage import HeadingCoverage, SourceCoverage
    from ludex.archive.definition import Rule


@click.command(
    help="""Show which sentences of a game's rulebooks its rules cite, which are excluded, and which neither.

The sentences are counted by the index in the definition (`ludex source index`); no text is
needed. With --source, those that are neither are shown as they read. The overlays beside the
game's file are counted as well, unless overlays are named.

\b
  ludex coverage emerald
  ludex coverage emerald --source rules.txt
  ludex coverage ./my_game/game.yaml --strict     ends with code 1 if a sentence is neither
"""
)
@game_argument
@source_option
@click.option("--alone", is_flag=True, help="Do not count the overlays beside the game's file.")
@click.option("--strict", is_flag=True, help="End with code 1 if any sentence is neither.")
@click.option("-v", "--verbose", is_flag=True, help="Show for each sentence what cites it.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    files: tuple[str, ...],
    alone: bool,
    strict: bool,
    verbose: bool,
    as_json: bool,
) -> int:
    from ludex.archive.coverage import coverage
    from ludex.archive.index import Heading

    library = open_library(game, files)
    spec = parse_spec(game, players, options)
    beside = {} if alone or spec.overlays else _overlays_beside(spec.base)
    rules = [*library.rules, *(rule for found in beside.values() for rule in found)]
    sources = [
        replace(s, headings=tuple(Heading(x.heading, len(x.sentences), ()) for x in book.sections))
        if not s.is_counted and (book := library.books.get(s.name))
        else s
        for s in library.sources
    ]
    found = coverage(sources, rules)
    if as_json:
        write(json.dumps(_to_json(str(spec), found, list(beside)), indent=2, ensure_ascii=False))
    else:
        lines = _as_text(library, found, min(width(), 100), verbose=verbose)
        head = f"{spec}, with {', '.join(beside)}" if beside else str(spec)
        write(printable("\n".join([head, *lines])))
    return errors.MISTAKE if strict and not all(s.is_complete for s in found) else errors.OK


def _overlays_beside(base: str) -> dict[str, list[Rule]]:
    """The overlays in the game's folder that cite anything, with what they add or replace."""
    from ludex.archive.definition import overlay_rules
    from ludex.diagnostics import Report
    from ludex.pipeline import overlay_paths
    from ludex.resources import definition_path
    from ludex.syntax.reader import read_document, read_file

    path = definition_path(base) or Path(base)
    folder = path if path.is_dir() else path.parent
    found: dict[str, list[Rule]] = {}
    for name, file in overlay_paths(folder).items():
        report = Report()
        text = read_file(file, report)
        document = read_document(text, report) if text is not None else None
        rules = overlay_rules(document) if document is not None and document.get("overlay") else []
        if any(rule.cites for rule in rules):
            found[name] = [replace(rule, address=f"{name}: {rule.address}") for rule in rules]
    return found


# ------------------------------------------------------------------------------- printing


def _as_text(library: Library, found: tuple[SourceCoverage, ...], room: int, *, verbose: bool) -> list[str]:
    lines: list[str] = []
    for source in found:
        lines += ["", f"{source.source.name}: {safe(source.source.title)}"]
        if not source.counted:
            lines += textwrap.wrap(
                "How many sentences it has is not known: `ludex source index FILE` prints an index for the "
                "definition, or give the text: --source FILE",
                room, initial_indent="  ", subsequent_indent="  ",
            )  # fmt: skip
            continue
        lines += _table(source)
        if verbose:
            lines += [line for h in source.headings for line in _rules(h)]
        if source.neither:
            lines += ["  Neither cited nor excluded:"]
            lines += [line for h in source.headings for line in _neither(library, source, h, room)]
    notes = [note for book in library.books.values() for note in book_notes(book)]
    return [*lines, "", *notes] if notes else lines


def _table(source: SourceCoverage) -> list[str]:
    rows: list[tuple[str, ...]] = [("heading", "sentences", "cited", "excluded", "neither", "")]
    for h in source.headings:
        if h.lines:
            rows.append(_row(safe(h.heading), len(h.lines), h.cited, h.excluded, len(h.neither)))
    rows.append(_row("all of it", source.sentences, source.cited, source.excluded, source.neither))
    name = max(columns(row[0]) for row in rows)
    return [
        ("  " + row[0] + " " * (name - columns(row[0])) + "".join(c.rjust(11) for c in row[1:])).rstrip()
        for row in rows
    ]


def _row(name: str, sentences: int, cited: int, excluded: int, neither: int) -> tuple[str, ...]:
    """With the share that is cited or excluded: 100 % only where it is all."""
    percent = 100 * (sentences - neither) // sentences if sentences else 100
    return name, str(sentences), str(cited), str(excluded), str(neither), f"{percent} %"


def _rules(heading: HeadingCoverage) -> list[str]:
    lines = [f"  {safe(heading.heading)}"] if heading.lines else []
    for line in heading.lines:
        what = [safe(r) for r in line.cited_by] or (["(excluded)"] if line.excluded else ["(neither)"])
        lines.append(f"  {line.number:>4}  {what[0]}")
        lines += [f"        {rule}" for rule in what[1:]]
    return lines


def _neither(library: Library, source: SourceCoverage, heading: HeadingCoverage, room: int) -> list[str]:
    from ludex.syntax.citations import ranges

    if not heading.neither:
        return []
    book = library.books.get(source.source.name)
    section = next((s for s in book.sections if s.heading == heading.heading), None) if book else None
    lines = [f"    {source.source.name} / {safe(heading.heading)} / {ranges(heading.neither)}"]
    for n in heading.neither if section else ():
        if section is not None and n <= len(section.sentences):
            lines += textwrap.wrap(
                safe(section.sentences[n - 1].text), room,
                initial_indent=f"{n:>9}  ", subsequent_indent=" " * 11,
            )  # fmt: skip
    return lines


def _to_json(game: str, found: tuple[SourceCoverage, ...], overlays: list[str]) -> dict[str, object]:
    return {
        "game": game,
        "overlays_beside": overlays,
        "complete": all(s.is_complete for s in found),
        "sources": [
            {
                "source": s.source.name,
                "title": s.source.title,
                "counted": s.counted,
                "sentences": s.sentences,
                "cited": s.cited,
                "excluded": s.excluded,
                "neither": s.neither,
                "headings": [
                    {
                        "heading": h.heading,
                        "sentences": [
                            {"number": x.number, "cited_by": list(x.cited_by), "excluded": x.excluded}
                            for x in h.lines
                        ],
                    }
                    for h in s.headings
                ],
            }
            for s in found
        ],
    }
