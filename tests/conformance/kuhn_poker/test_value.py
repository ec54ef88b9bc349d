"""What Kuhn poker and its variants are worth to the first player, as published."""

from __future__ import annotations

import pytest

from ..openspiel_value import ours, value


def test_the_first_player_loses_an_eighteenth() -> None:
    """Kuhn 1950."""
    found, _ = value(ours("kuhn_poker"), 1500)
    assert found == pytest.approx(-1 / 18, abs=1e-6)


def test_a_raise_changes_nothing() -> None:
    """Miao 2014: the opener still loses an eighteenth."""
    found, _ = value(ours("kuhn_poker", ["one_raise"]), 1500)
    assert found == pytest.approx(-1 / 18, abs=1e-5)


@pytest.mark.long
def test_one_card_poker() -> None:
    """Geoffrey J. Gordon, One-Card Poker (www.cs.cmu.edu/~ggordon/poker): about 6.4 cents a deal are lost."""
    found, error = value(ours("kuhn_poker", ["one_card_poker"]), 1000)
    assert error < 1e-3
    assert found == pytest.approx(-0.064, abs=5e-4)
