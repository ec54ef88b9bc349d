"""The commands as click's group: what is understood of a command line, help, completion."""

from __future__ import annotations

import io
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

import ludex
from ludex.cli.main import COMMANDS

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
    """A group that imports a command only when it is to run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"ludex.cli.{COMMANDS[cmd_name][0]}")
        command = module.command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from ludex.diagnostics import did_you_mean, printable

            help = did_you_mean(args[0], COMMANDS) or "see `ludex --help`"
            ctx.fail(f"there is no command `{printable(args[0])}`; {help}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _ReaderLeft from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def run(args: Sequence[str] | None, prog_name: str, settings: dict[str, Any]) -> object:
    """Runs a command line, by default the process's own. Raises whatever the command raises."""
    try:
        return group.main(args, prog_name, **{**settings, "standalone_mode": False})
    except click.ClickException as exception:
        _show(exception)
        return exception.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except _ReaderLeft as left:
        raise BrokenPipeError from left


def _show(exception: click.ClickException) -> None:
    """What click says repeats what was typed, which need not have been typed by hand."""
    from ludex.cli.terminal import write

    said = io.StringIO()
    exception.show(said)
    if said.getvalue():
        write(said.getvalue(), error=True, end="")


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"ludex {ludex.__version__}")
        ctx.exit()


@click.group(
    "ludex",
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EPILOG,
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version."
)
def group() -> None:
    """Play board and card games by their rulebooks, and change the rules."""
