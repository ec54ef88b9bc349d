"""Texts as a reader of one language is shown them. What is not translated stays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ludex.translation.vocabulary import key
from ludex.translation.words import WORDS

_OPEN, _CLOSE = "⦃", "⦄"
"""Stand around what has been filled into a translated template, so that names in it are found
again when it is shown, and no word of the text beside them is taken for one."""

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_KIND = re.compile(r"set of\b|[^\W\d]\w*")
_OF_KINDS = frozenset(("or", "optional", "set of", "player"))
_KINDS = re.compile(r"(optional )?(set of )?[^\W\d]\w*( or [^\W\d]\w*)*")
_HOLE = re.compile(r"\{\{|\}\}|\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Wording:
    """One language. `PLAIN` is the definition's own."""

    language: str = ""
    title: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    def name(self, name: str) -> str:
        """An identifier of the definition; `red_1` from its parts, if all are names or numbers."""
        known = self.names.get(name, name)
        if known is not name or "_" not in name:
            return known
        parts = name.split("_")
        if not all(part in self.names or part.isdecimal() for part in parts):
            return name
        return "_".join(self.names.get(part, part) for part in parts)

    def entity(self, text: str) -> str:
        """Names of things and places: `red_1`, `mountain(3)`, `?gold`, several of them."""
        return _IDENTIFIER.sub(lambda m: self.name(m[0]), text) if self.names else text

    def declared(self, text: str) -> str:
        """Kinds as a declaration names them: `space or pile`, `optional player`; other text as `entity`."""
        if not self.language or not _KINDS.fullmatch(text):
            return self.entity(text)

        def said(m: re.Match[str]) -> str:
            is_word = m[0] in _OF_KINDS and m[0] not in self.names
            return self.word(m[0]) if is_word else self.name(m[0])

        return _KIND.sub(said, text)

    def rule(self, name: str) -> str:
        return self.rules.get(key(name), name) if self.rules else name

    def text(self, text: str) -> str:
        return self.texts.get(key(text), text) if self.texts else text

    def word(self, text: str, **values: object) -> str:
        """A word or sentence of the program itself, with its holes filled."""
        shown = self.texts.get(text) or WORDS.get(self.language.partition("-")[0], {}).get(text, text)
        for name, value in values.items():
            shown = shown.replace(f"{{{name}}}", str(value))
        return shown

    def template(self, text: str) -> str:
        """A text with holes, for a definition that is to be shown in this language."""
        if not self.language:
            return text
        return _HOLE.sub(
            lambda m: m[0] if len(m[0]) == 2 and m[0] != "{}" else _marked(m[0]), self.text(text)
        )

    def filled(self, text: str) -> str:
        """A template of `template` with its holes filled: the names in them translated."""
        if not self.language:
            return text
        return re.sub(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}", lambda m: self.entity(m[1]), text)


def _marked(hole: str) -> str:
    return f"{_OPEN}{hole}{_CLOSE}"


PLAIN = Wording()
