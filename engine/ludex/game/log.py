"""Events in words, as one viewer may see them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

from ludex.backends.machine import (
    Ended,
    Entered,
    Event,
    FacesShown,
    Moved,
    Revealed,
    Said,
    Shuffled,
    Stored,
    TokensMoved,
    Words,
)
from ludex.diagnostics import printable
from ludex.game.context import Context
from ludex.game.history import Entry
from ludex.game.naming import bits, call_text
from ludex.typed.types import Type

LineKind = Literal["action", "chance", "move", "state", "say", "end"]


@dataclass(frozen=True, slots=True)
class LogLine:
    """One thing that happened. `rule` is the name of the rule behind it (None: no rule),
    `path` its address, `cites` what it cites. `state` lines (a value changed) are details
    that a short log leaves out. Without control characters."""

    kind: LineKind
    text: str
    rule: str | None = None
    path: str | None = None
    cites: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.rule}: {self.text}" if self.rule is not None else self.text


def log_lines(context: Context, entries: Iterable[Entry], bit: int, words: Words) -> tuple[LogLine, ...]:
    """What happened in some entries, as the viewer with this mask bit saw it.

    `words` is the position they led to. Moves in a row that look alike to him are one line.
    """
    teller = _Teller(context, bit, words)
    for entry in entries:
        teller.tell(entry)
    return teller.lines()


class _Teller:
    """Collects the lines for one viewer."""

    def __init__(self, context: Context, bit: int, words: Words) -> None:
        self._context = context
        self._bit = bit
        self._words = words
        self._lines: list[LogLine] = []
        self._run: tuple[str, str, int] | None = None
        """A kind of thing, where it went, and the rule, of hidden moves in a row."""
        self._length = 0

    def lines(self) -> tuple[LogLine, ...]:
        self._flush()
        return tuple(self._lines)

    def tell(self, entry: Entry) -> None:
        self._flush()
        record = entry.record
        if record is not None and not entry.quiet:
            shown = record.for_viewer(self._bit)
            if shown is not None and shown.text != "?":
                self._lines.append(LogLine("action" if record.player is not None else "chance", str(shown)))
        shown_things = {e.thing for e in entry.events if isinstance(e, Moved) and e.seen_by & self._bit}
        for event in entry.events:
            if entry.parent is None and _is_placing(event):
                continue
            self._event(event, entry.strand, shown_things)
        self._flush()
        if entry.strand and not 1 << entry.strand & self._bit and self._has_finished(entry.strand):
            self._lines.append(LogLine("action", f"{self._name(entry.strand)} has chosen"))

    def _has_finished(self, player: int) -> bool:
        return self._context.reader.strand(self._words, player) in (-1, 0)

    def _event(self, event: Event, strand: int, shown: set[int]) -> None:
        match event:
            case Moved():
                self._moved(event)
            case TokensMoved(face, count, source, target, rule):
                self._tokens(face, count, source, target, rule, strand)
            case Stored(field, index, old, new, seen_by, rule):
                if seen_by & self._bit and (new != old or field == "@face"):
                    self._stored(field, index, new, rule)
            case Shuffled(pile, rule):
                self._add("move", f"{self._name(pile)} is shuffled", rule)
            case Revealed(things, to, rule):
                if not strand or 1 << strand & self._bit:
                    self._revealed(things, to, rule)
            case FacesShown(dice, to, rule):
                if to & self._bit:
                    faces = ", ".join(f"{self._name(die)} is {face}" for die, face in dice)
                    self._add("move", f"{faces}{self._to(to)}", rule)
                elif dice:
                    noun = printable(self._context.naming.kind(dice[0][0]).name)
                    self._add("move", f"{number_of(len(dice), noun)} shown{self._to(to)}", rule)
            case Said(parts, to, rule):
                if to & self._bit:
                    self._add("say", self._said(parts, shown), rule)
            case Ended(rule):
                self._add("end", "the game ends", rule)
            case Entered():
                pass
            case _:
                assert_never(event)

    def _name(self, entity: int) -> str:
        return self._context.naming.text(entity)

    def _moved(self, event: Moved) -> None:
        if not event.witnesses & self._bit:
            return
        target = self._name(event.target)
        where = f"to the bottom of {target}" if event.under else f"to {target}"
        way = f"from {self._name(event.source)} {where}"
        if event.seen_by & self._bit:
            self._add("move", f"{self._name(event.thing)} moves {way}", event.rule)
            return
        kind = self._context.naming.kind(event.thing)
        is_named_so = kind.category != "card" or kind.name == "card"
        noun = printable(kind.name) + ("" if is_named_so else " card")
        run = (noun, way, event.rule)
        if self._run != run:
            self._flush()
            self._run = run
        self._length += 1

    def _flush(self) -> None:
        """Writes the line of the hidden moves in a row."""
        if self._run is None:
            return
        (noun, way, rule), length = self._run, self._length
        self._run, self._length = None, 0
        self._add(
            "move", f"{article(noun)} moves {way}" if length == 1 else f"{length} {noun}s move {way}", rule
        )

    def _tokens(self, face: int, count: int, source: int, target: int, rule: int, strand: int) -> None:
        visibility = self._context.visibility
        seen_by = visibility.location(source) | visibility.location(target)
        if strand and not seen_by & self._bit:
            return  # within another player's sealed choice
        name = self._name(face) if seen_by & self._bit else printable(self._context.naming.kind(face).name)
        verb = "moves" if count == 1 else "move"
        self._add("move", f"{count} {name} {verb} from {self._name(source)} to {self._name(target)}", rule)

    def _stored(self, field: str, index: Sequence[int], new: int, rule: int) -> None:
        layout = self._context.program.layout.find(field)
        if layout is None:
            return
        if layout.role == "face":
            self._add("state", f"{self._name(index[0])} is {new}", rule)
            return
        args = [
            self._name(i) if d.kind is not None else str(i) for d, i in zip(layout.dims, index, strict=True)
        ]
        value = self._context.naming.value(new, layout.type)
        self._add("state", f"{printable(call_text(field, args))} becomes {value}", rule)

    def _revealed(self, things: int, to: int, rule: int) -> None:
        members = list(bits(things))
        if not members:
            return
        if to & self._bit:
            names = ", ".join(self._name(t) for t in members)
            shown = f"{names} {'is' if len(members) == 1 else 'are'}"
        else:
            shown = number_of(len(members), printable(self._context.naming.kind(members[0]).name))
        self._add("move", f"{shown} shown{self._to(to)}", rule)

    def _to(self, viewers: int) -> str:
        everybody = self._context.visibility.everybody
        if viewers & everybody == everybody:
            return ""
        return " to " + (", ".join(self._name(i) for i in bits(viewers & ~1)) or "nobody")

    def _said(self, parts: Sequence[str | tuple[int, Type]], shown: set[int]) -> str:
        visibility, naming = self._context.visibility, self._context.naming

        def sees(thing: int) -> bool:
            return thing in shown or bool(visibility.thing(self._words, thing) & self._bit)

        texts = [printable(p) if isinstance(p, str) else naming.words(*p, sees) for p in parts]
        return " ".join("".join(texts).split())

    def _add(self, kind: LineKind, text: str, index: int) -> None:
        self._flush()
        rule = self._context.rule(index)
        if rule is None:
            self._lines.append(LogLine(kind, text))
        else:
            cites = tuple(printable(c) for c in rule.cites)
            self._lines.append(LogLine(kind, text, printable(rule.name), printable(rule.path), cites))


def _is_placing(event: Event) -> bool:
    """Whether an event before the first rule only puts things and values where they begin."""
    match event:
        case Moved(source=0):
            return True
        case Stored(rule=rule):
            return rule < 0
        case _:
            return False


def number_of(n: int, noun: str) -> str:
    """`a die is`, `3 dies are`: things of which only the kind is known."""
    return f"{article(noun)} is" if n == 1 else f"{n} {noun}s are"


def article(noun: str) -> str:
    """`a gold card`, `an island`."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"
