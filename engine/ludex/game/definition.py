"""What a loaded game was made from: enough to load it again, and a hash that names it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DefinitionInfo:
    """The origin of a game.

    `name` is the game's identifier (`emerald`), `overlays` the names of those applied, in
    the order of application. `options` are all options as resolved, name and value as
    text, in declaration order. `players` is the number of seats. `files` are the texts
    the game is made of (name, text): the base definition first, then the overlays in the
    order of `overlays`; loading these with the same overlays, options and players gives
    the same game. `content_hash` is `content_hash_of` of all that.
    """

    name: str
    title: str
    overlays: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    players: int
    files: tuple[tuple[str, str], ...]
    content_hash: str


def content_hash_of(
    name: str,
    overlays: Iterable[str],
    options: Iterable[tuple[str, str]],
    players: int,
    files: Iterable[tuple[str, str]],
) -> str:
    """sha256 (hex) of a definition's texts, not their file names, and of how it is loaded."""
    content = [name, list(overlays), [list(o) for o in options], players, [text for _, text in files]]
    data = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(data.encode("ascii")).hexdigest()
