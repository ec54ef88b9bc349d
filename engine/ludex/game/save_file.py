"""The lines of a save, from and to text, without playing them.

A save is UTF-8, one JSON object a line::

    {"ludex_save": 1, "ludex": VERSION, "game": …, "title": …, "overlays": […], "options": {…},
     "players": N, "seats": […], "names": […], "seed": S, "explicit": false, "viewer": null,
     "content_hash": SHA256, "files": [[NAME, TEXT], …]}
    {"player": "player(1)", "action": "ride(red_1)"}
    {"chance": "dragon_die", "outcome": "3"}
    {"end": ENTRIES, "hash": SHA256 of the state, "chance_words": [four words]}

Everything in it is as untrusted as any file.
"""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from ludex.diagnostics import Report, printable
from ludex.game import codes
from ludex.game.definition import DefinitionInfo, content_hash_of
from ludex.limits import MAX_DIAGNOSTICS, MAX_ENTITIES, MAX_OVERLAYS, MAX_PLAYERS
from ludex.source import SourceFile, Span

FORMAT: Final = 1
"""The number of the save format that this module writes and reads."""

MAX_SAVE_BYTES: Final = 1 << 26
"""Bytes of a save (64 MiB): a game of the greatest length with long action texts."""

MAX_LINE_CHARACTERS: Final = 1 << 16
"""Characters of one entry. The header may take a quarter of `MAX_SAVE_BYTES`."""

MAX_ENTRIES: Final = 1 << 19
"""Entries of a save: five for each decision of the longest game."""

SPECTATOR: Final = "<spectator>"
"""The viewer of a save that was exported for spectators."""


@dataclass(frozen=True, slots=True)
class SaveHeader:
    """The first line of a save. `seats` says who played (free text for each seat, as given),
    `names` what the players are called (none: as their seats)."""

    format: int
    ludex: str
    definition: DefinitionInfo
    seats: tuple[str, ...]
    names: tuple[str, ...]
    seed: int
    explicit: bool
    viewer: str | None
    """The viewer it was exported for, or `SPECTATOR`: then it is masked and replays nothing.
    None: a full save."""


@dataclass(frozen=True, slots=True)
class Line:
    """An entry of a save: an action of `player`, or an outcome of the chance event `name`."""

    player: str | None
    name: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class SaveFile:
    """A save as read. `hash` and `chance` are of the last line, empty if that is missing."""

    header: SaveHeader
    header_span: Span
    lines: tuple[Line, ...]
    hash: str
    chance: tuple[int, int, int, int] | None
    end_span: Span


def header_text(header: SaveHeader) -> str:
    definition = header.definition
    return dumped(
        {
            "ludex_save": header.format,
            "ludex": header.ludex,
            "game": definition.name,
            "title": definition.title,
            "overlays": list(definition.overlays),
            "options": dict(definition.options),
            "players": definition.players,
            "seats": list(header.seats),
            "names": list(header.names),
            "seed": header.seed,
            "explicit": header.explicit,
            "viewer": header.viewer,
            "content_hash": definition.content_hash,
            "files": [list(f) for f in definition.files],
        }
    )


def dumped(content: object) -> str:
    """One line of JSON, ASCII only."""
    return json.dumps(content, ensure_ascii=True)


def engine_version() -> str:
    """The version of ludex that is running."""
    try:
        return metadata.version("ludex")
    except metadata.PackageNotFoundError:
        return "unknown"


def read_text(path: Path, report: Report) -> SourceFile | None:
    """The text of a save; what is wrong with the file goes to the report."""
    shown = printable(str(path))
    nowhere = SourceFile(shown, "")
    span = Span(nowhere, 0, 0)
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # devices never end, pipes wait
            report.add(codes.UNREADABLE, f"the save {shown} is not a file", span)
            return None
        with path.open("rb") as file:
            data = file.read(MAX_SAVE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        report.add(codes.UNREADABLE, f"cannot read the save {shown}: {printable(reason)}", span)
        return None
    if len(data) > MAX_SAVE_BYTES:
        report.add(codes.TOO_LARGE, f"the save {shown} has more than {MAX_SAVE_BYTES} bytes", span)
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        report.add(codes.UNREADABLE, f"the save {shown} is not UTF-8 (line {line})", span)
        return None
    if not text.strip():
        report.add(codes.UNREADABLE, f"the save {shown} is empty", span)
        return None
    return SourceFile(shown, text)


def parse_header(source: SourceFile, report: Report) -> SaveHeader | None:
    """The header; None with a diagnostic if it is none."""
    span = _line_span(source, 0)
    if span.end - span.start > MAX_SAVE_BYTES // 4:
        report.add(codes.TOO_LARGE, "the header of the save is too long", Span(source, 0, 0))
        return None
    content = _object(span.text)
    if content is None or "ludex_save" not in content:
        report.add(codes.FORMAT, "this is no save: the first line is not a header", span)
        return None
    if content["ludex_save"] != FORMAT or isinstance(content["ludex_save"], bool):
        number = printable(str(content["ludex_save"]))[:20]
        report.add(
            codes.FORMAT, f"the save has format {number}; this version of ludex reads format {FORMAT}", span
        )
        return None
    try:
        return _header(content)
    except _Bad as bad:
        report.add(
            codes.FORMAT, f"the header of the save is damaged: `{bad}` is missing or not as it must be", span
        )
        return None


class _Bad(Exception):
    """A part of the header is not as it must be."""


def _header(content: dict[str, object]) -> SaveHeader:
    options = content.get("options")
    if not isinstance(options, dict) or not all(isinstance(v, str) for v in options.values()):
        raise _Bad("options")
    if len(options) > MAX_ENTITIES:
        raise _Bad("options")
    files = content.get("files")
    if not isinstance(files, list) or not 1 <= len(files) <= MAX_OVERLAYS + 1:
        raise _Bad("files")
    texts: list[tuple[str, str]] = []
    for file in files:
        match file:
            case [str(name), str(text)]:
                texts.append((printable(name), text))
            case _:
                raise _Bad("files")
    viewer = content.get("viewer")
    if viewer is not None and not isinstance(viewer, str):
        raise _Bad("viewer")
    explicit = content.get("explicit")
    if not isinstance(explicit, bool):
        raise _Bad("explicit")
    definition = DefinitionInfo(
        name=_text(content, "game"),
        title=_text(content, "title"),
        overlays=_texts(content, "overlays", MAX_OVERLAYS),
        options=tuple((k, v) for k, v in options.items()),
        players=_number(content, "players", 1, MAX_PLAYERS),
        files=tuple(texts),
        content_hash=_text(content, "content_hash"),
    )
    return SaveHeader(
        format=FORMAT,
        ludex=printable(_text(content, "ludex")),
        definition=definition,
        seats=tuple(printable(s) for s in _texts(content, "seats", MAX_PLAYERS)),
        names=_texts(content, "names", MAX_PLAYERS) if "names" in content else (),
        seed=_number(content, "seed", 0, (1 << 64) - 1),
        explicit=explicit,
        viewer=printable(viewer) if viewer is not None else None,
    )


def _text(content: dict[str, object], key: str) -> str:
    value = content.get(key)
    if not isinstance(value, str):
        raise _Bad(key)
    return value


def _texts(content: dict[str, object], key: str, most: int) -> tuple[str, ...]:
    value = content.get(key)
    if not isinstance(value, list) or len(value) > most or not all(isinstance(v, str) for v in value):
        raise _Bad(key)
    return tuple(str(v) for v in value)


def _number(content: dict[str, object], key: str, least: int, most: int) -> int:
    value = content.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise _Bad(key)
    return value


def is_authentic(definition: DefinitionInfo) -> bool:
    """Whether the texts of a header are those its hash was made of."""
    d = definition
    return d.content_hash == content_hash_of(d.name, d.overlays, d.options, d.players, d.files)


def parse_lines(source: SourceFile, header: SaveHeader, report: Report) -> SaveFile | None:
    """All entries; the first `MAX_DIAGNOSTICS` damaged lines are reported."""
    span = _line_span(source, 0)
    header_span, lines = span, []
    content: dict[str, object] | None = None
    damaged = 0
    while span.end < len(source.text):
        span = _line_span(source, span.end + 1)
        if not span.text.strip():
            continue
        if content is not None and "end" in content:
            report.add(codes.DAMAGED, "there is more after the last line of the save", span)
            return None
        if span.end - span.start > MAX_LINE_CHARACTERS:
            message = f"line {span.line} has more than {MAX_LINE_CHARACTERS} characters"
            report.add(codes.TOO_LARGE, message, Span(source, span.start, span.start))
            return None
        content = _object(span.text)
        if content is not None and "end" in content:
            continue
        line = _entry(content, span)
        if line is not None:
            lines.append(line)
            if len(lines) > MAX_ENTRIES:
                report.add(codes.TOO_LARGE, f"the save has more than {MAX_ENTRIES} entries", span)
                return None
            continue
        damaged += 1
        report.add(codes.DAMAGED, f"line {span.line} is no entry of a game", span)
        if damaged == MAX_DIAGNOSTICS:
            break
    if damaged:
        return None
    end = _line_span(source, max(0, source.text.rstrip().rfind("\n") + 1))
    if content is None or "end" not in content:
        message = f"the save ends after {len(lines)} entries without its last line"
        report.add(codes.TRUNCATED, message, end)
        return None
    if content["end"] != len(lines):
        message = (
            f"the last line counts {printable(str(content['end']))[:20]} entries, but there are {len(lines)}"
        )
        report.add(codes.DAMAGED, message, end)
        return None
    hash = content.get("hash")
    return SaveFile(
        header,
        header_span,
        tuple(lines),
        hash if isinstance(hash, str) else "",
        _chance(content.get("chance_words")),
        end,
    )


def _entry(content: dict[str, object] | None, span: Span) -> Line | None:
    match content:
        case {"player": str(player), "action": str(action)}:
            return Line(player, "", action, span)
        case {"chance": str(name), "outcome": str(outcome)}:
            return Line(None, name, outcome, span)
        case _:
            return None


def _chance(words: object) -> tuple[int, int, int, int] | None:
    match words:
        case [int(a), int(b), int(c), int(d)]:
            return (a & 0xFFFFFFFF, b & 0xFFFFFFFF, c & 0xFFFFFFFF, d & 0xFFFFFFFF)
        case _:
            return None


def _object(text: str) -> dict[str, object] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _line_span(source: SourceFile, start: int) -> Span:
    end = source.text.find("\n", start)
    return Span(source, start, len(source.text) if end < 0 else end)
