"""YAML's syntax errors in a rule author's words.

YAML stops at the first character it cannot place, often far from the mistake and with
words about tokens. The usual mistakes in definitions are few: this module recognises them
by looking at the line, and says which part of it they can be mended in.

May import: `source`, `diagnostics`, `limits`.
"""

from __future__ import annotations

import re

import yaml

from ludex.diagnostics import Code, Diagnostic, Label
from ludex.limits import MAX_YAML_DEPTH
from ludex.node import node
from ludex.source import SourceFile, Span
from ludex.syntax import codes_yaml as codes

QUOTE_HELP = "put the whole text in quotes, or write `|` here and the text on the next line, indented"

_OPENERS = {
    "{": "text that begins with `{` is read as a mapping, which ends at the `}`",
    "[": "text that begins with `[` is read as a list, which ends at the `]`",
    '"': "text that begins with a quote ends at the next one, and more follows here",
    "'": "text that begins with a quote ends at the next one, and more follows here",
    "&": "text that begins with `&` is read as an anchor",
    "*": "text that begins with `*` is read as an alias",
    "!": "text that begins with `!` is read as a tag",
    ">": "text that begins with `>` is read as a block of folded lines",
    "|": "nothing but a comment may follow `|` on its line",
    "@": "YAML keeps `@` at the beginning of a text for itself",
    "`": "YAML keeps the backquote at the beginning of a text for itself",
    "%": "YAML keeps `%` at the beginning of a text for itself",
}


@node
class YamlError:
    """What PyYAML said, as plain data: offsets in characters."""

    problem: str
    at: int
    context_at: int | None


@node
class Explained:
    """The diagnostic; and the text in the line that may be masked to read on, if it is known."""

    diagnostic: Diagnostic
    mask: Span | None = None


def explain(source: SourceFile, error: YamlError) -> Explained:
    """The diagnostic for a syntax error."""
    problem = error.problem
    line_start, line_end = _line(source, error.at)
    here = _from(source, error.at)
    opened = None if error.context_at is None else Span(source, error.context_at, error.context_at + 1)
    if source.text.startswith("\t", error.at) or "tab character" in problem:
        return _simple(codes.YAML_TAB, "a tab stands where only spaces may", here, "replace it by spaces")
    if "nesting depth" in problem:
        message = f"mappings and lists are nested more than {MAX_YAML_DEPTH} deep"
        return _simple(codes.YAML_TOO_DEEP, message, here, "look for an unclosed bracket")
    bare = not source.text[line_start : error.at].strip(" {,")
    if bare and source.text.startswith(":", error.at) and "expected" in problem:
        return _simple(codes.YAML_EMPTY_KEY, "there is no name before the colon", here, None)
    if "end of stream" in problem and opened is not None:
        return _simple(
            codes.YAML_SYNTAX, "this quote is never closed", opened, "close it with the same quote"
        )
    if "escape" in problem or "hexdecimal" in problem:
        return _simple(
            codes.YAML_QUOTE_NEEDED,
            "in double quotes a backslash begins an escape, and this one is unknown",
            here,
            "use single quotes, or write the backslash twice",
        )
    if (quote := _open_quote(source, error.at)) is not None:
        message = f"the text in quotes that begins here ends only in line {source.position(error.at)[0]}"
        help = "close it with the same quote where it should end"
        return _simple(codes.YAML_SYNTAX, message, quote, help)
    value = value_start(source.text, line_start, line_end)
    if value is not None and (found := _quote_needed(source, error, value, line_end)):
        return found
    if "expected ':'" in problem and error.context_at is not None:
        return _simple(
            codes.YAML_SYNTAX,
            "this line is neither `name: rule` nor the continuation of a text",
            _from(source, error.context_at),
            "give it a name before a colon; a text of several lines needs `|` after its name's colon",
        )
    if "sequence entries" in problem:
        return _simple(
            codes.YAML_QUOTE_NEEDED,
            "`- ` begins an item of a list, and a list begins on a line of its own",
            here,
            "put the item on the next line, indented; or quote the text",
        )
    if "mapping values" in problem:
        above = _above(source, line_start)
        labels = () if above is None else (Label(above, "if this is a name, its colon is missing"),)
        return Explained(
            Diagnostic(
                codes.YAML_SYNTAX,
                "this `name:` cannot stand here: the line above is a text, not a name",
                _from(source, line_start + _indent(source.text, line_start, line_end)),
                labels,
                "if the line above is a name, end it with a colon; if this is part of its text, put `|` "
                "after that text's name and the text on lines of its own; else indent it like the names it "
                "belongs with",
            )
        )
    if "',' or" in problem:
        closer = "}" if "}" in problem else "]"
        return _unclosed(source, here, opened, closer)
    if "expected key" in problem or "block end" in problem:
        labels = () if opened is None else (Label(opened, "the names it stands among begin here"),)
        return Explained(
            Diagnostic(
                codes.YAML_SYNTAX,
                "this line is not indented like the names it stands among",
                here,
                labels,
                "indent all names of one mapping by the same number of spaces",
            )
        )
    if "'-' indicator" in problem:
        return _simple(
            codes.YAML_SYNTAX,
            "a list goes on with `- `, and this line does not begin with it",
            here,
            "begin it with `- `, or indent it less if it is not part of the list",
        )
    if "document start" in problem:
        message = "this stands outside the document: it belongs to no name above it"
        return _simple(codes.YAML_SYNTAX, message, here, "only a line `---` can begin another document")
    return _simple(codes.YAML_SYNTAX, f"not well-formed YAML: {problem}", here, None)


def _quote_needed(source: SourceFile, error: YamlError, value: int, line_end: int) -> Explained | None:
    """The error, if the text that begins at `value` was cut by one of YAML's own characters."""
    text = source.text
    whole = Span(source, value, line_end)
    mask = whole
    first = text[value]
    if "mapping values" in error.problem:
        if error.at <= value:
            return None
        message = "a colon followed by a space, or at the end of the line, ends a name in YAML"
        labels = (Label(Span(source, error.at, error.at + 1), "this colon"),)
        return Explained(Diagnostic(codes.YAML_QUOTE_NEEDED, message, whole, labels, QUOTE_HELP), mask)
    closed_here = error.at > value and ("expected key" in error.problem or "block end" in error.problem)
    refused = first in "@`%&*!>|" and error.at >= value and error.at <= value + 2
    if (closed_here and first in "{[\"'") or refused:
        diagnostic = Diagnostic(codes.YAML_QUOTE_NEEDED, _OPENERS[first], whole, (), QUOTE_HELP)
        return Explained(diagnostic, mask)
    return None


def _unclosed(source: SourceFile, here: Span, opened: Span | None, closer: str) -> Explained:
    if opened is not None and opened.line != here.line:
        return Explained(
            Diagnostic(
                codes.YAML_SYNTAX,
                f"this `{opened.text}` is never closed",
                opened,
                (Label(here, f"a comma or `{closer}` was expected here"),),
                f"close it with `{closer}`, or use the block form: one `name: text` a line, without braces",
            )
        )
    labels = () if opened is None else (Label(opened, "opened here"),)
    return Explained(
        Diagnostic(
            codes.YAML_SYNTAX,
            f"expected a comma or the closing `{closer}` here",
            here,
            labels,
            f"close it with `{closer}`, or use the block form: one `name: text` a line, without braces",
        )
    )


def _above(source: SourceFile, start: int) -> Span | None:
    """The first of the lines right above `start` without a colon: where the text begins that goes on here."""
    found: Span | None = None
    while start > 0:
        start, end = _line(source, start - 1)
        first = start + _indent(source.text, start, end)
        if ":" in source.text[start:end]:
            break
        if first < end and source.text[first] != "#":
            found = Span(source, first, end)
    return found


def _open_quote(source: SourceFile, at: int) -> Span | None:
    """The opening quote of a text of several lines that ends in the line of `at`: probably by mistake."""
    found: Span | None = None
    line = source.position(at)[0]
    try:
        for token in yaml.scan(source.text):
            if token.start_mark.index > at:
                break
            if isinstance(token, yaml.ScalarToken) and token.style in ('"', "'"):
                begin, end = token.start_mark.index, token.end_mark.index
                if source.position(begin)[0] < source.position(max(begin, end - 1))[0] == line:
                    found = Span(source, begin, begin + 1)
    except yaml.YAMLError:
        pass
    return found


def value_start(text: str, start: int, end: int) -> int | None:
    """Where the value of a `name: value` or `- value` line begins, if the line has one."""
    i = start + _indent(text, start, end)
    item = False
    while text.startswith("- ", i):
        i += 2
        i += _indent(text, i, end)
        item = True
    if i >= end:
        return None
    begin = i
    if text[i] in "\"'":
        closing = text.find(text[i], i + 1, end)
        i = closing + 1 if closing >= 0 else i
    colon = text.find(": ", i, end)
    if colon < 0:
        return begin if item else None
    value = colon + 1 + _indent(text, colon + 1, end)
    return value if value < end and text[value] != "#" else None


def _simple(code: Code, message: str, span: Span, help: str | None) -> Explained:
    return Explained(Diagnostic(code, message, span, (), help))


def _line(source: SourceFile, offset: int) -> tuple[int, int]:
    text = source.text
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    end = len(text) if end < 0 else end
    return start, max(start, end - 1 if text[end - 1 : end] == "\r" else end)


def _from(source: SourceFile, offset: int) -> Span:
    """From an offset to the end of its line, at least one character where there is one."""
    if offset >= len(source.text.rstrip()):
        offset = max(0, len(source.text.rstrip()) - 1)
    _, end = _line(source, offset)
    return Span(source, offset, max(end, min(offset + 1, len(source.text))))


def _indent(text: str, start: int, end: int) -> int:
    found = re.compile(r" *").match(text, start, end)
    return found.end() - start if found else 0
