"""How the expressions of a view are evaluated: by the game's own back end, on a copy of the state."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from ludex.cli.view import Drawing, Unseen
from ludex.game import State
from ludex.typed.expr import Const, Occupants
from ludex.typed.types import EntityType, SetType

if TYPE_CHECKING:
    from ludex.game import Game
    from ludex.game.values import Environment
    from ludex.typed.expr import Expr


class Evaluator:
    """Evaluates the expressions of one game's views."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._places: dict[int, Expr] = {}

    def drawing(self, state: State, viewer: str | None) -> Drawing:
        """What draws a state for a viewer (None: a spectator, who sees what is public)."""
        machine = self._game.machine
        words = machine.unpack(state.bytes_for(viewer))
        seats = self._game.program.world.players
        player = seats.base + self._game.players.index(viewer) if viewer is not None else 0
        bit = 1 << player  # bit 0 stands for spectators

        secrets = self._game.context.secrets(words, bit)

        def evaluate(expr: Expr, bound: dict[int, int]) -> int:
            return value(expr, bound, secrets.is_open)

        def counted(expr: Expr, bound: dict[int, int]) -> int:
            return value(expr, bound, secrets.is_countable)

        def value(expr: Expr, bound: dict[int, int], may: Callable[[Expr, Environment], bool]) -> int:
            if not may(expr, {var: frozenset((value,)) for var, value in bound.items()}):
                raise Unseen
            return machine.evaluate(words, machine.compile_expression(expr), tuple(bound.items()))

        def is_visible(thing: int) -> bool:
            return bool(machine.visible_to(words, thing) & bit)

        def contents(location: int) -> int:
            return machine.evaluate(words, machine.compile_expression(self._contents(location)))

        renamed = self._game.context.naming.renamed
        return Drawing(self._game.program, evaluate, is_visible, contents, player, counted, renamed)

    def _contents(self, location: int) -> Expr:
        """All that lies at a location, as an expression."""
        found = self._places.get(location)
        if found is None:
            movables = [k for k in self._game.program.world.kinds if k.is_movable]
            mask = reduce(or_, (k.mask for k in movables), 0)
            kinds = SetType(EntityType(tuple(k.name for k in movables)))
            place = Const(location, EntityType((self._game.program.world.kind_of(location).name,)))
            found = self._places[location] = Occupants(place, mask, kinds)
        return found
