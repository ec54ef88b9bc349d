"""The interface of a back end, in raw values: states are words, actions are numbers.

`game` wraps it in names and types for everybody else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from ludex.ir.program import FaultKind, Program
from ludex.node import node
from ludex.rng import Generator
from ludex.typed.expr import Expr
from ludex.typed.types import EntityType, Type
from ludex.typed.world import Kind

Words: TypeAlias = list[int]
"""A state: canonical words, trail, and scratch that the back end appends. Opaque but for
the canonical words, which lie at the front as `Layout` says."""


class Fault(Exception):
    """A rule did what no rule may do. `site` indexes the program's sites; where it is -1,
    `rule` is the rule last entered (-1: none)."""

    def __init__(self, kind: FaultKind, site: int, detail: str = "", rule: int = -1) -> None:
        self.kind = kind
        self.site = site
        self.detail = detail
        self.rule = rule
        super().__init__(f"{kind}: {detail}" if detail else kind)


@node
class Choice:
    """An option: its index in the decision and the values of its parameters."""

    option: int
    values: tuple[int, ...]


@node
class TurnPoint:
    """`player` (entity id) is to choose at `block`."""

    player: int
    block: int


@node
class SealedPoint:
    """Sealed choices: the players (ids, in seat order) who have not finished, and the block of each."""

    waiting: tuple[tuple[int, int], ...]
    block: int


@node
class ChancePoint:
    block: int


@node
class OverPoint:
    pass


Point: TypeAlias = TurnPoint | SealedPoint | ChancePoint | OverPoint


# Events, in raw values. Player sets are masks of player ids.


@node
class Entered:
    rule: int


@node
class Moved:
    """A piece or card went from one location to another.

    `seen_by`: the players who may see its face before or after (mask over player ids; bit 0:
    a spectator too). `rule` is the last entered. `witnesses`: who knows that something moved
    at all (fewer than all only inside sealed choices).
    """

    thing: int
    source: int
    target: int
    under: bool
    seen_by: int
    witnesses: int
    rule: int


@node
class TokensMoved:
    face: int
    count: int
    source: int
    target: int
    rule: int


@node
class Stored:
    """A field element got a value; `seen_by` as its audience says.

    Of what all see that is told only if the value is another: of hidden items always, as those
    who do not see them must not learn from it whether they changed.
    """

    field: str
    index: tuple[int, ...]
    old: int
    new: int
    seen_by: int
    rule: int


@node
class Shuffled:
    pile: int
    rule: int


@node
class Revealed:
    """The faces of pieces and cards (a set) are shown to `to`."""

    things: int
    to: int
    rule: int


@node
class FacesShown:
    """Dice are shown to `to`: (die, the face it has now) of each."""

    dice: tuple[tuple[int, int], ...]
    to: int
    rule: int


@node
class Said:
    """Text parts, values with their type and their rendering left to `game`."""

    parts: tuple[str | tuple[int, Type], ...]
    to: int
    rule: int


@node
class Ended:
    """The game (of a match) is over, by end condition or statement `rule` (-1: it ran out)."""

    rule: int


Event: TypeAlias = Entered | Moved | TokensMoved | Stored | Shuffled | Revealed | FacesShown | Said | Ended


@node
class Refusal:
    """Why an option is not open: `option` -1 if no offer has that name; else the rules that fail.

    `rules` are all named conditions that fail and could be evaluated (a condition that
    relies on an earlier failing one may fault: it is left out). `in_domain` tells whether
    the values are in the parameters' domains at all.
    """

    option: int
    in_domain: bool
    rules: tuple[int, ...]


@dataclass(slots=True)
class Coverage:
    """Counters by rule index, and by block: summed over everything the machine ran.

    `applied[r]`: how often step r ran, end condition r ended a game, condition r refused an option.
    `tested[r]`: how often a condition or end condition was evaluated.
    `empty[b]`: how often the decision of block b had no option.
    """

    applied: list[int]
    tested: list[int]
    empty: list[int]


def viewers(kind: Kind, everybody: int) -> tuple[int, ...]:
    """For each member of a kind of places or dice who sees what lies there, or its face: a mask.

    Of a pile whose top is seen, nobody: which card that is the order of the pile tells.
    """
    if kind.audience == "all":
        return (everybody,) * kind.count
    owner = kind.attribute("owner")
    if owner is None:
        of_player = (a for a in kind.attributes if a.type == EntityType(("player",)))
        owner = next(of_player, None)
    if kind.audience != "owner" or owner is None:
        return (0,) * kind.count
    return tuple(1 << player & ~1 for player in owner.values)


Luck: TypeAlias = tuple[tuple[int, int, int, int], tuple[int, int, int, int]]
"""The states of two generators: of chance, and of the policy of random players."""

CHANCE_TURN = 0
OVER_TURN = -1
SEALED_TURN = -2
"""Of native code alone: `Walk.turn` says who is the first to choose."""


class Walk(Protocol):
    """A position that is gone on from in place, for searches: they take steps by the million.

    Options are numbers, in option order. After a Fault only `begin` may follow. A walk is for
    one thread, and two of one machine must not be used in turns.
    """

    turn: int
    """Who decides (entity id): in sealed choices the first who has not finished; else `CHANCE_TURN`
    or `OVER_TURN`."""

    sealed: bool
    """Whether the choice that waits is a sealed one."""

    block: int
    """Where the program waits, or the strand of who decides."""

    def begin(self, data: bytes) -> None:
        """Goes to a state, as `Machine.pack` gives it."""
        ...

    def data(self) -> bytes:
        """The state it stands at."""
        ...

    @property
    def luck(self) -> Luck:
        """The generators that chance and playouts draw from. They run on until they are set."""
        ...

    @luck.setter
    def luck(self, states: Luck) -> None: ...

    def word(self, index: int) -> int:
        """A canonical word of the state."""
        ...

    def waiting(self) -> Sequence[int]:
        """In sealed choices: who has not finished, in seat order."""
        ...

    def ask(self, player: int) -> None:
        """In sealed choices: who of those who have not finished is to choose now."""
        ...

    def count(self) -> int:
        """How many options there are. Comes before `choose` and `choices`."""
        ...

    def choices(self) -> list[Choice]:
        """The options that were counted."""
        ...

    def choose(self, number: int) -> None:
        """Plays an option that was counted here."""
        ...

    def let_happen(self) -> int:
        """The chance event that waits is drawn, and happens; its outcome."""
        ...

    def playout(self, max_decisions: int) -> bool:
        """Plays at random to the end; False if `max_decisions` came first."""
        ...

    def standings(self) -> tuple[Sequence[int], Sequence[int]]:
        """By seat: ranks; and the first ranking key, the more the better (empty if there is none)."""
        ...

    def returns(self) -> Sequence[float]:
        """As `Machine.returns`."""
        ...

    def heuristics(self) -> Sequence[int]:
        """As `Machine.heuristics`."""
        ...


class Machine(Protocol):
    """Runs one program. Not safe for use by two threads at once; cheap to make again."""

    program: Program

    @property
    def coverage(self) -> Coverage:
        """Counts of all that it ran; they may be set to 0."""
        ...

    def start(self, events: list[Event] | None = None) -> Words:
        """A new state, run to its first point."""
        ...

    def copy(self, words: Words) -> Words:
        """The same state again; of a state of another back end, one of this."""
        ...

    def pack(self, words: Words) -> bytes:
        """Canonical words and trail, little-endian signed 32-bit."""
        ...

    def unpack(self, data: bytes) -> Words:
        """Inverse of `pack`. Raises ValueError if the size or a value does not fit the layout."""
        ...

    def point(self, words: Words) -> Point: ...

    def options(self, words: Words, player: int) -> list[Choice]:
        """All legal choices, in option order: offers, then parameters, then values."""
        ...

    def is_legal(self, words: Words, player: int, choice: Choice) -> bool:
        """Whether the choice is an option, or interchangeable with one."""
        ...

    def choose(self, words: Words, player: int, choice: Choice, events: list[Event] | None = None) -> None:
        """Plays a legal choice in place and runs on to the next point.

        On a Fault the words are left as they were.
        """
        ...

    def outcomes(self, words: Words) -> list[tuple[int, int]]:
        """At a chance point: (value, weight) of each outcome, in order."""
        ...

    def resolve(
        self, words: Words, outcome: int, events: list[Event] | None = None, *, going_on: bool = False
    ) -> None:
        """At a chance point: the outcome happens. On a Fault the words are left as they were.

        `going_on`: this follows what the machine ran last, without a decision in between, so
        the ticks of both count together.
        """
        ...

    def sample_choice(self, words: Words, player: int, rng: Generator) -> Choice:
        """A uniform legal choice, late conditions tested as drawn (see docs)."""
        ...

    def sample_outcome(self, words: Words, rng: Generator) -> int: ...

    def playout(self, words: Words, chance: Generator, policy: Generator, max_decisions: int) -> int:
        """Plays at random in place to the end, or until `max_decisions`; returns the decisions made."""
        ...

    def refusal(self, words: Words, player: int, option: int, values: Sequence[int]) -> Refusal:
        """Why a choice is not legal: every named condition that fails."""
        ...

    def options_of(self, words: Words, player: int) -> list[tuple[int, str]]:
        """Offers of the waiting decision: (index, name)."""
        ...

    def lines(self, words: Words) -> list[list[int]]:
        """Scoring lines now (plus those of finished games of the match): [line][seat]."""
        ...

    def ranking(self, words: Words) -> list[int]:
        """Rank of each seat from 1, ties sharing: by decree of a rule if there is one, else by keys."""
        ...

    def keys(self, words: Words) -> list[list[int]]:
        """Ranking keys, summed over the match: [key][seat]."""
        ...

    def returns(self, words: Words) -> list[float]:
        """Final utilities: `payoff` if declared, else winners share 1."""
        ...

    def heuristics(self, words: Words) -> list[int]:
        """How well each seat stands by the declared `heuristic`; empty if there is none."""
        ...

    def broken_invariants(self, words: Words) -> list[int]:
        """Rules of the invariants that do not hold."""
        ...

    def compile_expression(self, expression: Expr) -> int:
        """A handle for `evaluate`, the same whenever the same node is given. The expression may
        use the program's variables."""
        ...

    def evaluate(self, words: Words, expression: int, bound: Sequence[tuple[int, int]] = ()) -> int:
        """The value of an expression by its handle, with values for variables; changes no saved word."""
        ...

    def walk(self) -> Walk:
        """A walk, which must `begin` somewhere."""
        ...

    def visible_to(self, words: Words, thing: int) -> int:
        """Who may see the face of a movable where it lies: mask of player ids, bit 0 for spectators."""
        ...
