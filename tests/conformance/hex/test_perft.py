"""Numbers of ways to play, as OpenSpiel 2.0.2 counts them (`../openspiel_perft.py`); of 3x3 all."""

from __future__ import annotations

import pytest

from conformance.counting import counts, loaded

COUNTS = {
    (3, False): [9, 72, 504, 3_024, 15_120, 54_720, 146_880, 207_360, 120_960],
    (3, True): [9, 81, 576, 3_528],
    (4, False): [16, 240, 3_360, 43_680, 524_160],
    (11, False): [121, 14_520, 1_727_880],
}
"""`hex(board_size=…,swap=…)`."""


@pytest.mark.parametrize(("size", "swap"), COUNTS)
def test_there_are_as_many_ways_to_play_as_in_openspiel(size: int, swap: bool) -> None:
    game = loaded("hex", options={"size": size, "swap_rule": swap})
    assert counts(game, len(COUNTS[size, swap])) == COUNTS[size, swap]
