"""ludex: plays games from their rulebooks.

    import ludex
    game = ludex.load("emerald", overlays=["variant_b"], players=4)
    state = game.start(seed=7)

`load` reads a definition and gives a `Game`; everything else is in `ludex.game`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ludex.pipeline import load as load

__version__ = "0.1.0"
__all__ = ["__version__", "load"]


def __getattr__(name: str) -> object:
    """`ludex.load` without its cost for those who only ask for the version."""
    if name == "load":
        from ludex.pipeline import load

        return load
    raise AttributeError(name)
