"""`ludex check`: all mistakes in a definition, once or whenever a file changes."""

from __future__ import annotations

import gc
import json
import sys
import time
from pathlib import Path

import click

from ludex.cli import errors
from ludex.cli.games import GameSpec, OptionValue, check_game, game_argument, parse_spec, watched_files
from ludex.cli.terminal import is_terminal, paint_for, write

_POLL_SECONDS = 0.3


@click.command(help="Look for mistakes in a definition, and show all of them. Errors end with code 1.")
@game_argument
@click.option("--watch", is_flag=True, help="Look again whenever a file changes; ^C ends.")
@click.option("--json", "as_json", is_flag=True, help="For programs: a list of diagnostics.")
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    watch: bool,
    as_json: bool,
) -> int:
    spec = parse_spec(game, players, options)
    if watch:
        _watch(spec, as_json)
    gc.disable()  # the process ends before garbage matters, and looking for it is a sixth of the work
    return errors.MISTAKE if _check(spec, as_json) else errors.OK


def _check(spec: GameSpec, as_json: bool) -> bool:
    """Shows what is wrong; whether any of it is an error."""
    from ludex.render import render_all, summary, to_json

    found = list(check_game(spec))
    bad = any(d.severity == "error" for d in found)
    if as_json:
        rows = [to_json(d) for d in found]
        write(json.dumps({"ok": not bad, "diagnostics": rows}, indent=2, ensure_ascii=False))
    elif found:
        write(render_all(found, paint_for(sys.stdout)))
    else:
        write(f"{spec}: {summary(found)}")
    return bad


def _watch(spec: GameSpec, as_json: bool) -> None:
    seen: dict[Path, tuple[float, int]] | None = None
    while True:
        now = _stamps(spec)
        if now != seen:
            seen = now
            if is_terminal(sys.stdout) and not as_json:
                click.clear()
            _check(spec, as_json)
            if not as_json:
                write(f"[{time.strftime('%H:%M:%S')}] watching {len(now)} files; ^C ends", error=True)
        time.sleep(_POLL_SECONDS)


def _stamps(spec: GameSpec) -> dict[Path, tuple[float, int]]:
    """Times of change and sizes; a file that vanishes while it is saved counts as changed."""
    stamps: dict[Path, tuple[float, int]] = {}
    for path in watched_files(spec):
        try:
            status = path.stat()
        except OSError:
            continue
        stamps[path] = (status.st_mtime, status.st_size)
    return stamps
