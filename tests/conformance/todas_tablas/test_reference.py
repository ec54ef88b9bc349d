"""The oracle against the data and the worked examples of the rule model (sections 3 and 4)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from . import reference as ref

WHITE, BLACK = 0, 1


def men(**where: int) -> list[int]:
    """`p20=1` is one man on the own point 20; the rest of the fifteen is off."""
    found = [0] * 26
    for name, count in where.items():
        found[ref.BAR if name == "bar" else int(name[1:])] = count
    found[ref.OFF] = ref.MEN - sum(found)
    assert found[ref.OFF] >= 0
    return found


def game(white: list[int] | None = None, black: list[int] | None = None, **switches: Any) -> ref.Game:
    """White is to throw."""
    found = ref.Game(ref.Config(**switches))
    found.apply((6, 6))
    found.apply((1, 1))
    for player, side in enumerate((white, black)):
        if side is not None:
            found.board.men[player] = side
    return found


def play(found: ref.Game, *choices: Any) -> ref.Game:
    for choice in choices:
        found.apply(choice)
    return found


def options(found: ref.Game) -> set[Any]:
    assert found.pending is not None and found.pending.type == "decision"
    return set(found.pending.options)


def black_on(**white_points: int) -> list[int]:
    """The same by White's numbers."""
    return men(**{f"p{25 - int(name[1:])}": count for name, count in white_points.items()})


# ---- data


@pytest.mark.parametrize(
    ("layout", "pips"), [("ace_12", 167), ("ace_18", 155), ("ace_7", 201), ("querki", 259)]
)
def test_layouts(layout: str, pips: int) -> None:
    board = ref.Board.start(layout)
    for side in board.men:
        assert sum(side) == ref.MEN
        assert sum(count * (25 - point) for point, count in enumerate(side)) == pips
    assert not any(board.men[WHITE][p] and board.enemies(WHITE, p) for p in range(1, 25))


def test_the_start_by_white_numbers() -> None:
    board = ref.Board.start("ace_12")
    assert {p: n for p, n in enumerate(board.men[WHITE]) if n} == {1: 2, 12: 5, 17: 3, 19: 5}
    assert {p: n for p in range(1, 25) if (n := board.enemies(WHITE, p))} == {24: 2, 13: 5, 8: 3, 6: 5}


@pytest.mark.parametrize(
    ("die", "starts"),
    [
        (1, {1, 17, 19}),
        (2, {1, 12, 17, 19}),
        (3, {1, 12, 17, 19}),
        (4, {1, 12, 17, 19}),
        (5, {12, 17}),
        (6, {1, 12, 17}),
    ],
)
def test_opening_moves(die: int, starts: set[int]) -> None:
    assert options(play(game(), (die, die))) == {("move", start, die) for start in starts}


# ---- worked examples


def test_six_five_by_one_man() -> None:
    found = play(game(), (6, 5))
    assert ("move", 1, 5) not in options(found)
    play(found, ("move", 1, 6))
    assert ("move", 7, 5) in options(found)


@pytest.mark.parametrize(("doubles", "moves"), [("two", 2), ("four", 4)])
def test_doublets(doubles: str, moves: int) -> None:
    found = play(game(doubles=doubles), (5, 5))
    for _ in range(moves):
        assert found.active == WHITE and options(found) <= {("move", 12, 5), ("move", 17, 5)}
        play(found, ("move", 12, 5))
    assert found.active == BLACK and found.pending is not None and found.pending.type == "chance"


def test_a_hit_and_that_it_is_not_compulsory() -> None:
    found = play(game(None, black_on(p5=1, p6=4, p8=3, p13=5, p24=2)), (4, 4))
    assert {("move", 1, 4), ("move", 12, 4)} <= options(found)
    play(found, ("move", 1, 4))
    assert found.board.men[BLACK][ref.BAR] == 1 and found.board.enemies(WHITE, 5) == 0


def test_entering_with_a_hit() -> None:
    black = men(bar=1, p6=14)
    found = play(game(men(p22=1, p19=14), black), (1, 1), ("move", 19, 1), ("move", 19, 1), (3, 6))
    assert ("enter", 3) in options(found)
    play(found, ("enter", 3))
    assert found.board.men[WHITE][ref.BAR] == 1 and found.board.men[BLACK][3] == 1


@pytest.mark.parametrize(
    ("rule", "die", "starts"),
    [("beyond", 6, {20, 24}), ("strict", 6, {20}), ("beyond", 4, {20, 24}), ("strict", 4, {20})],
)
def test_bearing_off(rule: str, die: int, starts: set[int]) -> None:
    found = play(game(men(p20=1, p24=1), men(p12=15), bear_off=rule), (die, die))
    assert options(found) == {("move", start, die) for start in starts}


def test_hit_while_bearing_off() -> None:
    found = play(game(men(bar=1, p22=5), black_on(p24=2)), (6, 2), ("enter", 2))
    assert options(found) == {("move", 2, 6)}
    far = play(game(men(p18=1, p22=5), black_on(p24=2)), (6, 2), ("move", 18, 2))
    assert ("move", 22, 6) in options(far)


def test_the_last_man_off_wins_at_once() -> None:
    found = play(game(men(p24=1)), (6, 1), ("move", 24, 1))
    assert found.pending is None and found.winner == WHITE


# ---- the register


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("each", {("move", 1, 2), ("move", 11, 2), ("move", 11, 6)}),
        ("most", {("move", 1, 2), ("move", 11, 6)}),
        ("optional", {("move", 1, 2), ("move", 11, 2), ("move", 11, 6), ("stop",)}),
    ],
)
def test_which_dice_must_be_played(rule: str, expected: set[Any]) -> None:
    """Whoever goes from 11 to 13 by the two cannot play the six: 7 and 19 are closed."""
    found = game(men(p1=1, p11=1), black_on(p7=2, p9=2, p19=2), must_play=rule)
    assert options(play(found, (6, 2))) == expected


def test_a_player_may_stop_with_a_man_on_the_bar() -> None:
    found = play(game(men(bar=1, p19=14), men(p12=15), must_play="optional"), (1, 2))
    assert options(found) == {("enter", 1), ("enter", 2), ("stop",)}
    play(found, ("stop",))
    assert found.active == BLACK


def test_one_enters_of_two() -> None:
    found = play(game(men(bar=2, p19=13), black_on(p6=2)), (6, 1), ("enter", 1))
    assert found.active == BLACK and found.board.men[WHITE][ref.BAR] == 1


@pytest.mark.parametrize("loses", [False, True])
def test_shut_out(loses: bool) -> None:
    black = black_on(p1=2, p2=2, p3=2, p4=2, p5=2, p6=1, p8=2, p9=2)
    found = game(men(p20=15), black, shut_out_loses=loses)
    play(found, (1, 1), ("move", 20, 1), ("move", 20, 1))
    found.board.men[WHITE][20] -= 1
    found.board.men[WHITE][ref.BAR] += 1
    play(found, (2, 1), ("move", 17, 2))
    assert found.active == BLACK and found.winner is None
    play(found, ("move", 17, 1))
    assert found.winner == (BLACK if loses else None)


def test_a_tied_opening_is_thrown_again() -> None:
    found = ref.Game(ref.Config())
    play(found, (3, 4), (6, 1))
    assert found.pending == ("chance", WHITE, ref.THROWS)
    play(found, (1, 2), (2, 2))
    assert found.pending == ("chance", BLACK, ref.THROWS) and found.phase == "throw"


def test_random_games_end() -> None:
    rng = random.Random(1)
    for switches in ({}, {"doubles": "four", "bear_off": "strict"}, {"must_play": "optional"}):
        found = ref.random_game(ref.Config(**switches), rng)  # type: ignore[arg-type]
        assert found.winner is not None and [sum(side) for side in found.board.men] == [ref.MEN] * 2
