"""Small definitions that a test writes down where it needs them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from textwrap import dedent

import ludex
from ludex.game import Game


def written(text: str, players: int = 2) -> Game:
    """The game that a definition describes; what every definition begins with is added."""
    head = f"ludex: 1\ngame: written\ntitle: Written\nplayers: {players}\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.yaml"
        path.write_text(head + dedent(text), encoding="utf-8")
        return ludex.load(str(path))
