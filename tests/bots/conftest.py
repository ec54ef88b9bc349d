"""Games that the tests of bots play, loaded once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

import ludex
from ludex.game import Game
from ludex.pipeline import Backend


@cache
def _loaded(name: str, players: int | None, backend: Backend) -> Game:
    return ludex.load(name, players=players, backend=backend)


@pytest.fixture
def load() -> Callable[..., Game]:
    def load(name: str, players: int | None = None, backend: Backend = "auto") -> Game:
        return _loaded(name, players, backend)

    return load
