"""Board games in step with OpenSpiel's, over random games.

Where its rules are not ours by default, an option of ours selects them: `docs/oracles.md` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

import ludex

from .openspiel_lockstep import Lockstep, Move, Theirs, pyspiel

MERELS = "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1"
"""The points of nine men's morris from left to right, row by row from above."""
PROMOTED = {"none": "", "queen": "q", "rook": "r", "bishop": "b", "knight": "n"}

# ------------------------------------------------------------------------- how actions are called there


def square(name: str, size: int) -> int:
    """The number of a square, counted from the upper left, row by row."""
    return (size - int(name[1:])) * size + ord(name[0]) - ord("a")


def cell(move: Move) -> Theirs:
    return square(move.args[0], 3)


def amazons(move: Move) -> Theirs:
    return square(move.args[0], 10)


def column(move: Move) -> Theirs:
    return int(move.args[0]) - 1


def name_or_args(move: Move) -> Theirs:
    return "".join(move.args) or move.name


def merels(move: Move) -> Theirs:
    numbers = [MERELS.index(point) // 3 for point in move.args]
    return f"Move {numbers[0]} -> {numbers[1]}" if len(numbers) == 2 else f"Point {numbers[0]}"


def breakthrough(size: int) -> Callable[[Move], Theirs]:
    """Their first player begins above. A capture has a star."""

    def called(move: Move) -> Theirs:
        text = "".join(f"{name[0]}{size + 1 - int(name[1:])}" for name in move.args)
        return text, f"{text}*"

    return called


def go(size: int) -> Callable[[Move], Theirs]:
    """Points are counted from the lower left, row by row; then comes the pass."""

    def called(move: Move) -> Theirs:
        if move.name == "pass":
            return size * size
        name = move.args[0]
        return (int(name[1:]) - 1) * size + ord(name[0]) - ord("a")

    return called


def chess(move: Move, state: Any) -> Theirs:
    row = 1 if move.player == "white" else 8
    if move.name == "castle":
        return state.parse_move_to_action(f"e{row}{'g' if move.args[0] == 'short' else 'c'}{row}")
    return state.parse_move_to_action(move.args[0] + move.args[1] + PROMOTED[move.args[2]])


# ----------------------------------------------------------------------------------------------- games


@dataclass(frozen=True)
class Case:
    """A game of ours, and how it is called there; how many games are played by default, and how many more."""

    ours: str
    theirs: str
    called: Callable[..., Theirs]
    games: int
    more: int
    options: Mapping[str, Any] = field(default_factory=dict)
    overlays: tuple[str, ...] = ()
    played: tuple[str, ...] = ()
    """Names of rare actions: they must have been played."""
    looks: bool = False
    seats: Sequence[int] | None = None

    def __str__(self) -> str:
        return f"{self.ours}-{self.theirs}"

    def both(self, *, interpreted: bool = False) -> Lockstep:
        game = ludex.load(self.ours, self.overlays, options=dict(self.options))
        machine = game.machine if interpreted else None
        return Lockstep(game, self.theirs, self.called, looks=self.looks, seats=self.seats, machine=machine)


def hex_of(size: int, swap: bool, games: int, more: int) -> Case:
    theirs = f"hex(board_size={size},swap={str(swap).lower()})"
    options = {"size": size, "swap_rule": swap}
    return Case("hex", theirs, name_or_args, games, more, options, played=("swap",) if swap else ())


def oware(houses: int, seeds: int, games: int, more: int) -> Case:
    theirs = f"oware(num_houses_per_player={houses},num_seeds_per_house={seeds})"
    options = {"houses": houses, "seeds": seeds, "quiet_limit": 1000}
    return Case("oware", theirs, column, games, more, options)


def go_of(size: int, komi: int, half_point: bool, games: int, more: int) -> Case:
    theirs = f"go(board_size={size},komi={komi + half_point / 2})"
    options = {
        "size": size,
        "komi": komi,
        "half_point": half_point,
        "repetition": "drawn",
        "move_limit": 2 * size * size,
    }
    return Case("go", theirs, go(size), games, more, options, played=("pass",))


DRAUGHTS = {"repetition": False, "quiet_limit": 40, "men_move_quietly": True}
MORRIS = {"repetition": False, "quiet_limit": 400, "turn_limit": 200}
SMALL = ("six_by_six",)
CASES = [
    Case("tic_tac_toe", "tic_tac_toe", cell, 200, 5_000),
    Case("tic_tac_toe", "misere(game=tic_tac_toe())", cell, 100, 2_000, overlays=("misere",)),
    Case("connect_four", "connect_four", column, 80, 5_000),
    Case("connect_four", "misere(game=connect_four())", column, 30, 2_000, overlays=("misere",)),
    Case("breakthrough", "breakthrough", breakthrough(8), 8, 2_000),
    Case("breakthrough", "breakthrough(rows=6,columns=6)", breakthrough(6), 15, 2_000, overlays=SMALL),
    Case("reversi", "othello", name_or_args, 20, 3_000, played=("pass",)),
    Case("english_draughts", "checkers", name_or_args, 20, 3_000, DRAUGHTS),
    hex_of(11, False, 3, 1_000),
    hex_of(4, True, 50, 3_000),
    Case("nine_mens_morris", "nine_mens_morris", merels, 8, 2_000, MORRIS, played=("take",)),
    Case("amazons", "amazons", amazons, 8, 1_000),
    Case("chess", "chess", chess, 1, 1_000, looks=True, seats=(1, 0)),
    oware(6, 4, 15, 3_000),
    oware(3, 10, 10, 1_000),
    oware(4, 2, 25, 3_000),
    go_of(9, 7, True, 4, 1_000),
    go_of(5, 0, False, 15, 2_000),
    go_of(3, 2, False, 40, 5_000),
]
FIRST = list({case.ours: case for case in reversed(CASES)}.values())
"""One of each game."""
BEGINNING = 8
"""Decisions that the interpreter plays; that it plays on like native code shows `tests/wasm`."""


@pytest.mark.parametrize("case", CASES, ids=str)
def test_random_games_go_as_in_openspiel(case: Case) -> None:
    played = case.both().play(case.games, seed=1)
    assert all(played[name] for name in case.played)


@pytest.mark.parametrize("case", FIRST, ids=str)
def test_games_begin_as_in_openspiel_when_they_are_interpreted(case: Case) -> None:
    case.both(interpreted=True).play(1, seed=2, most=BEGINNING)


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=str)
def test_thousands_of_random_games_go_as_in_openspiel(case: Case) -> None:
    case.both().play(case.more, seed=3)


# ------------------------------------------------------------------------- go without repetition of positions


class NoRepetition:
    """OpenSpiel's go, where what would end the game because an earlier position comes back is not legal."""

    def __init__(self, name: str) -> None:
        self.game = pyspiel.load_game(name)

    def num_players(self) -> int:
        return 2

    def new_initial_state(self) -> NoRepetitionState:
        return NoRepetitionState(self.game.new_initial_state())


class NoRepetitionState:
    def __init__(self, state: Any) -> None:
        self.state = state

    def __getattr__(self, name: str) -> Any:
        return getattr(self.state, name)

    def __str__(self) -> str:
        return str(self.state)

    def legal_actions(self, player: int) -> list[int]:
        """The pass is the last. No stone ends a game but by repetition."""
        *stones, to_pass = self.state.legal_actions(player)
        return [action for action in stones if not self.state.child(action).is_terminal()] + [to_pass]


def superko(size: int, games: int, seed: int) -> None:
    """Games that take very long are broken off."""
    options = {"size": size, "komi": 0, "half_point": False, "move_limit": 1000}
    theirs = NoRepetition(f"go(board_size={size},komi=0.0,max_game_length=1000)")
    both = Lockstep(ludex.load("go", options=options), theirs, go(size))
    both.play(games, seed, most=6 * size * size)


@pytest.mark.parametrize(("size", "games"), [(2, 100), (3, 40), (5, 10)])
def test_no_position_of_go_comes_back(size: int, games: int) -> None:
    superko(size, games, seed=1)


@pytest.mark.long
@pytest.mark.parametrize(("size", "games"), [(2, 5_000), (3, 5_000), (5, 2_000), (9, 300)])
def test_no_position_of_go_comes_back_in_thousands_of_games(size: int, games: int) -> None:
    superko(size, games, seed=2)
