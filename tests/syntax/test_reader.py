"""Reading YAML: positions written by hand, refusals, and that nothing is ever raised."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ludex import limits
from ludex.diagnostics import Report
from ludex.source import SourceFile
from ludex.syntax import codes_yaml, scalars
from ludex.syntax.document import Mapping, Scalar, Sequence, plain, raw_text, walk
from ludex.syntax.reader import read_document, read_documents, read_file


def read(text: str) -> tuple[Mapping | None, Report]:
    report = Report()
    return read_document(SourceFile("t.yaml", text), report), report


def value(text: str) -> Scalar:
    """The scalar at key `a` of a text that must read without findings."""
    document, report = read(text)
    assert document is not None and not list(report)
    found = document.get("a")
    assert isinstance(found, Scalar)
    return found


def found(text: str) -> list[tuple[str, int, int]]:
    """Code, line and column of all findings."""
    _, report = read(text)
    return [(d.code.name, d.span.line, d.span.column) for d in report]


def place(scalar: Scalar, part: str) -> tuple[int, int]:
    """Line and column in the file of a part of the scalar's text."""
    return scalar.span.source.position(scalar.offsets[scalar.text.index(part)])


# ------------------------------------------------------------------------------- positions


@pytest.mark.parametrize(
    ("text", "expected", "part", "line", "column"),
    [
        ("a: b c\n", "b c", "c", 1, 6),
        ("é🎲: x\na: 'ö🎲 y'\n", "ö🎲 y", "y", 2, 8),
        ("a: 'it''s so'\n", "it's so", "so", 1, 11),
        ("a: 'one\n  two'\n", "one two", "two", 2, 3),
        ("a: 'one  \n\n\n  two'\n", "one\n\ntwo", "two", 4, 3),
        ('a: "x\\ty\\u00e9z"\n', "x\tyéz", "z", 1, 15),
        ('a: "x\\\n    y"\n', "xy", "y", 2, 5),
        ('a: "x \\\n\n    y"\n', "x \ny", "y", 3, 5),
        ("a: one\n  two\n\n  three\n", "one two\nthree", "three", 4, 3),
        ("a: one # note\n", "one", "one", 1, 4),
        ("a: |\n  one\n    two\n  three\n", "one\n  two\nthree\n", "three", 4, 3),
        ("a: |\n  one\n    two\n  three\n", "one\n  two\nthree\n", "two", 3, 5),
        ("a: |-\n  one\n\n  two\n\n\nb: 1\n", "one\n\ntwo", "two", 4, 3),
        ("a: |+\n  one\n\n\nb: 1\n", "one\n\n\n", "one", 2, 3),
        ("a: |2\n    one\n  two\n", "  one\ntwo\n", "one", 2, 5),
        ("a: |2-\n    one\n  two\n", "  one\ntwo", "two", 3, 3),
        ("a: | # note\n  one\n", "one\n", "one", 2, 3),
        ("a: |\n\n  one\n", "\none\n", "one", 3, 3),
        ("a: |\n  one", "one", "one", 2, 3),
        ("a: |\r\n  one\r\n  two\r\nb: 1\r\n", "one\ntwo\n", "two", 3, 3),
        ("a: |\n  one\n  # not a note\n# a note\nb: 1\n", "one\n# not a note\n", "not", 3, 5),
        ("a: >\n  one\n  two\n\n  three\n", "one two\nthree\n", "three", 5, 3),
        ("a: >\n  one\n    two\n  three\n", "one\n  two\nthree\n", "two", 3, 5),
        ("a: >-\n  one\n\n\n  two\n", "one\n\ntwo", "two", 5, 3),
        ("a: &x one\nb: *x\n", "one", "one", 1, 7),
        ("a: &x |\n  one\n  two\n", "one\ntwo\n", "two", 3, 3),
    ],
)
def test_offsets(text: str, expected: str, part: str, line: int, column: int) -> None:
    scalar = value(text)
    assert scalar.text == expected
    assert place(scalar, part) == (line, column)
    assert len(scalar.offsets) == len(scalar.text) + 1
    assert list(scalar.offsets) == sorted(scalar.offsets)


def test_offset_of_the_end_of_a_block() -> None:
    text = "a: |\n  one\n  two\n\nb: 1\n"
    scalar = value(text)
    assert scalar.span.text == "|\n  one\n  two"
    assert scalar.offsets[-1] == text.index("two") + len("two\n")


def test_spans_of_collections() -> None:
    document, _ = read("a:\n  b: {c: 1,\n    d: 2}\n  e:\n    - 1\n    - x y\n\n# note\nf: 1\n")
    assert document is not None
    a = document.get("a")
    assert isinstance(a, Mapping)
    assert a.span.text.startswith("b: {c") and a.span.text.endswith("- x y")
    b, e = a.get("b"), a.get("e")
    assert isinstance(b, Mapping) and b.flow and b.span.text == "{c: 1,\n    d: 2}"
    assert isinstance(e, Sequence) and not e.flow and e.span.text == "- 1\n    - x y"


words = st.text(st.sampled_from("ab é🎲\n'\"\\:#-{|>\t"), max_size=30)


@given(words, st.sampled_from(["'", '"', "|", ">", None]), st.integers(20, 60))
@settings(max_examples=400, deadline=None)
def test_own_scan_agrees_with_pyyaml(text: str, style: str | None, width: int) -> None:
    source = yaml.dump({"a": {"b": text}}, default_style=style, width=width, allow_unicode=True)
    for event in yaml.parse(source):
        if isinstance(event, yaml.ScalarEvent):
            start, end = event.start_mark.index, event.end_mark.index
            scanned, offsets, _ = scalars._scan(source, start, end, event.style or "", event.value)
            assert scanned == event.value
            assert len(offsets) == len(event.value)


# ----------------------------------------------------------------------------------- kinds


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("true", "bool"), ("False", "bool"), ("yes", "string"), ("no", "string"), ("on", "string"),
        ("off", "string"), ("y", "string"), ("null", "null"), ("~", "null"), ("", "null"), ("12", "int"),
        ("-1", "int"), ("+3", "int"), ("1.5", "float"), ("1e3", "float"), ("0x10", "string"),
        ("0o7", "string"), ("1_000", "string"), ("1:30", "string"), ("2001-01-01", "string"),
        ("1..6", "string"), (".inf", "string"), ("'1'", "string"), ('"true"', "string"), ("١", "string"),
    ],
)  # fmt: skip
def test_kinds_follow_yaml_1_2(text: str, kind: str) -> None:
    assert value(f"a: {text}\n").kind == kind


# -------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [("yaml-empty", 1, 1)]),
        ("# only a note\n", [("yaml-empty", 1, 1)]),
        ("- 1\n", [("yaml-not-a-mapping", 1, 1)]),
        ("just words\n", [("yaml-not-a-mapping", 1, 1)]),
        ("a: 1\nb: 2\na: 3\n", [("yaml-duplicate-key", 3, 1)]),
        ("\ufb01n: 1\nfin: 2\n", [("yaml-duplicate-key", 2, 1)]),
        ("a:\n\tb: 1\n", [("yaml-tab", 2, 1)]),
        ("a:\n  b: |\n    x\n   \ty\n", [("yaml-tab", 4, 1)]),
        ("a: 1\n---\nb: 2\n", [("yaml-many-documents", 2, 1)]),
        ("a: !foo b\n", [("yaml-tag", 1, 4)]),
        ("a: != 3\n", [("yaml-tag", 1, 4)]),
        ("a: &x 1\nb: {<<: *x}\n", [("yaml-merge-key", 2, 5)]),
        ("? [a]\n: b\n", [("yaml-non-scalar-key", 1, 3)]),
        ("{k}: b\n", [("yaml-non-scalar-key", 1, 1)]),
        (": b\n", [("yaml-empty-key", 1, 1)]),
        ("a: {'': b}\n", [("yaml-empty-key", 1, 5)]),
        ("a: *x\n", [("yaml-unknown-alias", 1, 4)]),
        ("a: &x\n  b: *x\n", [("yaml-recursive-alias", 2, 6)]),
        ("a: x\x07y\n", [("file-control-character", 1, 5)]),
        ("a: x\u202ey\n", [("file-control-character", 1, 5)]),
        ("a: x\u2028y\n", [("file-control-character", 1, 5)]),
        ('a: "x\\e[31m"\n', [("file-control-character", 1, 6)]),
        ('a: "x\\u202E"\n', [("file-control-character", 1, 6)]),
        ("a: x\rb: y\n", [("file-control-character", 1, 5)]),
        ("a: \ud800\n", [("file-control-character", 1, 4)]),
    ],
)
def test_refusals(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: if x: y\n", [("yaml-quote-needed", 1, 4)]),
        ("a:\n  b: {k} rides\n", [("yaml-quote-needed", 2, 6)]),
        ("a: [b] rides\n", [("yaml-quote-needed", 1, 4)]),
        ('a: "b" and c\n', [("yaml-quote-needed", 1, 4)]),
        ("a: @b\n", [("yaml-quote-needed", 1, 4)]),
        ("a: `b`\n", [("yaml-quote-needed", 1, 4)]),
        ("a: %b\n", [("yaml-quote-needed", 1, 4)]),
        ("a: >= 3\n", [("yaml-quote-needed", 1, 4)]),
        ("a: & b\n", [("yaml-quote-needed", 1, 4)]),
        ("a: * b\n", [("yaml-quote-needed", 1, 4)]),
        ("a: - b\n", [("yaml-quote-needed", 1, 4)]),
        ('a: "\\q"\n', [("yaml-quote-needed", 1, 5)]),
        ("a: 'abc\n", [("yaml-syntax", 1, 4)]),
        ("a: 1\nfoo bar\nb: 2\n", [("yaml-syntax", 2, 1)]),
        ("a: x\n  b: y\n", [("yaml-syntax", 2, 3)]),
        ("a:\n  b: 1\n c: 2\n", [("yaml-syntax", 3, 2)]),
        ("a:\n  - 1\n  b: 2\n", [("yaml-syntax", 3, 3)]),
        ("a: {b: 1\nc: 2\n", [("yaml-syntax", 1, 4)]),
        ("a: [1, 2\nb: 3\n", [("yaml-syntax", 1, 4)]),
        ("a: 1\n...\nfoo\n", [("yaml-syntax", 3, 1)]),
        ("a: if x: y\nb: {k} z\nc: 1\nc: 2\n",
         [("yaml-quote-needed", 1, 4), ("yaml-quote-needed", 2, 4), ("yaml-duplicate-key", 4, 1)]),
    ],
)  # fmt: skip
def test_syntax_errors_in_a_rule_authors_words(text: str, expected: list[tuple[str, int, int]]) -> None:
    document, report = read(text)
    assert document is None
    assert [(d.code.name, d.span.line, d.span.column) for d in report] == expected
    for diagnostic in report:
        for jargon in ("token", "scalar", "context", "simple key", "<"):
            assert jargon not in diagnostic.message


def test_duplicate_key_shows_both_places() -> None:
    _, report = read("a: 1\nb: 2\na: 3\n")
    (diagnostic,) = report
    assert [str(label.span) for label in diagnostic.labels] == ["t.yaml:1:1"]


def test_reading_goes_on_after_duplicates() -> None:
    document, _ = read("a: 1\na: 2\nb: 3\n")
    assert document is not None
    assert plain(document) == {"a": 1, "b": 3}


def test_alias_bomb() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    document, report = read("\n".join(lines))
    assert document is None
    assert [d.code for d in report] == [codes_yaml.YAML_TOO_LARGE]


@pytest.mark.parametrize("text", ["a: " + "[" * 100_000, "a: " + "{b: " * 20_000, "- " * 500 + "x"])
def test_deep_nesting(text: str) -> None:
    assert [code for code, _, _ in found(text)] == ["yaml-too-deep"]


def test_deep_nesting_through_aliases() -> None:
    lines = ["a0: &a0 [x]"] + [f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, limits.MAX_YAML_DEPTH + 5)]
    assert [code for code, _, _ in found("\n".join(lines))] == ["yaml-too-deep"]


def test_an_alias_repeats_a_value() -> None:
    document, report = read("a: &x {b: 1}\nc: *x\n")
    assert document is not None and not list(report)
    assert document.get("c") is document.get("a")


def test_documents() -> None:
    report = Report()
    documents = read_documents(SourceFile("s.yaml", "a: 1\n---\nb: 2\n---\n---\nc: 3\n"), report)
    assert not list(report)
    assert [e.name for d in documents for e in d] == ["a", "b", "c"]


def test_raw_text() -> None:
    document, _ = read("a: {k}\nb: [x, y]\nc: {k:\n 1}\nd:\n  e: 1\nf: x\n")
    assert document is not None
    texts = [raw_text(entry.value) for entry in document]
    assert [t.text if t else None for t in texts] == ["{k}", "[x, y]", None, None, "x"]
    assert texts[0] is not None and texts[0].span.source.position(texts[0].offsets[1]) == (1, 5)


# ----------------------------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"a: \xff\n", "file-not-utf8"),
        ("a: é\n".encode("utf-16"), "file-not-utf8"),
        (b"a: " + b"x" * limits.MAX_FILE_BYTES, "file-too-large"),
    ],
)
def test_unreadable_files(tmp_path: Path, data: bytes, code: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(data)
    report = Report()
    assert read_file(path, report) is None
    assert [d.code.name for d in report] == [code]


def test_missing_file_and_folder(tmp_path: Path) -> None:
    report = Report()
    for path in (tmp_path / "none.yaml", tmp_path, Path("a\0b")):
        assert read_file(path, report) is None
    assert [d.code.name for d in report] == ["file-unreadable"] * 3


def test_position_of_a_bad_byte(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes("a: é\nb: ".encode() + b"\xe9t\n")
    report = Report()
    assert read_file(path, report) is None
    (diagnostic,) = report
    assert (diagnostic.span.line, diagnostic.span.column) == (2, 4)


def test_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")
    source = read_file(path, Report())
    assert source is not None and source.text == "a: 1\n"


# --------------------------------------------------------------------------- never raises

yamlish = st.lists(
    st.sampled_from(
        ["a", "b", ": ", ":", "\n", "\n  ", "\n    ", "- ", "? ", "{", "}", "[", "]", ", ", "'", '"', "|",
         ">", "|2", ">-", "#", " # x", "&x ", "*x", "!t ", "<<", "---\n", "...\n", "\t", "\\", "\r\n", "é🎲",
         "@", "%", "1", "null", "if x:", "(", ")"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@given(st.one_of(st.text(), yamlish, st.text().map(lambda t: "a: |\n" + textwrap.indent(t, "  "))))
@example("a: |\n  \ud800")
@example('a: "\\ud800"')
@example("? |\n  x\n: >\n y")
@settings(max_examples=1500, deadline=None)
def test_never_raises(text: str) -> None:
    report = Report()
    source = SourceFile("t.yaml", text)
    document = read_document(source, report)
    read_documents(source, Report())
    assert document is not None or report.errors
    for diagnostic in report:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
    for node in walk(document) if document is not None else ():
        assert 0 <= node.span.start <= node.span.end <= len(text)
        if isinstance(node, Scalar):
            assert len(node.offsets) == len(node.text) + 1
            assert all(node.span.start <= o <= len(text) for o in node.offsets)
