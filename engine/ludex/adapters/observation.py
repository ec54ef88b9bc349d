"""A fixed length of numbers for what a player sees of a position, for one or for many at once.

`space.names[i]` says what number i is: `card(jack) at hand(me)` how many such cards he holds,
`points(player_2)` the value of a state item, `strip is 3` whether it has it. Nothing else is in it than
what `State.observation` shows: declared visibility decides which words of a state are read at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from ludex.adapters import features as f
from ludex.adapters.extras import extra
from ludex.check.codes import TOO_LARGE
from ludex.diagnostics import Diagnostic, Failed
from ludex.game import Game
from ludex.ir import program as p
from ludex.source import NOWHERE

with extra("pettingzoo", "NumPy"):
    import numpy as np
    from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

MAX_NUMBERS = 1 << 20
"""Numbers of one observation."""


class ObservationSpace:
    """What the players of one game see, as numbers 0 to `size - 1`.

    `sections` says where each part lies. `low` and `high` bound the numbers, and `most` is what each has been
    divided by. Raises `Failed` if there would be more than `MAX_NUMBERS`.
    """

    def __init__(self, game: Game) -> None:
        found = f.Features(game).of
        seats = range(game.program.players)
        lists = [[feature for section in found.values() for feature in section[seat]] for seat in seats]
        self.size = len(lists[0])
        if self.size > MAX_NUMBERS:
            message = f"what a player sees would be {self.size} numbers, more than {MAX_NUMBERS}"
            help = "the most are things and places: a piece that may stand on any space counts once for each"
            raise Failed([Diagnostic(TOO_LARGE, message, NOWHERE, (), help)])
        self.names: tuple[str, ...] = tuple(feature.name for feature in lists[0])
        self.sections: dict[str, slice] = {}
        first = 0
        for name, section in found.items():
            self.sections[name] = slice(first, first + len(section[0]))
            first += len(section[0])
        bounds = np.array([_bounds(feature) for feature in lists[0]], np.float32).reshape(-1, 2)
        self.low, self.high = bounds[:, 0].copy(), bounds[:, 1].copy()
        self.most = np.array(
            [feature.most if isinstance(feature, f.Number) else 1 for feature in lists[0]], np.int64
        )
        self._eyes = [_Eye(game, seat, features) for seat, features in enumerate(lists)]

    def one(self, words: Sequence[int], seat: int, deciding: Sequence[int]) -> Floats:
        """What the player of a seat sees of a state. `deciding`: the seats that are to decide.

        The words are those of `State.bytes_for` the player.
        """
        row: Ints = np.asarray(words, np.int32)
        turns = np.zeros((1, len(self._eyes)), np.float32)
        turns[0, list(deciding)] = 1
        found: Floats = self.many(row.reshape(1, -1), seat, turns)[0]
        return found

    def many(self, words: Ints, seat: int, deciding: Floats) -> Floats:
        """The same of many states, one a row; `deciding[i, s]`: whether the player of seat s decides."""
        out = np.zeros((len(words), self.size), np.float32)
        self._eyes[seat].see(words, deciding, out)
        return out

    def text(self, numbers: Floats) -> str:
        """The numbers that are not 0, with their names, as they are before they are divided."""
        parts = []
        for i in np.flatnonzero(numbers):
            value = float(numbers[i]) * int(self.most[i])
            whole = round(value)
            shown = str(whole) if abs(value - whole) < 1e-3 else f"{value:.4g}"
            parts.append(self.names[i] if shown == "1" else f"{self.names[i]}: {shown}")
        return "; ".join(parts)


def _bounds(feature: f.Feature) -> tuple[float, float]:
    match feature:
        case f.Same(most=most):
            return 0.0, float(most)
        case f.Number(most=most, least=least):
            return (float(-(2**31)), float(2**31)) if most == 1 and least < 0 else _number_bounds(most, least)
        case _:
            return 0.0, 1.0


def _number_bounds(most: int, least: int) -> tuple[float, float]:
    return (-1.0 if least < 0 else 0.0), (float(2**31) if most == 1 else 1.0)


class _Eye:
    """What one player sees, as what is read of the words: indices for numpy."""

    def __init__(self, game: Game, seat: int, features: Sequence[f.Feature]) -> None:
        self._program = game.program
        at = _Sorted()
        for i, feature in enumerate(features):
            at.put(i, feature)
        self._me = [i for i, x in at.seats if x.seat == seat]
        self._decides = _ints([i for i, _ in at.decides])
        self._things = _Things(game, at.same)
        values = [(i, x) for i, x in at.same if not self._things.has(x)]
        one = [(i, x.pairs[0]) for i, x in values if len(x.pairs) == 1]
        self._one = _ints([i for i, _ in one])
        self._one_word, self._one_value = _ints([w for _, (w, _) in one]), _ints([v for _, (_, v) in one])
        sums = [(i, x.pairs) for i, x in values if len(x.pairs) > 1]
        self._sum = _Sums([(i, [w for w, _ in pairs]) for i, pairs in sums])
        self._sum_value = _ints([v for _, pairs in sums for _, v in pairs])
        self._number = _Sums([(i, list(x.words)) for i, x in at.numbers])
        self._scale = np.array([1.0 / x.most for _, x in at.numbers], np.float64)
        self._bits = _ints([i for i, _ in at.bits])
        self._bit_word = _ints([x.word for _, x in at.bits])
        self._bit = _ints([x.bit for _, x in at.bits])
        self._tops = _Piles(game, at.tops)
        self._depths = _Piles(game, at.depths)
        self._pc = game.program.layout.field("@pc").offset
        blocks = game.program.blocks
        self._is_chance = np.array([isinstance(b.end, p.Chance) for b in blocks], bool)

    def see(self, words: Ints, deciding: Floats, out: Floats) -> None:
        out[:, self._me] = 1
        out[:, self._decides] = deciding
        out[:, self._one] = words[:, self._one_word] == self._one_value
        self._things.count(words, out)
        if len(self._sum.columns):
            same = words[:, self._sum.words] == self._sum_value
            out[:, self._sum.columns] = np.add.reduceat(same, self._sum.starts, axis=1, dtype=np.int32)
        if len(self._number.columns):
            out[:, self._number.columns] = self._number.of(words) * self._scale
        if len(self._bits):
            out[:, self._bits] = words[:, self._bit_word] >> self._bit & 1
        if len(self._tops.columns):
            looked = ~self._is_chance[words[:, self._pc]]  # nobody looks while a chance event waits
            out[:, self._tops.columns] = self._tops.on_top(words) & looked[:, None]
        if len(self._depths.columns):
            out[:, self._depths.columns] = self._depths.from_top(words)


class _Sorted:
    """Features by their kind, each with its column."""

    def __init__(self) -> None:
        self.same: list[tuple[int, f.Same]] = []
        self.numbers: list[tuple[int, f.Number]] = []
        self.bits: list[tuple[int, f.Bit]] = []
        self.tops: list[tuple[int, f.TopIs]] = []
        self.depths: list[tuple[int, f.Depth]] = []
        self.decides: list[tuple[int, f.Decides]] = []
        self.seats: list[tuple[int, f.Seat]] = []

    def put(self, i: int, feature: f.Feature) -> None:
        match feature:
            case f.Same():
                self.same.append((i, feature))
            case f.Number():
                self.numbers.append((i, feature))
            case f.Bit():
                self.bits.append((i, feature))
            case f.TopIs():
                self.tops.append((i, feature))
            case f.Depth():
                self.depths.append((i, feature))
            case f.Decides():
                self.decides.append((i, feature))
            case f.Seat():
                self.seats.append((i, feature))
            case f.Blank():
                pass
            case _:
                assert_never(feature)


class _Things:
    """How many of some things lie at a place. Each thing lies at one: that says which columns it counts
    for, and the others need not be looked at."""

    def __init__(self, game: Game, columns: Sequence[tuple[int, f.Same]]) -> None:
        place = game.program.layout.find("@place")
        self._words = slice(place.offset, place.offset + place.size) if place is not None else slice(0, 0)
        found: dict[tuple[int, int], list[int]] = {}
        for i, feature in columns:
            if self.has(feature):
                for word, at in feature.pairs:
                    found.setdefault((word - self._words.start, at), []).append(i)
        layers = max(map(len, found.values()), default=0)
        last = max((at for _, at in found), default=0)
        things = self._words.stop - self._words.start
        self._columns = np.full((layers, things, max(last, game.program.world.size) + 1), -1, np.intp)
        for (thing, at), members in found.items():
            self._columns[: len(members), thing, at] = members
        self._each = np.arange(things)

    def has(self, feature: f.Same) -> bool:
        return self._words.start <= feature.pairs[0][0] < self._words.stop

    def count(self, words: Ints, out: Floats) -> None:
        places = words[:, self._words]
        for layer in self._columns:
            columns = layer[self._each, places]
            if len(out) == 1:
                out[0] += np.bincount(columns[columns >= 0], minlength=out.shape[1])
                continue
            rows, things = np.nonzero(columns >= 0)
            np.add.at(out, (rows, columns[rows, things]), 1)


class _Sums:
    """Columns that are each the sum of some words."""

    def __init__(self, columns: Sequence[tuple[int, Sequence[int]]]) -> None:
        self.columns = _ints([i for i, _ in columns])
        self.words = _ints([word for _, words in columns for word in words])
        lengths = [len(words) for _, words in columns]
        self.starts = _starts(lengths)
        self._single = all(n == 1 for n in lengths)

    def of(self, words: Ints) -> NDArray[np.int64]:
        found = words[:, self.words].astype(np.int64)
        return found if self._single else np.add.reduceat(found, self.starts, axis=1)


class _Piles:
    """Columns about where some things lie in the order of a pile.

    `@order` counts the known head from the middle upwards, from 1, the known tail downwards, from -1,
    and is 0 in the unknown middle.
    """

    def __init__(self, game: Game, columns: Sequence[tuple[int, f.TopIs | f.Depth]]) -> None:
        reader, layout = game.context.reader, game.program.layout
        self.columns = _ints([i for i, _ in columns])
        things = [(x.pile, t) for _, x in columns for t in x.things]
        self._starts = _starts([len(x.things) for _, x in columns])
        self._pile = _ints([pile for pile, _ in things])
        self._place = _ints([reader.place_word(t) for _, t in things])
        orders = [reader.order_word(t) for _, t in things]
        self._order = _ints([word or 0 for word in orders])
        self._ordered = np.array([word is not None for word in orders], bool)
        head, tail, place = layout.find("@head"), layout.find("@tail"), layout.find("@place")
        self._head = _ints([head.offset + pile - head.dims[0].base for pile, _ in things] if head else [])
        self._tail = _ints([tail.offset + pile - tail.dims[0].base for pile, _ in things] if tail else [])
        self._places = slice(place.offset, place.offset + place.size) if place else slice(0, 0)
        self._piles, self._which = np.unique(self._pile, return_inverse=True)
        self._unordered = bool((~self._ordered).any())

    def _lies(self, words: Ints) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = words[:, self._place] == self._pile
        return found

    def _count(self, words: Ints) -> Ints:
        """How many things are in the pile of each column's things."""
        counts = (words[:, self._places, None] == self._piles).sum(axis=1)
        found: Ints = counts[:, self._which]
        return found

    def on_top(self, words: Ints) -> NDArray[np.bool_]:
        lies = self._lies(words)
        if len(self._head):
            head, order = words[:, self._head], words[:, self._order]
            known = (head > 0) & (order == head) & self._ordered
        else:
            known = np.zeros_like(lies)
        if self._unordered:
            known |= ~self._ordered & (self._count(words) == 1)
        return np.logical_or.reduceat(lies & known, self._starts, axis=1)

    def from_top(self, words: Ints) -> NDArray[np.float64]:
        lies, order = self._lies(words), words[:, self._order]
        head = words[:, self._head]
        depth = np.where(order > 0, head - order, head) + 1
        if (order < 0).any():
            below = self._count(words) - words[:, self._tail] - order
            depth = np.where(order < 0, below, depth)
        near = lies / np.maximum(depth, 1)
        return np.maximum.reduceat(near, self._starts, axis=1)


def _starts(lengths: Sequence[int]) -> NDArray[np.intp]:
    """Where each of some parts begins that follow one another."""
    return np.cumsum([0, *lengths], dtype=np.intp)[:-1]


def _ints(values: Sequence[int]) -> NDArray[np.intp]:
    return np.array(values, np.intp)
