"""Pictures of figures, by matplotlib, which is an extra: it is imported when a plot is drawn, not before.

    with plot(path, width=7, height=4) as figure:      # a matplotlib Figure, saved at the end
        axes = figure.subplots()

The same figures give the same bytes: no date, no version, no random identifiers, and nothing of
the user's own matplotlib settings.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ludex.cli.errors import Mistake

if TYPE_CHECKING:
    from matplotlib.figure import Figure

F = TypeVar("F", bound=Callable[..., Any])

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Told apart by colour-blind people too (M. Okabe and K. Ito, Color Universal Design, 2008)."""

GREY = "#767676"
"""For lines that help to read."""

_KINDS = (".svg", ".png")

_SETTINGS: dict[str, Any] = {
    "svg.hashsalt": "ludex",
    "svg.fonttype": "none",  # text stays text: it can be searched and read aloud
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.dpi": 144,
}


def plot_file(text: str) -> Path:
    """The file of an option `--plot`. A wrong one is found before anything is played."""
    path = Path(text)
    if path.suffix.lower() not in _KINDS:
        raise click.BadParameter(f"`{path.name}` should end in {' or '.join(_KINDS)}")
    if path.is_dir():
        raise click.BadParameter(f"`{path}` is a folder")
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder `{path.parent}`")
    return path


def plot_option(what: str) -> Callable[[F], F]:
    """The option `--plot FILE`."""
    return click.option(
        "--plot", "plot_to", type=plot_file, metavar="FILE", help=f"Draw {what} (.svg or .png)."
    )


def require_plots() -> None:
    """Raises `Mistake` where nothing can be drawn; ask before a long run, not after it."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # where its cache is, is nobody's concern
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        missing = "is not installed" if error.name == "matplotlib" else f"cannot be imported ({error})"
        raise Mistake(
            f"plots are drawn by matplotlib, which {missing}; `pip install 'ludex[plots]'` gets it"
        ) from None


@contextmanager
def plot(path: Path, width: float, height: float) -> Iterator[Figure]:
    """A figure of so many inches, saved when the block ends. Raises `Mistake`, OSError."""
    require_plots()
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        cast(Any, matplotlib.rcParams).update(_SETTINGS)
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        kind = path.suffix.lower().removeprefix(".")
        metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
        drawn = io.BytesIO()
        figure.savefig(drawn, format=kind, metadata=metadata)
    path.write_bytes(drawn.getvalue())
