"""Whether citations point to a source, a heading and sentences that there are.

As far as the index of a source goes: headings that are only listed know of no sentences, and
a source without headings takes any citation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ludex.check import codes
from ludex.check.context import Context
from ludex.diagnostics import did_you_mean
from ludex.source import Span
from ludex.syntax import ast
from ludex.syntax.citations import sentence_numbers

_FINGERPRINT_LENGTH = 6
_HEX = frozenset("0123456789abcdef")


def citations(cx: Context) -> None:
    sources = {s.name.text: s for s in cx.game.sources}
    for source in cx.game.sources:
        _index(cx, source)
    headings = {s.name.text: {h.name.text: h for h in s.headings} for s in cx.game.sources}
    for n in cx.cites:
        cited = sources.get(n.source.text)
        if cited is None:
            cx.error(
                codes.BAD_CITATION,
                f"there is no source `{n.source}`",
                n.source.span,
                did_you_mean(n.source.text, sources) or "list it under `sources`",
            )
        elif cited.headings:
            _passage(cx, n, cited, headings[n.source.text])


def _index(cx: Context, source: ast.SourceDecl) -> None:
    """Fingerprints have their form, and what is excluded is of this source."""
    for heading in source.headings:
        for text in heading.fingerprints:
            if len(text) != _FINGERPRINT_LENGTH or not _HEX.issuperset(text):
                cx.error(
                    codes.BAD_SOURCE,
                    f"`{text}` is no fingerprint of a sentence",
                    _part(heading.span, text),
                    "take the line from `ludex source index FILE`, or give the number of sentences alone",
                )
    for cite in source.exclude:
        if cite.source.text != source.name.text and any(
            s.name.text == cite.source.text for s in cx.game.sources
        ):
            cx.error(
                codes.BAD_CITATION,
                f"an exclusion of `{source.name}` names a passage of `{cite.source}`",
                cite.source.span,
                f"write `{source.name} / …`, or put it under `{cite.source}`",
            )


def _passage(
    cx: Context, cite: ast.Cite, source: ast.SourceDecl, names: Mapping[str, ast.Heading]
) -> None:
    if cite.heading is None:
        if cite.sentences is not None:
            cx.error(
                codes.BAD_CITATION,
                "the heading is missing under which these sentences stand",
                _part(cite.span, cite.sentences),
                f"`{cite.source} / heading / {cite.sentences}`",
            )
        return
    heading = names.get(cite.heading)
    if heading is None:
        cx.error(
            codes.BAD_CITATION,
            f"`{source.name}` has no heading “{cite.heading}”",
            _part(cite.span, cite.heading),
            did_you_mean(cite.heading, names) or "its headings are listed under `sources`",
            other=(source.name.span, "its headings are listed here"),
        )
        return
    for part, message, help in _mistakes(cite, heading):
        cx.error(codes.BAD_CITATION, message, _part(cite.span, part), help)


def _mistakes(cite: ast.Cite, heading: ast.Heading) -> Iterator[tuple[str, str, str]]:
    """Numbers of sentences that there are not: the part of the citation, what is wrong, what to do."""
    if cite.sentences is None or heading.count is None:
        return
    n = heading.count
    there = f"has {n} sentence{'s' * (n != 1)}" if n else "has no sentences of its own"
    for part in (p.strip() for p in cite.sentences.split(",")):
        if not all(c.isdecimal() or c in "-– " for c in part):
            yield part, f"`{part}` is no number of a sentence", f"“{heading.name}” {there}, numbered from 1"
            continue
        numbers = sentence_numbers(part)
        if numbers is None:
            yield part, f"`{part}` does not go from a smaller number to a greater one", "such as `2-5`"
        elif numbers[0] < 1 or numbers[-1] > n:
            beyond = next(i for i in numbers if not 1 <= i <= n)
            message = f"there is no sentence {beyond}: “{heading.name}” {there}"
            yield part, message, "`ludex source index FILE` counts them"


def _part(span: Span, words: str) -> Span:
    """The last place within a span where the words stand; all of it where they are written otherwise."""
    at = span.text.rfind(words)
    return Span(span.source, span.start + at, span.start + at + len(words)) if at >= 0 else span
