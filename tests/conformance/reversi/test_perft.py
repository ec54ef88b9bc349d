"""Numbers of ways to play, as published by Aart J. C. Bik (Computing Deep Perft and Divide Numbers for
Reversi)."""

from __future__ import annotations

import pytest

from conformance.counting import counts, loaded

COUNTS = [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288]
QUICK = 6


def test_there_are_as_many_ways_to_play_as_published() -> None:
    assert counts(loaded("reversi"), QUICK) == COUNTS[:QUICK]


@pytest.mark.long
def test_there_are_as_many_longer_ways_to_play_as_published() -> None:
    assert counts(loaded("reversi"), len(COUNTS)) == COUNTS
