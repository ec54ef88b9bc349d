"""What Leduc poker is worth to the first player: M. Lanctot and others, A Unified Game-Theoretic Approach to
Multiagent Reinforcement Learning (NIPS 2017), appendix E.2."""

from __future__ import annotations

import pytest

from ..openspiel_value import ours, value

PUBLISHED = -0.085606424078


def test_the_first_player_loses_a_twelfth() -> None:
    found, error = value(ours("leduc_poker"), 300)
    assert abs(found - PUBLISHED) < error < 0.01
    assert found == pytest.approx(PUBLISHED, abs=2e-4)


@pytest.mark.long
def test_more_exactly() -> None:
    found, _ = value(ours("leduc_poker"), 8000)
    assert found == pytest.approx(PUBLISHED, abs=2e-6)
