"""Numbers of ways to play, as OpenSpiel 2.0.2 counts them (`../openspiel_perft.py nine_mens_morris 4`)."""

from __future__ import annotations

from conformance.counting import counts, loaded

COUNTS = [24, 552, 12_144, 255_024]


def test_there_are_as_many_ways_to_play_as_in_openspiel() -> None:
    assert counts(loaded("nine_mens_morris"), len(COUNTS)) == COUNTS
