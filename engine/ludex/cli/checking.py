"""What `ludex check` does: looks for mistakes in a definition and its translations, and shows them.

Click is not imported for that: the whole check takes not much longer.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, NoReturn

from ludex.cli import errors
from ludex.cli.games import GameSpec, check_game, check_translations, watched_files
from ludex.cli.terminal import is_terminal, paint_for, safe, write
from ludex.diagnostics import printable
from ludex.node import node

if TYPE_CHECKING:
    from pathlib import Path

    from ludex.translation.folder import State as TranslationState

_POLL_SECONDS = 0.3


@node
class Look:
    """What is to be checked, and how it is to be shown. `listed`: all that is not translated."""

    spec: GameSpec
    language: str | None = None
    listed: bool = False
    as_json: bool = False


def look_once(look: Look) -> int:
    """Shows what is wrong, and gives the exit code."""
    return errors.MISTAKE if _shown(look) else errors.OK


def _shown(look: Look) -> bool:
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


def _translation(look: Look, state: TranslationState) -> list[str]:
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


def watch(look: Look) -> NoReturn:
    """Shows what is wrong whenever a file changes, until it is interrupted."""
    import time

    seen: dict[Path, tuple[float, int]] | None = None
    while True:
        now = _stamps(look.spec)
        if now != seen:
            seen = now
            if is_terminal(sys.stdout) and not look.as_json:
                import click

                click.clear()
            _shown(look)
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
