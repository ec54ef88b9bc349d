"""What is worked out once for a loaded game: names, the places of words, audiences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ludex.backends.machine import Machine, Words
from ludex.diagnostics import printable
from ludex.game.locals import Locals
from ludex.game.naming import Naming
from ludex.game.position import Reader
from ludex.game.secrets import Secrets
from ludex.game.sources import Sources
from ludex.game.values import Evaluator
from ludex.game.visibility import SPECTATOR, Visibility
from ludex.ir.code import Enter, Resume, Store
from ludex.ir.program import Chance, Decide, Rule, Simultaneous
from ludex.typed.expr import Var


class Context:
    """The tools that the parts of this package share for one program."""

    def __init__(self, machine: Machine, seats: Sequence[str] = ()) -> None:
        self.machine = machine
        self.program = machine.program
        self.naming = Naming(self.program.world, seats)
        self.reader = Reader(self.program)
        self.evaluator = Evaluator(self.program)
        self.sources = Sources(self.program)
        self.visibility = Visibility(machine, self.naming, self.reader)
        self.player_ids = tuple(self.program.world.players.ids)
        self.players = tuple(self.naming.name(i) for i in self.player_ids)
        self._seats = dict(zip(self.players, self.player_ids, strict=True))
        names = (o.site.name for b in self.program.blocks if isinstance(b.end, Decide) for o in b.end.options)
        self.action_names = tuple(dict.fromkeys(printable(n) for n in names))

    @cached_property
    def locals(self) -> Locals:
        return Locals(self.program)

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

    def is_stored(self, block: int) -> bool:
        """Whether what comes out of a chance event is at once the value of a state item or die."""
        chance = self.chance(block)
        code = self.program.blocks[chance.next].code
        match next((s for s in code if not isinstance(s, Enter | Resume)), None):
            case Store(value=Var(var)):
                return var == chance.var
            case _:
                return False

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
        return Secrets(self.evaluator, self.sources, self.visibility, self.reader, self.naming, words, bit)
