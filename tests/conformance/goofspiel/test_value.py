"""What is known and what is won is the same in OpenSpiel's goofspiel: its algorithms find the same there."""

from __future__ import annotations

import pytest

from ..openspiel_value import ours, pyspiel, value

ORDERS = {"rising": "ascending", "falling": "descending", "shuffled": "random"}


@pytest.mark.parametrize(
    "prizes", ["falling", *(pytest.param(o, marks=pytest.mark.long) for o in ("rising", "shuffled"))]
)
@pytest.mark.parametrize("hidden_bids", [True, pytest.param(False, marks=pytest.mark.long)])
def test_the_same_is_found_in_the_game_of_openspiel(prizes: str, hidden_bids: bool) -> None:
    here = ours("goofspiel", ranks=3, prizes=prizes, hidden_bids=hidden_bids)
    theirs = f"goofspiel(num_cards=3,points_order={ORDERS[prizes]},imp_info={str(hidden_bids).lower()})"
    there = pyspiel.load_game_as_turn_based(theirs)
    assert value(here, 50) == pytest.approx(value(there, 50), abs=1e-9)
