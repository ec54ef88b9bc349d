"""Scenario files read into scenarios: several YAML documents, one scenario each.

The texts of `given` and `then` are DSL and stay as they are, for the pipeline to compile in
the game's scope. Mistakes of form are reported for all scenarios of a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ludex.diagnostics import Report, did_you_mean, printable
from ludex.sim import codes
from ludex.sim.scenarios import Refused, Scenario, Sight, Text
from ludex.syntax.document import Entry, Mapping, Node, Scalar, Sequence, raw_text
from ludex.syntax.reader import read_documents, read_file

_KEYS = (
    "scenario",
    "game",
    "overlays",
    "players",
    "options",
    "chance",
    "given",
    "when",
    "then",
    "options_are",
    "refused",
    "to_move",
    "sees",
    "scores",
    "ranking",
    "over",
    "note",
    "cite",
)


@dataclass(frozen=True, slots=True)
class ScenarioSource:
    """A scenario and its texts in the DSL: a last step of setup, and named conditions."""

    scenario: Scenario
    game: str | None
    overlays: tuple[str, ...]
    players: int | None
    options: dict[str, bool | int | str]
    given: Scalar | None
    then: dict[str, Scalar]


def read_scenarios(path: Path, report: Report) -> list[ScenarioSource]:
    """The scenarios of a file; those that cannot be made out are reported and left out."""
    source = read_file(path, report)
    if source is None:
        return []
    return [s for d in read_documents(source, report) if (s := _Reader(d, report).read()) is not None]


class _Reader:
    """Reads one document."""

    def __init__(self, document: Mapping, report: Report) -> None:
        self.document = document
        self.report = report

    def read(self) -> ScenarioSource | None:
        for entry in self.document:
            if entry.name not in _KEYS:
                self.report.add(
                    codes.UNKNOWN_KEY,
                    f"a scenario has no `{entry.name}`",
                    entry.key.span,
                    help=did_you_mean(entry.name, _KEYS),
                )
        name = self.document.get("scenario")
        if not isinstance(name, Scalar) or not name.text.strip():
            self._wrong(name or self.document, "a scenario begins with `scenario:` and its name")
            return None
        then = self._entries("then")
        scenario = Scenario(
            name=_text(name),
            chance=self._texts("chance"),
            when=self._texts("when"),
            then=tuple(Text(e.name, e.key.span) for e in then),
            options_are=self._texts("options_are") if self.document.get("options_are") else None,
            options_span=self._span("options_are"),
            refused=self._refused(),
            to_move=self._one("to_move"),
            sees=self._sees(),
            scores=self._numbers("scores"),
            ranking=self._ranking(),
            over=self._over(),
        )
        players = self._one("players")
        return ScenarioSource(
            scenario=scenario,
            game=text.text if (text := self._one("game")) is not None else None,
            overlays=self._overlays(),
            players=self._int(players) if players is not None else None,
            options={e.name: _plain(s) for e in self._entries("options") if (s := self._scalar(e))},
            given=given if isinstance(given := self.document.get("given"), Scalar) else None,
            then={e.name: s for e in then if (s := self._scalar(e)) is not None},
        )

    def _overlays(self) -> tuple[str, ...]:
        """Names of overlays of the game, or of files beside the scenario file: it reaches no others."""
        found: list[str] = []
        for name in self._texts("overlays"):
            if re.fullmatch(r"[\w-]+", name.text):
                found.append(name.text)
            elif (path := _beside(name)) is not None:
                found.append(path)
            else:
                message = (
                    f"`{printable(name.text)}` is neither the name of an overlay of the game "
                    "nor a file beside this one"
                )
                self.report.add(codes.FORM, message, name.span)
        return tuple(found)

    def _wrong(self, node: Node, message: str) -> None:
        self.report.add(codes.FORM, message, node.span)

    def _span(self, key: str) -> Text | None:
        entry = self.document.entry(key)
        return Text(key, entry.key.span) if entry is not None else None

    def _one(self, key: str) -> Text | None:
        node = self.document.get(key)
        if node is None:
            return None
        if not isinstance(node, Scalar) or node.kind == "null":
            self._wrong(node, f"`{key}` takes one value")
            return None
        return _text(node)

    def _texts(self, key: str) -> tuple[Text, ...]:
        node = self.document.get(key)
        if node is None:
            return ()
        return self._list(node, f"`{key}` takes a list")

    def _list(self, node: Node, message: str) -> tuple[Text, ...]:
        if not isinstance(node, Sequence):
            self._wrong(node, message)
            return ()
        texts = []
        for item in node.items:
            if (of_player := _of_player(item)) is not None:
                texts.append(of_player)
                continue
            scalar = raw_text(item)
            if scalar is None:
                self._wrong(item, f"{message} of texts: quote what holds a comma or a colon")
            else:
                texts.append(_text(scalar))
        return tuple(texts)

    def _entries(self, key: str) -> tuple[Entry, ...]:
        node = self.document.get(key)
        if node is None:
            return ()
        if not isinstance(node, Mapping):
            self._wrong(node, f"`{key}` takes names, each with a value")
            return ()
        return node.entries

    def _scalar(self, entry: Entry) -> Scalar | None:
        scalar = raw_text(entry.value)
        if scalar is None:
            self._wrong(entry.value, f"`{entry.name}` takes one text")
        return scalar

    def _int(self, text: Text) -> int | None:
        try:
            return int(text.text)
        except ValueError:
            self.report.add(codes.FORM, f"`{text.text}` is not a whole number", text.span)
            return None

    def _refused(self) -> tuple[Refused, ...]:
        node = self.document.get("refused")
        if not isinstance(node, Mapping):
            return tuple(Refused(text, None) for text in self._texts("refused"))
        found = []
        for entry in node:
            if isinstance(entry.value, Scalar) and entry.value.kind == "null":
                found.append(Refused(_text(entry.key), None))
            elif (reason := self._scalar(entry)) is not None:
                found.append(Refused(_text(entry.key), _text(reason)))
        return tuple(found)

    def _sees(self) -> tuple[Sight, ...]:
        found: list[Sight] = []
        for player in self._entries("sees"):
            if not isinstance(player.value, Mapping):
                self._wrong(player.value, "`sees` takes for each player the places, and what is seen there")
                continue
            for place in player.value:
                faces: tuple[Text, ...] | None = None
                count: int | None = None
                if isinstance(place.value, Scalar):
                    count = self._int(_text(place.value))
                    if count is None:
                        continue
                else:
                    faces = self._list(place.value, "what is seen is a number or a list of faces")
                found.append(Sight(_text(player.key), _text(place.key), faces, count))
        return tuple(found)

    def _numbers(self, key: str) -> tuple[tuple[Text, int], ...]:
        return self._pairs(key, self._int)

    def _pairs(self, key: str, read: Callable[[Text], int | None]) -> tuple[tuple[Text, int], ...]:
        found = []
        for entry in self._entries(key):
            scalar = self._scalar(entry)
            value = read(_text(scalar)) if scalar is not None else None
            if value is not None:
                found.append((_text(entry.key), value))
        return tuple(found)

    def _ranking(self) -> tuple[tuple[Text, int], ...]:
        """A place for each player, or the players from the first on (nobody tied)."""
        node = self.document.get("ranking")
        if isinstance(node, Sequence):
            return tuple((text, i) for i, text in enumerate(self._texts("ranking"), start=1))
        return self._numbers("ranking")

    def _over(self) -> Text | None:
        """The end condition by name; an empty text for `null`: the game must go on."""
        entry = self.document.entry("over")
        if entry is None:
            return None
        if isinstance(entry.value, Scalar):
            null = entry.value.kind == "null"
            return Text("" if null else entry.value.text, entry.value.span if not null else entry.key.span)
        self._wrong(entry.value, "`over` takes the name of an end condition, or null")
        return None


def _text(scalar: Scalar) -> Text:
    return Text(scalar.text.strip(), scalar.span)


def _plain(scalar: Scalar) -> bool | int | str:
    if scalar.kind == "bool":
        return scalar.text.casefold() == "true"
    if scalar.kind == "int":
        return int(scalar.text)
    return scalar.text


def _beside(name: Text) -> str | None:
    """The path of an overlay in the folder of the scenario file, if it really lies there."""
    if not re.fullmatch(r"[\w-]+\.ya?ml", name.text):
        return None
    folder = Path(name.span.source.name).parent
    path = folder / name.text
    try:
        lies_there = path.resolve().parent == folder.resolve()
    except (OSError, RuntimeError):  # a link to itself
        return None
    return str(path) if lies_there else None


def _of_player(item: Node) -> Text | None:
    """`player_2: pass`, an action with the player whose it is, as one text."""
    if not isinstance(item, Mapping) or len(item.entries) != 1:
        return None
    (entry,) = item.entries
    scalar = raw_text(entry.value)
    if scalar is None:
        return None
    return Text(f"{entry.name}: {scalar.text}", entry.key.span.to(entry.value.span))
