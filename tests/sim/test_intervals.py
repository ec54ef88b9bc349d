"""Intervals against published tables and worked examples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludex.sim.intervals import (
    Interval,
    mean_interval,
    normal_point,
    paired_difference,
    student_point,
    wilson,
)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (0, 10, 0.0000, 0.2775),  # Newcombe, Statistics in Medicine 17 (1998), table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_interval_as_published(successes: int, trials: int, low: float, high: float) -> None:
    found = wilson(successes, trials)
    assert found == (pytest.approx(low, abs=6e-5), pytest.approx(high, abs=6e-5))


def test_no_trials_say_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("freedom", "level", "point"),
    [  # NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2 (one-sided 0.95, 0.975, 0.995)
        (1, 0.90, 6.314), (1, 0.95, 12.706), (1, 0.99, 63.657),
        (2, 0.90, 2.920), (2, 0.95, 4.303), (2, 0.99, 9.925),
        (3, 0.90, 2.353), (3, 0.95, 3.182), (3, 0.99, 5.841),
        (4, 0.90, 2.132), (4, 0.95, 2.776), (4, 0.99, 4.604),
        (5, 0.95, 2.571), (6, 0.95, 2.447), (10, 0.90, 1.812), (10, 0.95, 2.228), (10, 0.99, 3.169),
        (30, 0.95, 2.042), (60, 0.99, 2.660), (100, 0.95, 1.984),
    ],
)  # fmt: skip
def test_students_t_as_published(freedom: int, level: float, point: float) -> None:
    assert student_point(freedom, level) == pytest.approx(point, abs=6e-4)


def test_for_large_samples_student_is_the_normal() -> None:
    assert student_point(10**7) == pytest.approx(normal_point(), abs=1e-5)
    assert normal_point() == pytest.approx(1.959964, abs=1e-6)


def test_several_intervals_are_wider_together() -> None:
    assert normal_point(0.95, 5) == pytest.approx(normal_point(0.99))
    assert student_point(9, 0.95, 5) == pytest.approx(student_point(9, 0.99))


def test_mean_of_the_sleep_of_ten_patients() -> None:
    """Student, Biometrika 6 (1908), p. 20: additional hours of sleep gained by two drugs, in pairs.
    The interval of the difference is the one R's documentation of `t.test` gives for it."""
    one = ["0.7", "-1.6", "-0.2", "-1.2", "-0.1", "3.4", "3.7", "0.8", "0.0", "2.0"]
    two = ["1.9", "0.8", "1.1", "0.1", "-0.1", "4.4", "5.5", "1.6", "4.6", "3.4"]
    found = paired_difference([(float(a), float(b)) for a, b in zip(one, two, strict=True)])
    assert found.count == 10 and found.mean == pytest.approx(1.58)
    assert found.interval == (pytest.approx(0.7001142, abs=1e-5), pytest.approx(2.4598858, abs=1e-5))


def test_what_a_sample_is_too_small_for() -> None:
    assert mean_interval([]).interval is None
    assert mean_interval([3]).interval is None
    assert mean_interval([3, 3]).interval == (3.0, 3.0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2))
def test_order_does_not_matter(values: list[float]) -> None:
    turned = list(reversed(values))
    assert mean_interval(turned) == mean_interval(values)


def test_apart() -> None:
    assert Interval(0.1, 0.2).is_apart_from(Interval(0.3, 0.4))
    assert not Interval(0.1, 0.3).is_apart_from(Interval(0.3, 0.4))
    assert Interval(0.1, 0.3).holds(0.3)
