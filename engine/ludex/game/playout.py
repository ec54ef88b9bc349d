"""Playouts: random play in place, without events, history or names, for bots and simulation."""

from __future__ import annotations

from collections.abc import Sequence

from ludex.backends.machine import ChancePoint, Fault, Machine, OverPoint, SealedPoint, TurnPoint, Words
from ludex.game.actions import Action
from ludex.game.faults import FAULTS, RuleFault, rule_fault
from ludex.limits import MAX_DECISIONS
from ludex.rng import Generator


class Playout:
    """A position that is played on in place. Seats are numbered from 0 here.

    >>> playout = game.playout(state.determinize(player, rng))
    >>> playout.apply(action, chance)
    >>> playout.run(chance, policy)
    >>> playout.returns[seat]

    `decisions` counts those made by `run`.
    """

    __slots__ = ("_machine", "_players", "_start", "_words", "decisions")

    def __init__(self, machine: Machine, start: Words, players: Sequence[str]) -> None:
        self._machine = machine
        self._players = players
        self._start = machine.copy(start)
        self._words = machine.copy(start)
        self.decisions = 0

    def reset(self) -> None:
        """Back to the position it was made from."""
        self._words = self._machine.copy(self._start)
        self.decisions = 0

    def apply(self, action: Action, chance: Generator) -> None:
        """Plays a legal action of the state it was made from; chance that follows is sampled.

        At sealed choices the player is the action's. Raises `RuleFault`.
        """
        machine, point = self._machine, self._machine.point(self._words)
        try:
            match point:
                case TurnPoint(player):
                    machine.choose(self._words, player, action.choice)
                case SealedPoint():
                    player = machine.program.world.players.base
                    if action.player is not None:
                        player += self._players.index(action.player)
                    machine.choose(self._words, player, action.choice)
                case ChancePoint():
                    machine.resolve(self._words, action.choice.values[0])
                case OverPoint():
                    raise ValueError("the game is over")
            while isinstance(machine.point(self._words), ChancePoint):
                machine.resolve(self._words, machine.sample_outcome(self._words, chance), going_on=True)
        except FAULTS as fault:
            raise self._named(fault) from fault

    def run(self, chance: Generator, policy: Generator, max_decisions: int = MAX_DECISIONS) -> bool:
        """Plays uniformly at random to the end; False if `max_decisions` came first. Raises `RuleFault`."""
        try:
            self.decisions += self._machine.playout(self._words, chance, policy, max_decisions)
        except FAULTS as fault:
            raise self._named(fault) from fault
        return self.is_terminal

    def _named(self, fault: Fault | RecursionError) -> RuleFault:
        return rule_fault(self._machine.program, fault)

    @property
    def is_terminal(self) -> bool:
        return isinstance(self._machine.point(self._words), OverPoint)

    @property
    def returns(self) -> list[float]:
        """Utility of each seat; 0 while the game is not over."""
        if not self.is_terminal:
            return [0.0] * self._machine.program.players
        return self._machine.returns(self._words)

    @property
    def totals(self) -> list[int]:
        """Sum of the scoring lines, by seat."""
        return [sum(column) for column in zip(*self.lines, strict=True)] or [
            0
        ] * self._machine.program.players

    @property
    def lines(self) -> list[list[int]]:
        """Scoring lines, [line][seat]."""
        return self._machine.lines(self._words)

    @property
    def ranks(self) -> list[int]:
        """Rank of each seat from 1, ties sharing."""
        return self._machine.ranking(self._words)

    @property
    def ended_by(self) -> int:
        """The index of the end condition's rule that ended the game, -1 if none did."""
        field = self._machine.program.layout.find("@ended_by")
        return -1 if field is None else self._words[field.offset] - 1

    def number(self, name: str) -> int | None:
        """The value of a field without dimensions (`round_number`), None if the game has none such."""
        field = self._machine.program.layout.find(name)
        return None if field is None else self._words[field.offset]
