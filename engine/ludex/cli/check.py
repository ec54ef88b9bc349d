"""`ludex check`: all mistakes in a definition, once or whenever a file changes."""

from __future__ import annotations

import gc
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludex.cli import errors
from ludex.cli.games import (
    GameSpec,
    OptionValue,
    check_game,
    check_translations,
    game_argument,
    parse_spec,
    watched_files,
)
from ludex.cli.terminal import is_terminal, paint_for, safe, write
from ludex.diagnostics import printable
from ludex.node import node

if TYPE_CHECKING:
    from ludex.translation.folder import State as TranslationState

_POLL_SECONDS = 0.3


@click.command(
    help="""Look for mistakes in a definition and its translations, and show all of them.

Errors end with code 1.

What a translation lacks is counted; --translations lists it, --language that of one language.
"""
)
@game_argument
@click.option("--watch", is_flag=True, help="Look again whenever a file changes; ^C ends.")
@click.option("--translations", is_flag=True, help="List what is not translated.")
@click.option("--language", metavar="LANGUAGE", help="Look at this translation only, and list what it lacks.")
@click.option("--json", "as_json", is_flag=True, help="For programs: a list of diagnostics.")
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    watch: bool,
    translations: bool,
    language: str | None,
    as_json: bool,
) -> int:
    listed = translations or language is not None
    look = _Look(parse_spec(game, players, options), language, listed, as_json)
    if watch:
        _watch(look)
    gc.disable()  # the process ends before garbage matters, and looking for it is a sixth of the work
    return errors.MISTAKE if _check(look) else errors.OK


@node
class _Look:
    """What is to be checked, and how it is to be shown. `listed`: all that is not translated."""

    spec: GameSpec
    language: str | None
    listed: bool
    as_json: bool


def _check(look: _Look) -> bool:
    """Shows what is wrong; whether any of it is an error."""
    from ludex.render import render_all, summary, to_json

    found, game = check_game(look.spec)
    states = check_translations(look.spec, look.language, game)
    found += [d for state in states for d in state.found]
    bad = any(d.severity == "error" for d in found)
    if look.as_json:
        rows = [to_json(d) for d in found]
        said = {"ok": not bad, "diagnostics": rows, "translations": [_to_json(s) for s in states]}
        write(json.dumps(said, indent=2, ensure_ascii=False))
        return bad
    if found:
        write(render_all(found, paint_for(sys.stdout)))
    else:
        write(f"{look.spec}: {summary(found)}")
    for line in (line for state in states for line in _translation(look, state)):
        write(printable(line))
    return bad


def _translation(look: _Look, state: TranslationState) -> list[str]:
    """A line on a translation that lacks something, and if it is asked for all that it lacks."""
    lacking = len(state.missing)
    if any(d.severity == "error" for d in state.found):
        return [f"translation {state.language}: has errors"]
    if not lacking:
        return [f"translation {state.language}: complete"] if look.listed else []
    how = "" if look.listed else "; --translations lists them"
    lines = [f"translation {state.language}: {lacking} of {state.terms} are missing{how}"]
    for where in ("names", "rules", "texts") if look.listed else ():
        terms = [term for place, term in state.missing if place == where]
        if terms:
            lines += [f"  {where}:", *(f"    {safe(t.text)}  ({t.what})" for t in terms)]
    return lines


def _to_json(state: TranslationState) -> dict[str, object]:
    return {
        "language": state.language,
        "file": str(state.path),
        "terms": state.terms,
        "missing": [{"list": where, "text": t.text, "what": t.what} for where, t in state.missing],
    }


def _watch(look: _Look) -> None:
    seen: dict[Path, tuple[float, int]] | None = None
    while True:
        now = _stamps(look.spec)
        if now != seen:
            seen = now
            if is_terminal(sys.stdout) and not look.as_json:
                click.clear()
            _check(look)
            if not look.as_json:
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
