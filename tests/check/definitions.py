"""Small definitions as texts: a world with a bit of everything, and a place for what is tested."""

from __future__ import annotations

import textwrap

from ludex.check.check import check
from ludex.diagnostics import Failed, Report
from ludex.source import SourceFile
from ludex.syntax.parser import parse_game
from ludex.syntax.reader import read_document
from ludex.syntax.shape import validate_shape
from ludex.typed import game as typed

WORLD = """\
ludex: 1
game: small
title: A small world
players: 2..3
options:
  fast: {type: bool, default: true}
types:
  color: [red, blue]
  value: {range: 1..5}
  spot: square or tray
components:
  spaces:
    square: {grid: 3x3, holds: 1}
    tray: {per: player}
  pieces:
    man: {per: {owner: player, color: color}, places: [square, tray], start: tray(owner)}
  tokens:
    stone: {per: player, places: [square, tray]}
  cards:
    card: {per: [color, value], start: deck}
  dice:
    die: 1..6
  piles:
    deck: {holds: card, visible: none}
    heap: {holds: card, visible: all}
    hand: {per: player, holds: card, visible: owner}
state:
  n: {type: 0..9}
  chosen: {type: optional man}
  where_to: {type: optional spot}
  secret: {per: player, type: 0..9, visible: owner}
  gold: {per: player, type: int}
"""


def definition(**sections: str) -> str:
    """`WORLD` with further sections, given as their texts (`phases` has a turn that does nothing)."""
    sections.setdefault("phases", "play:\n  turns: clockwise from player(1)\n  do: {go on: n = 0}")
    parts = [
        f"{name}:\n{textwrap.indent(textwrap.dedent(text).strip(), '  ')}" for name, text in sections.items()
    ]
    return WORLD + "\n".join(parts) + "\n"


def turn(steps: str) -> str:
    """A phase with turns whose one step is `steps`."""
    block = textwrap.indent(textwrap.dedent(steps).strip(), "      ")
    return f"play:\n  turns: clockwise from player(1)\n  do:\n    step: |\n{block}"


def checked(text: str, players: int = 2, **options: str) -> typed.Game:
    """The typed game. Raises `Failed`."""
    report = Report()
    document = read_document(SourceFile("small.yaml", text), report)
    report.stop_on_errors()
    assert document is not None
    validate_shape(document, "game", report)
    report.stop_on_errors()
    tree = parse_game(document, report)
    report.stop_on_errors()
    assert tree is not None
    return check(tree, players, options, report)


def errors(text: str, players: int = 2, **options: str) -> list[tuple[str, str]]:
    """The code of each error, and the text that it is about."""
    try:
        checked(text, players, **options)
    except Failed as failed:
        return [(d.code.name, d.span.text) for d in failed.diagnostics if d.severity == "error"]
    return []
