"""Loops within loops: in what row blocks stand, and which stretches of it are gone through again.

The order is a weak topological one: F. Bourdoncle, *Efficient chaotic iteration strategies with widenings*,
FMPA 1993.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

DEEPEST = 12
"""Stretches within one another."""


@dataclass(frozen=True)
class Stretch:
    """Blocks in a row that are gone through again, from one of the `heads` on. Those of them that are gone
    through again by themselves are one item, unless all but the first are: loops one right within the other
    are one stretch."""

    items: tuple[int | Stretch, ...]
    heads: tuple[int, ...] = ()
    """From the innermost loop to the outermost."""

    @cached_property
    def blocks(self) -> tuple[int, ...]:
        return tuple(block for item in self.items for block in blocks(item))


def blocks(item: int | Stretch) -> tuple[int, ...]:
    return item.blocks if isinstance(item, Stretch) else (item,)


def stretch(among: Sequence[int], leads: Callable[[int], Iterable[int]]) -> Stretch:
    """All of some blocks in a row, each before those that `leads` says it goes on at, but for ways back."""
    after = {block: sorted(leads(block)) for block in among}

    def items(among: Sequence[int], depth: int) -> Iterator[int | Stretch]:
        for first, *others in _components(among, after):
            if not others and first not in after[first]:
                yield first
            elif depth < DEEPEST:
                inner = tuple(items(others, depth + 1))
                match inner:
                    case (Stretch(items=its, heads=heads),):
                        yield Stretch((first, *its), (*heads, first))
                    case _:
                        yield Stretch((first, *inner), (first,))
            else:
                yield from (first, *others)

    return Stretch(tuple(items(among, 0)))


def _components(among: Sequence[int], after: dict[int, list[int]]) -> list[list[int]]:
    """The strongly connected components of the graph of some blocks, each before those that it leads to, with
    the block first that is met first (R. Tarjan, *Depth-first search and linear graph algorithms*, 1972)."""
    inside = frozenset(among)
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_: list[int] = []
    made: list[list[int]] = []

    def enter(block: int) -> tuple[int, Iterator[int]]:
        number[block] = lowest[block] = len(number)
        open_.append(block)
        return block, iter([i for i in after[block] if i in inside])

    closed = set[int]()
    for start in among:
        path = [enter(start)] if start not in number else []
        while path:
            block, left = path[-1]
            following = next(left, None)
            if following is None:
                path.pop()
                if path:
                    outer = path[-1][0]
                    lowest[outer] = min(lowest[outer], lowest[block])
                if lowest[block] == number[block]:
                    found = [open_.pop()]
                    while found[-1] != block:
                        found.append(open_.pop())
                    made.append(found[::-1])
                    closed.update(found)
            elif following not in number:
                path.append(enter(following))
            elif following not in closed:
                lowest[block] = min(lowest[block], number[following])
    return made[::-1]
