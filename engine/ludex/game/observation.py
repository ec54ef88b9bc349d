"""What one viewer sees now: the single projection behind views, logs, options and errors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeAlias

from ludex.backends.machine import Words
from ludex.diagnostics import printable
from ludex.game.actions import Action
from ludex.game.context import Context
from ludex.game.naming import bits, call_text
from ludex.game.position import element, index_of
from ludex.ir.layout import Field
from ludex.node import node
from ludex.typed.types import BoolType, EntityType, IntType, SetType, Type
from ludex.typed.world import Kind

Value: TypeAlias = str | int | bool | tuple[str | int, ...] | None


@node
class PlaceView:
    """A place and what the viewer sees of it.

    `things` are the pieces and cards: faces he sees by name, others as `?kind`; from the
    top down if `ordered` (`unordered` of them, after `head` others, lie in unknown order),
    else visible ones in the order of declaration, then hidden ones. `tokens` are (face or
    `?kind`, number) where the number is not 0.
    """

    place: str
    kind: str
    ordered: bool
    things: tuple[str, ...]
    tokens: tuple[tuple[str, int], ...]
    head: int = 0
    unordered: int = 0

    @property
    def count(self) -> int:
        return len(self.things)


@node
class FieldView:
    """An item of state that the viewer sees: `strip`, or `seen(player(1))` with its index."""

    name: str
    field: str
    index: tuple[str, ...]
    value: Value


@node
class ScoreLineView:
    """A scoring line: its name and a value for each player in seat order, None if masked."""

    name: str
    values: tuple[int | None, ...]


@node
class Scores:
    """The scoring table. A total is None if one of its lines is masked."""

    players: tuple[str, ...]
    lines: tuple[ScoreLineView, ...]
    totals: tuple[int | None, ...]

    def of(self, player: str) -> dict[str, int | None]:
        """Line name to value, for one player, without the total."""
        seat = self.players.index(player)
        return {line.name: line.values[seat] for line in self.lines}

    def total(self, player: str) -> int | None:
        return self.totals[self.players.index(player)]


@node
class Observation:
    """All that `viewer` (None: a spectator) sees of a state.

    `deciding` are the players who are to decide, `chance` the chance event that is waiting.
    `actions` are the viewer's own legal actions. `active` is the player of the turn.
    """

    viewer: str | None
    deciding: tuple[str, ...]
    about: str
    chance: str | None
    is_terminal: bool
    active: str | None
    round_number: int | None
    game_number: int | None
    places: tuple[PlaceView, ...]
    fields: tuple[FieldView, ...]
    scores: Scores
    actions: tuple[Action, ...]

    def place(self, name: str) -> PlaceView:
        for view in self.places:
            if view.place == name:
                return view
        raise KeyError(name)

    def value(self, name: str) -> Value:
        """The value of a visible state item by its text: `strip`, `bidding(player(2))`."""
        for view in self.fields:
            if view.name == name:
                return view.value
        raise KeyError(name)

    def to_json(self) -> str:
        """The stable text form: one line of JSON, keys in fixed order, ASCII only.

        Empty places are left out.
        """
        places: dict[str, object] = {}
        for p in self.places:
            if not p.things and not p.tokens:
                continue
            entry: dict[str, object] = {}
            if p.things:
                entry["top_down" if p.ordered else "things"] = list(p.things)
            if p.unordered > 1:
                entry["unordered"] = [p.head, p.unordered]
            if p.tokens:
                entry["tokens"] = dict(p.tokens)
            places[p.place] = entry
        content = {
            "viewer": self.viewer,
            "deciding": list(self.deciding),
            "about": self.about,
            "chance": self.chance,
            "over": self.is_terminal,
            "active": self.active,
            "round": self.round_number,
            "game": self.game_number,
            "places": places,
            "state": {f.name: f.value for f in self.fields},
            "scores": {line.name: list(line.values) for line in self.scores.lines},
            "totals": list(self.scores.totals),
            "actions": [a.text for a in self.actions],
        }
        return json.dumps(content, ensure_ascii=True, separators=(",", ":"))


def place_views(
    context: Context,
    words: Words,
    sealed: Words | None,
    bit: int,
    unseen: frozenset[int] = frozenset(),
    secret: frozenset[int] = frozenset(),
) -> tuple[PlaceView, ...]:
    """All places. `sealed` (during sealed choices) is the position before them: what lies at
    places that the viewer does not see is as it was there, and so is every place that things
    went from or to without his knowledge (`secret`). `unseen` are things that he has
    not looked at yet though they lie open."""
    reader, visibility = context.reader, context.visibility
    now = reader.contents(words)
    before = now if sealed is None else reader.contents(sealed)
    views = []
    for kind in context.program.world.kinds:
        if not kind.is_location:
            continue
        for location in kind.ids:
            touched = not secret.isdisjoint((*now.get(location, ()), *before.get(location, ())))
            open_place = sealed is None or (visibility.location(location) & bit and not touched)
            source = words if open_place or sealed is None else sealed
            things = (now if open_place else before).get(location, [])
            views.append(_place_view(context, kind, location, things, source, bit, unseen))
    return tuple(views)


def _place_view(
    context: Context,
    kind: Kind,
    location: int,
    things: list[int],
    words: Words,
    bit: int,
    unseen: frozenset[int],
) -> PlaceView:
    naming, reader = context.naming, context.reader
    visible = [t not in unseen and bool(context.visibility.thing(words, t) & bit) for t in things]
    texts = [naming.text(t) if v else naming.back(t) for t, v in zip(things, visible, strict=True)]
    head = unordered = 0
    if kind.ordered:
        if all(visible):
            head = sum(reader.order(words, t) > 0 for t in things)
            unordered = sum(reader.order(words, t) == 0 for t in things)
        first, last = head, head + unordered
        middle = sorted(
            zip(things[first:last], texts[first:last], strict=True), key=lambda p: _rank(context, p[0])
        )
        texts[first:last] = [text for _, text in middle]
    else:
        seen = sorted((_rank(context, t), x) for t, x, v in zip(things, texts, visible, strict=True) if v)
        texts = [x for _, x in seen] + sorted(x for x, v in zip(texts, visible, strict=True) if not v)
    tokens = reader.tokens(words, location)
    if context.visibility.location(location) & bit:
        shown = tuple((naming.text(face), n) for face, n in tokens)
    else:
        totals: dict[str, int] = {}
        for face, n in tokens:
            totals[naming.back(face)] = totals.get(naming.back(face), 0) + n
        shown = tuple(totals.items())
    name = naming.text(location)
    return PlaceView(name, printable(kind.name), kind.ordered, tuple(texts), shown, head, unordered)


def _rank(context: Context, thing: int) -> int:
    """Order of declaration by face, so that copy numbers do not show."""
    return context.program.world.copies[thing] if context.naming.kind(thing).category == "card" else thing


OF_EVERY_GAME = ("active", "round_number", "game_number")
"""State items that no definition declares: an observation tells them apart from those it has."""


def field_views(context: Context, words: Sequence[int], bit: int) -> tuple[FieldView, ...]:
    """The state items that the viewer may see."""
    views = []
    for field in context.reader.state_fields():
        if field.name in OF_EVERY_GAME:
            continue
        for number in range(field.count):
            index = index_of(field, number)
            if not context.visibility.field_element(field, index) & bit:
                continue
            name, args = element_name(context, field, index)
            value = plain_value(context, element(field, words, number), field.type)
            views.append(FieldView(call_text(name, args), name, args, value))
    return tuple(views)


def element_name(context: Context, field: Field, index: Sequence[int]) -> tuple[str, tuple[str, ...]]:
    """What an element of the state is called: its name and what stands in brackets behind it."""
    args = tuple(
        context.naming.text(i) if d.kind is not None else str(i)
        for d, i in zip(field.dims, index, strict=True)
    )
    return printable(field.name.removeprefix("@")), args


def plain_value(context: Context, value: int, type: Type) -> Value:
    """A value as JSON has it: numbers and truth values as such, entities by name, none as null."""
    match type:
        case BoolType():
            return bool(value)
        case IntType():
            return value
        case EntityType():
            return context.naming.text(value) if value else None
        case SetType(element_type):
            members = [plain_value(context, i, element_type) for i in bits(value)]
            return tuple(m for m in members if isinstance(m, str | int))
        case _:
            return value


def score_view(context: Context, words: Words, bit: int | None) -> Scores:
    """The scoring table; with a viewer's bit, what depends on hidden things is masked."""
    program = context.program
    table = context.machine.lines(words) if program.scoring else []
    secrets = context.secrets(words, bit) if bit is not None and context.visibility.hides_something else None
    lines = []
    for scoring, values in zip(program.scoring, table, strict=True):
        shown: list[int | None] = list(values)
        if secrets is not None:
            for seat, player in enumerate(context.player_ids):
                if not secrets.is_open(scoring.value, {scoring.me: frozenset((player,))}):
                    shown[seat] = None
        rule = context.rule(scoring.rule)
        lines.append(ScoreLineView(printable(rule.name) if rule is not None else "score", tuple(shown)))
    totals: list[int | None] = []
    for seat in range(len(context.players)):
        column = [line.values[seat] for line in lines]
        known = [v for v in column if v is not None]
        totals.append(sum(known) if len(known) == len(column) else None)
    return Scores(context.players, tuple(lines), tuple(totals))
