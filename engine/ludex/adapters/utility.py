"""What a finished game is worth to each player, as learning programs want it.

| name | of each player |
|---|---|
| `payoff` | what the definition's `payoff` says |
| `win` | 1 for the winner, -1/(n-1) for each of the others; those who share the win share it |
| `rank` | those ranked behind him less those ahead, by n-1: from 1 for the first to -1 for the last |
| `score` | his score less the average of the others' |

With two players `win` and `rank` are the same: 1, -1, and 0 for a tie. All but `payoff` add up to 0.
`auto` is `payoff` where the definition has one, else `win`.
"""

from __future__ import annotations

from typing import Literal, get_args

from ludex.backends.machine import Machine, Words
from ludex.game import Game
from ludex.game.faults import named_faults
from ludex.typed.types import INT_MAX, INT_MIN, IntType, Type

Utility = Literal["auto", "payoff", "win", "rank", "score"]


class Worth:
    """The utilities of one game's final states, and their bounds. Raises ValueError."""

    def __init__(self, game: Game, utility: str = "auto") -> None:
        if utility not in get_args(Utility):
            raise ValueError(f"there is no utility `{utility}`: it is {', '.join(get_args(Utility))}")
        self._program = program = game.program
        if utility == "payoff" and program.payoff is None:
            raise ValueError(f"{game.definition.name} has no `payoff`: take win, rank or score")
        self.name = utility if utility != "auto" else "win" if program.payoff is None else "payoff"
        self._players = n = program.players
        self.sums_to_zero = self.name != "payoff" and n > 1
        self.least, self.greatest = -1.0, 1.0
        if self.name == "win" and n > 1:
            self.least = -1.0 / (n - 1)
        elif self.name == "payoff":
            assert program.payoff is not None
            self.least, self.greatest = _bounds(program.payoff[1].type)
        elif self.name == "score":
            least = program.games * sum(_bounds(line.value.type)[0] for line in program.scoring)
            greatest = program.games * sum(_bounds(line.value.type)[1] for line in program.scoring)
            width = max(greatest - least, 1.0)
            self.least, self.greatest = (-width, width) if n > 1 else (least, max(greatest, least + 1))

    def of(self, machine: Machine, words: Words) -> list[float]:
        """By seat. Raises `RuleFault`."""
        with named_faults(self._program):
            return self._of(machine, words)

    def _of(self, machine: Machine, words: Words) -> list[float]:
        n = self._players
        match self.name:
            case "payoff":
                return [float(value) for value in machine.returns(words)]
            case "score":
                totals = [sum(column) for column in zip(*machine.lines(words), strict=True)] or [0] * n
                return [t - (sum(totals) - t) / (n - 1) if n > 1 else float(t) for t in totals]
            case "rank":
                ranks = machine.ranking(words)
                return [sum((r > mine) - (r < mine) for r in ranks) / max(n - 1, 1) for mine in ranks]
            case _:
                ranks = machine.ranking(words)
                share = 1.0 / ranks.count(1)
                shares = [share if rank == 1 else 0.0 for rank in ranks]
                return [(n * x - 1) / (n - 1) for x in shares] if n > 1 else shares


def _bounds(type: Type) -> tuple[float, float]:
    return (float(type.lo), float(type.hi)) if isinstance(type, IntType) else (float(INT_MIN), float(INT_MAX))
