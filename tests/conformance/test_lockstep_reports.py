"""What `Lockstep` says of games that are not the same: every kind of difference is found and told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import ludex

from .openspiel_lockstep import Lockstep
from .test_openspiel_boards import cell, chess, column, name_or_args

DIFFERENT: dict[str, tuple[Callable[[], Lockstep], str]] = {
    "an action is missing": (
        lambda: Lockstep(ludex.load("hex"), "hex(swap=true)", name_or_args),
        r"game 0 of seed 1, after\n *1 red: place\(\w+\) = \w+\n120 actions are legal here, 121 there\n"
        r"only here: +none\nonly there: swap",
    ),
    "an action is called otherwise": (
        lambda: Lockstep(ludex.load("connect_four"), "connect_four", lambda move: int(move.args[0])),
        r"\(nothing was played\)\n7 actions are legal here, 7 there\n"
        r"only here: +drop\(7\) \(7\)\nonly there: x0 \(0\)",
    ),
    "two actions are one": (
        lambda: Lockstep(ludex.load("connect_four"), "connect_four", lambda move: int(move.args[0]) // 2),
        r"the same there: drop\(2\) \(1\), drop\(3\) \(1\)",
    ),
    "an action is none of theirs": (
        lambda: Lockstep(ludex.load("connect_four"), "connect_four", lambda move: None),
        r"only here: +drop\(1\) \(None\)",
    ),
    "another player": (
        lambda: Lockstep(ludex.load("chess"), "chess", chess, looks=True),
        r"white is to play here, there player 1",
    ),
    "it goes on there": (
        lambda: Lockstep(
            ludex.load("english_draughts", options={"quiet_limit": 2}), "checkers", name_or_args
        ),
        r"over here, and there player \d is to play",
    ),
    "it is over there": (
        lambda: Lockstep(ludex.load("oware", options={"repetition": 3}), "oware", column),
        r"is to play here, there nobody \(it is over\)",
    ),
    "another result": (
        lambda: Lockstep(ludex.load("tic_tac_toe", ("misere",)), "tic_tac_toe", cell),
        r"the players get \[-?1.0, -?1.0\] here, and there \(seats \(0, 1\)\) \[-?1.0, -?1.0\]",
    ),
    "other odds": (
        lambda: Lockstep(ludex.load("backgammon"), "backgammon", column),
        r"the odds of die are not the same\nhere: .*: 1/6.*\nthere: .*: 0.0333",
    ),
    "chance there": (
        lambda: Lockstep(ludex.load("tic_tac_toe"), "backgammon", cell),
        r"crosses is to play here, there chance",
    ),
    "chance here": (
        lambda: Lockstep(ludex.load("backgammon"), "tic_tac_toe", column),
        r"chance decides here about die, and there player 0",
    ),
}


@pytest.mark.parametrize("difference", DIFFERENT)
def test_a_difference_is_told(difference: str) -> None:
    both, report = DIFFERENT[difference]
    with pytest.raises(AssertionError, match=report):
        both().play(20)
