"""Games that the tests of bots play, loaded once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

import ludex
from ludex.backends.wasm.walk import NativeWalk
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


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """After how many decisions playouts were broken off."""
    most: set[int] = set()
    playout = NativeWalk.playout

    def recorded(walk: NativeWalk, max_decisions: int) -> bool:
        most.add(max_decisions)
        return playout(walk, max_decisions)

    monkeypatch.setattr(NativeWalk, "playout", recorded)
    return most
