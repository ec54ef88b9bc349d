"""What all commands share that have many games played by bots."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from ludex.cli import errors
from ludex.cli.backend import backend_option
from ludex.cli.cluster import cluster_option
from ludex.cli.terminal import is_terminal, write
from ludex.limits import MAX_DECISIONS

F = TypeVar("F", bound=Callable[..., Any])


def processors() -> int:
    return os.cpu_count() or 1


def seed_option(of: str) -> Callable[[F], F]:
    """The option `--seed`, which is that of something."""
    return click.option("-s", "--seed", type=int, default=1, show_default=True, help=f"Seed of {of}.")


def processes_option(function: F) -> F:
    """The option `--processes`: all processors unless said otherwise."""
    return click.option(
        "-j",
        "--processes",
        type=click.IntRange(1),
        default=processors,
        help="Processes or threads (all processors).",
    )(function)


def batch_options(of: str) -> Callable[[F], F]:
    """The options that say how the games are played; `of` is what they have a seed of.

    `--seed`, `--processes`, `--backend`, `--max-decisions`, `--cluster`.
    """

    def decorate(function: F) -> F:
        function = cluster_option(function)
        function = click.option(
            "--max-decisions",
            type=click.IntRange(1),
            default=MAX_DECISIONS,
            show_default=True,
            help="Decisions after which a game counts as unfinished.",
        )(function)
        return seed_option(of)(processes_option(backend_option(function)))

    return decorate


def bots_by_seat(text: str, seats: int) -> tuple[str, ...]:
    """`mc,random` for four seats is mc, random, random, random. Raises `click.UsageError`."""
    names = text.split(",")
    if len(names) > seats:
        raise click.UsageError(f"there are {len(names)} bots for {seats} seats")
    given = full_names(names)
    return given + given[-1:] * (seats - len(given))


def full_names(bots: list[str]) -> tuple[str, ...]:
    """Bots by their names in full. Raises `click.UsageError`."""
    from ludex.bots import BadBot, normal_form

    try:
        return tuple(normal_form(name.strip()) for name in bots)
    except BadBot as error:
        raise click.UsageError(str(error)) from error


def incomplete(played: int, asked: int, *, lost: bool, what: str = "games") -> int:
    """Says that not all was played, and gives the exit code. `lost`: a process ended by itself."""
    why = "A process ended by itself (out of memory?)" if lost else "Interrupted"
    write(f"{why}: {played} of {asked} {what} were played.", error=True)
    return errors.FAULT if lost else errors.INTERRUPTED


@contextmanager
def progress_bar(games: int) -> Iterator[Callable[[int], None] | None]:
    """A bar with an estimate, on standard error and only if that is a terminal."""
    if not is_terminal(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("games", total=games)
        yield lambda played: bar.update(task, completed=played)
