"""A hand-written player of the seven-tiles game, independent of the engine: an oracle for lockstep tests.

The rules are those of the rule model: C1-C14, the register CA1-CA18, the maps of its section 3 and its
"Choices where the text is silent". `Game.pending` tells what is awaited, `Game.apply` answers it:

    ("chance", "board", ())            apply a Board: which tile lies where, and how it is turned
    ("chance", "colonist", outcomes)   the first player of the colonisation: (player, weight), apply a player
    ("chance", "conqueror", outcomes)  the first player of the conquest, likewise
    ("decision", player, options)      apply one of the options
    None                               the game is over

Options:
    ("place", territory)
    ("conquer", territory)             its defenders are gone at once
    ("advance", mix)                   who moves in: ((territory, knights), ...), one or more from each

Players are numbered clockwise from 0, tiles from 1 to 7; a territory is its tile and a letter, c the one
in the middle of a tile. Position 0 is the tile in the middle, position 1 + k the one in direction k.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, Literal, NamedTuple

Territory = tuple[int, str]
Mix = tuple[tuple[Territory, int], ...]
Option = tuple[str, Any]

SIDES = 6
TILES = (1, 2, 3, 4, 5, 6, 7)
MOST = 5  # knights in one territory
KNIGHTS = {2: 36, 3: 24, 4: 18}
# By tile: the territory at each side while it is not turned, a blank, then the one in the middle or none.
MAPS: dict[str, dict[int, str]] = {
    "U28": dict.fromkeys(TILES, "aabbdd c"),
    "M28": {
        1: "aabbdd c",
        2: "aabbdd c",
        3: "aaabbb c",
        4: "abbdee c",
        5: "aabbdd ",
        6: "abbdee ",
        7: "aabdde c",
    },
}
CONTACTS = [((0, k), (k + 1, (k + 3) % SIDES)) for k in range(SIDES)] + [
    ((k + 1, (k + 2) % SIDES), ((k + 1) % SIDES + 1, (k + 5) % SIDES)) for k in range(SIDES)
]
"""Pairs of (position, absolute side) that touch."""


@dataclass(frozen=True)
class Config:
    players: int
    map: Literal["U28", "M28"] = "U28"  # CA1
    rotation: bool = True  # CA3
    hollow: bool = False  # CA5: True is reading (ii)
    capture_empty: bool = False  # CA8
    castles: Literal["", "every_tile", "outer_tiles", "middle_tile"] = ""  # C12, CA10
    tie: Literal["shared", "knights"] = "shared"  # CA12

    def __post_init__(self) -> None:
        if self.players not in KNIGHTS:
            raise ValueError("2 to 4 players")
        if self.castles and self.players == 2:
            raise ValueError("no castles with two players")  # C12, CA17


@dataclass(frozen=True)
class Board:
    """By position: the tile there; by tile (from tile 1): how many sides it is turned."""

    tiles: tuple[int, ...]
    turned: tuple[int, ...]


class Pending(NamedTuple):
    type: Literal["decision", "chance"]
    who: int | str
    options: tuple[Any, ...]


def territories(name: str) -> tuple[Territory, ...]:
    return tuple((tile, letter) for tile, plan in MAPS[name].items() for letter in sorted(set(plan) - {" "}))


def adjacency(name: str, board: Board) -> dict[Territory, set[Territory]]:
    """CA2: within a tile, and across the sides of two tiles that touch."""
    plans = MAPS[name]
    found: dict[Territory, set[Territory]] = {t: set() for t in territories(name)}

    def join(one: Territory, other: Territory) -> None:
        found[one].add(other)
        found[other].add(one)

    for tile, plan in plans.items():
        edge, middle = plan.split(" ")
        for side in range(SIDES):
            here, on = edge[side], edge[(side + 1) % SIDES]
            if here != on:
                join((tile, here), (tile, on))
            if middle:
                join((tile, here), (tile, middle))

    def at(position: int, side: int) -> Territory:
        tile = board.tiles[position]
        return tile, plans[tile][(side - board.turned[tile - 1]) % SIDES]

    for one, other in CONTACTS:
        join(at(*one), at(*other))
    return found


class Game:
    def __init__(
        self,
        config: Config,
        board: Board | None = None,
        colonist: int | None = None,
        conqueror: int | None = None,
    ) -> None:
        self.config = config
        self.colonist = colonist
        self.conqueror = conqueror
        self.owner: dict[Territory, int] = {}  # of those that are held
        self.knights = dict.fromkeys(territories(config.map), 0)
        self.reserve = [KNIGHTS[config.players]] * config.players
        self.discarded = [0] * config.players  # could not be placed, or were conquered
        self.conquests = 0
        self.active: int | None = None
        self.target: Territory | None = None  # conquered, and nobody has moved in yet
        self.phase = "board"
        self._pending: Pending | None = None
        if board is not None:
            self._apply_board(board)

    # ---- the driver

    @property
    def pending(self) -> Pending | None:
        if self._pending is None and self.phase != "over":
            if self.phase == "board":
                self._pending = Pending("chance", "board", ())
            elif self.phase in ("colonist", "conqueror"):
                seats = tuple((p, 1) for p in range(self.config.players))
                self._pending = Pending("chance", self.phase, seats)
            else:
                assert self.active is not None
                options = tuple(getattr(self, f"_{self.phase}_options")(self.active))
                self._pending = Pending("decision", self.active, options)
        return self._pending

    def apply(self, choice: Any) -> None:
        pending = self.pending
        if pending is None:
            raise ValueError("the game is over")
        if pending.type == "decision":
            if choice not in pending.options:
                raise ValueError(f"{choice} is not among {pending.options}")
            choice = choice[1]
        elif pending.options and choice not in range(self.config.players):
            raise ValueError(f"{choice} is no player")
        self._pending = None
        getattr(self, f"_apply_{self.phase}")(choice)

    # ---- setup (C2-C4)

    def _apply_board(self, board: Board) -> None:
        if sorted(board.tiles) != list(TILES) or len(board.turned) != len(TILES):
            raise ValueError("seven tiles, each once")
        if not all(0 <= r < SIDES for r in board.turned) or (not self.config.rotation and any(board.turned)):
            raise ValueError("not a way a tile can be turned")
        self.board = board
        self.neighbors = adjacency(self.config.map, board)
        self.castles = self._castles()
        if self.colonist is None:
            self.phase = "colonist"
        else:
            self._apply_colonist(self.colonist)

    def _castles(self) -> set[Territory]:
        sites = {"": (), "every_tile": range(7), "outer_tiles": range(1, 7), "middle_tile": range(1)}
        tiles = [self.board.tiles[position] for position in sites[self.config.castles]]
        return {(tile, "c" if (tile, "c") in self.knights else "a") for tile in tiles}

    # ---- colonisation (C5)

    def _apply_colonist(self, player: int) -> None:
        self.colonist = player
        self.phase = "place"
        self._seek_turn(player, self._place_options)

    def _place_options(self, player: int) -> Iterator[Option]:
        if self.reserve[player]:
            for t, count in self.knights.items():
                if count == 0 or (self.owner[t] == player and count < MOST):
                    yield "place", t

    def _apply_place(self, territory: Territory) -> None:
        assert self.active is not None
        self.owner[territory] = self.active
        self.knights[territory] += 1
        self.reserve[self.active] -= 1
        self._seek_turn(self._next(self.active), self._place_options)

    # ---- conquest (C6-C10)

    def _apply_conqueror(self, player: int) -> None:
        self.conqueror = player
        self.phase = "conquer"
        self._seek_turn(player, self._conquer_options)

    def sources(self, player: int, target: Territory) -> list[Territory]:
        return [t for t in self.knights if t in self.neighbors[target] and self.owner.get(t) == player]

    def strength(self, player: int, target: Territory) -> int:
        """CA4: the sum of all."""
        return sum(self.knights[t] for t in self.sources(player, target))

    def defence(self, target: Territory) -> int:
        """CA11: an empty castle defends nobody."""
        count = self.knights[target]
        return count + 1 if count and target in self.castles else count

    def _conquer_options(self, player: int) -> Iterator[Option]:
        for target, defenders in self.knights.items():
            holder = self.owner.get(target)
            if holder == player or (holder is None and not self.config.capture_empty):
                continue
            if self.strength(player, target) <= self.defence(target):
                continue
            can_move_in = any(self.knights[t] > 1 for t in self.sources(player, target))
            if can_move_in or (self.config.hollow and defenders > 0):
                yield "conquer", target

    def _apply_conquer(self, target: Territory) -> None:
        assert self.active is not None
        holder = self.owner.pop(target, None)
        if holder is not None:
            self.discarded[holder] += self.knights[target]
            self.knights[target] = 0
        self.conquests += 1
        self.target = target
        self.phase = "advance"
        if not any(self._advance_options(self.active)):  # CA5 (ii): it is left empty
            self._end_conquest()

    def _advance_options(self, player: int) -> Iterator[Option]:
        assert self.target is not None
        sources = self.sources(player, self.target)
        for counts in product(*(range(self.knights[t]) for t in sources)):
            if 1 <= sum(counts) <= MOST:
                yield "advance", tuple((t, n) for t, n in zip(sources, counts, strict=True) if n)

    def _apply_advance(self, mix: Mix) -> None:
        assert self.target is not None and self.active is not None
        for source, n in mix:
            self.knights[source] -= n
            self.knights[self.target] += n
        self.owner[self.target] = self.active
        self._end_conquest()

    def _end_conquest(self) -> None:
        assert self.active is not None
        self.target = None
        self.phase = "conquer"
        self._seek_turn(self._next(self.active), self._conquer_options)

    # ---- turns, and the end (C10, C11, CA9, CA13, CA14)

    def _next(self, player: int) -> int:
        return (player + 1) % self.config.players

    def _seek_turn(self, first: int, options: Any) -> None:
        """The first player from here on who can do something; if none can, the phase is over."""
        for i in range(self.config.players):
            player = (first + i) % self.config.players
            if any(options(player)):
                self.active = player
                return
        self.active = None
        if self.phase == "conquer":
            self.phase = "over"
            return
        for player, left in enumerate(self.reserve):
            self.discarded[player] += left
        self.reserve = [0] * self.config.players
        if self.conqueror is None:
            self.phase = "conqueror"
        else:
            self._apply_conqueror(self.conqueror)

    # ---- standings (C11, C12, CA12)

    @property
    def scores(self) -> list[int]:
        found = [0] * self.config.players
        for territory, player in self.owner.items():
            found[player] += 2 if territory in self.castles else 1
        return found

    @property
    def left(self) -> list[int]:
        """Knights on the board."""
        found = [0] * self.config.players
        for territory, player in self.owner.items():
            found[player] += self.knights[territory]
        return found

    @property
    def ranks(self) -> list[int]:
        """From 1; equals share one."""
        keys = list(zip(self.scores, self.left, strict=True))
        if self.config.tie == "shared":
            keys = [(score, 0) for score, _ in keys]
        return [1 + sum(other > key for other in keys) for key in keys]


# ---- random games


def in_stages(mixes: Sequence[Mix], rng: random.Random) -> Mix:
    """One of the mixtures: a number for one territory after another, of those with which some goes on.
    Middle territories go before the others of their tile."""
    left = [dict(mix) for mix in mixes]
    for t in sorted({t for mix in left for t in mix}, key=lambda t: (t[0], t[1] != "c", t[1])):
        n = rng.choice(sorted({mix.get(t, 0) for mix in left}))
        left = [mix for mix in left if mix.get(t, 0) == n]
    (found,) = left
    return next(mix for mix in mixes if dict(mix) == found)


def random_game(config: Config, rng: random.Random) -> Game:
    """Played to its end, every option equally likely, mixtures in stages."""
    game = Game(config)
    while (pending := game.pending) is not None:
        if pending.who == "board":
            turned = tuple(rng.randrange(SIDES if config.rotation else 1) for _ in TILES)
            game.apply(Board(tuple(rng.sample(TILES, len(TILES))), turned))
        elif pending.type == "chance":
            game.apply(rng.choice(pending.options)[0])
        elif game.phase == "advance":
            game.apply(("advance", in_stages([mix for _, mix in pending.options], rng)))
        else:
            game.apply(rng.choice(pending.options))
    return game


# ---- maps


def edges(neighbors: dict[Territory, set[Territory]]) -> int:
    return sum(b in neighbors[a] for a, b in combinations(neighbors, 2))


def degrees(neighbors: dict[Territory, set[Territory]]) -> Sequence[int]:
    return sorted(len(found) for found in neighbors.values())
