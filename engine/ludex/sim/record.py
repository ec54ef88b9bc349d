"""What is kept of a simulated game, and of a batch of them: plain values that processes exchange."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class FaultNote:
    """A rule did what no rule may do: which, where it is written, what.

    Faults of one rule at one place are one fault, whatever the values were.
    """

    kind: str
    rule: str
    position: str
    message: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game. By-seat values are in seat order.

    `ranks` is empty if the game was not finished (`ended_by` then says why: see `Outcome`).
    `options` is the sum of the numbers of legal actions over all decisions, `forced` how
    many decisions had one only.
    """

    index: int
    seed: int
    outcome: str  # finished | unfinished | fault
    ended_by: str
    decisions: int
    turns: int
    rounds: int
    chances: int
    options: int
    most_options: int
    forced: int
    ranks: tuple[int, ...] = ()
    returns: tuple[float, ...] = ()
    totals: tuple[int, ...] = ()
    lines: tuple[tuple[int, ...], ...] = ()
    """Scoring lines: [line][seat]."""
    broken: tuple[str, ...] = ()
    """Names of invariants that did not hold at some decision."""
    fault: FaultNote | None = None
    lead_changes: int | None = field(default=None, compare=False)
    """How often another player alone came to have the highest score; None where it was not counted."""

    @property
    def ending(self) -> str:
        """What ended a game that was finished."""
        return self.ended_by or "the course of the game"

    @property
    def win_shares(self) -> tuple[Fraction, ...]:
        """One win, shared by all who are ranked first."""
        first = self.ranks.count(1)
        return tuple(Fraction(int(r == 1), first) if first else Fraction(0) for r in self.ranks)


@dataclass(slots=True)
class RuleCount:
    """How often a rule ran (steps), ended a game (end conditions) or refused an option (conditions).

    `tested`: how often a condition was asked; None where games were played that do not count it.
    """

    path: str
    name: str
    kind: str
    applied: int = 0
    tested: int | None = 0


@dataclass(slots=True)
class Batch:
    """Games played by one process, in the order of their indices, and its counts of rules.

    `empty` counts the decisions without an option, by the rule that asked.
    """

    games: list[GameRecord] = field(default_factory=list)
    rules: list[RuleCount] = field(default_factory=list)
    empty: dict[str, int] = field(default_factory=dict)
