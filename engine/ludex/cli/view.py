"""The drawing that a definition's `view` declares, evaluated for one viewer.

A cell is a template; its expressions give numbers, truth values, entities or sets of them.
Entities are drawn by the glyph of their kind; a piece or card whose face the viewer may not
see is drawn as a card back, whatever the expression says of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

from ludex.backends.machine import Fault
from ludex.cli.chart import Chart
from ludex.cli.picture import MAX_DRAWN, Sheet, Stamp, fill
from ludex.cli.table import Cell, Ink, Table
from ludex.cli.terminal import safe
from ludex.ir.program import Glyph, MapPanel, Panel, PicturePanel, Program, Sign
from ludex.limits import MAX_NESTED_SIGNS
from ludex.typed.expr import Binding, Expr, RangeDomain, SetDomain
from ludex.typed.types import BoolType, EntityType, SetType, Type

Evaluate = Callable[[Expr, dict[int, int]], int]
"""The value of an expression with some variables bound, in the state that is drawn. Raises
`Unseen` if the viewer may not know it, `Fault` if there is none."""


class Unseen(Exception):
    """The value rests on something that the viewer may not see."""


UNTOLD = (Unseen, Fault)

_HIDDEN = "?"
"""A value that the viewer may not know."""

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
    counted: Evaluate | None = None
    """The same for sets of which the viewer may know only how many things are in them."""
    renamed: Callable[[str], str] = str
    """A name of the definition as those who play say it."""
    nested: int = field(init=False, default=0)
    """How many signs were drawn within other signs."""
    members: Evaluate = field(init=False)
    glyphs: dict[str, Glyph] = field(init=False)

    def __post_init__(self) -> None:
        self.members = self.counted or self.evaluate
        self.glyphs = {g.kind: g for g in self.program.glyphs}

    def tables(self) -> list[Table | Chart | Sheet]:
        return [part for panel in self.program.panels for part in self._parts(panel)]

    def _parts(self, panel: Panel | MapPanel | PicturePanel) -> Iterator[Table | Chart | Sheet]:
        match panel:
            case Panel():
                yield from self._panel(panel)
            case MapPanel():
                yield self._map(panel)
            case PicturePanel():
                yield self._picture(panel)

    def _picture(self, panel: PicturePanel) -> Sheet:
        bound = {self.program.viewer: self.viewer}
        places = [bound]
        if panel.across is not None:
            var = panel.across.var
            places = [{**bound, var: v} for v in self._passing(panel.across, panel.guard, bound)]
        room = MAX_DRAWN // max(1, sum(map(len, panel.lines)))
        return Sheet(safe(panel.name), tuple(s for p in places[:room] for s in self._stamp(panel, p)))

    def _stamp(self, panel: PicturePanel, bound: dict[int, int]) -> Iterator[Stamp]:
        """None, if where it stands cannot be told."""
        holes = {hole: partial(self._hole, signs, bound) for hole, signs in panel.legend}
        try:
            at = panel.at and (self.evaluate(panel.at[0], bound), self.evaluate(panel.at[1], bound))
        except UNTOLD:
            return
        yield Stamp(tuple(fill(safe(line), holes) for line in panel.lines), at)

    def _hole(self, signs: tuple[Sign, ...], bound: dict[int, int]) -> Cell:
        sign = self._first(signs, bound)
        if sign is None:
            return ()
        colour = self._colour(sign, bound)
        return tuple(Ink(ink.text, ink.colour or colour) for ink in self._cell(sign.text, bound))

    def _first(self, signs: tuple[Sign, ...], bound: dict[int, int]) -> Sign | None:
        """The first that holds; a condition that cannot be told does not."""
        for sign in signs:
            try:
                if sign.guard is None or self.evaluate(sign.guard, bound):
                    return sign
            except UNTOLD:
                continue
        return None

    def _colour(self, sign: Sign, bound: dict[int, int]) -> str | None:
        """The name of the colour's entity."""
        if sign.color is None:
            return None
        try:
            value = self.evaluate(sign.color, bound)
        except Unseen:
            return None
        return self.renamed(self.program.world.faces[value]) if value else None

    def _map(self, panel: MapPanel) -> Chart:
        at = {space: (x, y) for space, x, y in panel.spots}
        ends = {link: (at[a], at[b]) for link, a, b in panel.ends}
        bound = {self.program.viewer: self.viewer}
        spaces = tuple(
            (*at[s], self._cell(panel.sign, {**bound, panel.spaces.var: s}))
            for s in self._passing(panel.spaces, panel.guard, bound)
        )
        if panel.links is None:
            return Chart(safe(panel.name), spaces)
        lines = tuple(
            (*ends[link], self._cell(panel.mark, {**bound, panel.links.var: link}))
            for link in self._passing(panel.links, panel.links_guard, bound)
        )
        return Chart(safe(panel.name), spaces, lines)

    def _panel(self, panel: Panel) -> Iterator[Table]:
        """One table; with `down` as well as `across`, its rows repeat for each of `down`."""
        bound = {self.program.viewer: self.viewer}
        downs: list[tuple[str, dict[int, int]]] = [("", {})]
        if panel.down is not None:
            var, lines = panel.down.var, self._values(panel.down, bound)
            names = self._texts(panel.side, panel.down, lines, bound)
            downs = [(name, {var: v}) for name, v in zip(names, lines, strict=True)]
        empty = (Ink(safe(panel.empty)),) if panel.empty else ()
        if panel.across is None:
            rows = [
                (_label(name, row.name), (self._cell(row.cell, {**bound, **extra}) or empty,))
                for name, extra in downs
                for row in panel.rows
            ]
            yield Table(safe(panel.name), (), (), tuple(rows))
            return
        var = panel.across.var
        values = self._passing(panel.across, panel.across_guard, bound)
        columns = self._texts(panel.head, panel.across, values, bound)
        groups = ("",) * len(columns)
        if panel.head is None:
            heads = [split_name(name) for name in columns]
            groups, columns = tuple(g for g, _ in heads), tuple(c for _, c in heads)
        table_rows = [
            (
                _label(name, row.name if len(panel.rows) > 1 or panel.down is None else ""),
                tuple(self._cell(row.cell, {**bound, **extra, var: v}) or empty for v in values),
            )
            for name, extra in downs
            for row in panel.rows
        ]
        if len(set(groups)) == 1 and panel.name.startswith(groups[0][:4]):
            groups = ("",) * len(groups)  # the title says it already
        feet = () if panel.foot is None else self._texts(panel.foot, panel.across, values, bound)
        yield Table(safe(panel.name), columns, groups, tuple(table_rows), feet)

    def _passing(self, binding: Binding, guard: Expr | None, bound: dict[int, int]) -> list[int]:
        values = self._values(binding, bound)
        return [v for v in values if guard is None or self._holds(guard, {**bound, binding.var: v})]

    def _holds(self, guard: Expr, bound: dict[int, int]) -> bool:
        """Whether a condition holds; one that cannot be told does not."""
        try:
            return bool(self.evaluate(guard, bound))
        except UNTOLD:
            return False

    def _values(self, binding: Binding, bound: dict[int, int]) -> list[int]:
        """What is gone through; nothing where that cannot be told."""
        try:
            match binding.domain:
                case SetDomain(expr):
                    return list(bits(self.evaluate(expr, bound)))
                case RangeDomain(lo, hi):
                    return list(range(self.evaluate(lo, bound), self.evaluate(hi, bound) + 1))
                case _:
                    return list(self.program.world.players.ids)
        except UNTOLD:
            return []

    def _texts(
        self, template: tuple[str | Expr, ...] | None, over: Binding, values: list[int], bound: dict[int, int]
    ) -> tuple[str, ...]:
        """What stands beside each element: the template's text, or else its name."""
        if template is None:
            return tuple(self._name(over, v) for v in values)
        cells = (self._cell(template, {**bound, over.var: v}) for v in values)
        return tuple("".join(ink.text for ink in cell) for cell in cells)

    def _name(self, over: Binding, value: int) -> str:
        """Of an element of what is gone through; numbers have none but themselves."""
        match over.domain:
            case RangeDomain():
                return str(value)
            case SetDomain(chosen) if not _of_entities(chosen.type):
                return str(value)
            case _:
                return safe(self.renamed(self.program.world.names[value]))

    def _cell(self, template: tuple[str | Expr, ...], bound: dict[int, int]) -> Cell:
        inks: list[Ink] = []
        for part in template:
            if isinstance(part, str):
                inks.append(Ink(safe(part)))
            else:
                inks.extend(self._value(part, bound))
        return tuple(ink for ink in inks if ink.text)

    def _value(self, expr: Expr, bound: dict[int, int]) -> list[Ink]:
        try:
            drawn = self.members if isinstance(expr.type, SetType) else self.evaluate
            value = drawn(expr, bound)
        except Unseen:
            return [Ink(_HIDDEN)]
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
        signs = [s for s in map(self._sign, bits(mask)) if s.text]
        return join([s for s in signs if s.text != BACK] + [s for s in signs if s.text == BACK])

    def _sign(self, entity: int, within: tuple[str, ...] = ()) -> Ink:
        """An entity by its glyph, by its name if its kind has none or is being drawn, or its back."""
        kind = self.program.world.kind_of(entity)
        if kind.is_movable and not self.is_visible(entity):
            return Ink(BACK)
        self.nested += bool(within)
        if self.nested > MAX_NESTED_SIGNS:
            return Ink("…")
        glyph = None if kind.name in within else self.glyphs.get(kind.name)
        if glyph is None:
            return Ink(safe(self.renamed(self.program.world.faces[entity])))
        bound = {self.program.viewer: self.viewer, glyph.var: entity}
        sign = self._first(glyph.signs, bound)
        if sign is None:
            return Ink("")
        within = (*within, kind.name)
        text = "".join(p if isinstance(p, str) else self._plain(p, bound, within) for p in sign.text)
        return Ink(safe(text), self._colour(sign, bound))

    def _plain(self, expr: Expr, bound: dict[int, int], within: tuple[str, ...]) -> str:
        """A value within the glyphs of some kinds, which are named there: glyphs must come to an end."""
        try:
            value = self.evaluate(expr, bound)
        except Unseen:
            return _HIDDEN
        match expr.type:
            case EntityType():
                return self._sign(value, within).text if value else ""
            case SetType(EntityType()):
                return " ".join(self._sign(entity, within).text for entity in bits(value))
            case SetType():
                return " ".join(str(i) for i in bits(value))
            case _:
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


def _of_entities(type: Type) -> bool:
    return isinstance(type, SetType) and isinstance(type.element, EntityType)


def _label(down: str, row: str) -> str:
    return " ".join(part for part in (down, safe(row)) if part)
