"""Locals of code that waits in the midst of a step, where they rest on what a viewer cannot see.

Such a local has been given a value by an expression that reads something hidden (`let w =
worth(me)`). In a world dealt anew it must neither keep the true value, which would tell the
secret, nor one that contradicts the world: so the expression is evaluated again there. Where
that cannot be (the local was given several values, or what it was made of is gone) it may be
anything its type allows. References to pieces and cards are no matter of this module.
"""

from __future__ import annotations

from collections.abc import Mapping

from ludex.backends.machine import OverPoint, Words
from ludex.game.context import Context
from ludex.game.faults import FAULTS
from ludex.game.position import element
from ludex.game.redraw import Redraw, put
from ludex.game.values import Environment, Values
from ludex.ir.walk import binds, reads
from ludex.typed.expr import Expr, Var


def needs_working_out(context: Context, words: Words) -> bool:
    """Whether code waits there with locals of which some may rest on what is hidden."""
    return bool(context.visibility.hides_something and _kept(context, words))


def worked_out_anew(context: Context, redraw: Redraw, words: Words, bit: int) -> dict[int, int] | None:
    """New values for the words of locals that rest on what the viewer with this mask bit cannot see;
    None if there are no such locals.

    `words` is the world dealt anew.
    """
    anew = _Anew(context, redraw, words, bit)
    secret = [var for var in _kept(context, words) if anew.is_secret(var)]
    for var in secret:
        anew.value(var)
    return anew.changes if secret else None


def _kept(context: Context, words: Words) -> list[int]:
    """The locals, but for pieces and cards, that the code which waits there goes on with."""
    fields = context.locals.fields
    return [var for var in sorted(_needed(context, words)) if var in fields] if fields else []


def _needed(context: Context, words: Words) -> frozenset[int]:
    """The locals that the code which waits there goes on with."""
    point = context.machine.point(words)
    return frozenset() if isinstance(point, OverPoint) else context.locals.needed(words, point.block)


class _Anew:
    def __init__(self, context: Context, redraw: Redraw, words: Words, bit: int) -> None:
        self._context = context
        self._locals = context.locals
        self._redraw = redraw
        self._words = words
        self._needed = _needed(context, words)
        self._secrets = context.secrets(words, bit)
        self._secret: dict[int, bool] = {}
        self._asked: set[int] = set()
        """The variables of which it is being found out whether they are secret."""
        self._values: dict[int, int] = {}
        self.changes: dict[int, int] = {}

    def is_secret(self, var: int) -> bool:
        """Whether a variable may rest on something hidden, itself or by what it is made of."""
        if var not in self._secret:
            self._secret[var] = False  # what leads back to itself adds nothing
            self._asked.add(var)
            self._secret[var] = var in self._locals.hidden_chance or any(
                not self._secrets.is_open(expr, self._now(expr))
                or any(map(self.is_secret, reads(expr) - binds(expr)))
                for expr in self._locals.made.get(var, ())
            )
            self._asked.discard(var)
        return self._secret[var]

    def _now(self, expr: Expr) -> Environment:
        """What is known of the variables of an expression that the code which waits does not need any more:
        what an open one has that was given their value, or nothing."""
        found: dict[int, Values] = {}
        for var in reads(expr) - binds(expr):
            if self._is_gone(var):
                heir = self._heir(var)
                found[var] = None if heir is None else frozenset((self._word(heir),))
        return found

    def _is_gone(self, var: int) -> bool:
        """Whether a variable that has a word has no value there, as nobody needs it any more."""
        return self._context.program.variables[var].frame and var not in self._needed

    def _heir(self, var: int) -> int | None:
        """A variable that is needed, is open, and was given the value of one that is gone."""
        for other in sorted(self._needed - self._asked):
            match self._locals.made.get(other):
                case [Var(id_)] if id_ == var and other in self._locals.fields and not self.is_secret(other):
                    return other
        return None

    def _word(self, var: int) -> int:
        return element(self._locals.fields[var], self._words, 0)

    def value(self, var: int) -> int:
        """The new value of a local, which is put down."""
        if var in self._values:
            return self._values[var]
        field = self._locals.fields[var]
        self._values[var] = self._word(var)
        found = self._evaluated(self._locals.made.get(var, []))
        self._values[var] = self._redraw.any_value(field) if found is None else found
        put(field, 0, self._values[var], self.changes)
        return self._values[var]

    def _evaluated(self, made: list[Expr]) -> int | None:
        """The value of the one expression a local was made from; None if it cannot be had any more."""
        if len(made) != 1:
            return None
        bound = self._bound(made[0])
        if bound is None:
            return None
        machine = self._context.machine
        try:
            return machine.evaluate(self._words, machine.compile_expression(made[0]), tuple(bound.items()))
        except FAULTS:
            return None

    def _bound(self, expr: Expr) -> Mapping[int, int] | None:
        """Values for the variables an expression reads."""
        bound: dict[int, int] = {}
        for var in sorted(reads(expr) - binds(expr)):
            heir = self._heir(var) if self._is_gone(var) else None
            if heir is not None:
                bound[var] = self._word(heir)
            elif var in self._needed and var in self._locals.fields:
                bound[var] = self.value(var) if self.is_secret(var) else self._word(var)
            elif var not in self._needed:
                found = self._evaluated(self._locals.made.get(var, []))
                if found is None:
                    return None
                bound[var] = found
            # else a piece or card, which has its place in the new world already
        return bound
