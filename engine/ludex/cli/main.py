"""The `ludex` command: its table of commands, and how every one of them ends.

The commands' modules are imported when they are run, and so is click. Whatever they raise is turned
into an exit code here, and no traceback reaches a user.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ludex.cli import errors

COMMANDS: dict[str, tuple[str, str]] = {
    "play": ("play", "Play a game in the terminal, against bots or friends."),
    "list": ("listing", "List the games and overlays found."),
    "new": ("new", "Start a variant or a game of your own."),
    "check": ("check", "Look for mistakes in a definition."),
    "test": ("test", "Run a game's scenarios."),
    "simulate": ("simulate", "Play many games by bots, and count."),
    "compare": ("compare", "Tell what a variant does to a game from chance."),
    "tournament": ("tournament", "Let bots play against each other: who is the stronger?"),
    "show": ("show", "Show the rules as readable text."),
    "diff": ("diff", "Show which rules differ between two games."),
    "source": ("source", "Index the text of a rulebook, so that it can be cited."),
    "cite": ("cite", "Show the passages that a rule cites, from the rulebook's text."),
    "coverage": ("coverage", "Show which sentences of the rulebooks no rule cites."),
    "readings": ("readings", "Play every reading of the doubtful passages, and compare."),
    "explain": ("explain", "Explain a diagnostic code, or why a move is refused."),
    "perft": ("perft", "Count the ways to play so many decisions or turns."),
    "states": ("states", "Count the different positions."),
    "playouts": ("playouts", "Measure how fast a game is played at random."),
    "ir": ("ir", "Show what a definition is compiled to."),
}
"""Name of a command: its module in `ludex.cli`, and its line in the help."""


class _Program:
    """`ludex` with its arguments, as click's commands are called, but without click where it can be.

    An editor looks at a definition at every key, and importing click is a tenth of that.
    """

    name = "ludex"

    def __call__(self, args: Sequence[str] | None = None) -> None:
        self.main(args)

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **settings: Any) -> None:
        """Runs a command, by default that of the process, and raises `SystemExit`."""
        words = sys.argv[1:] if args is None else list(args)
        if _is_plain_check(words):
            if args is None:  # the process ends before garbage matters
                gc.disable()
            code = _ended(lambda: _check(words[1:]))
        else:
            code = _ended(lambda: _command(args, prog_name or self.name, settings))
        if args is None:  # the process ends: nothing in it has to be looked through for garbage
            gc.freeze()
        sys.exit(code)


def _is_plain_check(words: list[str]) -> bool:
    """Whether it is `check` with nothing but a game, so that nothing is left for click to understand."""
    games = words[1:]
    plain = words[:1] == ["check"] and not any(w.startswith("-") for w in games)
    named = any(w.strip("+ ") for w in games)
    return plain and named and "_LUDEX_COMPLETE" not in os.environ and os.name != "nt"


def _check(games: list[str]) -> int:
    from ludex.cli.checking import Look, look_once
    from ludex.cli.games import parse_spec

    return look_once(Look(parse_spec(games)))


def _command(args: Sequence[str] | None, prog_name: str, settings: dict[str, Any]) -> object:
    from ludex.cli.group import run

    return run(args, prog_name, settings)


def _ended(run: Callable[[], object]) -> int:
    """The exit code of a command, after it has said what is to be said."""
    try:
        code = run()
        if sys.stdout is not None:
            sys.stdout.flush()
    except errors.Ending as ending:
        ending.show()
        return ending.exit_code
    except KeyboardInterrupt:
        _close_line()
        return errors.INTERRUPTED
    except BrokenPipeError:
        _silence()
        return errors.OK
    except OSError as exception:
        return _system_error(exception)
    except Exception as exception:
        return errors.report(exception)
    return code if isinstance(code, int) else errors.OK


def _system_error(exception: OSError) -> int:
    if exception.errno == errno.EPIPE:
        _silence()
        return errors.OK
    if exception.filename is None and exception.errno not in (errno.ENOSPC, errno.EDQUOT):
        errors.report_fault(exception)
        return errors.FAULT
    where = f"{exception.filename}: " if exception.filename is not None else ""
    errors.Mistake(f"{where}{exception.strerror or exception}").show()
    return errors.MISTAKE


def _close_line() -> None:
    """After ^C the terminal's line is half written."""
    try:
        sys.stderr.write("\n")
        sys.stderr.flush()
    except OSError:
        _silence()


def _silence() -> None:
    """Nobody reads any more: let the interpreter's own last flush go nowhere."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
    except (OSError, ValueError):
        pass


main = _Program()

if __name__ == "__main__":
    main()
