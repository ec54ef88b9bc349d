"""Where games are saved between sessions, and how a saved one is opened again."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ludex.cli.errors import BadDefinition, Mistake
from ludex.cli.games import load_saved
from ludex.diagnostics import Failed, Report

if TYPE_CHECKING:
    from ludex.game import Game, SaveHeader, State
    from ludex.translation.wording import Wording

SUFFIX = ".ludex"


def saves_folder() -> Path:
    """`$XDG_STATE_HOME/ludex`, by default `~/.local/state/ludex` (XDG Base Directory 0.8)."""
    base = os.environ.get("XDG_STATE_HOME")
    if base and os.path.isabs(base):
        return Path(base) / "ludex"
    return Path.home() / ".local" / "state" / "ludex"


def new_save(name: str) -> Path:
    """A path in the saves' folder that no game uses yet. The folder is made. OSError if it cannot be."""
    folder = saves_folder()
    folder.mkdir(parents=True, exist_ok=True)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    path = folder / f"{name}-{stamp}{SUFFIX}"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"{name}-{stamp}-{number}{SUFFIX}"
    return path


def latest_save() -> Path:
    """The save written last. Raises `Mistake` if there is none."""
    saves = sorted(saves_folder().glob(f"*{SUFFIX}"), key=lambda p: (p.stat().st_mtime, p.name))
    if not saves:
        raise Mistake(f"no saved game in {saves_folder()}")
    return saves[-1]


def read_save_header(path: Path) -> SaveHeader:
    """Raises `BadDefinition` with what is wrong with the file."""
    from ludex.game import read_header

    report = Report()
    header = read_header(path, report)
    if header is None:
        raise BadDefinition(report.found)
    return header


def open_save(path: Path, wording: Wording | None = None) -> State:
    """The state in a save, under the rules it was played by. Raises `BadDefinition`."""
    from ludex.game import read_save

    report = Report()
    try:
        state = read_save(path, lambda header: load_saved(header.definition, wording), report)
    except Failed as failed:
        raise BadDefinition([*report.found, *failed.diagnostics]) from None
    if state is None:
        raise BadDefinition(report.found)
    return state


def open_under(path: Path, game: Game) -> tuple[State, str | None]:
    """The state a save reaches under other rules, and where it stops being possible there, if it does."""
    from ludex.game import dry_run

    report = Report()
    state, divergence = dry_run(path, game, report)
    if state is None:
        raise BadDefinition(report.found)
    return state, divergence.message if divergence is not None else None
