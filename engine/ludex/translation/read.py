"""Files of translations: read, held to their form, and compared with what there is to translate."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ludex.diagnostics import Report, did_you_mean, printable
from ludex.node import node
from ludex.source import Span
from ludex.syntax.document import Mapping, Scalar
from ludex.syntax.reader import read_document, read_file
from ludex.syntax.shape import validate_shape
from ludex.translation import codes
from ludex.translation.vocabulary import Term, Vocabulary, holes, key
from ludex.translation.words import ENGLISH

if TYPE_CHECKING:
    from ludex.translation.wording import Wording

LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
"""A language tag, such as `fr` or `pt-BR`; so no path leads out of the folder of translations."""


@node
class Translated:
    """A text of the file, what it is the translation of, and where that stands."""

    original: str
    text: str
    span: Span


@node
class Translation:
    """A file of translations, as it was read."""

    language: str
    title: str | None
    names: tuple[Translated, ...]
    rules: tuple[Translated, ...]
    texts: tuple[Translated, ...]

    @property
    def wording(self) -> Wording:
        from ludex.translation.wording import Wording

        return Wording(
            self.language,
            self.title,
            {t.original: t.text for t in self.names},
            {t.original: t.text for t in self.rules},
            {t.original: t.text for t in self.texts},
        )


def read_translation(path: Path, game: str, report: Report) -> Translation | None:
    """The file, or None if it cannot be used at all."""
    source = read_file(path, report)
    document = read_document(source, report) if source is not None else None
    if document is None:
        return None
    validate_shape(document, "translation", report)
    if report.errors:
        return None
    _check_head(document, path, game, report)
    title = document.get("title")
    language = document.get("translation")
    return Translation(
        language.text if isinstance(language, Scalar) else path.stem,
        " ".join(title.text.split()) if isinstance(title, Scalar) else None,
        *(_list(document, name, report) for name in ("names", "rules", "texts")),
    )


def _check_head(document: Mapping, path: Path, game: str, report: Report) -> None:
    for name, expected, why in (
        ("translation", path.stem, f"the file is called `{path.name}`"),
        ("game", game, f"it lies in the folder of `{game}`"),
    ):
        node = document.get(name)
        if isinstance(node, Scalar) and node.text != expected:
            message = f"this says `{printable(node.text)}`, but {why}"
            report.add(codes.FILE, message, node.span, help=f"write `{name}: {expected}`")


def _list(document: Mapping, name: str, report: Report) -> tuple[Translated, ...]:
    found: dict[str, Translated] = {}
    node = document.get(name)
    for entry in node if isinstance(node, Mapping) else ():
        if not isinstance(entry.value, Scalar):
            continue
        original, text = key(entry.name), " ".join(entry.value.text.split())
        if not text:
            report.add(codes.TEXT, "the translation is empty", entry.value.span, help="leave it out")
        elif name == "rules" and "/" in text:
            report.add(
                codes.TEXT,
                "the name of a rule cannot have `/` in it",
                entry.value.span,
                help="`/` joins the parts of an address; write `or` or a dash",
            )
        elif original in found:
            report.add(codes.TEXT, f"“{original}” is translated twice", entry.key.span)
        else:
            found[original] = Translated(original, text, entry.key.span.to(entry.value.span))
    return tuple(found.values())


# ------------------------------------------------------------------------------ checking


def check(translation: Translation, vocabulary: Vocabulary, report: Report) -> None:
    """Reports all translations of what is not there, and those whose holes are others."""
    lists = (
        ("names", translation.names, vocabulary.names, "name"),
        ("rules", translation.rules, vocabulary.rules, "rule"),
        ("texts", translation.texts, vocabulary.texts, "text"),
    )
    for where, translated, known, what in lists:
        for item in translated:
            if item.original in known or (where == "texts" and item.original in ENGLISH):
                _compare_holes(item, report)
                continue
            elsewhere = next((w for w, _, k, _ in lists if item.original in k), None)
            if elsewhere is not None:
                help: str | None = f"it stands under `{elsewhere}`"
            else:
                help = did_you_mean(item.original, known)
            shown = item.original if len(item.original) <= 60 else item.original[:57] + "…"
            message = f"neither the game nor an overlay beside it has the {what} “{printable(shown)}”"
            report.add(codes.UNKNOWN, message, _key_span(item), help=help)


def _compare_holes(item: Translated, report: Report) -> None:
    wanted, found = holes(item.original), holes(item.text)
    if wanted == found:
        return
    missing = [h for h in wanted if h not in found]
    strange = [h for h in found if h not in wanted]
    if strange:
        message = f"the text has no hole `{{{printable(strange[0])}}}`"
        help = did_you_mean(strange[0], wanted)
    elif missing:
        message, help = f"the hole `{{{printable(missing[0])}}}` is missing", None
    else:
        message, help = "a hole stands here more or fewer times than in the text", None
    report.add(codes.HOLES, message, item.span, help=help)


def _key_span(item: Translated) -> Span:
    """The original in the file: the line up to the colon, for a span that can be underlined."""
    end = item.span.source.text.find("\n", item.span.start, item.span.end)
    return item.span if end < 0 else Span(item.span.source, item.span.start, end)


def missing(translation: Translation, vocabulary: Vocabulary) -> list[tuple[str, Term]]:
    """What is not translated yet: the list it belongs to, and the term."""
    have: Iterable[tuple[str, tuple[Translated, ...], dict[str, Term]]] = (
        ("names", translation.names, vocabulary.names),
        ("rules", translation.rules, vocabulary.rules),
        ("texts", translation.texts, vocabulary.texts),
    )
    found: list[tuple[str, Term]] = []
    for where, translated, known in have:
        done = {t.original for t in translated}
        titled = {key(translation.title)} if translation.title else set()
        for term in known.values():
            is_title = term.what == "title" and bool(titled) and term is _first_title(vocabulary)
            if term.needed and term.text not in done and not is_title:
                found.append((where, term))
    return found


def _first_title(vocabulary: Vocabulary) -> Term | None:
    """The game's own title, which stands under `title` in a translation."""
    return next((t for t in vocabulary.texts.values() if t.what == "title"), None)
