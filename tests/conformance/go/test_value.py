"""What go on the smallest board is worth: a point for Black, with area scoring and superko.

Bill Taylor proved it: https://senseis.xmp.net/?2x2Board.
"""

from __future__ import annotations

import pytest

import ludex
from ludex.backends.machine import Machine, OverPoint, TurnPoint, Words

VALUE, POINTS = 1, 4


def value(machine: Machine, words: Words, worst: int, best: int) -> int:
    """How many points more Black gets, if both play their best (alpha-beta). Passes are tried first."""
    point = machine.point(words)
    if isinstance(point, OverPoint):
        black, white = (sum(line[seat] for line in machine.lines(words)) for seat in (0, 1))
        return black - white
    assert isinstance(point, TurnPoint)
    is_black = point.player == machine.program.world.players.base
    for choice in reversed(machine.options(words, point.player)):
        after = machine.copy(words)
        machine.choose(after, point.player, choice)
        found = value(machine, after, worst, best)
        worst, best = (max(worst, found), best) if is_black else (worst, min(best, found))
        if worst >= best:
            break
    return worst if is_black else best


@pytest.mark.parametrize("suicide", [False, True])
def test_black_wins_by_a_point_on_two_by_two(suicide: bool) -> None:
    options = {"size": 2, "komi": 0, "half_point": False, "suicide": suicide, "move_limit": 1000}
    machine = ludex.load("go", options=options).fastest
    assert value(machine, machine.start(), -POINTS, POINTS) == VALUE
