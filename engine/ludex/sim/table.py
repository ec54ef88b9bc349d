"""How a simulated game is played and what is counted meanwhile, whoever plays it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ludex.game import State


@dataclass(frozen=True, slots=True)
class Settings:
    """How games are played: the bot of each seat, and where a game is given up as endless."""

    bots: tuple[str, ...]
    max_decisions: int
    invariants: bool = True
    """Whether the definition's invariants are tested at every decision."""


@dataclass(slots=True)
class Tally:
    """What is counted while a game is played."""

    decisions: int = 0
    options: int = 0
    most: int = 0
    forced: int = 0
    chances: int = 0
    broken: dict[str, None] = field(default_factory=dict)
    leader: int | None = None
    """The seat that was last ranked first alone."""
    lead_changes: int | None = None
    """None where it is not counted."""

    def rank(self, ranks: Sequence[int]) -> None:
        if ranks.count(1) == 1:
            seat = ranks.index(1)
            changed = self.leader is not None and seat != self.leader
            self.lead_changes = (self.lead_changes or 0) + changed
            self.leader = seat

    def decide(self, options: int) -> None:
        self.decisions += 1
        self.options += options
        self.most = max(self.most, options)
        self.forced += options == 1


class Table(Protocol):
    """One game in progress. `state` is the last state reached, None if there is none yet."""

    tally: Tally

    @property
    def state(self) -> State | None: ...

    def play(self, seed: int) -> None:
        """To the end, or to the cap on decisions. Raises RuleFault."""
        ...
