"""Positions of a game in numbers: stepped by native code, and told in words where that is wanted.

A `Position` is never changed, so it may be shared. It knows the one before, and so its `State`, with all
that people and bots may ask, can be worked out when somebody asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ludex import pipeline
from ludex.adapters.actions import GREATEST, ActionSpace
from ludex.adapters.outcomes import OutcomeSpace
from ludex.backends.machine import ChancePoint, Choice, OverPoint, SealedPoint, TurnPoint, Words
from ludex.game import Game, State
from ludex.game.faults import named_faults
from ludex.game.told import lines_told
from ludex.rng import Generator

if TYPE_CHECKING:
    from ludex.adapters.observation import Floats, ObservationSpace
    from ludex.adapters.sealed import Seals

MAX_KEPT = 200_000
"""Positions of a small game that are kept, once they have been reached."""

MAX_IN_VAIN = 1000
"""Games begun one after another that are over before anybody who is waited for is to decide."""


class Table:
    """A game with the numberings of its actions, outcomes and observations. For one thread, in which any
    number of environments may share it."""

    def __init__(self, game: Game, greatest: int = GREATEST) -> None:
        self.game = game
        self.machine = game.fastest
        self.first = game.program.world.players.base
        self.players = game.program.players
        self.actions = ActionSpace(game, greatest)
        self.outcomes = OutcomeSpace(game)
        self.left_to_keep = 0
        """How many more positions may keep those that follow: of small games, which are gone through
        again and again."""

    @cached_property
    def seals(self) -> Seals:
        from ludex.adapters.sealed import Seals

        return Seals(self.game)

    @cached_property
    def observations(self) -> ObservationSpace:
        from ludex.adapters.observation import ObservationSpace

        return ObservationSpace(self.game)

    def start(self) -> Position:
        """The first position; chance events are positions of their own. Raises `RuleFault`."""
        with named_faults(self.game.program):
            return Position(self, self.machine.start())

    def begin(self, seed: int, chance: Generator) -> Position:
        """The first position of `Game.start(seed)`, whose chance events have come out as `chance`, the
        stream CHANCE of that seed, says. Raises `RuleFault`."""
        with named_faults(self.game.program):
            words = self.machine.start()
            self._settle(words, chance)
            return Position(self, words, seed=seed)

    def at(self, state: State) -> Position:
        """The position of a state of the API, of whatever way it came about."""
        position = Position(self, self.machine.unpack(state.to_bytes()))
        position._state = state
        position.is_given = True
        return position

    def _settle(self, words: Words, chance: Generator) -> None:
        """Goes on to where somebody decides, or the end."""
        machine = self.machine
        while isinstance(machine.point(words), ChancePoint):
            machine.resolve(words, machine.sample_outcome(words, chance), going_on=True)

    def next(self, position: Position, seat: int, choice: Choice, chance: Generator | None) -> Words:
        """What follows; `chance`: whether chance happens at once. Raises `RuleFault`."""
        with named_faults(self.game.program):
            words = self.machine.copy(position.words)
            if seat < 0:
                self.machine.resolve(words, choice.values[0], going_on=position.parent is not None)
            else:
                self.machine.choose(words, seat + self.first, choice)
            if chance is not None:
                self._settle(words, chance)
        return words


def table_of(
    base: str | Table,
    overlays: Iterable[str] = (),
    players: int | None = None,
    options: Mapping[str, pipeline.OptionValue] | None = None,
    greatest: int = GREATEST,
) -> Table:
    """A table, or that of a game which is loaded. Raises `Failed`."""
    if isinstance(base, Table):
        return base
    return Table(pipeline.load(base, overlays, players, options), greatest)


class Position:
    """A position with how it came about. Seats are numbered from 0.

    `deciding` are the seats that are to decide: several in sealed choices, none at a chance event or
    when the game is `over`. `decisions` counts those that led here.
    """

    __slots__ = (
        "_children",
        "_legal",
        "_numbers",
        "_state",
        "_told",
        "_view",
        "choice",
        "deciding",
        "decisions",
        "is_given",
        "number",
        "parent",
        "point",
        "seat",
        "seed",
        "table",
        "words",
    )

    def __init__(
        self,
        table: Table,
        words: Words,
        parent: Position | None = None,
        seat: int = -1,
        choice: Choice | None = None,
        number: int = -1,
        seed: int | None = None,
    ) -> None:
        self.table = table
        self.words = words
        self.parent = parent
        self.seat = seat
        """Who chose what led here, -1 for chance."""
        self.choice = choice
        self.number = number
        """That of the action or outcome that led here, -1 at the beginning."""
        self.is_given = False
        """Whether the state is all that is known of how it came about."""
        self.seed: int | None = seed if parent is None else parent.seed
        """Of the chance events; None where they are positions of their own."""
        self.point = table.machine.point(words)
        self.decisions: int = 0 if parent is None else parent.decisions + (seat >= 0)
        self.deciding: tuple[int, ...] = ()
        match self.point:
            case TurnPoint(player):
                self.deciding = (player - table.first,)
            case SealedPoint(waiting):
                self.deciding = tuple(player - table.first for player, _ in waiting)
        self._legal: dict[int, dict[int, Choice]] = {}
        self._children: dict[tuple[int, int], Position] = {}
        self._numbers: dict[int, Floats] = {}
        self._state: State | None = None
        self._told: dict[int, str] = {}
        self._view: tuple[Words | None] | None = None

    def __copy__(self) -> Position:
        return self

    def __deepcopy__(self, memo: object) -> Position:
        return self

    # ------------------------------------------------------------------------------- decisions

    @property
    def is_over(self) -> bool:
        return isinstance(self.point, OverPoint)

    @property
    def is_chance(self) -> bool:
        return isinstance(self.point, ChancePoint)

    def legal(self, seat: int) -> dict[int, Choice]:
        """The legal actions of a seat by their numbers, in option order; none where it does not decide."""
        if seat not in self._legal:
            self._legal[seat] = self._options(seat)
        return self._legal[seat]

    def _options(self, seat: int) -> dict[int, Choice]:
        match self.point:
            case TurnPoint(player, block) if player - self.table.first == seat:
                pass
            case SealedPoint(waiting) if seat in self.deciding:
                block = dict(waiting)[seat + self.table.first]
            case _:
                return {}
        with named_faults(self.table.game.program):
            choices = self.table.machine.options(self.words, seat + self.table.first)
        numbers = self.table.actions.numbers(self.words, block, choices)
        return dict(zip(numbers, choices, strict=True))

    def after(self, number: int, seat: int, chance: Generator | None = None) -> Position:
        """The position after a legal action of a seat; with `chance` the next at which somebody decides.
        Raises ValueError, `RuleFault`."""
        choice = self.legal(seat).get(number)
        if choice is None:
            raise ValueError(f"action {number} is not legal for seat {seat} here")
        return self._next(number, seat, choice, chance)

    def outcomes(self) -> list[tuple[int, float, Choice]]:
        """At a chance event: number, probability, and what happens, by ascending number."""
        assert isinstance(self.point, ChancePoint)
        found = self.table.machine.outcomes(self.words)
        total = sum(weight for _, weight in found)
        numbers = self.table.outcomes.numbers(self.point.block, [value for value, _ in found])
        return sorted(
            (n, weight / total, Choice(-1, (value,)))
            for n, (value, weight) in zip(numbers, found, strict=True)
        )

    def outcome_text(self, number: int) -> str:
        """What an outcome of the chance event is called. Raises ValueError."""
        assert isinstance(self.point, ChancePoint)
        (value,) = self._outcome(number).values
        return self.table.outcomes.text(self.table.game.context.naming, self.point.block, value)

    def resolved(self, number: int) -> Position:
        """The position after an outcome of the chance event. Raises ValueError, `RuleFault`."""
        return self._next(number, -1, self._outcome(number))

    def _outcome(self, number: int) -> Choice:
        for n, _, choice in self.outcomes():
            if n == number:
                return choice
        raise ValueError(f"outcome {number} is not possible here")

    def _next(self, number: int, seat: int, choice: Choice, chance: Generator | None = None) -> Position:
        kept = self._children.get((seat, number)) if chance is None else None
        if kept is not None:
            return kept
        table = self.table
        words = table.next(self, seat, choice, chance)
        with named_faults(table.game.program):
            child = Position(table, words, self, seat, choice, number)
        if chance is None and table.left_to_keep > 0:
            table.left_to_keep -= 1
            self._children[seat, number] = child
        return child

    def path(self) -> list[Position]:
        """The positions after the first up to this one."""
        found: list[Position] = []
        at = self
        while at.parent is not None:
            found.append(at)
            at = at.parent
        return found[::-1]

    # ------------------------------------------------------------------------------- in words

    @property
    def state(self) -> State:
        """The same position of the API, with its history. Chance events are decisions in it if they are
        positions here."""
        pending: list[Position] = []
        position = self
        while position._state is None and position.parent is not None:
            pending.append(position)
            position = position.parent
        if position._state is None:
            seed = position.seed
            position._state = self.table.game.start(seed or 0, explicit=seed is None)
        state = position._state
        for position in reversed(pending):
            state = position._state = position._applied(state)
        return state

    def _applied(self, before: State) -> State:
        assert self.choice is not None
        player = None if self.seat < 0 else self.table.game.players[self.seat]
        for action in before.legal_actions(player):
            if action.choice.values == self.choice.values and action.choice.option == self.choice.option:
                return before.apply(action, player)
        raise AssertionError("what was played is legal")

    @property
    def sealed_view(self) -> Words | None:
        """In sealed choices: the position before them, if the words tell."""
        if self._view is None:
            sealed = isinstance(self.point, SealedPoint)
            self._view = (self.table.seals.view(self) if sealed else None,)
        return self._view[0]

    def seen_words(self, seat: int) -> Sequence[int]:
        """The words of the state as far as the player of a seat may read them: in sealed choices as
        they were before, but for his own."""
        if not isinstance(self.point, SealedPoint):
            return self.words
        view = self.sealed_view
        if view is not None:
            found = self.table.seals.seen(self.words, view, seat)
        else:
            found = self.state.bytes_for(self.table.game.players[seat])
        return memoryview(found).cast("i")

    def numbers(self, seat: int) -> Floats:
        """What the player of a seat sees; see `ObservationSpace`."""
        if seat not in self._numbers:
            found = self.table.observations.one(self.seen_words(seat), seat, self.deciding)
            found.flags.writeable = False
            self._numbers[seat] = found
        return self._numbers[seat]

    def text(self, seat: int) -> str:
        """The same in words."""
        return self.table.observations.text(self.numbers(seat))

    def told(self, seat: int) -> str:
        """All that the player of a seat has seen since the start, and what he sees now."""
        if seat not in self._told:
            at, context = self.state.at, self.table.game.context
            lines = lines_told(context, at.entry, at.words, context.bit(self.table.game.players[seat]))
            self._told[seat] = "\n".join((*lines, self.text(seat)))
        return self._told[seat]
