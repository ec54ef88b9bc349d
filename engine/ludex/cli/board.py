"""The board as text: the definition's own view, or else all places and values, for one viewer.

Everything drawn comes from the viewer's observation or from the view evaluated for him.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ludex.cli.chart import Chart, draw_chart
from ludex.cli.evaluation import Evaluator
from ludex.cli.picture import Sheet, draw_picture
from ludex.cli.table import Colourist, Ink, Table, colourless, draw
from ludex.cli.terminal import safe
from ludex.cli.view import BACK, join, split_name
from ludex.cli.worded import worded
from ludex.game import FieldView, Game, Observation, PlaceView, State
from ludex.translation.wording import PLAIN, Wording


class Board:
    """Draws the states of one game."""

    def __init__(self, game: Game, wording: Wording = PLAIN) -> None:
        self._game = game
        self._wording = wording
        self._evaluator = Evaluator(game) if game.program.panels else None

    def draw(self, state: State, viewer: str | None, width: int, colour: Colourist = colourless) -> list[str]:
        """The lines of the drawing, none wider than `width` where that is possible.

        Every text in it has been made harmless to a terminal before it was given its colour.
        """
        parts = self.parts(state, viewer)
        return [line for part in parts for line in ("", *lines_of(part, width, colour))][1:]

    def parts(self, state: State, viewer: str | None) -> list[Table | Chart | Sheet]:
        """The tables, maps and pictures that the drawing consists of."""
        return [worded(part, self._wording) for part in self._tables(state, viewer)]

    def _tables(self, state: State, viewer: str | None) -> Sequence[Table | Chart | Sheet]:
        if self._evaluator is not None:
            return self._evaluator.drawing(state, viewer).tables()
        kinds = self._game.program.world.kinds
        owned = frozenset(k.name for k in kinds if k.fields == ("owner",))
        return generic_tables(state.observation(viewer), owned, self._game.players)


def lines_of(part: Table | Chart | Sheet, width: int, colour: Colourist = colourless) -> list[str]:
    """A table, map or picture as text."""
    if isinstance(part, Chart):
        return draw_chart(part, width, colour)
    return draw_picture(part, width, colour) if isinstance(part, Sheet) else draw(part, width, colour)


def generic_tables(
    observation: Observation, owned: frozenset[str] = frozenset(), players: tuple[str, ...] = ()
) -> list[Table]:
    """For a game without a view: kinds of places as tables, single places and values as a list.

    Kinds that there are one of for every player (`owned`) have the players for columns.
    """
    kinds: dict[str, list[PlaceView]] = {}
    for place in observation.places:
        if place.kind != "box":
            kinds.setdefault(place.kind, []).append(place)
    groups: dict[tuple[str, ...], list[tuple[str, list[PlaceView]]]] = {}
    singles: list[tuple[str, tuple[tuple[Ink, ...], ...]]] = []
    for kind, places in kinds.items():
        if len(places) == 1:
            singles.append((safe(places[0].place), (_things(places[0]),)))
        else:
            columns = players if kind in owned else tuple(split_name(p.place)[1] for p in places)
            groups.setdefault(columns, []).append((kind, places))
    tables = [
        Table(
            title="",
            columns=tuple(safe(c) for c in columns),
            groups=("",) * len(columns),
            rows=tuple((safe(kind), tuple(_things(p) for p in places)) for kind, places in rows),
        )
        for columns, rows in groups.items()
    ]
    if singles:
        tables.append(Table("", (), (), tuple(singles)))
    values = [_field(f) for f in observation.fields]
    if values:
        tables.append(Table("", (), (), tuple(values)))
    return tables


def score_table(state: State, viewer: str | None) -> Table | None:
    """The scores as the viewer may know them; all of them when the game is over."""
    scores = state.scores if state.is_terminal else state.observation(viewer).scores
    if not scores.lines:
        return None
    rows = [(safe(line.name), tuple(_number(v) for v in line.values)) for line in scores.lines]
    if len(scores.lines) > 1:
        rows.append(("total", tuple(_number(v) for v in scores.totals)))
    columns = tuple(safe(p) for p in scores.players)
    return Table("scores", columns, ("",) * len(columns), tuple(rows))


def _number(value: int | None) -> tuple[Ink, ...]:
    return (Ink("?" if value is None else str(value)),)


def _things(place: PlaceView) -> tuple[Ink, ...]:
    inks = join([_sign(t) for t in place.things])
    for face, number in place.tokens:
        if inks:
            inks.append(Ink(" "))
        sign = _sign(face)
        inks.append(Ink(f"{number} {sign.text}", sign.colour))
    return tuple(inks) or (Ink("."),)


def _sign(face: str) -> Ink:
    return Ink(BACK) if face.startswith("?") else Ink(safe(face))


def _field(view: FieldView) -> tuple[str, tuple[tuple[Ink, ...], ...]]:
    return safe(view.name), ((Ink(_value(view.value)),),)


def _value(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case tuple():
            return ", ".join(_value(v) for v in value) or "-"
        case _:
            return safe(str(value))


def indent(lines: Iterable[str], by: str = "  ") -> list[str]:
    return [by + line if line else line for line in lines]
