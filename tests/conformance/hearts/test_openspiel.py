"""Hearts in step with OpenSpiel's, deal by deal, under all of its rules.

It plays one deal, and chance says to whom cards are passed: our options `limit: 1` and `passing: drawn`.
Without its passing, or for one direction, its first event of chance is played by it alone. Its returns are
26 less the points. It lets players choose cards to pass one after another; none sees what others choose.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

import ludex

from ..openspiel_cards import CARDS, OneByOne
from ..openspiel_lockstep import Lockstep, Move

OPTIONS = {
    "must_break_hearts": "hearts_must_be_broken",
    "qs_breaks_hearts": "queen_breaks_hearts",
    "can_lead_hearts_instead_of_qs": "hearts_instead_of_queen",
    "can_lead_any_club": "any_club_opens",
}
"""Parameters there and options here that mean the same."""
OVERLAYS = {"jd_bonus": "jack_of_diamonds", "avoid_all_tricks_bonus": "clean_slate"}
FIRST = "no_pts_on_first_trick"
DEFAULTS = {
    "must_break_hearts": True,
    "qs_breaks_hearts": True,
    "can_lead_hearts_instead_of_qs": False,
    "can_lead_any_club": False,
    FIRST: True,
    "jd_bonus": False,
    "avoid_all_tricks_bonus": False,
}
"""Theirs."""
DIRECTIONS = {"nobody": 0, "to_the_left": 1, "across": 2, "to_the_right": 3}


def called(move: Move) -> int:
    return CARDS[move.args[0]] if move.args[0] in CARDS else int(move.args[0])


def less_points(returns: Sequence[float]) -> list[float]:
    return [26 + r for r in returns]


def in_step(passing: str = "drawn", **rules: bool) -> Lockstep:
    rules = DEFAULTS | rules
    options: dict[str, Any] = {ours: rules[theirs] for theirs, ours in OPTIONS.items()}
    options |= {"limit": 1, "passing": passing, "points_on_first_trick": not rules[FIRST]}
    overlays = [ours for theirs, ours in OVERLAYS.items() if rules[theirs]]
    return Lockstep(
        ludex.load("hearts", overlays, options=options),
        "hearts(" + ",".join(f"{rule}={str(value).lower()}" for rule, value in rules.items()) + ")",
        called,
        alone=lambda state: None if passing == "drawn" or state.history() else DIRECTIONS[passing],
        returns=less_points,
        one_game=OneByOne,
    )


def test_the_rules_that_are_the_default_there() -> None:
    played = in_step().play(12)
    assert played["play"] == 12 * 52
    assert played["choose"] % 12 == 0 and 5 <= played["choose"] // 12 < 12


def test_each_rule_the_other_way() -> None:
    in_step(**{rule: not value for rule, value in DEFAULTS.items()}).play(8)


@pytest.mark.parametrize("passing", ["nobody", "to_the_right"])
def test_one_way_to_pass(passing: str) -> None:
    played = in_step(passing).play(2)
    assert played["choose"] == (0 if passing == "nobody" else 2 * 12)


def test_both_back_ends_are_the_same_game() -> None:
    both = in_step()
    both.machine = both.game.machine
    both.play(2)


@pytest.mark.long
def test_thousands_of_games() -> None:
    in_step().play(3000, seed=2)


@pytest.mark.long
@pytest.mark.parametrize("values", list(product((False, True), repeat=len(DEFAULTS))), ids=str)
def test_each_choice_of_rules(values: tuple[bool, ...]) -> None:
    in_step(**dict(zip(DEFAULTS, values, strict=True))).play(25)
