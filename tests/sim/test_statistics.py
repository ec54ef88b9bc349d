"""Values from textbooks, and the identities that hold for any sample."""

from __future__ import annotations

from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludex.sim.statistics import Moments


@given(st.lists(st.integers(-1000, 1000), min_size=2))
def test_moments_are_those_of_the_sample(values: list[int]) -> None:
    moments = Moments()
    for value in values:
        moments.add(value)
    assert moments.mean == pytest.approx(mean(values))
    assert moments.sd == pytest.approx(stdev(values), abs=1e-9)
    assert (moments.least, moments.most) == (min(values), max(values))


@given(st.lists(st.integers(-50, 50)), st.lists(st.integers(-50, 50)))
def test_merging_parts_is_counting_the_whole(one: list[int], other: list[int]) -> None:
    parts, whole = [Moments(), Moments()], Moments()
    for part, values in zip(parts, (one, other), strict=True):
        for value in values:
            part.add(value)
            whole.add(value)
    parts[0].merge(parts[1])
    assert parts[0] == whole
