"""A fixed number for every outcome of a game's chance events.

Each event has numbers of its own from 0: the faces of a die in order, the cards of the kinds that a
pile may hold (by face), the members of a type. Where a number may be anything, outcomes are counted as
they are listed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ludex.diagnostics import printable
from ludex.game import Game
from ludex.game.naming import Naming
from ludex.ir import program as p
from ludex.limits import MAX_OPTIONS
from ludex.typed.types import BoolType, EntityType, IntType, Type


class OutcomeSpace:
    """The numbers of the outcomes of one game; `size` is one more than the greatest."""

    def __init__(self, game: Game) -> None:
        self._program = game.program
        found = {
            number: self._values(block.end)
            for number, block in enumerate(self._program.blocks)
            if isinstance(block.end, p.Chance)
        }
        self._number = {
            block: {value: i for i, value in enumerate(values)}
            for block, values in found.items()
            if values is not None
        }
        bounded = max(map(len, self._number.values()), default=0)
        self.size = MAX_OPTIONS if len(self._number) < len(found) else bounded
        self.has_chance = bool(found)

    def numbers(self, block: int, values: Sequence[int]) -> list[int]:
        """The numbers of the outcomes that the event at `block` has now."""
        known = self._number.get(block)
        return list(range(len(values))) if known is None else [known[v] for v in values]

    def text(self, naming: Naming, block: int, value: int) -> str:
        """`draw: card(jack)`: the event and what comes out of it."""
        chance = self._program.blocks[block].end
        assert isinstance(chance, p.Chance)
        match chance.event:
            case p.MemberChance(type=type):
                shown = naming.value(value, type)
            case p.DrawChance():
                shown = naming.text(value)
            case _:
                shown = str(value)
        return f"{printable(chance.name)}: {shown}"

    def _values(self, chance: p.Chance) -> Sequence[int] | None:
        match chance.event:
            case p.RollChance(faces):
                return tuple(dict.fromkeys(faces))
            case p.DrawChance(pile):
                world = self._program.world
                assert isinstance(pile.type, EntityType)
                held = [
                    kind
                    for kind in world.kinds
                    if kind.is_movable and any(world.kind(name).may_hold(kind) for name in pile.type.kinds)
                ]
                return tuple(i for kind in held for i in kind.ids)
            case p.MemberChance(type=type):
                return self._members(type)

    def _members(self, type: Type) -> Sequence[int] | None:
        match type:
            case EntityType(kinds):
                return tuple(i for name in kinds for i in self._program.world.kind(name).ids)
            case BoolType():
                return (0, 1)
            case IntType(lo, hi) if hi - lo < MAX_OPTIONS:
                return range(lo, hi + 1)
            case _:
                return None
