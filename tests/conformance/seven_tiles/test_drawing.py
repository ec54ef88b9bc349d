"""The drawing shows the board as it lies: what looks like a neighbour is one, and nothing else is.

It is read back as a person would: a territory is an area that lines enclose, with one label in it, and
two areas are neighbours if only a line is between them.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from typing import Any

import pytest

import ludex
from ludex.cli.board import Board
from ludex.game import Game, State

from . import reference as ref
from .translation import Translation, named

LABEL = re.compile(r"([a-g][0-4])(?:([ ^])([RBVT])([1-5]))?")
LINES = "_.-'|+"
WIDTH = 80
MAPS: Any = {"uniform": "U28", "mixed": "M28"}
Spot = tuple[int, int]
"""Line and column."""


@cache
def loaded(players: int, map_name: str, castles: bool) -> tuple[Game, Board, Translation]:
    game = ludex.load("seven_tiles", players=players, options={"map": map_name, "castles": castles})
    return game, Board(game), Translation(game, ref.Config(players, map=MAPS[map_name]))


def picture(board: Board, state: State) -> list[str]:
    drawn = board.draw(state, "player_1", WIDTH)
    assert max(map(len, drawn)) <= WIDTH
    return drawn[1 : drawn.index("")]


def areas(lines: list[str]) -> dict[Spot, str]:
    """The label of each spot within an area; an area without a label has none."""
    labels = {(y, m.start()): m[1] for y, line in enumerate(lines) for m in LABEL.finditer(line)}
    height, width = len(lines), max(map(len, lines))
    open_spots = {
        (y, x) for y in range(height) for x in range(width) if x >= len(lines[y]) or lines[y][x] not in LINES
    }
    found: dict[Spot, str] = {}
    for start, label in labels.items():
        assert start not in found, f"{label} and {found[start]} are not divided"
        pending = [start]
        while pending:
            y, x = spot = pending.pop()
            if spot not in found:
                found[spot] = label
                beside = {(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)} & open_spots
                pending += [s for s in beside if s not in found]
    return found


def seen_neighbors(found: dict[Spot, str], lines: list[str]) -> set[frozenset[str]]:
    pairs = set()
    for y, line in enumerate(lines):
        for x, character in enumerate(line):
            if character in LINES:
                for a, b in (((y, x - 1), (y, x + 1)), ((y - 1, x), (y + 1, x))):
                    if a in found and b in found and found[a] != found[b]:
                        pairs.add(frozenset((found[a], found[b])))
    return pairs


@pytest.mark.parametrize("map_name", ["uniform", "mixed"])
def test_neighbours_look_like_neighbours(map_name: str) -> None:
    """Tiles without a middle are left out: there the lines only point to where the territories meet."""
    game, board, translation = loaded(3, map_name, False)
    tiles = {tile for tile, letter in translation.territories if letter == "c"}
    whole = {named(t) for t in translation.territories if t[0] in tiles}
    for seed in range(6):
        state = game.start(seed)
        lines = picture(board, state)
        neighbors = translation.neighbors(state.at.words)
        expected = {
            frozenset((named(a), named(b)))
            for a, b in combinations(neighbors, 2)
            if b in neighbors[a] and {named(a), named(b)} <= whole
        }
        blank = [LABEL.sub(lambda m: m[0] if m[1] in whole else " " * len(m[0]), line) for line in lines]
        seen = seen_neighbors(areas(blank), blank)
        assert seen == expected


@pytest.mark.parametrize("map_name", ["uniform", "mixed"])
def test_every_territory_is_labelled_once_with_what_stands_there(map_name: str) -> None:
    game, board, translation = loaded(4, map_name, True)
    state = game.start(2)
    config = ref.Config(4, map=MAPS[map_name], castles="every_tile")
    castles = {named(t) for t in ref.Game(config, translation.board(state.at.words)).castles}
    for _ in range(72):
        actions = state.legal_actions(state.deciding[0])
        state = state.apply(actions[len(state.history) * 7 % len(actions)])
        if len(state.history) % 6:
            continue
        labels = [m.groups() for line in picture(board, state) for m in LABEL.finditer(line)]
        assert sorted(label for label, *_ in labels) == sorted(map(named, translation.territories))
        position = translation.position(state.at.words)
        expected = {
            named(t): ("^" if named(t) in castles else " ", "RBVT"[p], str(position["knights"][t]))
            for t, p in position["owner"].items()
        }
        assert {label: tuple(rest) for label, *rest in labels if rest[0]} == expected
