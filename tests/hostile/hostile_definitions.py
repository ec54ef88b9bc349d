"""A small game, any section of which a test may replace by something hostile."""

from __future__ import annotations

from collections.abc import Callable

from ludex import pipeline
from ludex.game import DefinitionInfo, Game

SECTIONS = {
    "ludex": "ludex: 1",
    "game": "game: g",
    "title": "title: G",
    "players": "players: 2",
    "state": "state:\n  n: {type: 0..99}",
    "actions": "actions:\n  go:\n    do:\n      it grows: n += 1",
    "phases": "phases:\n  play:\n    turns: clockwise from player(1)\n    do:\n      one: act go",
    "end": "end:\n  enough: n >= 9",
    "scoring": "scoring:\n  points: n",
}

CARDS = """components:
  cards:
    card: {per: {v: 1..5}, start: deck}
  piles:
    deck: {holds: card, visible: top}
    hand: {per: player, holds: card, visible: owner}"""

BOARD = "components:\n  spaces:\n    sq: {grid: 60x60}"


def definition(**sections: str) -> str:
    """The text of the game with these sections instead of, or beside, its own."""
    return "\n".join({**SECTIONS, **sections}.values()) + "\n"


def steps(text: str, **sections: str) -> str:
    """The game whose only action does this."""
    body = "\n".join(f"        {line}" for line in text.split("\n"))
    return definition(actions=f"actions:\n  go:\n    do:\n      it grows: |\n{body}", **sections)


def chain(number: int, each: str, last: str) -> str:
    """`define` with f0, f1, … each in terms of the next, `NEXT` in `each`."""
    lines = [f"  f{i}(player p): {each.replace('NEXT', f'f{i + 1}')}" for i in range(number)]
    return "define:\n" + "\n".join([*lines, f"  f{number}(player p): {last}"])


def made(text: str, players: int = 2) -> Game:
    """The game of a text as it is taken from a save: it never was a file. Raises `Failed`."""
    return pipeline.load_saved(DefinitionInfo("g", "G", (), (), players, (("g.yaml", text),), ""))


def loading(text: str) -> Callable[[], str]:
    """What a confined process is to do: load it, and say that this went well."""

    def load() -> str:
        made(text)
        return "loaded"

    return load
