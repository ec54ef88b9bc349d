"""The rules as text: source and what is shown of it."""

from __future__ import annotations

from ludex.cli.rulebook import Rulebook, outline
from ludex.cli.rulebook_markdown import as_markdown
from ludex.cli.rulebook_text import as_text
from ludex.diagnostics import Report
from ludex.source import SourceFile
from ludex.syntax.reader import read_document

DEFINITION = """\
ludex: 1
game: heap
title: The *heap*
players: 2..4
sources:
  book: {title: Little games, language: en, sha256: 0123456789abcdef}
options:
  stones: {type: 5..50, default: 21}
setup:
  lay them out: |
    for each p in players:
      move 1 stone to home(p)
  choose a starter: {do: starter = random p in players, cite: book / Start / 1, note: By lot.}
actions:
  take:
    choose: {n: 1..3}
    where:
      there are that many: {is: n <= heap, cite: [book / Taking / 1, book / Taking / 3]}
    do:
      take them off: heap = heap - n
end:
  nothing is left: {is: heap == 0, winner: me}
"""

TEXT = """\
The *heap*
==========

Players: 2..4

Setup
-----
1. lay them out:
    for each p in players:
      move 1 stone to home(p)
2. choose a starter: starter = random p in players  [book / Start / 1]
    Note: By lot.

Actions
-------
take:
  Choose: n: 1..3
  Allowed if:
    there are that many: n <= heap  [book / Taking / 1; book / Taking / 3]
  Steps:
    1. take them off: heap = heap - n

End of the game
---------------
nothing is left:
    heap == 0
    winner: me

Options
-------
stones: type: 5..50, default: 21

Sources
-------
book: Little games, en"""


def book(text: str = DEFINITION) -> Rulebook:
    report = Report()
    document = read_document(SourceFile("game.yaml", text), report)
    assert document is not None and not report.found
    return outline(document)


def test_as_text() -> None:
    assert as_text(book(), 80) == TEXT


def test_no_line_is_wider_than_asked_for() -> None:
    long = DEFINITION + "  too long: " + " and ".join(["count(stone at home(me)) > 3"] * 12) + "\n"
    assert max(map(len, as_text(book(long), 60).splitlines())) <= 60


def test_as_markdown_takes_nothing_as_markup_that_is_not() -> None:
    lines = as_markdown(book()).splitlines()
    assert lines[0] == r"# The \*heap\*"
    assert "- **2. choose a starter**: `starter = random p in players` *(book / Start / 1)*" in lines
    assert "  ```" in lines
    assert "## End of the game" in lines


def test_control_characters_are_shown() -> None:
    nasty = Rulebook("\x1b[2J", (("Players", "\x07"),), ())
    assert as_text(nasty, 80).startswith("\\u{1b}[2J\n")
    assert "\x1b" not in as_markdown(nasty) and "\x07" not in as_markdown(nasty)
