"""The heap of tests/cli, loaded: a recipe for the processes of a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ludex import pipeline
from ludex.game import Game

HEAP = str(Path(__file__).parent.parent / "cli" / "heap.yaml")


@dataclass(frozen=True)
class Heap:
    size: int = 10
    backend: pipeline.Backend = "auto"

    def __call__(self) -> Game:
        return pipeline.load(HEAP, players=2, options={"size": self.size}, backend=self.backend)
