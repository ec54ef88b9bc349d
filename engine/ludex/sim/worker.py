"""What plays the games of a batch in one process, and how parts of a batch are put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from ludex.game import Game
from ludex.ir.program import Decide
from ludex.rng import derive
from ludex.sim.one_game import Player
from ludex.sim.record import Batch, RuleCount
from ludex.sim.table import Settings

if TYPE_CHECKING:
    from ludex.backends.wasm.machine import Compiled


class Recipe(Protocol):
    """Makes the game; picklable, and called once in every process."""

    def __call__(self) -> Game: ...


@dataclass(frozen=True, slots=True)
class Job:
    """Which games are to be played."""

    recipe: Recipe
    settings: Settings
    games: int
    seed: int


class Worker:
    """Makes the game once and plays ranges of games."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.game = job.recipe()
        self._player = Player(self.game, job.settings)

    @cached_property
    def compiled(self) -> Compiled | None:
        """The game's native code that counts, too; None if none can be run."""
        from ludex.backends.wasm.machine import WasmMachine

        machine = self.game.fastest_counting
        return machine.compiled if isinstance(machine, WasmMachine) else None

    def play(self, first: int, last: int) -> Batch:
        coverage = self.game.coverage
        for counts in (coverage.applied, coverage.tested, coverage.empty):
            counts[:] = [0] * len(counts)
        games = [self._player.play(i, derive(self.job.seed, i)) for i in range(first, last)]
        return Batch(games, self.rules(coverage.applied, coverage.tested), self.empty(coverage.empty))

    def rules(self, applied: Sequence[int], tested: Sequence[int] | None) -> list[RuleCount]:
        """The counts of all rules, by their index."""
        return [
            RuleCount(rule.path, rule.name, rule.kind, applied[i], None if tested is None else tested[i])
            for i, rule in enumerate(self.game.rules)
        ]

    def empty(self, by_block: Sequence[int]) -> dict[str, int]:
        """Decisions without an option, by the rule that asks; those that never lacked one too."""
        found: dict[str, int] = {}
        program = self.game.program
        for block, times in zip(program.blocks, by_block, strict=False):
            if isinstance(block.end, Decide):
                rule = block.end.rule
                name = self.game.rules[rule].path if 0 <= rule < len(self.game.rules) else ""
                found[name] = found.get(name, 0) + times
        return found


def merge(total: Batch, chunk: Batch) -> None:
    total.games.extend(chunk.games)
    if not total.rules:
        total.rules = chunk.rules
    else:
        for rule, more in zip(total.rules, chunk.rules, strict=True):
            rule.applied += more.applied
            rule.tested = None if rule.tested is None or more.tested is None else rule.tested + more.tested
    for name, times in chunk.empty.items():
        total.empty[name] = total.empty.get(name, 0) + times
