"""Writes docs/gallery.md: every game and overlay with a picture of its board: `make docs`."""

from __future__ import annotations

import random
from collections.abc import Iterator

from api_reference import DOCS
from game_files import GameFile, games, overlays

import ludex
from ludex.cli.board import Board

PAGE = DOCS / "gallery.md"
SEED = 1
DECISIONS = 22
"""So many are made at random before the picture is taken, or fewer if the game would be over."""
WIDTH = 100
HEAD = """# Gallery

All games that come with ludex, and the variants of each, with what the terminal draws for the
player whose turn it is after a few random moves. *This page is generated (`make docs`).*

A variant is an overlay, a small file beside the game; several can be put on one game, `ludex play
hearts+black_maria+clean_slate`. How to make one of your own says [Your first
variant](tutorials/your-first-variant.md).
"""


def page() -> str:
    return "\n".join([HEAD, contents(), *(part for game in games() for part in _parts(game))])


def contents() -> str:
    return "\n".join(f"- [{g.title}](#{_anchor(g.title)})" for g in games()) + "\n"


def _anchor(title: str) -> str:
    kept = "".join(c for c in title.lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def _parts(game: GameFile) -> Iterator[str]:
    yield entry(game)
    for overlay in overlays(game):
        yield entry(overlay)


def entry(file: GameFile) -> str:
    head = f"### {file.title}" if file.overlay else f"## {file.title}"
    about = file.summary if file.overlay else f"{file.summary} {file.players}."
    return "\n".join([head, "", about, "", f"    {file.command}", "", "```text", *picture(file), "```", ""])


def picture(file: GameFile) -> list[str]:
    """What its view draws of a position, for the player who is to decide."""
    game = ludex.load(file.game, [str(file.path)] if file.overlay else [])
    state, rng = game.start(SEED), random.Random(SEED)
    for _ in range(DECISIONS):
        player = state.deciding[0]
        following = state.apply(rng.choice(state.legal_actions(player)), player)
        if following.is_terminal:
            break
        state = following
    lines = Board(game).draw(state, state.deciding[0], WIDTH)
    return [line.rstrip() for line in lines]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
