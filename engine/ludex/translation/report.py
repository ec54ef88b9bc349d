"""The sentences of a game's log in another language.

The log is written in English by `ludex.game`, from a handful of patterns, and is part of what
programs get; here a line that is to be shown is taken apart by the same patterns.
"""

from __future__ import annotations

import re
from typing import Literal

from ludex.translation.wording import Wording

Kind = Literal["action", "chance", "move", "state", "say", "end"]

_ONE = r"(?P<thing>\S+)"
_NOUN = r"(?P<noun>\S+?)"
_WAY = r"from (?P<source>\S+) to (?P<under>the bottom of )?(?P<target>\S+)"
_TO = r"(?: to (?P<to>.+))?"
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), sentence)
    for pattern, sentence in (
        (rf"an? {_NOUN} card moves {_WAY}", "a {noun} card moves {way}"),
        (rf"an? {_NOUN} moves {_WAY}", "a {noun} moves {way}"),
        (rf"(?P<n>\d+) {_NOUN} cards move {_WAY}", "{n} {noun} cards move {way}"),
        (rf"(?P<n>\d+) {_NOUN} moves? {_WAY}", "{n} {noun} move {way}"),
        (rf"{_ONE} moves {_WAY}", "{thing} moves {way}"),
        (rf"{_ONE} is shuffled", "{thing} is shuffled"),
        (rf"an? {_NOUN} is shown{_TO}", "a {noun} is shown"),
        (rf"(?P<n>\d+) {_NOUN}s are shown{_TO}", "{n} {noun} are shown"),
        (rf"(?P<thing>.+) (?:is|are) shown{_TO}", "{thing} is shown"),
        (rf"{_ONE} has chosen", "{thing} has chosen"),
        (r"the game ends", "the game ends"),
    )
)
"""English sentences, and under which words their translation is found."""


def sentence(wording: Wording, kind: Kind, text: str) -> str:
    """A line of the log, without the rule before it, as a reader of this language is shown it."""
    if not wording.language:
        return text
    if kind == "say":
        return wording.filled(text)
    for pattern, words in _PATTERNS if kind in ("move", "action", "end") else ():
        match = pattern.fullmatch(text)
        if match is None:
            continue
        values = {k: wording.entity(v) for k, v in match.groupdict().items() if v is not None}
        if "{way}" in words:
            way = "from {source} to the bottom of {target}" if match["under"] else "from {source} to {target}"
            values["way"] = wording.word(way, source=values["source"], target=values["target"])
        shown = wording.word(words, **values)
        return f"{shown} {wording.word('to {viewers}', viewers=values['to'])}" if "to" in values else shown
    if kind == "action":
        player, colon, action = text.partition(": ")
        return f"{wording.entity(player)}{colon}{action}"
    return wording.entity(text)
