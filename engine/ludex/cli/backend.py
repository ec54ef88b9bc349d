"""The option `--backend`: what runs games that nobody watches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ludex.cli.errors import Mistake
from ludex.cli.terminal import write

if TYPE_CHECKING:
    from ludex.pipeline import Backend

F = TypeVar("F", bound=Callable[..., Any])


def backend_option(function: F) -> F:
    """The option `--backend`."""
    return click.option(
        "--backend",
        type=click.Choice(["auto", "interpreter", "wasm"]),
        default="auto",
        show_default=True,
        help="What plays: native code (wasm), the interpreter, or native code if it can be run.",
    )(function)


def usable(backend: Backend) -> Backend:
    """`auto` settled, and said so if it is the interpreter. Raises `Mistake` where `wasm` cannot be."""
    if backend == "interpreter":
        return backend
    from ludex.backends.wasm.host import Unavailable, load_runtime

    try:
        load_runtime()
    except Unavailable as error:
        if backend == "wasm":
            raise Mistake(f"{error}; `--backend interpreter` can play") from None
        write(f"note: {error}; the interpreter plays, which is slower.", error=True)
        return "interpreter"
    return "wasm"
