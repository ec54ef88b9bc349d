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
from ludex.ir.walk import binds, reads
from ludex.typed.expr import Expr


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
    point, known = context.machine.point(words), context.locals
    if isinstance(point, OverPoint) or not known.fields:
        return []
    return [var for var in sorted(known.waiting[point.block]) if var in known.fields]


class _Anew:
    def __init__(self, context: Context, redraw: Redraw, words: Words, bit: int) -> None:
        self._context = context
        self._locals = context.locals
        self._redraw = redraw
        self._words = words
        self._secrets = context.secrets(words, bit)
        self._secret: dict[int, bool] = {}
        self._values: dict[int, int] = {}
        self.changes: dict[int, int] = {}

    def is_secret(self, var: int) -> bool:
        """Whether a variable may rest on something hidden, itself or by what it is made of."""
        if var not in self._secret:
            self._secret[var] = False  # what leads back to itself adds nothing
            self._secret[var] = var in self._locals.hidden_chance or any(
                not self._secrets.is_open(expr, {}) or any(map(self.is_secret, reads(expr) - binds(expr)))
                for expr in self._locals.made.get(var, ())
            )
        return self._secret[var]

    def value(self, var: int) -> int:
        """The new value of a local, which is put down."""
        if var in self._values:
            return self._values[var]
        field = self._locals.fields[var]
        self._values[var] = element(field, self._words, 0)
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
            if var in self._locals.fields:
                bound[var] = (
                    self.value(var)
                    if self.is_secret(var)
                    else element(self._locals.fields[var], self._words, 0)
                )
            elif self._context.program.variables[var].frame:
                continue  # a piece or card, which has its place in the new world already
            else:
                found = self._evaluated(self._locals.made.get(var, []))
                if found is None:
                    return None
                bound[var] = found
        return bound
