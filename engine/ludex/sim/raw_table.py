"""Random games played on the back end itself: the same games as through the API, several times faster."""

from __future__ import annotations

from collections.abc import Sequence

from ludex.backends.machine import ChancePoint, OverPoint, SealedPoint, TurnPoint, Words
from ludex.diagnostics import printable
from ludex.game import Game, State
from ludex.game.faults import FAULTS, rule_fault
from ludex.rng import CHANCE, Generator
from ludex.sim.table import Settings, Tally


class RawTable:
    """One game in progress. `rngs` are the random numbers of the seats.

    Chance and players draw as `Game.start` and `RandomBot` do, so a game is the same here
    and there (a test compares them).
    """

    def __init__(self, game: Game, settings: Settings, rngs: Sequence[Generator]) -> None:
        self._game = game
        self._machine = game.machine
        self._settings = settings
        ids = game.program.world.players.ids
        self._rngs = dict(zip(ids, rngs, strict=True))
        self._words: Words | None = None
        self.tally = Tally()

    @property
    def state(self) -> State | None:
        if self._words is None:
            return None
        return self._game.from_bytes(self._machine.pack(self._words))

    def play(self, seed: int) -> None:
        """To the end, or to the cap on decisions. Raises RuleFault."""
        try:
            self._play(Generator(seed, CHANCE))
        except FAULTS as fault:
            raise rule_fault(self._game.program, fault) from None

    def _play(self, chance: Generator) -> None:
        machine, tally = self._machine, self.tally
        words = self._words = machine.start()
        while True:
            point = machine.point(words)
            match point:
                case ChancePoint():
                    machine.resolve(words, machine.sample_outcome(words, chance), going_on=True)
                    tally.chances += 1
                    continue
                case OverPoint():
                    self._test(words)
                    return
                case TurnPoint():
                    player = point.player
                case SealedPoint():
                    player = point.waiting[0][0]
            self._test(words)
            if tally.decisions >= self._settings.max_decisions:
                return
            options = machine.options(words, player)
            tally.decide(len(options))
            machine.choose(words, player, options[self._rngs[player].bounded(len(options))])

    def _test(self, words: Words) -> None:
        if self._settings.invariants:
            rules = self._game.program.rules
            broken = self._machine.broken_invariants(words)
            self.tally.broken.update((printable(rules[r].name), None) for r in broken)
