"""Generated definitions, of which some divide by zero, overflow or get stuck: both back ends do the same."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lockstep import Faulted, Pair, luck

from ludex.game import DefinitionInfo
from ludex.pipeline import load_saved
from test_properties import definitions

usual = settings(
    max_examples=12, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


def in_step(text: str, seed: int) -> None:
    info = DefinitionInfo("made_up", "Made up", (), (), 2 + seed % 2, (("made_up.yaml", text),), "")
    pair = Pair(load_saved(info).program)
    try:
        pair.start()
        pair.steps(40, *luck(seed))
    except Faulted:
        pass
    try:
        pair.start()
        pair.playout(*luck(seed), 1000)
        pair.results()
    except Faulted:
        pair.compare()


@usual
@given(text=definitions(), seed=st.integers(0, 10**6))
def test_in_step(text: str, seed: int) -> None:
    in_step(text, seed)


@pytest.mark.long
@settings(usual, max_examples=250)
@given(text=definitions(), seed=st.integers(0, 10**6))
def test_many_in_step(text: str, seed: int) -> None:
    in_step(text, seed)
