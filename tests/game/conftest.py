"""The hand-made game of these tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from coin_game import coin_game

from ludex.game import Game


@pytest.fixture(scope="session")
def game() -> Game:
    return coin_game()
