"""Counting assignments against trying them all."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest

from ludex.game import deal as d
from ludex.rng import Generator

PLACE = {10: 1, 11: 1, 12: 2, 13: 2, 14: 3, 15: 4}
MAYBE = {10: 0b00110, 11: 0b01110, 12: 0b11110, 13: 0b00110, 14: 0b11000, 15: 0b11110}


def all_worlds() -> Counter[tuple[int, ...]]:
    """Every assignment that fits, as the places of things 10 to 15."""
    worlds = {p for p in permutations(PLACE.values()) if all(MAYBE[10 + i] >> x & 1 for i, x in enumerate(p))}
    return Counter(worlds)


def test_exact_dealing_reaches_every_world_equally_often() -> None:
    worlds = all_worlds()
    deals = d._Exact(d._problem(sorted(PLACE), PLACE, MAYBE))
    n = 150 * len(worlds)
    found: Counter[tuple[int, ...]] = Counter()
    rng = Generator(5)
    for _ in range(n):
        dealt = deals.draw(rng)
        found[tuple(dealt[t] for t in sorted(PLACE))] += 1
    assert set(found) == set(worlds)
    for number in found.values():
        assert number == pytest.approx(150, abs=65)


def test_the_places_in_use_are_those_of_some_world() -> None:
    problem = d._problem(sorted(PLACE), PLACE, MAYBE)
    used: dict[int, set[int]] = {}
    for group, classes in zip(problem.groups, d._support(problem), strict=True):
        for thing in group.things:
            used[thing] = {location for c in classes for location in problem.slots[c]}
    for i, thing in enumerate(sorted(PLACE)):
        assert used[thing] == {world[i] for world in all_worlds()}


def test_the_random_walk_keeps_to_the_possible_worlds() -> None:
    rng = Generator(5)
    walks = [d._walk(sorted(PLACE), PLACE, MAYBE, rng) for _ in range(800)]
    found = {tuple(dealt[t] for t in sorted(PLACE)) for dealt in walks}
    assert found <= set(all_worlds())
    assert len(found) > len(all_worlds()) // 2


def test_counting_gives_up_before_it_takes_long() -> None:
    place = {i: 200 + i % 20 for i in range(120)}
    maybe = {i: sum(1 << 200 + (i * k + k) % 20 for k in range(1, 8)) | 1 << place[i] for i in place}
    problem = d._problem(sorted(place), place, maybe)
    with pytest.raises(d._TooLarge):
        d._Exact(problem)


def test_large_bounds_are_drawn_evenly() -> None:
    rng = Generator(3)
    n = 3 << 80
    thirds = Counter(d.below(rng, n) // (1 << 80) for _ in range(3000))
    assert set(thirds) == {0, 1, 2}
    assert min(thirds.values()) > 900
