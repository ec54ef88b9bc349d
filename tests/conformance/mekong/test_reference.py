"""The oracle against the figures and worked examples of the rule model."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from math import prod
from typing import Any

import pytest

from . import reference as ref

# ---- the board: section 3 of the model


def test_the_gaps_of_each_size() -> None:
    gaps = ref.BOARD.size
    assert Counter(gaps.values()) == {1: 30, 2: 30, 3: 36, 4: 30, 5: 30, 6: 30}
    assert Counter(gaps[gap] for gap in gaps if gap[1] in ref.VILLAGES) == {3: 6, 4: 12, 5: 6, 6: 12}
    assert len(gaps) == 186


def test_the_gaps_that_cross() -> None:
    crossed = ref.BOARD.crossed_by
    assert sum(map(len, crossed.values())) == 2 * 666
    assert sum(not others for others in crossed.values()) == 18
    assert all(gap in crossed[other] for gap, others in crossed.items() for other in others)


def test_the_degrees_of_islands_and_villages() -> None:
    degree = Counter(point for gap in ref.BOARD.size for point in gap)
    islands = [degree[p] for p in ref.ISLANDS]
    assert (min(islands), max(islands), round(sum(islands) / 27, 1)) == (9, 15, 12.4)
    assert [degree[v] for v in ref.VILLAGES] == [6] * 6


def test_the_gaps_of_one_village() -> None:
    at_white = {gap[0]: size for gap, size in ref.BOARD.size.items() if gap[1] == "V0"}
    assert at_white == {"B1": 3, "C1": 4, "E3": 4, "F1": 5, "B2": 6, "D3": 6}


def routes(start: str, goal: str, used: tuple[ref.Gap, ...] = ()) -> Iterator[tuple[ref.Gap, ...]]:
    """Ways from village to village with one's own planks: each size once, none crossing another."""
    if start == goal:
        yield used
        return
    visited = {point for gap in used for point in gap}
    sizes = {ref.BOARD.size[gap] for gap in used}
    for gap, size in ref.BOARD.size.items():
        if start not in gap or size in sizes or ref.BOARD.crossed_by[gap] & set(used):
            continue
        (end,) = set(gap) - {start}
        if end in visited or (end in ref.VILLAGES and end != goal):
            continue
        yield from routes(end, goal, (*used, gap))


@pytest.mark.parametrize(
    "color",
    [
        "white",
        "red",
        *(pytest.param(c, marks=pytest.mark.long) for c in ("yellow", "black", "blue", "green")),
    ],
)
def test_the_routes_to_the_village_opposite(color: str) -> None:
    lengths = Counter(map(len, routes(ref.HOME[color], ref.HOME[ref.OPPOSITE[color]])))
    assert lengths == {4: 24, 5: 142, 6: 276}


def test_the_sample_route() -> None:
    sizes = [ref.BOARD.size[gap] for gap in (("B1", "V0"), ("A1", "B1"), ("A1", "D2"), ("D2", "V3"))]
    assert sizes == [3, 4, 5, 6]


# ---- cards


@pytest.mark.parametrize(("players", "hand"), [(2, 9), (3, 10), (4, 11), (5, 12), (6, 13)])
def test_hands_and_programs(players: int, hand: int) -> None:
    game = ref.Game(ref.Config(players))
    assert {len(player.hand) for player in game.players} == {hand}
    assert count_programs(game.players[0]) == 6720 + 8400 * (players - 1)


def count_programs(player: ref.Player) -> int:
    if len(player.program) == ref.PROGRAM:
        return 1
    found = 0
    for card in ref.Game._next_cards(player):
        player.program.append(card)
        found += count_programs(player) if len(player.program) < 4 else len(ref.Game._next_cards(player))
        player.program.pop()
    return found


def test_what_is_counted() -> None:
    assert prod((8, 7, 6, 5, 4)) + 5 * prod((8, 7, 6, 5)) == 15120


# ---- micro-scenarios


def position(players: int = 4, **settings: Any) -> ref.Game:
    return ref.Game(ref.Config(players, **settings))


def program(game: ref.Game, *programs: tuple[ref.Card, ...]) -> None:
    """Lays out the same beginning for all, and fills up with cards that are left."""
    for i, cards in enumerate(programs):
        fill = [card for card in ref.ACTIONS if card not in cards]
        for card in (*cards, *fill)[: ref.PROGRAM]:
            game.apply(("card", card), i)


def asked(game: ref.Game) -> tuple[int, set[ref.Option]]:
    assert game.pending is not None
    ((player, options),) = game.pending.options.items()
    return player, set(options)


def lay(game: ref.Game, *gaps: ref.Gap) -> None:
    for gap in gaps:
        size = ref.BOARD.size[gap]
        owner = next(p for p in game.players if (p.color, size) in p.reserve)
        owner.reserve.remove((owner.color, size))
        game.planks[gap] = (owner.color, size)
        game.stones |= {point for point in gap if point in ref.ISLANDS}
    game.check()


def test_a_dragon_cancels_whoever_acts_before_its_owner_too() -> None:
    """Red, green, blue, yellow; red begins."""
    game = position()
    program(game, ("stone 1",), (("dragon", "red"),), ("stone 2",), ("stone 1",))
    assert game.cancelled(1) == {"red"}
    assert asked(game)[0] == 2  # blue: red is cancelled, green has a dragon


def test_a_dragon_cancels_no_dragon() -> None:
    game = position()
    program(game, (("dragon", "green"),), (("dragon", "blue"),), ("stone 1",), ("stone 2",))
    assert asked(game)[0] == 3  # yellow: blue is cancelled


def test_one_dragon_and_no_card_twice() -> None:
    game = position()
    game.apply(("card", ("dragon", "green")), 0)
    game.apply(("card", "jump"), 0)
    assert game.pending is not None
    left = {card for _, card in game.pending.options[0]}
    assert left == set(ref.ACTIONS) - {"jump"}


def test_a_plank_without_a_place_is_lost() -> None:
    game = position()
    game.stones = {"A1", "C1"}
    program(game, ("plank 1",), ("stone 1",), ("stone 1",), ("stone 1",))
    game.apply(("plank", ("red", 5)))
    assert game.lost == {("red", 5)} and not game.planks and asked(game)[0] == 1


def test_a_stone_and_a_village_refuse_a_fourth_plank() -> None:
    game = position()
    lay(game, ("B1", "V0"), ("C1", "V0"), ("E3", "V0"))
    game.stones |= {"F1"}
    assert game.load("V0") == 3 and ("F1", "V0") not in game.nameable()
    lay(game, ("A5", "C5"), ("A5", "D2"), ("A5", "A6"))
    game.stones |= {"A4"}
    assert game.load("A5") == 3 and ("A4", "A5") not in game.nameable()


def test_a_pawn_without_a_step_falls() -> None:
    game = position()
    lay(game, ("A1", "C1"))
    game.players[0].pawn = ("A1", "C1")
    program(game, ("move 1",), ("stone 1",), ("stone 1",), ("stone 1",))
    assert game.players[0].pawn == "V2" and asked(game)[0] == 1


def test_a_jump_over_a_neighbour() -> None:
    game = position()
    lay(game, ("A1", "C1"), ("C1", "F1"), ("B1", "F1"))
    game.players[0].pawn, game.players[1].pawn = ("A1", "C1"), ("C1", "F1")
    program(game, ("jump",), ("stone 1",), ("stone 1",), ("stone 1",))
    assert asked(game) == (0, {("land", ("B1", "F1"))})


def test_a_jump_over_nobody_falls() -> None:
    game = position()
    lay(game, ("A1", "C1"), ("C1", "F1"), ("B1", "F1"))
    game.players[0].pawn = ("A1", "C1")
    program(game, ("jump",), ("stone 1",), ("stone 1",), ("stone 1",))
    assert game.players[0].pawn == "V2"


def test_whoever_arrives_wins_at_once() -> None:
    """Blue enters yellow's village with its second card."""
    game = position()
    lay(game, ("D1", "V1"))
    game.players[2].pawn = ("D1", "V1")
    program(game, ("stone 1",), ("stone 1",), ("stone 1", "move 1"), ("stone 1",))
    while (game.index, game.acting) != (2, 2):
        _, options = asked(game)
        game.apply(min(options, key=repr))
    game.apply(("step", "V1"))
    assert game.over and game.winner == 2 and game.index == 2


def test_the_reserve_of_the_lost_picture() -> None:
    """MA21: red with 4, 3, 2, 6 in red and green may take a 1 or a 5 in red or green only."""
    game = position()
    red = game.players[0]
    red.reserve = {("red", 4), ("red", 3), ("green", 2), ("green", 6)}
    all_planks = {(color, size) for color in ref.COLORS[6] for size in ref.SIZES}
    assert {plank for plank in all_planks if game.may_keep(red, plank)} == {
        (color, size) for color in ("red", "green") for size in (1, 5)
    }


def test_two_steps_turn_back_only_in_a_dead_end() -> None:
    game = position()
    lay(game, ("A1", "C1"), ("C1", "F1"))
    game.players[0].pawn = ("A1", "C1")
    program(game, ("move 2",), ("stone 1",), ("stone 1",), ("stone 1",))
    game.apply(("step", ("C1", "F1")))
    assert asked(game) == (0, {("step", ("A1", "C1"))})


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_random_games_lose_nothing(players: int) -> None:
    rng = random.Random(players)
    for _ in range(3):
        game = ref.Game(ref.Config(players, cap=6))
        while (pending := game.pending) is not None:
            player = rng.choice(list(pending.options))
            game.apply(rng.choice(pending.options[player]), player)
            game.check()
