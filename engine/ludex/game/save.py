"""Saves: a game as JSON lines that replay without random numbers (the format: `save_file`)."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ludex.backends.machine import ChancePoint, Words
from ludex.diagnostics import Report, printable
from ludex.game import codes, offers
from ludex.game.actions import Action
from ludex.game.api import Game
from ludex.game.faults import IllegalAction, RuleFault
from ludex.game.history import Record
from ludex.game.save_file import (
    FORMAT,
    SPECTATOR,
    Line,
    SaveFile,
    SaveHeader,
    dumped,
    engine_version,
    header_text,
    is_authentic,
    parse_header,
    parse_lines,
    read_text,
)
from ludex.game.state import State
from ludex.rng import Generator


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where a game recorded under other rules stops being possible.

    `entry` counts from 1; `recorded` is its text, `legal` what is possible there instead.
    """

    entry: int
    recorded: str
    legal: tuple[str, ...]
    message: str


def save_text(state: State, *, seats: tuple[str, ...] = ()) -> str:
    """The text of a full save: for the table, not for a player."""
    header = _header(state, seats)
    chance = {"chance_words": list(state.at.chance.state)}
    history = state.history
    return _lines(header, history, {"end": len(history), "hash": state.hash, **chance})


def write_save(path: Path, state: State, *, seats: tuple[str, ...] = ()) -> None:
    """Writes a save, atomically: the file has either its old content or all of the new. OSError."""
    write_atomically(path, save_text(state, seats=seats))


def export_save(state: State, viewer: str | None, *, seats: tuple[str, ...] = ()) -> str:
    """The text of a save for a player (None: a spectator): what he may not see is masked.

    Neither the seed nor the hash of the state is in it, so it cannot be replayed.
    """
    history = state.history_for(viewer)
    header = replace(_header(state, seats), seed=0, viewer=viewer if viewer is not None else SPECTATOR)
    return _lines(header, history, {"end": len(history)})


def _header(state: State, seats: tuple[str, ...]) -> SaveHeader:
    seed = state.seed & (1 << 64) - 1
    game = state.game
    return SaveHeader(
        FORMAT, engine_version(), game.definition, seats, game.names, seed, state.is_explicit, None
    )


def _lines(header: SaveHeader, history: Sequence[Record], end: object) -> str:
    lines = [header_text(header)]
    for record in history:
        if record.player is None:
            lines.append(dumped({"chance": record.name, "outcome": record.text}))
        else:
            lines.append(dumped({"player": record.player, "action": record.text}))
    lines.append(dumped(end))
    return "\n".join(lines) + "\n"


def write_atomically(path: Path, text: str) -> None:
    """Replaces a file's content at once, or leaves it as it is (OSError)."""
    target = Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    with contextlib.suppress(OSError):  # some systems cannot open folders; the file itself is safe
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def read_header(path: Path, report: Report) -> SaveHeader | None:
    """The header of a save; None if it cannot be read, with the reasons in `report`."""
    source = read_text(path, report)
    return None if source is None else parse_header(source, report)


def _read(path: Path, report: Report) -> SaveFile | None:
    source = read_text(path, report)
    if source is None:
        return None
    header = parse_header(source, report)
    if header is None:
        return None
    file = parse_lines(source, header, report)
    if file is not None and header.viewer is not None:
        message = f"this save was exported for {header.viewer}: it cannot be played on"
        report.add(codes.MASKED, message, file.header_span)
        return None
    return file


def read_save(path: Path, load: Callable[[SaveHeader], Game], report: Report) -> State | None:
    """The state that a save holds, replayed; None if it cannot be, with the reasons in `report`.

    `load` makes the game from the texts in the header (it may raise `Failed`).
    """
    file = _read(path, report)
    if file is None:
        return None
    if not is_authentic(file.header.definition):
        message = "the definition inside the save was changed after the game was played"
        report.add(codes.DEFINITION_CHANGED, message, file.header_span)
        return None
    game = load(file.header)
    if game.definition.content_hash != file.header.definition.content_hash:
        message = "the definition inside the save does not load as it did when the game was played"
        report.add(codes.DEFINITION_CHANGED, message, file.header_span)
        return None
    state, divergence = _replayed(game, file, report)
    if report.errors:
        return None
    if divergence is not None:
        span = file.lines[divergence.entry - 1].span if divergence.entry <= len(file.lines) else file.end_span
        report.add(codes.DIVERGED, divergence.message, span)
        return None
    if state is None or state.hash != file.hash:
        report.add(
            codes.OTHER_POSITION, "the entries lead to another position than the one saved", file.end_span
        )
        return None
    return state


def dry_run(path: Path, game: Game, report: Report) -> tuple[State | None, Divergence | None]:
    """Replays a save under the rules of `game`, which may have changed since.

    Returns the state reached: the last one, or (with the divergence) the last possible one
    (None where not even the beginning is). (None, None) if the save cannot be read.
    """
    file = _read(path, report)
    return (None, None) if file is None else _replayed(game, file, report)


MAX_SECONDS = 120.0
"""Processor time for playing the entries of a save again. People's games take less than one."""

MAX_WORDS = 1 << 26
"""Words of all the positions of one save, which are kept: half a gigabyte."""


class _TooLong(Exception):
    """Replaying is given up."""


class _Impossible(Exception):
    """The next entry is no outcome of the chance event that is to be resolved."""

    def __init__(self, legal: tuple[str, ...], message: str) -> None:
        self.legal = legal
        self.message = message
        super().__init__(message)


class _Replay:
    """The entries of a save, one after the other; `done` of them are used up."""

    def __init__(self, game: Game, lines: Sequence[Line]) -> None:
        self._game = game
        self._lines = lines
        self._began = time.process_time()
        self.done = 0

    def spend(self, words: int) -> None:
        """Before each entry: `words` are those of a position. Raises `_TooLong`."""
        if time.process_time() - self._began > MAX_SECONDS:
            what = f"{MAX_SECONDS:.0f} seconds"
        elif (self.done + 1) * words > MAX_WORDS:
            what = f"the memory for {MAX_WORDS} words of positions"
        else:
            return
        message = (
            f"opening the save took more than {what}; entry {self.done} of {len(self._lines)} was reached"
        )
        raise _TooLong(message)

    @property
    def next(self) -> Line | None:
        return self._lines[self.done] if self.done < len(self._lines) else None

    def outcome(self, words: Words, block: int, _: Generator) -> Action:
        """The recorded outcome of a chance event."""
        self.spend(len(words))
        context = self._game.context
        possible = tuple(a for a, _ in offers.outcomes(context, words, block))
        legal = tuple(a.text for a in possible)
        name = printable(context.chance(block).name)
        line = self.next
        if line is None:
            raise _Impossible(legal, f"the save ends before the chance event `{name}`")
        if line.player is not None:
            raise _Impossible(legal, f"the chance event `{name}` comes before `{printable(line.text)}`")
        found = offers.find(possible, line.text, context, words)
        if found is None or line.name != name:
            recorded = printable(f"{line.name}: {line.text}")
            raise _Impossible(legal, f"`{recorded}` is no outcome of the chance event `{name}`")
        self.done += 1
        return found


def _replayed(game: Game, file: SaveFile, report: Report) -> tuple[State | None, Divergence | None]:
    """`_replay` for the people who played; (None, None) if it cannot be done, with the reason."""
    try:
        game = game.named(file.header.names)
    except ValueError as error:
        report.add(codes.FORMAT, f"the names in the save: {printable(str(error))}", file.header_span)
        return None, None
    try:
        return _replay(game, file)
    except _TooLong as long:
        report.add(codes.TOO_LONG, str(long), file.end_span)
        return None, None


def _replay(game: Game, file: SaveFile) -> tuple[State | None, Divergence | None]:
    """Plays the entries of a save as far as they are possible."""
    replay = _Replay(game, file.lines)
    header = file.header
    state: State | None = None
    try:
        state = game.started(header.seed, explicit=header.explicit, resolver=replay.outcome)
        while (line := replay.next) is not None:
            replay.spend(len(state.at.words))
            start = replay.done
            replay.done += 1
            try:
                state = _next(state, line, replay)
            except IllegalAction as illegal:
                replay.done = start
                legal = tuple(a.text for a in state.legal_actions(_seat(state, line)))
                raise _Impossible(legal, illegal.explanation.text) from None
    except _Impossible as impossible:
        return state, _divergence(replay, impossible.legal, impossible.message)
    except RuleFault as fault:
        replay.done = max(0, replay.done - 1)
        return state, _divergence(replay, (), str(fault))
    if file.chance is not None:
        chance = Generator(0)
        chance.state = file.chance
        state = State(game, replace(state.at, chance=chance), state.previous)
    return state, None


def _next(state: State, line: Line, replay: _Replay) -> State:
    """The state after an entry and the chance entries that belong to it."""
    if line.player is None:
        if not isinstance(state.at.point, ChancePoint):
            message = f"the chance event `{printable(line.name)}` does not happen here"
            replay.done -= 1
            raise _Impossible(tuple(a.text for a in state.legal_actions()), message)
        name = printable(state.game.context.chance(state.at.point.block).name)
        if line.name != name:
            replay.done -= 1
            message = f"`{printable(line.name)}` was recorded where `{name}` happens"
            raise _Impossible(tuple(a.text for a in state.legal_actions()), message)
        return state.apply(line.text)
    if line.player not in state.game.players:
        replay.done -= 1
        raise _Impossible((), f"there is no player `{printable(line.player)}`")
    return state.applied(line.text, line.player, replay.outcome)


def _seat(state: State, line: Line) -> str | None:
    """The player of an entry if he is to decide, else whoever is."""
    return line.player if line.player in state.deciding else None


def _divergence(replay: _Replay, legal: tuple[str, ...], message: str) -> Divergence:
    line = replay.next
    if line is None:
        recorded = "the end of the save"
    else:
        recorded = printable(f"{line.player if line.player is not None else line.name}: {line.text}")
    return Divergence(replay.done + 1, recorded, legal, f"entry {replay.done + 1} ({recorded}): {message}")
