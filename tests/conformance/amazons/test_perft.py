"""Numbers of ways to play, as OpenSpiel 2.0.2 counts them (`../openspiel_perft.py amazons 5`)."""

from __future__ import annotations

from conformance.counting import counts, loaded

COUNTS = [4, 80, 2_176, 8_704, 168_420]


def test_there_are_as_many_ways_to_play_as_in_openspiel() -> None:
    game = loaded("amazons")
    assert counts(game, len(COUNTS)) == COUNTS
    assert counts(game, 1, by_turn=True) == COUNTS[2:3]
