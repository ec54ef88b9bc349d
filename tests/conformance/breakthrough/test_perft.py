"""Numbers of ways to play, as OpenSpiel 2.0.2 counts them (`../openspiel_perft.py`)."""

from __future__ import annotations

import pytest

from conformance.counting import counts, loaded

COUNTS = {
    (): [22, 484, 11_132, 256_036],
    ("six_by_six",): [16, 256, 4_308, 71_478, 1_248_290],
}
"""`breakthrough`, and `breakthrough(rows=6,columns=6)`."""


@pytest.mark.parametrize("overlays", COUNTS)
def test_there_are_as_many_ways_to_play_as_in_openspiel(overlays: tuple[str, ...]) -> None:
    assert counts(loaded("breakthrough", overlays), len(COUNTS[overlays])) == COUNTS[overlays]
