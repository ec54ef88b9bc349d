"""How commands end: exit codes, and what is said for each kind of mistake.

| code | meaning |
|---|---|
| 0 | done |
| 1 | the user's mistake: a definition with errors, a failed scenario, a file that is not there |
| 2 | the command line makes no sense |
| 3 | a fault of ludex |
| 130 | interrupted |
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from ludex.diagnostics import Diagnostic, printable

OK = 0
MISTAKE = 1
USAGE = 2
FAULT = 3
INTERRUPTED = 130

REPORT_TO = "please report it where you got ludex from, with this message and the command you gave"


class Ending(Exception):
    """What ends a command, and says why."""

    exit_code = MISTAKE

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def show(self) -> None:
        raise NotImplementedError


class Mistake(Ending):
    """Something the user can put right, said in a sentence or two; ends with code 1."""

    def show(self) -> None:
        from ludex.cli.terminal import paint_for, write

        write(f"{paint_for(sys.stderr)('error', 'error')}: {printable(self.message)}", error=True)


class BadDefinition(Ending):
    """A definition with errors: its diagnostics have been found, and are shown here."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("the definition has errors")

    def show(self) -> None:
        from ludex.cli.terminal import paint_for, write
        from ludex.render import render_all

        write(render_all(self.diagnostics, paint_for(sys.stderr)), error=True)


def report(exception: Exception) -> int:
    """Says what an unexpected exception means, and returns the exit code for it.

    A rule that fails while a game is played is a mistake in the definition, not in ludex.
    """
    faults = sys.modules.get("ludex.game.faults")
    if faults is not None and isinstance(exception, faults.RuleFault):
        Mistake(f"a rule of the definition fails: {exception}").show()
        return MISTAKE
    report_fault(exception)
    return FAULT


def report_fault(fault: BaseException) -> None:
    """Says that ludex itself failed; the traceback only on request."""
    from ludex.cli.terminal import paint_for, write

    if os.environ.get("LUDEX_DEBUG"):
        import traceback

        traceback.print_exception(fault)
    paint = paint_for(sys.stderr)
    text = str(fault).strip()
    detail = type(fault).__name__ + (f": {text.splitlines()[0]}" if text else "")
    write(f"{paint('internal error', 'error')}: {printable(detail)}", error=True)
    write(f"  This is a fault of ludex, not yours: {REPORT_TO}.", error=True)
    if not os.environ.get("LUDEX_DEBUG"):
        write("  With LUDEX_DEBUG=1 in the environment, the traceback is shown.", error=True)
