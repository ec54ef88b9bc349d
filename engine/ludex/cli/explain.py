"""`ludex explain`: what a diagnostic code means, or why a move is refused in a saved game."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click

from ludex.cli.errors import Mistake
from ludex.cli.terminal import width, write
from ludex.diagnostics import Code, did_you_mean, printable


@click.command(
    help="""Explain a diagnostic code, or why a move is refused.

\b
  ludex explain unknown-name              what the code means and what to do
  ludex explain --list                    all codes
  ludex explain game.ludex 'ride(red_1)'  the rules against a move in a saved game
"""
)
@click.argument("what", required=False, metavar="[CODE | SAVE]")
@click.argument("action", required=False, metavar="[ACTION]")
@click.option("--list", "all_codes", is_flag=True, help="List all diagnostic codes.")
def command(what: str | None, action: str | None, all_codes: bool) -> None:
    known = codes()
    if all_codes:
        for name in sorted(known):
            write(name)
    elif what is None:
        raise click.UsageError("what is to be explained? a code, or a saved game and an action")
    elif action is not None or (what not in known and Path(what).is_file()):
        _explain_action(what, action)
    elif what in known:
        code = known[what]
        write(f"{code.name} ({code.severity})\n")
        write("\n".join(textwrap.wrap(code.explanation, min(width(), 88))))
    else:
        help = did_you_mean(what, known) or "`ludex explain --list` lists them"
        raise Mistake(f"there is no code `{what}`; {help}")


def codes() -> dict[str, Code]:
    """Every diagnostic code of every stage, by name."""
    from ludex.codes import ALL

    return ALL


def _explain_action(path: str, action: str | None) -> None:
    from ludex.cli.refusal import explain_text
    from ludex.cli.store import open_save

    state = open_save(Path(path))
    if action is None:
        raise click.UsageError("which action? give its text, such as 'ride(red_1)'")
    write(printable(explain_text(state, action)))
