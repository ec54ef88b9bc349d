"""`ludex list`: the games that ship with ludex, and the overlays beside them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludex.cli.games import language_option, overlay_files, wording_of
from ludex.cli.terminal import write
from ludex.diagnostics import printable

if TYPE_CHECKING:
    from ludex.translation.wording import Wording

_NAMES = 28
"""Columns for names; a longer one (the path of a file) pushes its title to the right."""


@click.command(help="List the games and overlays found: those that ship with ludex, and those in FOLDER.")
@click.argument("folders", nargs=-1, metavar="[FOLDER]...", type=click.Path(exists=True, file_okay=False))
@language_option
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(folders: tuple[str, ...], language: str | None, as_json: bool) -> None:
    found = _games(folders, language)
    if as_json:
        write(json.dumps({"games": found}, indent=2, ensure_ascii=False))
        return
    if not found:
        write("No games found.")
        return
    names = [str(row["name"]) for game in found for row in (game, *_rows(game))]
    room = min(_NAMES, max(map(len, names)) + 4)
    for game in found:
        players = f"  ({game['players']} players)" if game["players"] else ""
        write(_line(str(game["name"]), f"{game['title']}{players}", room, ""))
        for overlay in _rows(game):
            write(_line(f"+ {overlay['name']}", str(overlay["title"]), room, "  "))
    write(f"\nPlay one with `ludex play {found[0]['name']}`.")


def _rows(game: dict[str, object]) -> list[dict[str, object]]:
    overlays = game["overlays"]
    assert isinstance(overlays, list)
    return overlays


def _line(name: str, title: str, room: int, indent: str) -> str:
    return printable(f"{indent}{name}".ljust(room) + "  " + title)


def _games(folders: tuple[str, ...], language: str | None) -> list[dict[str, object]]:
    from ludex.resources import definition_names, definition_path

    paths: list[tuple[str, Path]] = []
    for name in definition_names():
        path = definition_path(name)
        if path is not None:
            paths.append((name, path))
    for folder in folders:
        for path in sorted(Path(folder).rglob("game.yaml")):
            paths.append((str(path), path))
    return [_game(name, path, language) for name, path in paths]


def _game(name: str, path: Path, language: str | None) -> dict[str, object]:
    """A game and its overlays; their titles in that language where it has a translation."""
    wording = _wording(path, language)
    overlays = [
        {"name": overlay, "title": wording.text(head(file, "title")) or overlay, "file": str(file)}
        for overlay, file in overlay_files(path.parent)
    ]
    return {
        "name": name,
        "title": wording.title or head(path, "title") or name,
        "players": head(path, "players"),
        "file": str(path),
        "overlays": overlays,
    }


def _wording(path: Path, language: str | None) -> Wording:
    from ludex.translation.folder import translation_files
    from ludex.translation.wording import PLAIN

    if language is None or language not in translation_files(str(path)):
        return PLAIN
    return wording_of(str(path), language)


def head(path: Path, key: str) -> str:
    """The one-line value of a top-level key, by a glance at the text; `` if there is none.

    Listing many games must be quick, and must work for those with mistakes in them.
    """
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(65_536)
    except OSError:
        return ""
    match = re.search(rf"^{key}[ ]*:[ ]*(.*?)[ ]*$", text, re.MULTILINE)
    value = match.group(1) if match else ""
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return value
