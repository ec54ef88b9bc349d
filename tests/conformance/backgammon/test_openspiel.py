"""Backgammon in step with OpenSpiel's, under its rules: a doublet is played in pairs.

There a throw is one event of chance, and one action plays both dice; here both are two. That whole doublets
are played as they should be shows `test_doublets.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

import ludex
from ludex.backends.machine import Choice, TurnPoint, Words

from ..openspiel_lockstep import Lockstep, Move, OneGame, as_they_are

PASS, BAR = -1, 25
Plays = tuple[tuple[int, int], ...]
"""Dice with the point that each is played from, by the player's own numbers."""
SCORING = {True: "full_scoring", False: "winloss_scoring"}


def play_of(move: Move) -> tuple[int, int]:
    die, origin = move.args
    if not origin.startswith("p"):
        return int(die), BAR
    number = int(origin[1:])
    return int(die), number if move.player == "white" else 25 - number


def their_plays(state: Any, player: int, action: int) -> Plays:
    plays = []
    for move in state.spiel_move_to_checker_moves(player, action):
        if move.pos != PASS:
            own = 24 - move.pos if player == 0 else move.pos + 1
            plays.append((move.num, BAR if move.pos >= 24 else own))
    return tuple(plays)


def only_pass(state: Any) -> int | None:
    """OpenSpiel's players say that they cannot move."""
    if state.is_terminal() or state.is_chance_node():
        return None
    first, *others = state.legal_actions()
    return None if others or their_plays(state, state.current_player(), first) else first


class ByTurns(OneGame):
    def chance(self, block: int) -> None:
        """Two dice here are one throw there. For the first turn doublets do not count there."""
        throws: dict[str, tuple[int, int]] = {}
        odds: dict[str, Fraction] = {}
        for first, one in self._outcomes(self.words):
            words = self.machine.copy(self.words)
            self.machine.resolve(words, first)
            for second, other in self._outcomes(words):
                throws[f"(roll: {second}{first})"] = first, second
                odds[f"(roll: {second}{first})"] = one * other
        theirs = {}
        for action, chance in self.state.chance_outcomes():
            text = self.text(-1, action)
            theirs[text[text.index("(") :]] = action, chance
        if not self.history:
            odds = {text: chance / Fraction(5, 6) for text, chance in odds.items() if text in theirs}
        if odds.keys() != theirs.keys() or any(abs(odds[t] - theirs[t][1]) > 1e-9 for t in theirs):
            self.differ(f"throws here: {odds}\nthere: {theirs}")
        text = self.rng.choice(sorted(theirs))
        for value in throws[text]:
            self.machine.resolve(self.words, value)
        self.history.append(f"dice: {text}")
        self.played["doublets" if text[-3] == text[-2] else "throws"] += 1
        self.state.apply_action(theirs[text][0])

    def _outcomes(self, words: Words) -> list[tuple[int, Fraction]]:
        found = self.machine.outcomes(words)
        total = sum(weight for _, weight in found)
        return [(value, Fraction(weight, total)) for value, weight in found]

    def turn(self, player: int, block: int) -> None:
        here = self.both.their_player(player)
        if self.state.is_terminal() or self.state.current_player() != here:
            self.differ(f"player {here} is to play here, and not there")
        paths = self._paths(self.words, player, ())
        ours = {tuple(play_of(move) for move, _ in path): path for path in paths}
        legal = self.state.legal_actions()
        theirs = {their_plays(self.state, here, action): action for action in legal}
        if ours.keys() != theirs.keys() or len(theirs) != len(legal):
            here_only, there_only = sorted(ours.keys() - theirs.keys()), sorted(theirs.keys() - ours.keys())
            self.differ(f"{len(legal)} actions there\nonly here: {here_only}\nonly there: {there_only}")
        plays = self.rng.choice(sorted(ours))
        for move, choice in ours[plays]:
            self.choose(player, move, choice, str(plays))
        self.state.apply_action(theirs[plays])

    def _paths(self, words: Words, player: int, path: tuple[tuple[Move, Choice], ...]) -> Iterator[Any]:
        """All ways to play the next two dice."""
        point = self.machine.point(words)
        if len(path) == 2 or not isinstance(point, TurnPoint) or point.player != player:
            yield path
            return
        options = self.machine.options(words, player)
        for move, choice in self.both.moves(point.block, player, options):
            after = self.machine.copy(words)
            self.machine.choose(after, player, choice)
            yield from self._paths(after, player, (*path, (move, choice)))


def both(gammons: bool) -> Lockstep:
    game = ludex.load("backgammon", options={"doublets": "in_pairs", "gammons": gammons})
    theirs = f"backgammon(scoring_type={SCORING[gammons]},max_player_turns=10000)"
    return Lockstep(game, theirs, play_of, alone=only_pass, returns=as_they_are, one_game=ByTurns)


@pytest.mark.parametrize("gammons", SCORING)
def test_random_games_go_as_in_openspiel(gammons: bool) -> None:
    played = both(gammons).play(2, seed=1)
    assert played["doublets"]


@pytest.mark.long
@pytest.mark.parametrize("gammons", SCORING)
def test_thousands_of_random_games_go_as_in_openspiel(gammons: bool) -> None:
    both(gammons).play(1_000, seed=2)
