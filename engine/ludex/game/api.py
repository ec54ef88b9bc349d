"""A loaded game: where states come from, and questions about its rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ludex.backends.machine import Coverage, Machine, SealedPoint, Walk
from ludex.diagnostics import printable
from ludex.game import step
from ludex.game.actions import Action
from ludex.game.context import Context
from ludex.game.definition import DefinitionInfo
from ludex.game.explain import Explanation
from ludex.game.faults import FAULTS, rule_fault
from ludex.game.history import Entry
from ludex.game.playout import Playout
from ludex.game.state import State
from ludex.ir.program import Program, Rule
from ludex.rng import Generator


class Game:
    """A game, loaded for a number of players and options, ready to play.

    `ludex.load` makes it. It holds no position; its back end is not for two threads.
    `context` is for the other modules of this package.
    """

    __slots__ = ("_native", "context", "definition", "machine", "names")

    def __init__(
        self,
        machine: Machine,
        definition: DefinitionInfo,
        names: Sequence[str] = (),
        native: Callable[[bool], Machine | None] | None = None,
    ) -> None:
        self.machine = machine
        self._native = native
        self.definition = definition
        self.names = tuple(names)
        """What those who play are called, in seat order, where they are not called by their seats."""
        self.context = Context(machine, self.names)

    def named(self, names: Sequence[str]) -> Game:
        """The same game for players with names of their own, in seat order; the rest keep theirs.

        They stand wherever the seats' names would; those are still understood. Raises ValueError
        if there are too many, or if one is no name or the name of something else.
        """
        if tuple(names) == self.names:
            return self
        return Game(self.machine, self.definition, names, self._native)

    @property
    def fastest(self) -> Machine:
        """The back end for what is played in thought or by the thousand, and nobody watches: native
        code where it can be run. It is made when first asked for, and goes on from any bytes of `machine`."""
        native = self._native(False) if self._native is not None else None
        return self.machine if native is None else native

    @property
    def fastest_counting(self) -> Machine:
        """The fastest that counts the coverage and tests invariants: for simulation."""
        native = self._native(True) if self._native is not None else None
        return self.machine if native is None else native

    @property
    def program(self) -> Program:
        return self.machine.program

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the seats in seat order: `player_1`, as the definition names them, or `names`."""
        return self.context.players

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All named rules, in the order of the program."""
        return self.program.rules

    @property
    def action_names(self) -> tuple[str, ...]:
        """Names that texts of actions may begin with, in order of first appearance."""
        return self.context.action_names

    @property
    def score_lines(self) -> tuple[str, ...]:
        """Names of the scoring lines, in order."""
        rules = (self.context.rule(line.rule) for line in self.program.scoring)
        return tuple(printable(r.name) if r is not None else "score" for r in rules)

    @property
    def coverage(self) -> Coverage:
        """Counters of everything played with this game."""
        return self.machine.coverage

    def start(self, seed: int = 0, *, explicit: bool = False) -> State:
        """The first state. With `explicit`, chance events are decisions; else they are
        sampled from the CHANCE stream of `seed`. Raises `RuleFault`."""
        return self.started(seed, explicit=explicit, resolver=None)

    def started(self, seed: int, *, explicit: bool, resolver: step.Resolver | None) -> State:
        """`start`, with another source of chance than the seed (replay)."""
        try:
            return State(self, step.begin(self.context, seed, explicit=explicit, resolver=resolver))
        except FAULTS as fault:
            raise rule_fault(self.program, fault) from fault

    def explain(self, state: State, action: Action | str, player: str | None = None) -> Explanation:
        """Why an action is legal or refused, in words that may be shown to that player."""
        if isinstance(action, Action):
            return state.explain(action.text, player if player is not None else action.player)
        return state.explain(action, player)

    def playout(self, state: State | None = None) -> Playout:
        """A playout from a state, or (None) from the beginning, chance left to `run`."""
        machine = self.fastest
        if state is not None:
            return Playout(machine, state.at.words, self.players)
        try:
            return Playout(machine, machine.start(), self.players)
        except FAULTS as fault:
            raise rule_fault(self.program, fault) from fault

    def walk(self) -> Walk:
        """A position to be gone on from in place, in the fastest back end: for searches."""
        return self.fastest.walk()

    def from_bytes(self, data: bytes, seed: int = 0, *, explicit: bool = False) -> State:
        """A state from `to_bytes`, without history. Raises ValueError if it does not fit.

        At a chance event the state waits for its outcome, whatever `explicit` says.
        """
        words = self.machine.unpack(data)
        entry = Entry(None, None, ())
        entry.words = words
        entry.origin = True
        point = self.machine.point(words)
        sealed = step.Sealed(entry, words, words) if isinstance(point, SealedPoint) else None
        return State(self, step.Step(words, point, entry, entry, Generator(seed), explicit, seed, sealed))
