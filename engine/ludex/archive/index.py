"""The index of a rulebook: what a definition's `sources` entry says of its text.

Made from a file (`index_of`), read from a definition (`declared`), printed as YAML and JSON.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ludex.archive.text import FINGERPRINT_LENGTH, Division, folded
from ludex.limits import MAX_TEXT_BYTES
from ludex.syntax import ast


class Unreadable(Exception):
    """The file is no text that can be indexed; the message says why."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of a rulebook: as it is in the file, and folded (see `text.folded`)."""

    path: Path
    sha256: str
    raw: str
    folded: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of an index: how many sentences stand under it (None: unknown), and their fingerprints."""

    name: str
    count: int | None
    fingerprints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A source as a definition declares it."""

    name: str
    title: str
    language: str | None
    edition: str | None
    sha256: str | None
    headings: tuple[Heading, ...]
    end: str | None
    exclude: tuple[ast.Cite, ...]

    @property
    def is_counted(self) -> bool:
        """Whether it is known how many sentences stand under each heading."""
        return bool(self.headings) and all(h.count is not None for h in self.headings)

    def heading(self, name: str) -> Heading | None:
        return next((h for h in self.headings if h.name == name), None)


def read_text(path: Path) -> SourceText:
    """A file as text. Raises `Unreadable`, and `OSError` if it cannot be read at all."""
    with path.open("rb") as file:
        data = file.read(MAX_TEXT_BYTES + 1)
    if len(data) > MAX_TEXT_BYTES:
        raise Unreadable(f"it is larger than {MAX_TEXT_BYTES >> 20} MiB")
    try:
        raw = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(
            f"byte {error.start} is not UTF-8; save it as UTF-8 text (a PDF or a picture is none)"
        ) from None
    if "\0" in raw:
        raise Unreadable("it holds zero bytes, as text never does")
    raw = raw.replace("\r\n", "\n").replace("\r", "\n")
    return SourceText(path, hashlib.sha256(data).hexdigest(), raw, folded(raw))


def declared(source: ast.SourceDecl) -> Source:
    return Source(
        name=source.name.text,
        title=source.title,
        language=source.language,
        edition=source.edition,
        sha256=source.sha256,
        headings=tuple(Heading(h.name.text, h.count, h.fingerprints) for h in source.headings),
        end=source.end,
        exclude=source.exclude,
    )


def headings_of(division: Division) -> tuple[Heading, ...]:
    return tuple(
        Heading(s.heading, len(s.sentences), tuple(x.fingerprint for x in s.sentences))
        for s in division.sections
    )


# ------------------------------------------------------------------------------ printing


def as_yaml(source: Source) -> str:
    """An entry of `sources`, ready to be pasted into a definition."""
    lines = ["sources:", f"  {source.name}:", f"    title: {scalar(source.title)}"]
    if source.language:
        lines.append(f"    language: {scalar(source.language)}")
    if source.edition:
        lines.append(f"    edition: {scalar(source.edition)}")
    lines.append(f"    sha256: {source.sha256}")
    lines.append("    headings:")
    for heading in source.headings:
        lines.append(f"      {scalar(heading.name)}: {_fingerprints(heading.fingerprints)}")
    if source.end is not None:
        lines.append(f"    end: {scalar(source.end)}")
    if source.exclude:
        lines.append("    exclude:")
        lines += [f"      - {scalar(str(cite))}" for cite in source.exclude]
    return "\n".join(lines)


def as_json(source: Source, before: int) -> dict[str, object]:
    return {
        "source": source.name,
        "title": source.title,
        "sha256": source.sha256,
        "end": source.end,
        "sentences_before": before,
        "headings": [
            {"heading": h.name, "sentences": h.count, "fingerprints": list(h.fingerprints)}
            for h in source.headings
        ],
    }


def _fingerprints(found: Iterable[str]) -> str:
    """One line; a single fingerprint that YAML would take for a number stands in quotes."""
    text = " ".join(found)
    if not text:
        return "0"
    return f'"{text}"' if re.fullmatch(r"[0-9]+(e[0-9]+)?", text) else text


_PLAIN = re.compile(r"[^\W\d_](?:[\w '’.()/,!?+–-]*[\w)’!?.])?")
_WORDS = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))


def scalar(text: str) -> str:
    """A text as a YAML scalar, in quotes where it must be."""
    if _PLAIN.fullmatch(text) and text.casefold() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False)


def is_fingerprint(text: str) -> bool:
    return re.fullmatch(rf"[0-9a-f]{{{FINGERPRINT_LENGTH}}}", text) is not None
