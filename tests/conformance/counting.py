"""Perft of a game, for published tables: how many ways there are to play so many decisions, or turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ludex import pipeline
from ludex.game import Game
from ludex.sim.positions import ways
from ludex.syntax.dsl import scalar_of


def loaded(
    game: str,
    overlays: Iterable[str] = (),
    options: Mapping[str, bool | int | str] | None = None,
    given: str | None = None,
) -> Game:
    """`given`: statements that set up another position, as in a scenario."""
    setup = None if given is None else scalar_of(given)
    return pipeline.load(game, overlays, options=options, extra_setup=setup, backend="wasm")


def counts(game: Game, depth: int, *, by_turn: bool = False) -> list[int]:
    """For 1, 2, … up to `depth` steps."""
    return [ways(game, steps, by_turn=by_turn) for steps in range(1, depth + 1)]
