"""The `ludex` command: its table of commands, and how every one of them ends.

The commands' modules are imported when they are run. Whatever they raise is turned into an
exit code here, and no traceback reaches a user.
"""

from __future__ import annotations

import errno
import gc
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

import ludex
from ludex.cli import errors

_COMMANDS: dict[str, tuple[str, str]] = {
    "play": ("play", "Play a game in the terminal, against bots or friends."),
    "list": ("listing", "List the games and overlays found."),
    "new": ("new", "Start a variant or a game of your own."),
    "check": ("check", "Look for mistakes in a definition."),
    "test": ("test", "Run a game's scenarios."),
    "simulate": ("simulate", "Play many games by bots, and count."),
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

_EPILOG = """\b
Games are named, or given as files; overlays are added with `+`:
  ludex play emerald
  ludex play emerald+variant_b --players 4
  ludex play emerald + ./my_rules.yaml
  ludex simulate emerald --games 1000 --bots random

\b
Shell completion: put one of these into your shell's start-up file.
  bash: eval "$(_LUDEX_COMPLETE=bash_source ludex)"
  zsh:  eval "$(_LUDEX_COMPLETE=zsh_source ludex)"
  fish: _LUDEX_COMPLETE=fish_source ludex | source

\b
Exit codes: 0 done, 1 a mistake in what was given, 2 a mistake in the command line,
3 a fault of ludex."""


class _ReaderLeft(Exception):
    """Whoever read our output has closed it; click would end with code 1."""


class _Lazy(click.Group):
    """A group that imports a command only when it is to run, and ends in good order."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"ludex.cli.{_COMMANDS[cmd_name][0]}")
        command = module.command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from ludex.diagnostics import did_you_mean, printable

            help = did_you_mean(args[0], _COMMANDS) or "see `ludex --help`"
            ctx.fail(f"there is no command `{printable(args[0])}`; {help}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _ReaderLeft from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        try:
            code = super().main(
                args,
                prog_name or "ludex",
                complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            )
            if sys.stdout is not None:
                sys.stdout.flush()
        except click.ClickException as exception:
            _show(exception)
            code = exception.exit_code
        except (KeyboardInterrupt, click.Abort):
            _close_line()
            code = errors.INTERRUPTED
        except (BrokenPipeError, _ReaderLeft):
            _silence()
            code = errors.OK
        except OSError as exception:
            code = _system_error(exception)
        except Exception as exception:
            code = errors.report(exception)
        if args is None:  # the process ends: nothing in it has to be looked through for garbage
            gc.freeze()
        sys.exit(code if isinstance(code, int) else errors.OK)


def _show(exception: click.ClickException) -> None:
    """What click says repeats what was typed, which need not have been typed by hand."""
    from ludex.cli.terminal import write

    said = io.StringIO()
    exception.show(said)
    if said.getvalue():
        write(said.getvalue(), error=True, end="")


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


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"ludex {ludex.__version__}")
        ctx.exit()


@click.group(
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EPILOG,
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version."
)
def main() -> None:
    """Play board and card games by their rulebooks, and change the rules."""


if __name__ == "__main__":
    main()
