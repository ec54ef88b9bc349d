"""Actions and decisions: what can be done at a state, by whom, in a stable text form."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from ludex.backends.machine import Choice


@dataclass(frozen=True, slots=True)
class Action:
    """Something a player chooses, or an outcome of a chance event (`player` None).

    `text` is the stable form used by logs, saves and scenarios: `ride(red_1)`, `pass`; of
    an outcome the value alone: `3`, `gold(5)`. Two actions of one decision never have the
    same text. `name` is the text before the bracket (the chance event's name for outcomes),
    `args` the texts within. `label` is the sentence for people. `choice` is the back end's
    number for it: an implementation detail, valid for one state only.
    """

    text: str
    name: str
    args: tuple[str, ...] = ()
    player: str | None = None
    label: str = ""
    choice: Choice = field(default=Choice(-1, ()), compare=False, repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Turn:
    """`player` is to choose one of his legal actions. `about` is the rule that asks."""

    player: str
    about: str = ""

    @property
    def players(self) -> tuple[str, ...]:
        return (self.player,)


@dataclass(frozen=True, slots=True)
class Simultaneous:
    """Sealed choices: each of `players` has still to choose, in any order."""

    players: tuple[str, ...]
    about: str = ""


@dataclass(frozen=True, slots=True)
class Chance:
    """A chance event is to be resolved (only in games started with `explicit=True`).

    `outcomes` have exact probabilities, which sum to 1.
    """

    name: str
    outcomes: tuple[tuple[Action, Fraction], ...]

    @property
    def players(self) -> tuple[str, ...]:
        return ()


Decision: TypeAlias = Turn | Simultaneous | Chance
