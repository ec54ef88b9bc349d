"""Chance events: what may come out, how likely, and making it happen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ludex.backends.interpreter.collapse import collapse
from ludex.backends.interpreter.folds import domain
from ludex.backends.interpreter.memory import WAIT
from ludex.backends.machine import Fault, Revealed, Words
from ludex.ir import program as p

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler

Outcomes: TypeAlias = list[tuple[int, int]]


class ChanceCode:
    """A chance block, compiled.

    `outcomes` gives (value, weight) in order; `resolve` lets one happen (any card or piece
    stands for those it is merged with) and returns the block to go on at. ValueError if it
    is none of the outcomes.
    """

    def __init__(self, c: Compiler, chance: p.Chance) -> None:
        self.chance = chance
        self.outcomes: Callable[[Words], Outcomes] = _outcomes(c, chance.event)
        self._same = _merged(c, chance.event)
        self._write = c.writer(chance.var) if chance.var >= 0 else None
        self._pile = c.word(chance.event.pile) if isinstance(chance.event, p.DrawChance) else None
        self._c = c

    def wait(self, w: Words) -> int:
        """The terminator: waits; faults `empty` where nothing can come out."""
        if not self.outcomes(w):
            site = self.chance.event.site if isinstance(self.chance.event, p.MemberChance) else -1
            raise Fault("empty", site, f"{self.chance.name}: nothing to choose from")
        return WAIT

    def resolve(self, w: Words, outcome: int) -> int:
        outcome = self._same(w, outcome)
        if outcome not in [value for value, _ in self.outcomes(w)]:
            raise ValueError(f"{outcome} is no outcome of {self.chance.name}")
        self._c.context.rule = self.chance.rule
        if self._pile is not None:
            self._draw(w, self._pile(w), outcome)
        if self._write is not None:
            self._write(w, outcome)
        return self.chance.next

    def _draw(self, w: Words, pile: int, card: int) -> None:
        """The card becomes the known head, seen by whoever may see it there."""
        context, piles = self._c.context, self._c.piles
        piles.settle_top(w, pile, card)
        if context.events is not None:
            seen = piles.visible(w, card) & context.witnesses
            if seen:
                context.events.append(Revealed(1 << card, seen, context.rule))


def _outcomes(
    c: Compiler, event: p.RollChance | p.MemberChance | p.DrawChance
) -> Callable[[Words], Outcomes]:
    match event:
        case p.RollChance(faces):
            counts: dict[int, int] = {}
            for face in faces:
                counts[face] = counts.get(face, 0) + 1
            fixed = list(counts.items())
            return lambda w: fixed
        case p.DrawChance(pile):
            where, piles, copies = c.word(pile), c.piles, c.program.world.copies

            def draw(w: Words) -> Outcomes:
                weights: dict[int, list[int]] = {}
                for card in piles.middle(w, where(w)):
                    weights.setdefault(copies[card], [card, 0])[1] += 1
                return [(card, weight) for card, weight in weights.values()]

            return draw
        case p.MemberChance():
            return _members(c, event)


def _members(c: Compiler, event: p.MemberChance) -> Callable[[Words], Outcomes]:
    items, slot = domain(c, event.domain), c.slot(event.var)
    guard = None if event.guard is None else c.expr(event.guard)
    classes = collapse(c, event.type, ())

    def run(w: Words) -> Outcomes:
        held = classes.held(w) if classes is not None else 0
        weights: dict[object, list[int]] = {}
        for x in items(w):
            w[slot] = x
            if guard is None or guard(w):
                key = classes.key(w, x, held) if classes is not None else None
                weights.setdefault(key if key is not None else x, [x, 0])[1] += 1
        return [(x, weight) for x, weight in weights.values()]

    return run


def _merged(c: Compiler, event: p.RollChance | p.MemberChance | p.DrawChance) -> Callable[[Words, int], int]:
    """The outcome that a value is merged into."""
    match event:
        case p.RollChance():
            return lambda w, x: x
        case p.DrawChance(pile):
            where, piles, copies = c.word(pile), c.piles, c.program.world.copies

            def face(w: Words, x: int) -> int:
                middle = piles.middle(w, where(w))
                return next((y for y in middle if x in middle and copies[y] == copies[x]), x)

            return face
        case p.MemberChance():
            classes, items = collapse(c, event.type, ()), domain(c, event.domain)
            if classes is None:
                return lambda w, x: x
            return lambda w, x: classes.lowest(w, x, items(w))
