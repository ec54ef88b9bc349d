"""What a game is worth to its players if both play best, found by OpenSpiel's own algorithms.

OpenSpiel goes through the game, which may be one of ours as the adapter gives it to it, writes its tree down
(in Gambit's form), and plays counterfactual regret minimisation (CFR+) on that. What it finds depends on all
there is to a game: the odds, the actions and their order, who knows what, and what is won.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not made for this platform")


def ours(base: str, overlays: Sequence[str] = (), **options: int | bool | str) -> Any:
    """A game of ours for two, as OpenSpiel has it."""
    from ludex.adapters import openspiel

    return openspiel.load(base, overlays, 2, options)


def value(game: Any, iterations: int) -> tuple[float, float]:
    """To the first of two players, with the strategies after so many iterations; and how much both
    together could win more against these. The true value is no farther away than that."""
    from open_spiel.python.algorithms.gambit import export_gambit

    tree = pyspiel.load_efg_game(export_gambit(game))
    solver = pyspiel.CFRPlusSolver(tree)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    first, second = pyspiel.expected_returns(tree.new_initial_state(), policy, -1, True)
    assert first == pytest.approx(-second)
    return first, pyspiel.nash_conv(tree, policy)
