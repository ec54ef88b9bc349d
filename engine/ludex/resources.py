"""Where the files that ship with ludex are: grammars and definitions.

In a wheel they lie inside the package (`ludex/data/`, see `force-include` in
pyproject.toml); in an editable checkout at the root of the repository. Nothing else
in ludex knows which of the two it runs from. Base module: imports nothing of ludex.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent.parent
"""The repository, if this is a checkout: engine/ludex/ lies two levels below it."""


def _folder(name: str) -> Path:
    packaged = _PACKAGE / "data" / name
    return packaged if packaged.is_dir() else _CHECKOUT / name


def grammar_path(name: str) -> Path:
    """The path of a file of `grammar/`, such as `ludex.lark` or `schema.json`."""
    return _folder("grammar") / name


def definitions_dir() -> Path:
    """The folder with one folder for every game that ships with ludex."""
    return _folder("definitions")


def definition_path(game_name: str) -> Path | None:
    """The `game.yaml` of a game that ships with ludex, or None if there is none of this name.

    A name is one path component, so that no name can lead out of `definitions/`.
    """
    if not game_name.isidentifier():
        return None
    path = definitions_dir() / game_name / "game.yaml"
    return path if path.is_file() else None


def definition_names() -> tuple[str, ...]:
    """The names of all games that ship with ludex, in alphabetical order."""
    folder = definitions_dir()
    if not folder.is_dir():
        return ()
    return tuple(sorted(p.parent.name for p in folder.glob("*/game.yaml")))
