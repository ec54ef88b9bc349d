"""How the expressions of a view are evaluated: by the reference interpreter, on a copy of the state.

Drawing must not depend on the back end that plays, nor leave anything behind in it.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from ludex.backends.interpreter import Interpreter
from ludex.cli.view import Drawing
from ludex.game import State
from ludex.typed.expr import Const, Occupants
from ludex.typed.types import EntityType, SetType

if TYPE_CHECKING:
    from ludex.game import Game
    from ludex.typed.expr import Expr


class Evaluator:
    """An interpreter for one game, and the expressions it has compiled already."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._machine = Interpreter(game.program)
        self._numbers: dict[int, int] = {}
        self._places: dict[int, int] = {}

    def drawing(self, state: State, viewer: str | None) -> Drawing:
        """What draws a state for a viewer (None: a spectator, who sees what is public)."""
        machine = self._machine
        words = machine.unpack(state.to_bytes())
        seats = self._game.program.world.players
        player = seats.base + self._game.players.index(viewer) if viewer is not None else 0
        bit = 1 << player  # bit 0 stands for spectators

        def evaluate(expr: Expr, bound: dict[int, int]) -> int:
            return int(machine.evaluate(words, self._number(expr), bound.items()))

        def is_visible(thing: int) -> bool:
            return bool(machine.visible_to(words, thing) & bit)

        def contents(location: int) -> int:
            return int(machine.evaluate(words, self._contents(location)))

        return Drawing(self._game.program, evaluate, is_visible, contents, player)

    def _number(self, expr: Expr) -> int:
        """The compiled expression. Nodes are told apart by identity: they live as long as the program."""
        number = self._numbers.get(id(expr))
        if number is None:
            number = self._numbers[id(expr)] = self._machine.compile_expression(expr)
        return number

    def _contents(self, location: int) -> int:
        """The compiled expression for all that lies at a location."""
        number = self._places.get(location)
        if number is None:
            movables = [k for k in self._game.program.world.kinds if k.is_movable]
            mask = reduce(or_, (k.mask for k in movables), 0)
            kinds = SetType(EntityType(tuple(k.name for k in movables)))
            place = Const(location, EntityType((self._game.program.world.kind_of(location).name,)))
            number = self._machine.compile_expression(Occupants(place, mask, kinds))
            self._places[location] = number
        return number
