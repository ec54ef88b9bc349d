"""Numbers of ways to play so many turns, from published tables.

English draughts: Aart J. C. Bik, Computing Deep Perft and Divide Numbers for Checkers. Brazilian
draughts: the perft tables of draughts programmers (World Draughts Forum).
"""

from __future__ import annotations

import pytest

from conformance.counting import counts, loaded

COUNTS = {
    (): [7, 49, 302, 1_469, 7_361, 36_768, 179_740],
    ("brazilian",): [7, 49, 302, 1_469, 7_473, 37_628],
}
QUICK = 5


@pytest.mark.parametrize("overlays", COUNTS)
def test_there_are_as_many_ways_to_play_as_published(overlays: tuple[str, ...]) -> None:
    found = counts(loaded("english_draughts", overlays), QUICK, by_turn=True)
    assert found == COUNTS[overlays][:QUICK]


@pytest.mark.long
@pytest.mark.parametrize("overlays", COUNTS)
def test_there_are_as_many_longer_ways_to_play_as_published(overlays: tuple[str, ...]) -> None:
    found = counts(loaded("english_draughts", overlays), len(COUNTS[overlays]), by_turn=True)
    assert found == COUNTS[overlays]
