"""Tokens only move: a state in which there are more of them, or fewer, than there are is none."""

from __future__ import annotations

import pytest

from ludex import pipeline
from ludex.pipeline import Backend


@pytest.mark.parametrize("backend", ["interpreter", "wasm"])
def test_no_house_holds_more_seeds_than_there_are(backend: Backend) -> None:
    """Oware is played with 48 seeds, four in each of twelve houses."""
    game = pipeline.load("oware", backend=backend)
    tokens = game.program.layout.field("@tokens")
    data = bytearray(game.start(seed=1).to_bytes())
    at = 4 * (tokens.offset + 1)
    assert data[at : at + 4] == (4).to_bytes(4, "little")
    data[at : at + 4] = (5).to_bytes(4, "little")
    with pytest.raises(ValueError, match="of seed there are 49, not 48"):
        game.from_bytes(bytes(data))
    for i in range(tokens.size):
        data[4 * (tokens.offset + i) : 4 * (tokens.offset + i) + 4] = bytes(4)
    data[at : at + 4] = (48).to_bytes(4, "little")
    assert game.from_bytes(bytes(data)).to_bytes() == data
    data[at : at + 4] = (49).to_bytes(4, "little")
    with pytest.raises(ValueError, match=r"49 is not in 0\.\.48"):
        game.from_bytes(bytes(data))
