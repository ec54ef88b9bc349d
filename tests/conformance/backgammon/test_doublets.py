"""Where turns with doublets can end, against OpenSpiel, in positions of its random games.

It plays a doublet as two turns of two dice. That can leave dice unplayed where more could have been played,
so only those of its ends are kept that take the most dice.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

import ludex
from ludex.backends.machine import ChancePoint, OverPoint, TurnPoint, Words
from ludex.game import Game

from ..openspiel_lockstep import pyspiel
from .test_openspiel import their_plays

SEATS = ("white", "black")
BAR = 100
Men = tuple[tuple[int, ...], tuple[int, ...]]
"""The men of the player to move and of the other, by their own numbers: off, 1 to 24, on the bar."""


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
        numbers = range(1, 25) if seat == "white" else range(24, 0, -1)
        return [
            self._slot(place, seat)
            for place in (f"tray({seat})", *(f"p{n}" for n in numbers), f"bar({seat})")
        ]

    def men(self, words: Words, player: int) -> Men:
        own, other = (tuple(words[slot] for slot in self._slots(SEATS[p])) for p in (player, 1 - player))
        return own, other

    def set_up(self, men: Men, player: int, die: int) -> Words:
        """That player has thrown this doublet; the other one has had a turn before."""
        words = self.machine.start()
        for outcome in (5, 6) if player == 0 else (6, 5):
            self.machine.resolve(words, outcome)
        while isinstance(point := self.machine.point(words), TurnPoint):
            self.machine.choose(words, point.player, self.machine.options(words, point.player)[0])
        for seat, row in ((player, men[0]), (1 - player, men[1])):
            for slot, count in zip(self._slots(SEATS[seat]), row, strict=True):
                words[slot] = count
        words = self.machine.unpack(self.machine.pack(words))
        for _ in range(2):
            self.machine.resolve(words, die)
        return words

    def ends(self, words: Words, player: int) -> set[Men]:
        """The positions after the turn that has begun."""
        found: set[Men] = set()
        seen: set[bytes] = set()
        waiting = [words]
        while waiting:
            here = waiting.pop()
            point = self.machine.point(here)
            if isinstance(point, OverPoint | ChancePoint):
                found.add(self.men(here, player))
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


def their_men(state: Any, player: int) -> Men:
    return _side(state, player), _side(state, 1 - player)


def _side(state: Any, player: int) -> tuple[int, ...]:
    points = [state.board(player, i) for i in range(24)]
    own = points[::-1] if player == 0 else points
    bar = state.board(player, BAR)
    return (15 - sum(points) - bar, *own, bar)


def their_ends(state: Any, player: int) -> set[Men]:
    """After both halves of a doublet, where the most dice were played."""
    most: dict[Men, int] = {}
    waiting = [(state, 0)]
    while waiting:
        here, played = waiting.pop()
        if here.is_terminal() or here.is_chance_node() or here.current_player() != player:
            men = their_men(here, player)
            most[men] = max(played, most.get(men, 0))
            continue
        for action in here.legal_actions():
            waiting.append((here.child(action), played + len(their_plays(here, player, action))))
    return {men for men, played in most.items() if played == max(most.values())}


def check(doublets: int, seed: int) -> None:
    rng = random.Random(seed)
    table = Table(ludex.load("backgammon"))
    theirs = pyspiel.load_game("backgammon")
    state = theirs.new_initial_state()
    while doublets:
        if state.is_terminal():
            state = theirs.new_initial_state()
        if not state.is_chance_node():
            player, dice = state.current_player(), str(state).split("Dice: ")[1][:2]
            if dice[0] == dice[1] and "Extra turn: 0" in str(state):
                men = their_men(state, player)
                found = table.ends(table.set_up(men, player, int(dice[0])), player)
                assert found == their_ends(state, player), f"{SEATS[player]} throws {dice}:\n{state}"
                doublets -= 1
            state.apply_action(rng.choice(state.legal_actions()))
        else:
            outcomes, odds = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, odds)[0])


def test_turns_with_doublets_end_where_they_do_in_openspiel() -> None:
    check(12, seed=1)


@pytest.mark.long
def test_hundreds_of_turns_with_doublets_end_where_they_do_in_openspiel() -> None:
    check(500, seed=2)
