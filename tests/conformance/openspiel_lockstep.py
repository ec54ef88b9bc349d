"""A game of ours and the same of OpenSpiel, an independent implementation, in step over random games.

    from conformance.openspiel_lockstep import Lockstep

    Lockstep(ludex.load("reversi"), "othello", lambda m: "pass" if m.name == "pass" else m.args[0]).play(200)

At every point both must agree on whose turn it is, what is legal there, the odds of chance, and at the end
on what each player gets. Which of their actions an action of ours is says a function of the test: from a
`Move` to their action's number or text. What is played is drawn from the seed. Where they differ, the
error shows the game so far and what only one of them allows.

Both back ends can be put in step: `Lockstep(…, machine=game.machine)` is the interpreter; without it,
whatever is fastest plays.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any, NoReturn

import pytest

from ludex.backends.machine import ChancePoint, Choice, Machine, OverPoint, SealedPoint, TurnPoint, Words
from ludex.game import Action, Game
from ludex.game.offers import bindings, outcomes

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not made for this platform")

Theirs = int | str | tuple[int | str, ...]
"""An action of OpenSpiel, by its number or by its text; or some of which the legal one is meant."""

SHOWN = 40
"""Actions of one side that a report lists at most."""


@dataclass(frozen=True, slots=True)
class Move:
    """An action of ours, or an outcome of chance: then `player` is None and `args` the outcome.

    `move.text` is as everywhere (`move(e2, e4)`), `player` a seat's name (`white`).
    """

    player: str | None
    name: str
    args: tuple[str, ...]

    @property
    def text(self) -> str:
        return f"{self.name}({', '.join(self.args)})" if self.args else self.name


def two_ways(returns: Sequence[float]) -> list[float]:
    """What most games for two give: a win 1 and a defeat -1 with them; with us 1 and 0."""
    return [2 * r - 1 for r in returns]


def as_they_are(returns: Sequence[float]) -> list[float]:
    return list(returns)


def any_of(rng: random.Random, legal: Sequence[Move]) -> int:
    return rng.randrange(len(legal))


class Lockstep:
    """Two games, and how actions of the one are called in the other.

    `theirs`: a game of OpenSpiel, or what `pyspiel.load_game` makes it from.
    `called`: which action of theirs an action of ours is; None for one that they do not have, which must
    then be the only one, and is played by us alone. It may ask for nothing but the move, unless `looks`
    is set: then it is called with their state as well.
    `alone`: an action (by its number) that they have to play where we have none, or None; asked before
    every comparison.
    `seats`: which player of theirs each of our seats is.
    `returns`: ours as theirs would be.
    `pick`: which move is played, where chance is not to be even.
    `one_game`: how a game is played, if not as `OneGame` does.
    """

    def __init__(
        self,
        game: Game,
        theirs: Any,
        called: Callable[..., Theirs | None],
        *,
        looks: bool = False,
        alone: Callable[[Any], int | None] = lambda state: None,
        seats: Sequence[int] | None = None,
        returns: Callable[[Sequence[float]], Sequence[float]] = two_ways,
        pick: Callable[[random.Random, Sequence[Move]], int] = any_of,
        one_game: type[OneGame] | None = None,
        machine: Machine | None = None,
    ) -> None:
        self.game = game
        self.theirs = pyspiel.load_game(theirs) if isinstance(theirs, str) else theirs
        self.machine = game.fastest if machine is None else machine
        self.called, self.looks, self.alone = called, looks, alone
        self.seats = tuple(range(len(game.players)) if seats is None else seats)
        self.returns, self.pick, self.one_game = returns, pick, one_game or OneGame
        self._ids = game.program.world.players.ids
        self._moves: dict[tuple[int, int], dict[tuple[int, tuple[int, ...]], Move]] = {}
        self._known: dict[Move, Theirs | None] = {}

    def play(self, games: int, seed: int = 1, most: int = 100_000) -> Counter[str]:
        """So many games, each to its end (or to so many decisions). Tells what was played: the numbers of
        games, decisions, chance events, and of each name of an action; a test can ask for what it needs."""
        played: Counter[str] = Counter()
        for number in range(games):
            rng = random.Random(f"{seed} {number}")
            self.one_game(self, rng, played, f"game {number} of seed {seed}").play(most)
            played["games"] += 1
        return played

    # -------------------------------------------------------------------------------- our side

    def moves(self, block: int, player: int, choices: Iterable[Choice]) -> list[tuple[Move, Choice]]:
        """The choices of a decision with their texts."""
        known = self._moves.setdefault((block, player), {})
        found = []
        for choice in choices:
            key = choice.option, choice.values
            if key not in known:
                known[key] = self.move(block, player, choice)
            found.append((known[key], choice))
        return found

    def move(self, block: int, player: int, choice: Choice) -> Move:
        context = self.game.context
        option = context.decide(block).options[choice.option]
        values = zip(choice.values, bindings(option), strict=True)
        args = tuple(context.naming.value(value, parameter.type) for value, parameter in values)
        return Move(self.game.players[self._ids.index(player)], option.site.name, args)

    def their_player(self, player: int) -> int:
        return self.seats[self._ids.index(player)]

    def their_call(self, move: Move, state: Any) -> Theirs | None:
        if self.looks:
            return self.called(move, state)
        if move not in self._known:
            self._known[move] = self.called(move)
        return self._known[move]


class OneGame:
    """One game, from the start to the end."""

    def __init__(self, both: Lockstep, rng: random.Random, played: Counter[str], title: str) -> None:
        self.both, self.rng, self.played, self.title = both, rng, played, title
        self.machine = both.machine
        self.words: Words = self.machine.start()
        self.state = both.theirs.new_initial_state()
        self.history: list[str] = []

    def play(self, most: int) -> None:
        while len(self.history) < most:
            while (action := self.both.alone(self.state)) is not None:
                self.state.apply_action(action)
            match self.machine.point(self.words):
                case OverPoint():
                    self.over()
                    return
                case ChancePoint(block):
                    self.chance(block)
                case SealedPoint(waiting):
                    self.sealed(waiting)
                case TurnPoint(player, block):
                    self.turn(player, block)

    # --------------------------------------------------------------------------------- points

    def turn(self, player: int, block: int) -> None:
        legal = self.legal(player, block)
        calls = [self.both.their_call(move, self.state) for move, _ in legal]
        if calls == [None]:
            self.choose(player, *legal[0], "nothing")
            return
        here = -4 if self.state.is_terminal() else self.state.current_player()
        if here != self.both.their_player(player):
            self.differ(f"{legal[0][0].player} is to play here, there {_player(here)}")
        theirs = self.agreed([move for move, _ in legal], calls, here)
        at = self.both.pick(self.rng, [move for move, _ in legal])
        self.choose(player, *legal[at], self.text(here, theirs[at]))
        self.state.apply_action(theirs[at])

    def sealed(self, waiting: Sequence[tuple[int, int]]) -> None:
        """Each chooses once, by our order, and all of theirs at the same time."""
        every = [(player, self.legal(player, block)) for player, block in waiting]
        calls = [[self.both.their_call(move, self.state) for move, _ in legal] for _, legal in every]
        if all(only == [None] for only in calls):
            for player, legal in every:
                self.choose(player, *legal[0], "nothing")
            return
        if not self.state.is_simultaneous_node():
            self.differ("players choose at the same time here, and not there")
        joint = [-1] * self.both.theirs.num_players()
        for (player, legal), called in zip(every, calls, strict=True):
            here = self.both.their_player(player)
            theirs = self.agreed([move for move, _ in legal], called, here)
            at = self.both.pick(self.rng, [move for move, _ in legal])
            self.choose(player, *legal[at], self.text(here, theirs[at]))
            joint[here] = theirs[at]
        if -1 in joint:
            self.differ(f"player {joint.index(-1)} does not choose here, and does there")
        self.state.apply_actions(joint)

    def chance(self, block: int) -> None:
        """Outcomes of ours that are one of theirs count together."""
        found = self.outcomes(block)
        moves = [Move(None, action.name, (action.text,)) for action, _ in found]
        calls = [self.both.their_call(move, self.state) for move in moves]
        values = [action.choice.values[0] for action, _ in found]
        if calls == [None]:
            self.resolve(moves[0], values[0], "nothing")
            return
        if not self.state.is_chance_node():
            self.differ(
                f"chance decides here about {moves[0].name}, and there {_player(self.state.current_player())}"
            )
        theirs = dict(self.state.chance_outcomes())
        numbers = self.numbers(calls, list(theirs), -1)
        ours: dict[int, Fraction] = {}
        for number, (_, odds) in zip(numbers, found, strict=True):
            ours[number] = ours.get(number, Fraction(0)) + odds
        if ours.keys() != theirs.keys() or any(abs(float(ours[n]) - theirs[n]) > 1e-9 for n in theirs):
            here = ", ".join(f"{self.text(-1, n)}: {odds}" for n, odds in ours.items() if n in theirs)
            there = ", ".join(f"{self.text(-1, n)}: {odds:g}" for n, odds in theirs.items())
            self.differ(f"the odds of {moves[0].name} are not the same\nhere:  {here}\nthere: {there}")
        at = self.rng.choices(range(len(moves)), [float(odds) for _, odds in found])[0]
        self.resolve(moves[at], values[at], self.text(-1, numbers[at]))
        self.state.apply_action(numbers[at])

    def over(self) -> None:
        if not self.state.is_terminal():
            self.differ(f"over here, and there {_player(self.state.current_player())} is to play")
        ours = list(self.both.returns(self.machine.returns(self.words)))
        theirs = self.state.returns()
        if len(ours) != len(theirs) or any(
            abs(mine - theirs[seat]) > 1e-9 for mine, seat in zip(ours, self.both.seats, strict=True)
        ):
            self.differ(f"the players get {ours} here, and there (seats {self.both.seats}) {theirs}")

    # -------------------------------------------------------------------------------- actions

    def outcomes(self, block: int) -> tuple[tuple[Action, Fraction], ...]:
        game = self.both.game
        return outcomes(game.context, game.machine.unpack(self.machine.pack(self.words)), block)

    def legal(self, player: int, block: int) -> list[tuple[Move, Choice]]:
        return self.both.moves(block, player, self.machine.options(self.words, player))

    def numbers(self, calls: Iterable[Theirs | None], legal: Sequence[int], player: int) -> list[int]:
        """Numbers of theirs; -1 for what is not legal there."""
        known: dict[int | str, int] = {action: action for action in legal}
        every = [call if isinstance(call, tuple) else (call,) for call in calls]
        if any(isinstance(name, str) for names in every for name in names):
            known |= {self.text(player, action): action for action in legal}
        return [next((known[name] for name in names if name in known), -1) for names in every]

    def agreed(self, moves: Sequence[Move], calls: Sequence[Theirs | None], player: int) -> list[int]:
        """Which of theirs each of ours is. All of both must be legal, and no two the same."""
        legal = self.state.legal_actions(player)
        numbers = self.numbers(calls, legal, player)
        if sorted(numbers) == sorted(legal):
            return numbers
        only_ours = [
            f"{m.text} ({call})" for m, call, n in zip(moves, calls, numbers, strict=True) if n == -1
        ]
        only_theirs = [f"{self.text(player, n)} ({n})" for n in legal if n not in numbers]
        twice = [
            f"{m.text} ({call})"
            for m, call, n in zip(moves, calls, numbers, strict=True)
            if numbers.count(n) > 1 and n != -1
        ]
        self.differ(
            f"{len(moves)} actions are legal here, {len(legal)} there\n"
            f"only here:  {_listed(only_ours)}\nonly there: {_listed(only_theirs)}\n"
            f"the same there: {_listed(twice)}\n"
            f"all here:   {_listed(m.text for m in moves)}\n"
            f"all there:  {_listed(self.text(player, n) for n in legal)}"
        )

    def choose(self, player: int, move: Move, choice: Choice, called: str) -> None:
        self.history.append(f"{move.player}: {move.text} = {called}")
        self.played["decisions"] += 1
        self.played[move.name] += 1
        self.machine.choose(self.words, player, choice)

    def resolve(self, move: Move, value: int, called: str) -> None:
        self.history.append(f"{move.name}: {move.args[0]} = {called}")
        self.played["chance events"] += 1
        self.machine.resolve(self.words, value)

    def text(self, player: int, action: int) -> str:
        return self.state.action_to_string(player, action)

    def differ(self, what: str) -> NoReturn:
        history = (
            "\n".join(f"{i:4} {line}" for i, line in enumerate(self.history, 1)) or "   (nothing was played)"
        )
        raise AssertionError(f"{self.title}, after\n{history}\n{what}\ntheir position:\n{self.state}")


def _listed(texts: Iterable[str]) -> str:
    every = sorted(texts)
    more = f" and {len(every) - SHOWN} more" if len(every) > SHOWN else ""
    return ", ".join(islice(every, SHOWN)) + more if every else "none"


def _player(number: int) -> str:
    return {-1: "chance", -2: "all at once", -4: "nobody (it is over)"}.get(number, f"player {number}")
