"""YAML text read into the nodes of `document`.

PyYAML's events are used, never its constructors: nothing is built but scalars, mappings
and sequences, and plain scalars are resolved by YAML 1.2's core schema (`yes`, `no`, `on`
and `off` are texts). The events are walked with an explicit stack, so that no nesting can
exhaust Python's.

May import: `source`, `diagnostics`, `limits`, `syntax.document`.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any

import yaml

from ludex import limits
from ludex.diagnostics import Report, printable
from ludex.source import SourceFile, Span
from ludex.syntax import codes_yaml as codes
from ludex.syntax.composer import Composer, GiveUp, first_line, invisible
from ludex.syntax.document import Mapping, Node, Scalar, Sequence
from ludex.syntax.yaml_errors import YamlError, explain

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAB = r"(?m)^ *\t[ \t]*(?=[^\s])"


def read_file(path: Path, report: Report) -> SourceFile | None:
    """The text of a file, without byte order mark, or None with a diagnostic."""
    name = str(path)
    nowhere = Span(SourceFile(name, ""), 0, 0)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            report.add(codes.FILE_UNREADABLE, f"`{printable(name)}` is not a file", nowhere)
            return None
        with path.open("rb") as stream:
            data = stream.read(limits.MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        report.add(codes.FILE_UNREADABLE, f"cannot read `{printable(name)}`: {reason}", nowhere)
        return None
    if len(data) > limits.MAX_FILE_BYTES:
        _too_large(SourceFile(name, ""), report)
        return None
    try:
        return SourceFile(name, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        at = len(data[: error.start].decode("utf-8", "replace"))
        wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        message = "the file is UTF-16, not UTF-8" if wide else f"byte 0x{data[error.start]:02x} is not UTF-8"
        span = Span(SourceFile(name, text), at, min(at + 1, len(text)))
        report.add(codes.FILE_NOT_UTF8, message, span, help="save the file as UTF-8")
        return None


def read_document(source: SourceFile, report: Report) -> Mapping | None:
    """The single document of a definition or overlay; None if it cannot be read at all.

    Duplicate keys and the like are reported and left out, so that later stages can find more.
    """
    documents = _read(source, report)
    if documents is None:
        return None
    for _, span in documents[1:2]:
        report.add(
            codes.YAML_MANY_DOCUMENTS,
            "a second document begins here",
            span,
            help="one definition or overlay is one document: remove `---`, or move the rest to another file",
        )
    if not documents:
        report.add(codes.YAML_EMPTY, "the file is empty", Span(source, 0, 0))
        return None
    return _as_mapping(*documents[0], report)


def read_documents(source: SourceFile, report: Report) -> tuple[Mapping, ...]:
    """All documents of a file of scenarios, which are separated by `---`. Empty ones are skipped."""
    mappings = []
    for node, span in _read(source, report) or ():
        if isinstance(node, Scalar) and node.kind == "null":
            continue
        mapping = _as_mapping(node, span, report)
        if mapping is not None:
            mappings.append(mapping)
    return tuple(mappings)


def _as_mapping(node: Node, span: Span, report: Report) -> Mapping | None:
    if isinstance(node, Mapping):
        return node
    if isinstance(node, Scalar) and node.kind == "null" and not node.text:
        report.add(codes.YAML_EMPTY, "the document is empty", span)
    else:
        what = "a list" if isinstance(node, Sequence) else "a text"
        message = f"the document is {what}, not `name: value` lines"
        report.add(codes.YAML_NOT_A_MAPPING, message, first_line(node.span))
    return None


def _too_large(source: SourceFile, report: Report) -> None:
    size = limits.MAX_FILE_BYTES // 1024
    report.add(codes.FILE_TOO_LARGE, f"the file is larger than {size} KiB", Span(source, 0, 0))


# ------------------------------------------------------------------------------ the whole text


def _read(source: SourceFile, report: Report) -> list[tuple[Node, Span]] | None:
    """The roots of all documents and where each begins, or None if the text cannot be read."""
    if len(source.text) > limits.MAX_FILE_BYTES:
        _too_large(source, report)
        return None
    if not _check_characters(source, report):
        return None
    text = source.text
    failed = False
    for _ in range(limits.MAX_SYNTAX_REPAIRS):
        composer = Composer(source, report)
        try:
            events = _LOADER(text)
            while (event := events.get_event()) is not None:
                composer.take(event)
        except GiveUp:
            return None
        except yaml.YAMLError as error:
            failed = True
            explained = explain(source, _as_data(error, len(text)))
            report.extend([explained.diagnostic])
            mask = explained.mask
            if mask is None:
                break
            masked = text[: mask.start] + "x" * (mask.end - mask.start) + text[mask.end :]
            if masked == text:
                break
            text = masked
        else:
            return None if failed else composer.documents
    return None


def _as_data(error: yaml.YAMLError, length: int) -> YamlError:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    mark = getattr(error, "problem_mark", None)
    context = getattr(error, "context_mark", None)
    at = mark.index if mark is not None else getattr(error, "position", 0)
    return YamlError(str(problem), min(at, length), None if context is None else min(context.index, length))


def _check_characters(source: SourceFile, report: Report) -> bool:
    """Reports tabs in indentation and characters that no text should hold; false if YAML cannot go on."""
    tabs = list(re.finditer(_TAB, source.text)) if "\t" in source.text else []
    if tabs:
        first = tabs[0]
        more = f" (and {len(tabs) - 1} more lines)" if len(tabs) > 1 else ""
        report.add(
            codes.YAML_TAB,
            f"this line is indented with a tab{more}",
            Span(source, first.start(), first.end()),
            help="indent with spaces",
        )
    bad = invisible(source.text)
    for found in bad[:10]:
        c = ord(found.group())
        what = "a line end without a line feed" if c == 13 else f"the invisible character U+{c:04X}"
        report.add(
            codes.FILE_CONTROL_CHARACTER,
            f"{what} stands here",
            Span(source, found.start(), found.end()),
            help="delete it" if c != 13 else "save the file with line ends LF or CRLF",
        )
    return not bad and not tabs
