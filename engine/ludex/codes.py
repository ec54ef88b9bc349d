"""Diagnostics of finding files and games; `ALL` gathers those of every stage.

The other stages list theirs in modules of their own, which are imported only when `ALL` or
`stages()` is asked for: a game loads without the explanations of what cannot go wrong with it.
Imports `diagnostics`; the stages' code modules by name only.
"""

from __future__ import annotations

from importlib import import_module

from ludex.diagnostics import Code

NO_SUCH_GAME = Code(
    "no-such-game",
    "No game of that name ships with ludex, and no file of that name exists. `ludex list` shows the games; "
    "a definition of your own is named by its path, such as `./my_game/game.yaml`.",
)
NO_SUCH_OVERLAY = Code(
    "no-such-overlay",
    "No overlay of that name lies in the game's folder. An overlay of your own is named by its path, such "
    "as `./mine.yaml`.",
)

NO_SUCH_TRANSLATION = Code(
    "no-such-translation",
    "The game has no translation into that language. Translations are files such as `translations/fr.yaml` in "
    "the game's folder.",
)

STAGES: tuple[tuple[str, str], ...] = (
    ("Finding games and overlays", "ludex.codes"),
    ("Files, YAML and the shape of a definition", "ludex.syntax.codes_yaml"),
    ("Texts of the rules", "ludex.syntax.codes_dsl"),
    ("Names, types and what a rule may do", "ludex.check.codes"),
    ("Overlays", "ludex.overlay.codes"),
    ("Translations", "ludex.translation.codes"),
    ("Saves", "ludex.game.codes"),
    ("Scenarios", "ludex.sim.codes"),
)
"""The stages that report, in the order in which a reader meets them, and where each lists its codes."""


def stages() -> dict[str, dict[str, Code]]:
    """For each stage's title its codes by name, alphabetically."""
    return {title: _codes_of(module) for title, module in STAGES}


def _codes_of(module: str) -> dict[str, Code]:
    found = (v for v in vars(import_module(module)).values() if isinstance(v, Code))
    return {code.name: code for code in sorted(found, key=lambda code: code.name)}


def __getattr__(name: str) -> dict[str, Code]:
    """`ALL`: every diagnostic code of every stage by name, gathered when first asked for."""
    if name != "ALL":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    every = {code.name: code for codes in stages().values() for code in codes.values()}
    globals()["ALL"] = every
    return every
