"""What is worked out once for a loaded game: names, the places of words, audiences."""

from __future__ import annotations

from ludex.backends.machine import Machine, Words
from ludex.diagnostics import printable
from ludex.game.naming import Naming
from ludex.game.position import Reader
from ludex.game.secrets import Secrets
from ludex.game.values import Evaluator
from ludex.game.visibility import SPECTATOR, Visibility
from ludex.ir.program import Chance, Decide, Rule, Simultaneous


class Context:
    """The tools that the parts of this package share for one program."""

    __slots__ = (
        "_seats",
        "action_names",
        "evaluator",
        "machine",
        "naming",
        "player_ids",
        "players",
        "program",
        "reader",
        "visibility",
    )

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.program = machine.program
        self.naming = Naming(self.program.world)
        self.reader = Reader(self.program)
        self.evaluator = Evaluator(self.program)
        self.visibility = Visibility(machine, self.naming, self.reader)
        self.player_ids = tuple(self.program.world.players.ids)
        self.players = tuple(self.naming.name(i) for i in self.player_ids)
        self._seats = dict(zip(self.players, self.player_ids, strict=True))
        names = (o.site.name for b in self.program.blocks if isinstance(b.end, Decide) for o in b.end.options)
        self.action_names = tuple(dict.fromkeys(printable(n) for n in names))

    def player_id(self, player: str) -> int:
        """The entity of a seat's name. ValueError if there is no such seat."""
        try:
            return self._seats[player]
        except KeyError:
            raise ValueError(
                f"no such player: {printable(player)} (players: {', '.join(self.players)})"
            ) from None

    def bit(self, viewer: str | None) -> int:
        """The mask bit of a viewer."""
        return SPECTATOR if viewer is None else 1 << self.player_id(viewer)

    def decide(self, block: int) -> Decide:
        end = self.program.blocks[block].end
        if not isinstance(end, Decide):
            raise ValueError(f"block {block} asks for no decision")
        return end

    def chance(self, block: int) -> Chance:
        end = self.program.blocks[block].end
        if not isinstance(end, Chance):
            raise ValueError(f"block {block} is no chance event")
        return end

    def about(self, block: int) -> str:
        """The name of the rule that asks at a block, empty if there is none."""
        end = self.program.blocks[block].end
        if isinstance(end, Decide | Chance | Simultaneous):
            rule = self.rule(end.rule)
            return printable(rule.name) if rule is not None else ""
        return ""

    def rule(self, index: int) -> Rule | None:
        return self.program.rules[index] if 0 <= index < len(self.program.rules) else None

    def secrets(self, words: Words, bit: int) -> Secrets:
        return Secrets(self.evaluator, self.visibility, self.reader, self.naming, words, bit)
