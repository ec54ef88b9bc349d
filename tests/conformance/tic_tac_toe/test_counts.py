"""Numbers of games and positions, as published: https://en.wikipedia.org/wiki/Tic-tac-toe#Combinatorics."""

from __future__ import annotations

from collections import Counter

import pytest

import ludex
from ludex.backends.machine import Machine, OverPoint, TurnPoint, Words
from ludex.sim.positions import Positions

POSITIONS = 5_478
CROSSES_WIN, NOUGHTS_WIN, DRAWN = 131_184, 77_904, 46_080


def games(machine: Machine, words: Words, known: dict[bytes, Counter[float]]) -> Counter[float]:
    """How many games go on from here, by what crosses get."""
    key = machine.pack(words)
    if key not in known:
        found: Counter[float] = Counter()
        point = machine.point(words)
        if isinstance(point, OverPoint):
            found[machine.returns(words)[0]] = 1
        else:
            assert isinstance(point, TurnPoint)
            for choice in machine.options(words, point.player):
                after = machine.copy(words)
                machine.choose(after, point.player, choice)
                found += games(machine, after, known)
        known[key] = found
    return known[key]


@pytest.mark.parametrize(
    ("overlays", "crosses", "noughts"),
    [((), CROSSES_WIN, NOUGHTS_WIN), (("misere",), NOUGHTS_WIN, CROSSES_WIN)],
)
def test_as_many_games_are_won_as_published(overlays: tuple[str, ...], crosses: int, noughts: int) -> None:
    machine = ludex.load("tic_tac_toe", overlays).fastest
    found = games(machine, machine.start(), {})
    assert found == {1.0: crosses, 0.0: noughts, 0.5: DRAWN}
    assert sum(found.values()) == 255_168


def test_there_are_as_many_positions_as_published() -> None:
    positions = Positions(ludex.load("tic_tac_toe"))
    for _ in range(9):
        positions.step()
    assert positions.all == POSITIONS
