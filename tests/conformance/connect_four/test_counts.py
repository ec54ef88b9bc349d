"""Numbers of ways to play, and of positions after so many discs.

Ways: as OpenSpiel 2.0.2 counts them (`../openspiel_perft.py connect_four 8`), and as published with many
programs. Positions: John Tromp, https://oeis.org/A212693.
"""

from __future__ import annotations

import pytest

import ludex
from conformance.counting import counts
from ludex.sim.positions import Positions

WAYS = [7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234]
POSITIONS = [1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859, 184_275]
QUICK = 6


def by_disc(discs: int) -> list[int]:
    positions = Positions(ludex.load("connect_four"))
    found = [positions.here]
    for _ in range(discs):
        positions.step()
        found.append(positions.here)
    return found


def test_there_are_as_many_ways_to_play_as_published() -> None:
    assert counts(ludex.load("connect_four"), len(WAYS)) == WAYS


def test_there_are_as_many_positions_as_published() -> None:
    assert by_disc(QUICK) == POSITIONS[: QUICK + 1]


@pytest.mark.long
def test_there_are_as_many_positions_with_more_discs_as_published() -> None:
    assert by_disc(len(POSITIONS) - 1) == POSITIONS
