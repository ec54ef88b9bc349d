"""A hand-written player of Todas tablas, independent of the engine: an oracle for lockstep tests.

The rules are those of the rule model: T1-T13, the register TA1-TA13, "Choices where the text is silent".
`Game.pending` tells what is awaited, `Game.apply` answers it:

    ("decision", player, options)   apply one of the options
    ("chance", player, outcomes)    the player throws two dice; outcomes are ((first, second), weight)
    None                            the game is over

Options, in the order in which they are listed:
    ("enter", die)            a man that was hit comes back
    ("move", point, die)      a man of the own point goes on, or beyond point 24
    ("stop",)                 the rest of the dice is left; only if `must_play` is "optional"

Players: 0 White, 1 Black. Points are counted by each player on his own way, 1 to 24; BAR and OFF are the
places before and behind them. What is point n to one is point 25 - n to the other.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, NamedTuple

Option = tuple[str | int, ...]
Throw = tuple[int, int]

BAR = 0
LAST = 24
OFF = 25
MEN = 15
ENTRY = range(1, 7)  # the quarter where men come back
HOME = range(19, 25)  # the quarter where they leave
SIDES = 6
THROWS: tuple[tuple[Throw, int], ...] = tuple((throw, 1) for throw in product(range(1, SIDES + 1), repeat=2))
LAYOUTS: dict[str, dict[int, int]] = {
    "ace_12": {1: 2, 12: 5, 17: 3, 19: 5},
    "ace_18": {1: 2, 18: 5, 11: 3, 19: 5},
    "ace_7": {1: 2, 7: 5, 14: 3, 19: 5},
    "querki": {1: 2, 6: 5, 8: 3, 12: 5},
}


@dataclass(frozen=True)
class Config:
    doubles: Literal["two", "four"] = "two"  # TA2
    bear_off: Literal["beyond", "strict"] = "beyond"  # TA3
    must_play: Literal["each", "most", "optional"] = "each"  # TA4
    layout: str = "ace_12"  # TA7
    shut_out_loses: bool = False  # TA9

    def dice(self, throw: Throw) -> list[int]:
        first, second = throw
        return [first] * 4 if first == second and self.doubles == "four" else [first, second]


class Pending(NamedTuple):
    type: Literal["decision", "chance"]
    who: int
    options: tuple[object, ...]


@dataclass
class Board:
    """How many men of each player stand on each of his own places, BAR and OFF included."""

    men: list[list[int]]

    @staticmethod
    def start(layout: str) -> Board:
        own = [LAYOUTS[layout].get(point, 0) for point in range(OFF + 1)]
        return Board([own, own.copy()])

    def copy(self) -> Board:
        return Board([side.copy() for side in self.men])

    def enemies(self, player: int, point: int) -> int:
        return self.men[1 - player][25 - point]

    def is_closed(self, player: int, point: int) -> bool:
        return self.enemies(player, point) >= 2  # T6

    def is_home(self, player: int) -> bool:
        return sum(self.men[player][p] for p in (*HOME, OFF)) == MEN  # T10

    def is_shut_out(self, player: int) -> bool:
        return self.men[player][BAR] > 0 and all(self.is_closed(player, p) for p in ENTRY)  # TA9

    def can_play(self, player: int, start: int, die: int, rule: str) -> bool:
        """Whether a man may go from this place by this die alone."""
        mine = self.men[player]
        if mine[start] == 0 or (mine[BAR] > 0 and start != BAR):  # T7
            return False
        if start + die <= LAST:
            return not self.is_closed(player, start + die)
        if not self.is_home(player):  # T10, T11
            return False
        is_exact = start + die == OFF
        return is_exact or rule == "beyond" or not any(mine[p] for p in range(1, start))  # TA3

    def play(self, player: int, start: int, die: int) -> bool:
        """Move, and tell whether an enemy was hit."""
        goal = min(start + die, OFF)
        self.men[player][start] -= 1
        self.men[player][goal] += 1
        hit = goal != OFF and self.enemies(player, goal) == 1
        if hit:
            self.men[1 - player][25 - goal] -= 1
            self.men[1 - player][BAR] += 1
        return hit

    def moves(self, player: int, dice: Sequence[int], rule: str) -> list[tuple[int, int]]:
        """(place, die), each once, of whatever can be played next."""
        faces = sorted(set(dice))
        starts = [start for start in range(BAR, OFF) if self.men[player][start]]
        return [(start, die) for start in starts for die in faces if self.can_play(player, start, die, rule)]

    def playable(self, player: int, dice: list[int], rule: str) -> int:
        """The greatest number of these dice that can be played one after another."""
        best = 0
        for start, die in self.moves(player, dice, rule):
            after = self.copy()
            after.play(player, start, die)
            rest = dice.copy()
            rest.remove(die)
            best = max(best, 1 + after.playable(player, rest, rule))
            if best == len(dice):
                break
        return best


class Game:
    def __init__(self, config: Config) -> None:
        self.config = config
        self.board = Board.start(config.layout)
        self.phase: Literal["opening", "throw", "play", "over"] = "opening"
        self.active = 0
        self.sums: list[int] = []  # what has been thrown for the first turn, White's first
        self.dice: list[int] = []  # not yet played
        self.winner: int | None = None
        self.turns = self.decisions = self.hits = 0
        self._pending: Pending | None = None  # computed when asked for

    @property
    def pending(self) -> Pending | None:
        if self._pending is None:
            self._pending = self._compute_pending()
        return self._pending

    def _compute_pending(self) -> Pending | None:
        match self.phase:
            case "opening":
                return Pending("chance", len(self.sums), THROWS)
            case "throw":
                return Pending("chance", self.active, THROWS)
            case "play":
                return Pending("decision", self.active, tuple(self.options()))
            case "over":
                return None

    def options(self) -> list[Option]:
        board, dice, rule = self.board, self.dice, self.config.bear_off
        moves = board.moves(self.active, dice, rule)
        if self.config.must_play == "most":
            most = board.playable(self.active, dice, rule)
            moves = [move for move in moves if self._leads_to(move, most)]
        named: list[Option] = [
            ("enter", die) if start == BAR else ("move", start, die) for start, die in moves
        ]
        return [*named, ("stop",)] if named and self.config.must_play == "optional" else named

    def _leads_to(self, move: tuple[int, int], most: int) -> bool:
        start, die = move
        after = self.board.copy()
        after.play(self.active, start, die)
        rest = self.dice.copy()
        rest.remove(die)
        return 1 + after.playable(self.active, rest, self.config.bear_off) == most

    def apply(self, choice: Option | Throw) -> None:
        pending = self.pending
        assert pending is not None, "the game is over"
        self._pending = None
        if pending.type == "chance":
            assert choice in (outcome for outcome, _ in pending.options), choice  # type: ignore[misc]
            self._thrown((int(choice[0]), int(choice[1])))
        else:
            assert choice in pending.options, f"{choice} is not among {pending.options}"
            self.decisions += 1
            self._decided(choice)

    def _thrown(self, throw: Throw) -> None:
        if self.phase == "throw":
            self.dice = self.config.dice(throw)
            self._go_on()
            return
        self.sums.append(sum(throw))
        if len(self.sums) == 2:  # TA5
            white, black = self.sums
            self.sums = []
            if white != black:
                self._begin_turn(0 if white > black else 1)

    def _decided(self, option: Option) -> None:
        if option == ("stop",):
            self._end_turn()
            return
        start = BAR if option[0] == "enter" else int(option[1])
        die = int(option[-1])
        self.dice.remove(die)
        self.hits += self.board.play(self.active, start, die)
        if self.board.men[self.active][OFF] == MEN:  # T12
            self._end(self.active)
        else:
            self._go_on()

    def _go_on(self) -> None:
        self.phase = "play"
        if not self.board.moves(self.active, self.dice, self.config.bear_off):
            self._end_turn()

    def _end_turn(self) -> None:
        self.dice = []
        self._begin_turn(1 - self.active)

    def _begin_turn(self, player: int) -> None:
        self.active = player
        self.turns += 1
        self.phase = "throw"
        if self.config.shut_out_loses and self.board.is_shut_out(player):  # TA9
            self._end(1 - player)

    def _end(self, winner: int) -> None:
        self.phase = "over"
        self.winner = winner
        self.dice = []


def random_game(config: Config, rng: random.Random) -> Game:
    """Played to its end, every option equally likely."""
    game = Game(config)
    while (pending := game.pending) is not None:
        if pending.type == "chance":
            game.apply((rng.randint(1, SIDES), rng.randint(1, SIDES)))
        else:
            game.apply(rng.choice(pending.options))  # type: ignore[arg-type]
    return game


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    return mean, float(sum((v - mean) ** 2 for v in values) ** 0.5 / len(values))


def figures(config: Config, games: int, seed: int) -> dict[str, tuple[float, float]]:
    """Means over random games, with their standard errors."""
    rng = random.Random(seed)
    played = [random_game(config, rng) for _ in range(games)]
    return {
        "turns": mean_and_error([g.turns for g in played]),
        "decisions": mean_and_error([g.decisions for g in played]),
        "hits": mean_and_error([g.hits for g in played]),
        "won by White": mean_and_error([g.winner == 0 for g in played]),
        "men left": mean_and_error([MEN - g.board.men[1 - (g.winner or 0)][OFF] for g in played]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Figures of random games of Todas tablas")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--doubles", choices=("two", "four"), default="two")
    parser.add_argument("--bear-off", choices=("beyond", "strict"), default="beyond")
    parser.add_argument("--must-play", choices=("each", "most", "optional"), default="each")
    parser.add_argument("--layout", choices=tuple(LAYOUTS), default="ace_12")
    parser.add_argument("--shut-out-loses", action="store_true")
    arguments = vars(parser.parse_args())
    games, seed = arguments.pop("games"), arguments.pop("seed")
    for name, (mean, error) in figures(Config(**arguments), games, seed).items():
        print(f"{name:14} {mean:.4f} ± {error:.4f}")


if __name__ == "__main__":
    main()
