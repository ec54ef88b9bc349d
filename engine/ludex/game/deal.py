"""Dealing anew what a viewer does not know: a uniform assignment of things to free slots.

Things of a kind that may be at the same places form a *group*; places that the same groups
may be at form a *class* with as many slots as things lie there that he has not followed. An
assignment is a table (group, class) of numbers, of weight product n_g! / product m_gc!;
tables are counted exactly by recursion over the groups, which gives a uniform draw among
all assignments. Beyond `MAX_STEPS` steps of counting the draw is a random walk instead:
swaps of two things, begun at some assignment that fits; uniform in the limit only. So it
is with more than `MAX_GROUPS` groups or classes, too.

The result depends on the numbers of things, what they may be and the generator: `place` says
how many lie at each place, and no more. Every thing's place must be one it may be at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import factorial

from ludex.game.context import Context
from ludex.game.naming import bits
from ludex.rng import Generator

MAX_STEPS = 20_000
"""Steps of exact counting, after which the random walk takes over."""

MAX_GROUPS = 64
"""Groups, and classes of places, up to which anything is counted exactly."""

WALK = 40
"""Swaps tried per thing in the random walk."""


class _TooLarge(Exception):
    """Exact counting would take too long."""


@dataclass(frozen=True, slots=True)
class _Group:
    things: tuple[int, ...]
    maybe: int
    classes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Problem:
    """Groups to deal to classes of places; `slots[c]` are the locations of class c, one for
    each free slot."""

    groups: tuple[_Group, ...]
    slots: tuple[tuple[int, ...], ...]

    @property
    def capacities(self) -> tuple[int, ...]:
        return tuple(len(s) for s in self.slots)


def _problem(things: Sequence[int], place: Mapping[int, int], maybe: Mapping[int, int]) -> _Problem:
    """Where things of one kind that are not pinned may go. Raises `_TooLarge`."""
    by_mask: dict[int, list[int]] = {}
    used = 0
    for thing in things:
        used |= 1 << place[thing]
    for thing in things:
        by_mask.setdefault(maybe[thing] & used, []).append(thing)
    masks = sorted(by_mask, key=lambda m: (m.bit_count(), m))
    if len(masks) > MAX_GROUPS:
        raise _TooLarge
    slots = Counter(place[t] for t in things)
    classes: dict[tuple[bool, ...], list[int]] = {}
    for location in sorted(slots):
        signature = tuple(bool(m >> location & 1) for m in masks)
        classes.setdefault(signature, []).extend([location] * slots[location])
    if len(classes) > MAX_GROUPS:
        raise _TooLarge
    groups = tuple(
        _Group(tuple(by_mask[m]), m, tuple(c for c, signature in enumerate(classes) if signature[g]))
        for g, m in enumerate(masks)
    )
    return _Problem(groups, tuple(tuple(locations) for locations in classes.values()))


class _Ways:
    """Counts assignments, exactly."""

    def __init__(self, problem: _Problem) -> None:
        self._problem = problem
        self._known: dict[tuple[int, tuple[int, ...]], int] = {}
        self._steps = 0

    def begin(self) -> None:
        """Steps are counted from here."""
        self._steps = 0

    def count(self, group: int, free: tuple[int, ...]) -> int:
        """Weighted number of ways to deal the groups from `group` on."""
        if group == len(self._problem.groups):
            return 1
        key = (group, free)
        if key not in self._known:
            self._known[key] = sum(weight for weight, _ in self.ways(group, free))
        return self._known[key]

    def ways(self, group: int, free: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """(weight, slots left) for each way to deal one group and the rest after it."""
        members = self._problem.groups[group]
        for left, ways in self._spread(len(members.things), members.classes, free):
            rest = self.count(group + 1, left)
            if rest:
                yield ways * rest, left

    def _spread(
        self, number: int, classes: tuple[int, ...], free: tuple[int, ...]
    ) -> Iterator[tuple[tuple[int, ...], int]]:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise _TooLarge
        if not classes:
            if number == 0:
                yield free, 1
            return
        first, *rest = classes
        room = sum(free[c] for c in rest)
        for n in range(max(0, number - room), min(number, free[first]) + 1):
            left = (*free[:first], free[first] - n, *free[first + 1 :])
            ways = factorial(number) // (factorial(n) * factorial(number - n))
            for final, more in self._spread(number - n, tuple(rest), left):
                yield final, ways * more


def below(rng: Generator, n: int) -> int:
    """A uniform integer of 0..n-1, for n of any size."""
    if n <= 1 << 32:
        return rng.bounded(n)
    draws = (n.bit_length() + 31) // 32
    while True:
        value = 0
        for _ in range(draws):
            value = value << 32 | rng.next()
        value >>= 32 * draws - n.bit_length()
        if value < n:
            return value


def shuffled(items: Sequence[int], rng: Generator) -> list[int]:
    """A uniform permutation (Fisher and Yates)."""
    deck = list(items)
    for i in range(len(deck) - 1, 0, -1):
        j = rng.bounded(i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck


class Deals:
    """Deals of all things that are not pinned: uniform, as many at each place as before.

    What does not depend on chance is worked out once, so that many deals cost little.
    """

    def __init__(
        self,
        context: Context,
        place: Mapping[int, int],
        maybe: Mapping[int, int],
        pinned: AbstractSet[int],
    ) -> None:
        self._known: dict[int, int] = {}
        self._parts: list[_Exact | _Walk] = []
        for kind in context.program.world.kinds:
            if not kind.is_movable:
                continue
            things = [t for t in kind.ids if t not in pinned]
            if len(things) < 2:
                self._known.update((t, place[t]) for t in things)
                continue
            try:
                self._parts.append(_Exact(_problem(things, place, maybe)))
            except _TooLarge:
                self._parts.append(_Walk(things, place, maybe))

    @property
    def is_settled(self) -> bool:
        """Whether there is only one."""
        return not self._parts

    def draw(self, rng: Generator) -> dict[int, int]:
        """A place for every thing that is not pinned."""
        dealt = dict(self._known)
        for part in self._parts:
            dealt.update(part.draw(rng))
        return dealt


class _Exact:
    """A uniform deal of the things of a problem. Raises `_TooLarge`."""

    def __init__(self, problem: _Problem) -> None:
        self._problem = problem
        self._counter = _Ways(problem)
        self._ways: dict[tuple[int, tuple[int, ...]], list[tuple[int, tuple[int, ...]]]] = {}
        self._several = len(problem.groups) > 1
        if self._several:
            self._counter.count(0, problem.capacities)

    def draw(self, rng: Generator) -> dict[int, int]:
        free = self._problem.capacities
        # with one group it is enough to shuffle the things
        slots = [shuffled(s, rng) if self._several else list(s) for s in self._problem.slots]
        dealt: dict[int, int] = {}
        for g, group in enumerate(self._problem.groups):
            left = self._left(g, free, rng)
            things = shuffled(group.things, rng)
            for c in range(len(slots)):
                for _ in range(free[c] - left[c]):
                    dealt[things.pop()] = slots[c].pop()
            free = left
        return dealt

    def _left(self, group: int, free: tuple[int, ...], rng: Generator) -> tuple[int, ...]:
        """The slots left after a group, drawn by the number of ways to go on."""
        if (group, free) not in self._ways:
            if len(self._ways) > MAX_GROUPS:
                self._ways.clear()
            self._counter.begin()
            self._ways[group, free] = list(self._counter.ways(group, free))
        ways = self._ways[group, free]
        return _picked(ways, below(rng, sum(weight for weight, _ in ways)) if len(ways) > 1 else 0)


def _picked(ways: Iterable[tuple[int, tuple[int, ...]]], pick: int) -> tuple[int, ...]:
    """What is left after number `pick` of weighted ways."""
    for weight, left in ways:
        if pick < weight:
            return left
        pick -= weight
    raise AssertionError("the pick is below the sum of the weights")


@dataclass(frozen=True, slots=True)
class _Walk:
    """A deal by the random walk."""

    things: Sequence[int]
    place: Mapping[int, int]
    maybe: Mapping[int, int]

    def draw(self, rng: Generator) -> dict[int, int]:
        return _walk(self.things, self.place, self.maybe, rng)


def _walk(
    things: Sequence[int], place: Mapping[int, int], maybe: Mapping[int, int], rng: Generator
) -> dict[int, int]:
    dealt = _some_assignment(shuffled(things, rng), sorted(place[t] for t in things), maybe)
    for _ in range(WALK * len(things)):
        a, b = things[rng.bounded(len(things))], things[rng.bounded(len(things))]
        if maybe[a] >> dealt[b] & 1 and maybe[b] >> dealt[a] & 1:
            dealt[a], dealt[b] = dealt[b], dealt[a]
    return dealt


def _some_assignment(things: Sequence[int], slots: Sequence[int], maybe: Mapping[int, int]) -> dict[int, int]:
    """An assignment that fits (there is one), by augmenting paths, breadth first.

    Each search looks at a thing once, and at a place once: together the square of their number.
    """
    free = Counter(slots)
    everywhere = sum(1 << location for location in free)
    at: dict[int, set[int]] = {location: set() for location in free}
    for thing in things:
        # For each place reached: the thing that would go there, and from where (0: from nowhere).
        came = dict.fromkeys(bits(maybe[thing] & everywhere), (thing, 0))
        reached, unreached = list(came), everywhere & ~maybe[thing]
        for location in reached:
            if free[location]:
                break
            for other in sorted(at[location]) if unreached else ():
                for following in bits(maybe[other] & unreached):
                    came[following] = (other, location)
                    reached.append(following)
                unreached &= ~maybe[other]
        else:
            raise AssertionError("the true assignment fits")
        free[location] -= 1
        while location:
            moved, source = came[location]
            at[location].add(moved)
            if source:
                at[source].discard(moved)
            location = source
    return {thing: location for location, there in at.items() for thing in there}


def refine(
    context: Context, place: Mapping[int, int], maybe: Mapping[int, int], pinned: AbstractSet[int]
) -> dict[int, int]:
    """`maybe` without the places that no assignment uses (by counting, where that is small)."""
    refined = dict(maybe)
    for kind in context.program.world.kinds:
        if not kind.is_movable:
            continue
        things = [t for t in kind.ids if t not in pinned]
        if not things:
            continue
        used_places = 0
        for thing in things:
            used_places |= 1 << place[thing]
        for thing in things:
            refined[thing] = maybe[thing] & used_places
        try:
            problem = _problem(things, place, maybe)
            used = _support(problem)
        except _TooLarge:
            continue
        for g, group in enumerate(problem.groups):
            mask = 0
            for c in used[g]:
                for location in problem.slots[c]:
                    mask |= 1 << location
            for thing in group.things:
                refined[thing] = mask
    return refined


def _support(problem: _Problem) -> list[set[int]]:
    """For each group the classes that some assignment uses."""
    counter = _Ways(problem)
    used: list[set[int]] = []
    frontier = {problem.capacities}
    for g in range(len(problem.groups)):
        following: set[tuple[int, ...]] = set()
        classes: set[int] = set()
        for free in frontier:
            for _, left in counter.ways(g, free):
                following.add(left)
                classes.update(c for c in range(len(free)) if left[c] < free[c])
        used.append(classes)
        frontier = following
    return used
