"""The row of a program's blocks, and which stretches of it are loops."""

from __future__ import annotations

from ludex.backends.wasm.stretches import DEEPEST, Stretch, stretch
from ludex.rng import Generator


def test_a_way_without_circles_is_in_order() -> None:
    assert stretch(range(4), {0: [2], 2: [1], 1: [3], 3: []}.__getitem__).items == (0, 2, 1, 3)


def test_a_loop_stands_together_and_what_follows_behind_it() -> None:
    # 1 is gone back to from 3, and left for 2
    row = stretch(range(4), {0: [1], 1: [2, 3], 3: [1], 2: []}.__getitem__)
    assert row.items == (0, Stretch((1, 3), (1,)), 2)


def test_loops_lie_within_loops() -> None:
    leads = {0: [1], 1: [2, 5], 2: [3, 4], 3: [2], 4: [1], 5: [5, 6], 6: []}
    assert stretch(range(7), leads.__getitem__).items == (
        0,
        Stretch((1, Stretch((2, 3), (2,)), 4), (1,)),
        Stretch((5,), (5,)),
        6,
    )


def test_loops_right_within_one_another_are_one() -> None:
    leads = {0: [1], 1: [2, 4], 2: [3, 1], 3: [2], 4: []}
    assert stretch(range(5), leads.__getitem__).items == (0, Stretch((1, 2, 3), (2, 1)), 4)


def test_whatever_leads_back_is_within_a_stretch() -> None:
    """Of random graphs: every block stands once, and each way leads on in the row, or to a head of a
    stretch that it is in, or is within a stretch of the deepest."""
    luck = Generator(5)
    for _ in range(200):
        n = 2 + luck.bounded(12)
        leads = {i: [luck.bounded(n) for _ in range(luck.bounded(4))] for i in range(n)}
        row = stretch(range(n), leads.__getitem__)
        assert sorted(row.blocks) == list(range(n))
        place = {block: i for i, block in enumerate(row.blocks)}
        begins: dict[int, set[int]] = {block: set() for block in row.blocks}
        deepest: dict[int, int] = dict.fromkeys(row.blocks, 0)
        collect(row, 0, begins, deepest)
        for block, targets in leads.items():
            for target in targets:
                on = place[target] > place[block]
                assert on or target in begins[block] or deepest[block] == DEEPEST


def collect(row: Stretch, depth: int, begins: dict[int, set[int]], deepest: dict[int, int]) -> None:
    """For each block the heads of the stretches that it is in, and how many these are."""
    for item in row.items:
        if isinstance(item, Stretch):
            for block in item.blocks:
                begins[block].update(item.heads)
                deepest[block] = depth + 1
            collect(item, depth + 1, begins, deepest)
