"""The option `--cluster`: games played on the workers of a Dask cluster."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ludex.cli.errors import Mistake
from ludex.cli.games import GameSpec, LoadGame
from ludex.node import node

if TYPE_CHECKING:
    from ludex.game import DefinitionInfo, Game
    from ludex.pipeline import Backend
    from ludex.sim.batch import Recipe
    from ludex.sim.cluster import DaskCluster

F = TypeVar("F", bound=Callable[..., Any])


def cluster_option(function: F) -> F:
    """The option `--cluster`."""
    return click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on the Dask cluster whose scheduler has this address, such as tcp://192.168.1.10:8786.",
    )(function)


@contextmanager
def opened(address: str | None) -> Iterator[DaskCluster | None]:
    """The cluster that was asked for, if one was. Raises `Mistake`."""
    if address is None:
        yield None
        return
    from ludex.sim.cluster import NoCluster, connect

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what users have to know, we tell them
    try:
        with connect(address) as cluster:
            yield cluster
    except NoCluster as problem:
        raise Mistake(str(problem)) from None


@node
class MakeGame:
    """Makes a game from its texts, on a machine that need not have its files; picklable."""

    definition: DefinitionInfo
    backend: Backend

    def __call__(self) -> Game:
        from ludex import pipeline

        return pipeline.load_saved(self.definition, backend=self.backend)


class Loaded:
    """`LoadGame` of a game that this process has loaded already; other processes load it."""

    def __init__(self, game: Game, load: LoadGame) -> None:
        self._game = game
        self._load = load

    def __call__(self) -> Game:
        return self._game

    def __reduce__(self) -> tuple[type[LoadGame], tuple[GameSpec, Backend]]:
        return LoadGame, (self._load.spec, self._load.backend)


def recipe(game: Game, spec: GameSpec, backend: Backend, cluster: DaskCluster | None) -> Recipe:
    """What makes a game, which was loaded so, wherever it is played. Raises `BadDefinition`."""
    if cluster is None:
        return Loaded(game, LoadGame(spec, backend))
    from ludex import pipeline

    sources = pipeline.read(spec.base, spec.overlays).resolved.sources
    files = tuple((source.name, source.text) for source in sources)
    return MakeGame(replace(game.definition, files=files), backend)
