"""All games there are, each with its overlays, its numbers of players and the values of its options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import yaml

from ludex import pipeline
from ludex.check.codes import BAD_OPTION
from ludex.diagnostics import Failed
from ludex.game import Game
from ludex.resources import definition_names, definition_path

SKETCHES = Path(__file__).parents[1] / "sketches"
TOGETHER = {"emerald": [("variant_a", "variant_b", "variant_c")]}
"""Overlays that are played with one another, too."""


@dataclass(frozen=True)
class Case:
    """A way to play a game. `players`: None for the usual number, or the next that the options allow."""

    base: str
    overlays: tuple[str, ...] = ()
    players: int | None = None
    options: tuple[tuple[str, str], ...] = field(default=())

    def __str__(self) -> str:
        names = "+".join(Path(name).stem for name in (self.base, *self.overlays))
        folder = "" if self.base in definition_names() else "sketch:"
        players = "" if self.players is None else f"-{self.players}"
        return folder + names + players + "".join(f"-{name}={value}" for name, value in self.options)

    def load(self) -> Game:
        definition = _read(self.base, self.overlays)
        seats = definition.tree.players
        if self.players is not None:
            return pipeline.make(definition, self.players, dict(self.options))
        usual = definition.tree.players.usual
        others = [(o.name.text, v) for o in definition.tree.options for v in pipeline._other_values(o)]
        for more in ((), *((other,) for other in others)):  # some values need another option's
            for players in dict.fromkeys((usual, *range(seats.lo, seats.hi + 1))):
                try:
                    return pipeline.make(definition, players, dict((*more, *self.options)))
                except Failed as failed:
                    if any(d.code is not BAD_OPTION for d in failed.diagnostics if d.severity == "error"):
                        raise
        raise AssertionError(f"{self} can be played by nobody")


@lru_cache(maxsize=4)
def _read(base: str, overlays: tuple[str, ...]) -> pipeline.Definition:
    return pipeline.read(base, overlays)


def stacks() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each game alone, then with each of its overlays."""
    for name in definition_names():
        path = definition_path(name)
        assert path is not None
        yield name, ()
        for overlay in pipeline.overlay_paths(path.parent):
            yield name, (overlay,)
        for overlays in TOGETHER.get(name, ()):
            yield name, overlays
    documents: dict[str, Mapping[str, object]] = {}
    for path in sorted(SKETCHES.glob("*.yaml")):
        documents[str(path)] = yaml.safe_load(path.read_text(encoding="utf-8"))
    for path_of, document in documents.items():
        if "overlay" not in document:
            yield path_of, ()
        else:
            yield str(SKETCHES / f"{document['extends']}.yaml"), (path_of,)


def is_sketch(base: str) -> bool:
    return base.endswith(".yaml")


def players() -> Iterator[Case]:
    """Each game alone, for each number of players."""
    for base, overlays in stacks():
        if not overlays:
            seats = _read(base, ()).tree.players
            for count in range(seats.lo, seats.hi + 1):
                yield Case(base, (), count)


def options() -> Iterator[Case]:
    """Each game alone, with each value of each option that is not its default: of a range, the ends."""
    for base, overlays in stacks():
        if not overlays:
            for option in _read(base, ()).tree.options:
                for value in pipeline._other_values(option):
                    yield Case(base, (), None, ((option.name.text, value),))


def overlaid() -> Iterator[Case]:
    for base, overlays in stacks():
        if overlays:
            yield Case(base, overlays)
