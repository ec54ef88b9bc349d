"""How the expressions of a view are evaluated: by the reference interpreter, on a copy of the state.

Drawing must not depend on the back end that plays, nor leave anything behind in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ludex.backends.interpreter import Interpreter
from ludex.cli.view import Drawing
from ludex.game import State

if TYPE_CHECKING:
    from ludex.game import Game
    from ludex.typed.expr import Expr


class _Evaluator:
    """An interpreter for one game, and the expressions it has compiled already."""

    def __init__(self, game: Game) -> None:
        self.machine = Interpreter(game.program)
        self._numbers: dict[int, int] = {}

    def number(self, expr: Expr) -> int:
        """The compiled expression. Nodes are told apart by identity: they live as long as the program."""
        number = self._numbers.get(id(expr))
        if number is None:
            number = self._numbers[id(expr)] = self.machine.compile_expression(expr)
        return number


_evaluators: WeakKeyDictionary[Game, _Evaluator] = WeakKeyDictionary()
"""One for each game in use; compiling is done once."""


def drawing(state: State, viewer: str | None) -> Drawing:
    """What draws a state for a viewer (None: a spectator, who sees what is public)."""
    game = state.game
    evaluator = _evaluators.get(game)
    if evaluator is None:
        evaluator = _evaluators[game] = _Evaluator(game)
    machine = evaluator.machine
    words = machine.unpack(state.to_bytes())
    seats = game.program.world.players
    player = seats.base + game.players.index(viewer) if viewer is not None else 0
    bit = 1 << player  # bit 0 stands for spectators

    def evaluate(expr: Expr, bound: dict[int, int]) -> int:
        return int(machine.evaluate(words, evaluator.number(expr), bound.items()))

    def is_visible(thing: int) -> bool:
        return bool(machine.visible_to(words, thing) & bit)

    return Drawing(game.program, evaluate, is_visible, player)
