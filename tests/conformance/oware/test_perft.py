"""Numbers of ways to play, as OpenSpiel 2.0.2 counts them (`../openspiel_perft.py oware 8`)."""

from __future__ import annotations

from conformance.counting import counts, loaded

COUNTS = [6, 36, 190, 1_014, 5_219, 27_332, 139_157, 711_414]


def test_there_are_as_many_ways_to_play_as_in_openspiel() -> None:
    assert counts(loaded("oware"), len(COUNTS)) == COUNTS
