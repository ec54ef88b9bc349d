"""Going through a game's positions: how many ways there are to play it, and how many positions it has.

Where there is neither chance nor a sealed choice, native code goes through them if it can be run.
Chance events are gone through with all their outcomes; of several players who choose at the same
time the first who has not finished chooses.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from hashlib import blake2b
from typing import cast

from ludex.backends.machine import ChancePoint, Fault, Machine, OverPoint, SealedPoint, TurnPoint, Words
from ludex.backends.wasm.machine import WasmMachine
from ludex.game import Game
from ludex.game.faults import named_faults

_DIGEST_BYTES = 16
"""What is kept of a position that was met: that two are taken for one has a chance of 1 in 2**100."""


def ways(game: Game, depth: int, *, by_turn: bool = False) -> int:
    """How many ways there are to play so many decisions (perft), outcomes of chance between them included.

    `by_turn`: to play so many turns. A turn is all that one player decides before another does. A
    game that is over earlier is no way of that length. Raises `RuleFault`.
    """
    machine = game.fastest
    with named_faults(game.program):
        words = machine.start()
        if isinstance(machine, WasmMachine) and machine.enumerates:
            try:
                return machine.ways(words, depth, by_turn=by_turn)
            except Fault as fault:
                if fault.kind != "depth":
                    raise
        return _Ways(machine, by_turn=by_turn).count(words, depth)


class _Ways:
    def __init__(self, machine: Machine, *, by_turn: bool) -> None:
        self._machine = machine
        self._by_turn = by_turn

    def count(self, words: Words, depth: int) -> int:
        if depth == 0:
            return 1
        player = _decider(self._machine, words)
        if player is None:
            return sum(self.count(after, depth) for after in _outcomes(self._machine, words))
        total = 0
        for choice in self._machine.options(words, player):
            after = self._machine.copy(words)
            self._machine.choose(after, player, choice)
            if not self._by_turn:
                total += self.count(after, depth - 1)
            else:
                goes_on, ended = self._turn(after, player, depth)
                total += goes_on + ended
        return total

    def _turn(self, words: Words, player: int, depth: int) -> tuple[int, int]:
        """After a decision: the ways in which the player goes on, and those in which his turn is over.

        A turn that ends with a chance event is one way to end it, not one for each outcome.
        """
        decider = _decider(self._machine, words)
        if decider == player:
            return self.count(words, depth), 0
        over = isinstance(self._machine.point(words), OverPoint)
        if decider is not None or over:
            return 0, 1 if depth == 1 else self.count(words, depth - 1)
        parts = [self._turn(after, player, depth) for after in _outcomes(self._machine, words)]
        goes_on, ended = sum(a for a, _ in parts), sum(b for _, b in parts)
        return goes_on, min(ended, 1) if depth == 1 else ended


def _decider(machine: Machine, words: Words) -> int | None:
    """The player who chooses next; None at a chance event and at the end."""
    match machine.point(words):
        case TurnPoint(player):
            return player
        case SealedPoint(waiting):
            return waiting[0][0]
        case _:
            return None


def _outcomes(machine: Machine, words: Words) -> Iterator[Words]:
    """The states after each outcome of a chance event; none at the end of the game."""
    if isinstance(machine.point(words), ChancePoint):
        for outcome, _ in machine.outcomes(words):
            after = machine.copy(words)
            machine.resolve(after, outcome)
            yield after


class Positions:
    """The positions of a game, ply by ply: at a decision, or at the end. They are told apart by the bytes
    of the state, so what is counted of the past (the number of the round, positions noted) counts.

    `here` is how many there are after as many decisions as `step` was called, `all` how many
    there are up to there.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._machine = game.fastest
        self._seen: set[bytes] = set()
        with named_faults(game.program):
            self._front = self._different(self._settled(self._machine.start()))

    @property
    def here(self) -> int:
        return len(self._front)

    @property
    def all(self) -> int:
        return len(self._seen)

    def step(self) -> None:
        """One decision on. Raises `RuleFault`."""
        with named_faults(self._game.program):
            self._front = self._different(after for state in self._front for after in self._after(state))

    def _different(self, states: Iterator[bytes]) -> dict[bytes, None]:
        found = dict.fromkeys(states)
        self._seen.update(blake2b(state, digest_size=_DIGEST_BYTES).digest() for state in found)
        return found

    def _after(self, state: bytes) -> Iterator[bytes]:
        machine = self._machine
        if isinstance(machine, WasmMachine):
            words = cast(Words, array("i", state))
            if machine.enumerates:
                yield from machine.successors(words)
                return
        else:
            words = machine.unpack(state)
        player = _decider(machine, words)
        if player is None:
            return
        for choice in machine.options(words, player):
            after = machine.copy(words)
            machine.choose(after, player, choice)
            yield from self._settled(after)

    def _settled(self, words: Words) -> Iterator[bytes]:
        """The states to which chance leads before the next decision."""
        if isinstance(self._machine.point(words), ChancePoint):
            for after in _outcomes(self._machine, words):
                yield from self._settled(after)
        else:
            yield self._machine.pack(words)
