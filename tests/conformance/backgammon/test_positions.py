"""The ends of turns, against those that OpenSpiel finds in some hundreds of positions of random games.

`make_positions.py` made `positions.txt` and says what stands in it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import ludex
from ludex.backends.machine import ChancePoint, OverPoint, TurnPoint, Words
from ludex.game import Game

POSITIONS = Path(__file__).with_name("positions.txt").read_text(encoding="ascii").splitlines()
QUICK = 120
SEATS = ("white", "black")


class Table:
    """Puts positions on the board, and reads them off it."""

    def __init__(self, game: Game) -> None:
        self.machine = game.machine
        self.layout = game.program.layout
        self._id = {name: i for i, name in enumerate(game.program.world.names)}
        self._tokens = self.layout.field("@tokens")

    def _slot(self, place: str, seat: str) -> int:
        places, faces = self._tokens.dims
        row = self._id[place] - places.base
        return self._tokens.offset + row * faces.size + self._id[f"man({seat})"] - faces.base

    def _slots(self, seat: str) -> list[int]:
        """By the player's own numbers: off, 1 to 24, the bar."""
        numbers = range(1, 25) if seat == "white" else range(24, 0, -1)
        return [
            self._slot(place, seat)
            for place in (f"tray({seat})", *(f"p{n}" for n in numbers), f"bar({seat})")
        ]

    def text(self, words: Words, seat: str) -> str:
        other = SEATS[1 - SEATS.index(seat)]
        return "".join(f"{words[slot]:x}" for player in (seat, other) for slot in self._slots(player))

    def set_up(self, position: str, seat: str, dice: tuple[int, int]) -> Words:
        """That seat has thrown these dice; the other one has had a turn before."""
        words = self.machine.start()
        for outcome in (5, 6) if seat == "white" else (6, 5):
            self.machine.resolve(words, outcome)
        while isinstance(point := self.machine.point(words), TurnPoint):
            self.machine.choose(words, point.player, self.machine.options(words, point.player)[0])
        for player, men in ((seat, position[:26]), (SEATS[1 - SEATS.index(seat)], position[26:])):
            for slot, digit in zip(self._slots(player), men, strict=True):
                words[slot] = int(digit, 16)
        words = self.machine.unpack(self.machine.pack(words))
        for die in dice:
            self.machine.resolve(words, die)
        return words

    def ends(self, words: Words, seat: str) -> set[str]:
        """The positions after the turn that has begun."""
        found: set[str] = set()
        seen: set[bytes] = set()
        waiting = [words]
        while waiting:
            here = waiting.pop()
            point = self.machine.point(here)
            if isinstance(point, OverPoint | ChancePoint):
                found.add(self.text(here, seat))
                continue
            assert isinstance(point, TurnPoint)
            for choice in self.machine.options(here, point.player):
                after = here.copy()
                self.machine.choose(after, point.player, choice)
                key = self.machine.pack(after)
                if key not in seen:
                    seen.add(key)
                    waiting.append(after)
        return found


def check(lines: list[str]) -> None:
    game = ludex.load("backgammon")
    table = Table(game)
    for number, line in enumerate(lines):
        position, first, second, count, digest = line.split()
        seat = SEATS[number % 2]
        words = table.set_up(position, seat, (int(first), int(second)))
        found = table.ends(words, seat)
        assert len(found) == int(count), f"{seat}: {line}"
        assert hashlib.sha256("\n".join(sorted(found)).encode()).hexdigest()[:16] == digest, f"{seat}: {line}"


def test_turns_end_where_they_do_in_openspiel() -> None:
    check(POSITIONS[:: len(POSITIONS) // QUICK])


@pytest.mark.long
def test_all_turns_end_where_they_do_in_openspiel() -> None:
    check(POSITIONS)
