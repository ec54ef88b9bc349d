"""A hand-written player of *Les dragons du Mékong*, independent of the engine: an oracle for lockstep tests.

The rules are those of the rule model: M1-M28, the register MA1-MA27, the reconstructed board, "Choices
where the text is silent". `Game.pending` tells what is awaited, `Game.apply` answers it:

    Pending(players, options)   the players who may answer, and what each of them may choose
    None                        the game is over; `Game.winner` is the winner, or None for a draw

Several players are awaited only while programs are chosen; they answer in any order, card by card.

Options:
    ("card", card)      the next card of the program: the name of an action, or ("dragon", color)
    ("stone", point)    an island
    ("plank", plank)    the plank of the reserve that will be tried
    ("gap", gap)        where it is tried
    ("take", gap)       the plank that is taken off the board
    ("return", point)   the stone that goes back to the supply
    ("step", place)     one step of the pawn, to a village or a gap with a plank
    ("land", place)     where a jump ends

Islands and villages are *points*, named as in the model's table: "A1" … "F3", "V0" … "V5". A *gap* is a
pair of points, in the order of the table. A *plank* is (color, size). Players are numbered clockwise from 0.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, NamedTuple

Point = str
Gap = tuple[Point, Point]
Place = Point | Gap
Plank = tuple[str, int]
Card = str | tuple[str, str]
Option = tuple[str, Any]

ISLANDS: dict[Point, tuple[int, int]] = {  # hundredths of a unit
    "A1": (249, -22),
    "A2": (106, 227),
    "A3": (-106, 227),
    "A4": (-249, -22),
    "A5": (-143, -205),
    "A6": (143, -205),
    "B1": (681, 234),
    "B2": (543, 472),
    "B3": (-543, 472),
    "B4": (-681, 234),
    "B5": (-137, -707),
    "B6": (137, -707),
    "C1": (470, 0),
    "C2": (235, 407),
    "C3": (-235, 407),
    "C4": (-470, 0),
    "C5": (-235, -407),
    "C6": (235, -407),
    "D1": (0, 410),
    "D2": (-355, -205),
    "D3": (355, -205),
    "E1": (0, 650),
    "E2": (-563, -325),
    "E3": (563, -325),
    "F1": (407, 235),
    "F2": (-407, 235),
    "F3": (0, -470),
}
VILLAGES: dict[Point, tuple[int, int]] = {
    "V0": (1000, 0),
    "V1": (500, 866),
    "V2": (-500, 866),
    "V3": (-1000, 0),
    "V4": (-500, -866),
    "V5": (500, -866),
}
COLOR_OF = {"V0": "white", "V1": "yellow", "V2": "red", "V3": "black", "V4": "blue", "V5": "green"}
HOME = {color: village for village, color in COLOR_OF.items()}
OPPOSITE = {
    "red": "green",
    "green": "red",
    "blue": "yellow",
    "yellow": "blue",
    "white": "black",
    "black": "white",
}
COLORS = {
    2: ("white", "black"),
    3: ("red", "blue", "white"),
    4: ("red", "green", "blue", "yellow"),
    5: ("red", "green", "blue", "yellow", "white"),
    6: ("red", "green", "blue", "yellow", "white", "black"),
}
ACTIONS = ("stone 1", "stone 2", "plank 1", "plank 2", "remove", "move 1", "move 2", "jump")
SIZES = (1, 2, 3, 4, 5, 6)
STONES = 27
PROGRAM = 5
MOST_PLANKS = 3
CLEARANCE = 55


@dataclass(frozen=True)
class Config:
    players: int
    plank_commit: Literal["plank", "plank_and_gap"] = "plank"  # MA9
    overhang: bool = False  # MA10
    impossible_plank: bool = True  # MA11: may be chosen though another would fit
    village_joins_planks: bool = False  # MA13: True is reading "direct"
    jump_landing: Literal["any", "far_end"] = "any"  # MA16
    cap: int = 60  # MA24
    colors: tuple[str, ...] | None = None
    """By default those of M5; M28 has others."""
    starter: int = 0


class Pending(NamedTuple):
    options: Mapping[int, tuple[Option, ...]]


# ---- the board


def squared(a: tuple[int, int], b: tuple[int, int]) -> int:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def side(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> int:
    turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (turn > 0) - (turn < 0)


def is_clear_of(c: tuple[int, int], a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether point c is farther than the clearance from the segment ab."""
    length = squared(a, b)
    along = (c[0] - a[0]) * (b[0] - a[0]) + (c[1] - a[1]) * (b[1] - a[1])
    if along <= 0:
        return squared(a, c) > CLEARANCE**2
    if along >= length:
        return squared(b, c) > CLEARANCE**2
    return squared(a, c) * length - along**2 > CLEARANCE**2 * length


class Board:
    """What depends on the coordinates alone."""

    def __init__(self, islands: Mapping[Point, tuple[int, int]] = ISLANDS) -> None:
        self.islands = dict(islands)
        self.at = {**islands, **VILLAGES}
        self.size: dict[Gap, int] = {}
        for a, b in combinations(self.at, 2):
            if a in VILLAGES and b in VILLAGES:  # MA12
                continue
            size = self._size_between(a, b)
            others = (self.at[c] for c in self.at if c not in (a, b))
            if size is not None and all(is_clear_of(c, self.at[a], self.at[b]) for c in others):  # MA25
                self.size[a, b] = size
        self.crossed_by: dict[Gap, frozenset[Gap]] = {
            gap: frozenset(other for other in self.size if self._cross(gap, other)) for gap in self.size
        }

    def _size_between(self, a: Point, b: Point) -> int | None:
        d = squared(self.at[a], self.at[b])
        return next((k for k in SIZES if (100 * k + 50) ** 2 <= d < (100 * k + 150) ** 2), None)

    def _cross(self, one: Gap, two: Gap) -> bool:
        if set(one) & set(two):
            return False
        (a, b), (c, d) = ((self.at[p] for p in gap) for gap in (one, two))
        return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


BOARD = Board()


# ---- the game


@dataclass
class Player:
    color: str
    home: Point
    target: Point
    pawn: Place
    reserve: set[Plank]
    hand: tuple[Card, ...]
    program: list[Card] = field(default_factory=list)


class Game:
    def __init__(self, config: Config, board: Board = BOARD) -> None:
        self.config = config
        self.board = board
        colors = config.colors or COLORS[config.players]
        assert len(colors) == config.players
        self.players = [
            Player(
                color,
                HOME[color],
                HOME[OPPOSITE[color]],
                HOME[color],
                {(color, size) for size in SIZES},
                (*ACTIONS, *(("dragon", other) for other in colors if other != color)),
            )
            for color in colors
        ]
        self.stones: set[Point] = set()
        self.planks: dict[Gap, Plank] = {}
        self.lost: set[Plank] = set()
        self.holder = config.starter
        self.round = 1
        self.index = 0
        """The card that is being carried out, from 1; 0 while programs are chosen."""
        self.acting: int | None = None
        self.winner: int | None = None
        self.over = False
        self._answer: tuple[int, Option] = (0, ("", None))
        self._course = self._play()
        self.pending: Pending | None = next(self._course)

    def apply(self, option: Option, player: int | None = None) -> None:
        assert self.pending is not None
        if player is None:
            (player,) = self.pending.options
        assert option in self.pending.options[player], f"{option} is not legal"
        self._answer = (player, option)
        self.pending = next(self._course, None)

    # ---- the course of the game

    def _play(self) -> Iterator[Pending]:
        while True:
            yield from self._programs()
            for index in range(1, PROGRAM + 1):
                self.index = index
                cancelled = self.cancelled(index)
                for acting in self.in_order():
                    self.acting = acting
                    player = self.players[acting]
                    card = player.program[index - 1]
                    if player.color not in cancelled and isinstance(card, str):
                        yield from self._carry_out(player, card)
                        if self.over:
                            return
            self.index, self.acting = 0, None
            for player in self.players:
                player.program = []
            self.holder = (self.holder + 1) % len(self.players)
            if self.round == self.config.cap:
                self.over = True
                return
            self.round += 1

    def in_order(self) -> list[int]:
        return [(self.holder + i) % len(self.players) for i in range(len(self.players))]

    def cancelled(self, index: int) -> set[str]:
        """The colors whose card is cancelled, where it is no dragon."""
        shown = (player.program[index - 1] for player in self.players)
        return {card[1] for card in shown if isinstance(card, tuple)}

    def _programs(self) -> Iterator[Pending]:
        while True:
            waiting = {
                i: tuple(("card", card) for card in self._next_cards(player))
                for i, player in enumerate(self.players)
                if len(player.program) < PROGRAM
            }
            if not waiting:
                return
            yield Pending(waiting)
            i, (_, card) = self._answer
            self.players[i].program.append(card)

    @staticmethod
    def _next_cards(player: Player) -> list[Card]:
        has_dragon = any(isinstance(card, tuple) for card in player.program)
        return [
            c for c in player.hand if c not in player.program and not (has_dragon and isinstance(c, tuple))
        ]

    def _ask(self, options: Iterable[Option]) -> Iterator[Pending]:
        assert self.acting is not None
        yield Pending({self.acting: tuple(options)})

    def _carry_out(self, player: Player, card: str) -> Iterator[Pending]:
        match card:
            case "stone 1" | "stone 2":
                for _ in range(int(card[-1])):
                    yield from self._lay_stone()
            case "plank 1" | "plank 2":
                for _ in range(int(card[-1])):
                    yield from self._lay_plank(player)
            case "remove":
                yield from self._remove(player)
            case "move 1":
                yield from self._move_one(player)
            case "move 2":
                yield from self._move_two(player)
            case "jump":
                yield from self._jump(player)

    # ---- stones and planks

    def _lay_stone(self) -> Iterator[Pending]:
        empty = [p for p in self.board.islands if p not in self.stones]
        if empty and len(self.stones) < STONES:
            yield from self._ask(("stone", p) for p in empty)
            self.stones.add(self._answer[1][1])

    def load(self, point: Point) -> int:
        return sum(point in gap for gap in self.planks)

    def nameable(self) -> list[Gap]:
        """The gaps that are supported, free and uncrossed: a plank of the right size could lie there."""
        loads = Counter(point for gap in self.planks for point in gap)
        can_bear = {p for p in (*self.stones, *VILLAGES) if loads[p] < MOST_PLANKS}
        return [
            gap
            for gap in self.board.size
            if gap[0] in can_bear
            and gap[1] in can_bear
            and gap not in self.planks
            and self.board.crossed_by[gap].isdisjoint(self.planks)
        ]

    def fits(self, plank: Plank, gap: Gap) -> bool:
        size = self.board.size[gap]
        return size <= plank[1] if self.config.overhang else size == plank[1]

    def _lay_plank(self, player: Player) -> Iterator[Pending]:
        nameable = self.nameable()
        choice = sorted(player.reserve)
        if not self.config.impossible_plank:
            good = [plank for plank in choice if any(self.fits(plank, gap) for gap in nameable)]
            choice = good or choice
        if not choice:
            return
        yield from self._ask(("plank", plank) for plank in choice)
        plank = self._answer[1][1]
        gaps = nameable
        if self.config.plank_commit == "plank":
            gaps = [gap for gap in nameable if self.fits(plank, gap)]
        gap = None
        if gaps:
            yield from self._ask(("gap", g) for g in gaps)
            gap = self._answer[1][1]
        player.reserve.remove(plank)
        if gap is not None and self.fits(plank, gap):
            self.planks[gap] = plank
        else:
            self.lost.add(plank)

    def may_keep(self, player: Player, plank: Plank) -> bool:
        colors = {color for color, _ in player.reserve} | {plank[0]}
        return len(colors) <= 2 and all(size != plank[1] for _, size in player.reserve)

    def _remove(self, player: Player) -> Iterator[Pending]:
        occupied = self.occupied()
        options: list[Option] = [
            ("take", gap)
            for gap, plank in self.planks.items()
            if gap not in occupied and self.may_keep(player, plank)
        ]
        options += [("return", p) for p in self.board.islands if p in self.stones and not self.load(p)]
        if options:
            yield from self._ask(options)
            verb, what = self._answer[1]
            if verb == "take":
                player.reserve.add(self.planks.pop(what))
            else:
                self.stones.remove(what)

    # ---- pawns

    def occupied(self) -> set[Place]:
        """Planks with a pawn. Villages always have room."""
        return {player.pawn for player in self.players if player.pawn not in VILLAGES}

    def beside(self, place: Place, end: Point | None = None) -> set[Place]:
        """The neighbours of a place; of a plank, at one end only if that is given."""
        if isinstance(place, str):
            return {gap for gap in self.planks if place in gap}
        found: set[Place] = set()
        for point in place if end is None else (end,):
            others = {gap for gap in self.planks if point in gap and gap != place}
            if point in self.stones:
                found |= others
            else:
                found.add(point)
                if self.config.village_joins_planks:
                    found |= others
        return found

    def steps(self, place: Place) -> list[Place]:
        occupied = self.occupied()
        return [p for p in self.beside(place) if p not in occupied]

    def _fall(self, player: Player) -> None:
        player.pawn = player.home

    def _go(self, player: Player, place: Place) -> None:
        player.pawn = place
        if place == player.target:
            self.winner, self.over = self.players.index(player), True

    def _move_one(self, player: Player) -> Iterator[Pending]:
        steps = self.steps(player.pawn)
        if steps:
            yield from self._ask(("step", place) for place in steps)
            self._go(player, self._answer[1][1])
        else:
            self._fall(player)

    def _move_two(self, player: Player) -> Iterator[Pending]:
        origin = player.pawn
        first = self.steps(origin)
        onward = {a: [b for b in self.steps(a) if b != origin] for a in first}
        good = [a for a in first if onward[a] or a == player.target]
        if not first:
            self._fall(player)
            return
        yield from self._ask(("step", place) for place in good or first)
        place = self._answer[1][1]
        self._go(player, place)
        if not self.over:
            yield from self._ask(("step", p) for p in onward[place] or [origin])
            self._go(player, self._answer[1][1])

    def _jump(self, player: Player) -> Iterator[Pending]:
        origin, occupied = player.pawn, self.occupied()
        landings: set[Place] = set()
        for plank in self.beside(origin):
            if plank not in occupied:
                continue
            far = None
            if self.config.jump_landing == "far_end":
                shared = {origin} if isinstance(origin, str) else set(origin)
                (far,) = set(plank) - shared
            landings |= {p for p in self.beside(plank, far) if p != origin and p not in occupied}
        if landings:
            yield from self._ask(("land", place) for place in landings)
            self._go(player, self._answer[1][1])
        else:
            self._fall(player)

    # ---- what always holds

    def check(self) -> None:
        held: Counter[Plank] = Counter(self.planks.values())
        held.update(self.lost)
        for player in self.players:
            held.update(player.reserve)
            assert len({color for color, _ in player.reserve}) <= 2
            assert len({size for _, size in player.reserve}) == len(player.reserve)
        assert held == {(p.color, size): 1 for p in self.players for size in SIZES}
        assert len(self.stones) <= STONES
        for gap in self.planks:
            assert all(p in VILLAGES or p in self.stones for p in gap)
            assert not self.board.crossed_by[gap] & self.planks.keys()
        assert all(self.load(p) <= MOST_PLANKS for p in self.board.at)
        pawns = [player.pawn for player in self.players if player.pawn not in VILLAGES]
        assert len(pawns) == len(set(pawns)) and set(pawns) <= self.planks.keys()


def playout(config: Config, rng: random.Random) -> Game:
    """A game of uniformly random decisions."""
    game = Game(config)
    while (pending := game.pending) is not None:
        player = next(iter(pending.options))
        game.apply(rng.choice(pending.options[player]), player)
    return game


def main() -> None:
    parser = argparse.ArgumentParser(description="Plays random games and counts who wins.")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    games = [playout(Config(options.players), rng) for _ in range(options.games)]
    wins = Counter("none" if game.winner is None else game.players[game.winner].color for game in games)
    print(f"wins: {dict(wins)}")
    print(f"mean rounds: {sum(game.round for game in games) / len(games):.2f}")


if __name__ == "__main__":
    main()
