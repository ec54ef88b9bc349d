"""The drawing that a definition's `view` declares, evaluated for one viewer.

A cell is a template; its expressions give numbers, truth values, entities or sets of them.
Entities are drawn by the glyph of their kind; a piece or card whose face the viewer may not
see is drawn as a card back, whatever the expression says of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from ludex.backends.machine import Fault
from ludex.cli.table import Cell, Ink, Table
from ludex.cli.terminal import safe
from ludex.ir.program import Glyph, Panel, Program
from ludex.typed.expr import Binding, Expr, RangeDomain, SetDomain
from ludex.typed.types import BoolType, EntityType, SetType

Evaluate = Callable[[Expr, dict[int, int]], int]
"""The value of an expression with some variables bound, in the state that is drawn."""

BACK = "#"
"""A card back, or any other thing of which the viewer sees only that it is there."""

_REPEATED = 3
"""So many equal signs in a row are drawn; of more, their number."""


@dataclass(slots=True)
class Drawing:
    """What is needed to draw: the program, how to evaluate, and whose eyes."""

    program: Program
    evaluate: Evaluate
    is_visible: Callable[[int], bool]
    """Whether the viewer may see the face of this piece or card where it lies."""
    contents: Callable[[int], int]
    """The pieces and cards at a location, as a set."""
    viewer: int
    glyphs: dict[str, Glyph] = field(init=False)

    def __post_init__(self) -> None:
        self.glyphs = {g.kind: g for g in self.program.glyphs}

    def tables(self) -> list[Table]:
        return [table for panel in self.program.panels for table in self._panel(panel)]

    def _panel(self, panel: Panel) -> Iterator[Table]:
        """One table; with `down` as well as `across`, its rows repeat for each of `down`."""
        bound = {self.program.viewer: self.viewer}
        downs: list[tuple[str, dict[int, int]]] = [("", {})]
        if panel.down is not None:
            var = panel.down.var
            downs = [(self._name(v), {var: v}) for v in self._values(panel.down, bound)]
        if panel.across is None:
            rows = [
                (_label(name, row.name), (self._cell(row.cell, {**bound, **extra}),))
                for name, extra in downs
                for row in panel.rows
            ]
            yield Table(safe(panel.name), (), (), tuple(rows))
            return
        var = panel.across.var
        values = [
            v
            for v in self._values(panel.across, bound)
            if panel.across_guard is None or self.evaluate(panel.across_guard, {**bound, var: v})
        ]
        groups, columns = self._heads(values)
        table_rows = [
            (
                _label(name, row.name if len(panel.rows) > 1 or not name else ""),
                tuple(self._cell(row.cell, {**bound, **extra, var: v}) for v in values),
            )
            for name, extra in downs
            for row in panel.rows
        ]
        if len(set(groups)) == 1 and panel.name.startswith(groups[0][:4]):
            groups = ("",) * len(groups)  # the title says it already
        yield Table(safe(panel.name), columns, groups, tuple(table_rows))

    def _values(self, binding: Binding, bound: dict[int, int]) -> list[int]:
        match binding.domain:
            case SetDomain(expr):
                return list(bits(self.evaluate(expr, bound)))
            case RangeDomain(lo, hi):
                return list(range(self.evaluate(lo, bound), self.evaluate(hi, bound) + 1))
            case _:
                return list(self.program.world.players.ids)

    def _heads(self, values: list[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Column heads in two lines: what neighbours have in common, and what tells them apart."""
        heads = [split_name(self._name(v)) for v in values]
        return tuple(g for g, _ in heads), tuple(c for _, c in heads)

    def _name(self, value: int) -> str:
        names = self.program.world.names
        return safe(names[value]) if 0 < value < len(names) else str(value)

    def _cell(self, template: tuple[str | Expr, ...], bound: dict[int, int]) -> Cell:
        inks: list[Ink] = []
        for part in template:
            if isinstance(part, str):
                inks.append(Ink(safe(part)))
            else:
                inks.extend(self._value(part, bound))
        return tuple(inks)

    def _value(self, expr: Expr, bound: dict[int, int]) -> list[Ink]:
        try:
            value = self.evaluate(expr, bound)
        except Fault:  # what does not exist for this viewer, such as a spectator's own hand
            return [Ink("-")]
        match expr.type:
            case BoolType():
                return [Ink("yes" if value else "no")]
            case EntityType():
                return self._entity(value) if value else []
            case SetType(EntityType()):
                return self._things(value)
            case SetType():
                return [Ink(" ".join(str(i) for i in bits(value)))]
            case _:
                return [Ink(str(value))]

    def _entity(self, entity: int) -> list[Ink]:
        """A pile by what is in it, all else by its sign."""
        if self.program.world.kind_of(entity).category != "pile":
            return [self._sign(entity)]
        return self._things(self.contents(entity))

    def _things(self, mask: int) -> list[Ink]:
        """What the viewer knows first, then the backs, so that their order tells nothing."""
        signs = [self._sign(i) for i in bits(mask)]
        return join([s for s in signs if s.text != BACK] + [s for s in signs if s.text == BACK])

    def _sign(self, entity: int) -> Ink:
        """An entity by its glyph, by its name if its kind has none, or its back."""
        kind = self.program.world.kind_of(entity)
        if kind.is_movable and not self.is_visible(entity):
            return Ink(BACK)
        glyph = self.glyphs.get(kind.name)
        if glyph is None:
            return Ink(safe(self.program.world.faces[entity]))
        bound = {self.program.viewer: self.viewer, glyph.var: entity}
        text = "".join(p if isinstance(p, str) else self._plain(p, bound) for p in glyph.sign)
        colour = self._plain(glyph.color, bound) if glyph.color is not None else None
        return Ink(safe(text), colour or None)

    def _plain(self, expr: Expr, bound: dict[int, int]) -> str:
        """A value within a glyph: entities by name, so that glyphs need no end of glyphs."""
        value = self.evaluate(expr, bound)
        if isinstance(expr.type, EntityType):
            return self.program.world.faces[value] if value else ""
        return str(value)


def bits(mask: int) -> Iterator[int]:
    """The elements of a set, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def join(signs: list[Ink]) -> list[Ink]:
    """Signs beside each other: letters close together, all else apart; many equal ones counted."""
    inks: list[Ink] = []
    was_narrow = False
    for sign, run in groupby(signs):
        n = sum(1 for _ in run)
        narrow = len(sign.text) == 1 and not sign.text.isdigit()
        if inks and not (narrow and was_narrow):
            inks.append(Ink(" "))
        if n == 1:
            inks.append(sign)
        elif n <= _REPEATED and len(sign.text) <= 2:
            inks.extend([sign] * n if narrow else [sign, *[Ink(" "), sign] * (n - 1)])
        else:
            inks.append(Ink(f"{sign.text}x{n}", sign.colour))
        was_narrow = narrow
    return inks


def split_name(name: str) -> tuple[str, str]:
    """`mountain(3)` in two: what it is and which. A name without brackets is all of the second."""
    head, bracket, rest = name.partition("(")
    return (head, rest.removesuffix(")")) if bracket else ("", name)


def _label(down: str, row: str) -> str:
    return " ".join(part for part in (down, safe(row)) if part)
