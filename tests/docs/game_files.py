"""The definitions that ship with ludex, and what their files say of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

from ludex.resources import definition_names, definitions_dir

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class GameFile:
    """A game, or (with `overlay`) a variant of it."""

    path: Path
    game: str
    overlay: str | None = None

    @property
    def command(self) -> str:
        return f"ludex play {self.game}" + (f"+{self.overlay}" if self.overlay else "")

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def said(self) -> dict[str, object]:
        said = yaml.load(self.text, Loader=LOADER)
        assert isinstance(said, dict)
        return said

    @property
    def title(self) -> str:
        return str(self.said["title"])

    @property
    def players(self) -> str:
        seats = self.said["players"]
        text = str(len(seats)) if isinstance(seats, list) else str(seats).replace("..", " to ")
        return f"{text} player" + ("s" if text != "1" else "")

    @property
    def summary(self) -> str:
        """The comment that the file begins with, up to an empty line of it; or else its note."""
        lines: list[str] = []
        for line in self.text.splitlines():
            if not line.startswith("#") or line == "#":
                break
            lines.append(line.removeprefix("#").strip())
        return " ".join(lines) or str(self.said.get("note", ""))


def games() -> list[GameFile]:
    return [GameFile(definitions_dir() / name / "game.yaml", name) for name in definition_names()]


def overlays(game: GameFile) -> Iterator[GameFile]:
    """Those beside the game, then those of its gallery."""
    for folder in (game.path.parent, game.path.parent / "gallery"):
        for path in sorted(folder.glob("*.yaml")):
            if path != game.path:
                yield GameFile(path, game.game, path.stem)
