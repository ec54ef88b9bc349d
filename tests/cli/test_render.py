"""Diagnostics as people see them: source and expected text stand together."""

from __future__ import annotations

from ludex.diagnostics import Code, Diagnostic, Label
from ludex.render import render, render_all, to_json
from ludex.source import NOWHERE, SourceFile, Span

ERROR = Code("unknown-name", "…")
WARNING = Code("unused", "…", "warning")


def span(text: str, part: str, name: str = "game.yaml") -> Span:
    start = text.index(part)
    return Span(SourceFile(name, text), start, start + len(part))


def test_position_message_line_and_help() -> None:
    text = "setup:\n  place: move knigth to lair\n"
    found = Diagnostic(ERROR, "there is no `knigth`", span(text, "knigth"), help="did you mean `knight`?")
    assert render(found) == (
        "game.yaml:2:15: error: there is no `knigth` [unknown-name]\n"
        "    2 |   place: move knigth to lair\n"
        "      |               ^^^^^^\n"
        "  help: did you mean `knight`?"
    )


def test_labels_in_this_file_and_in_another() -> None:
    text = "a: 1\nb: 2\na: 3\n"
    file = SourceFile("game.yaml", text)
    other = span("remove: [a]\n", "a]", "mine.yaml")
    labels = (Label(Span(file, 0, 1), "it is here already"), Label(Span(other.source, 9, 10), "removed here"))
    found = Diagnostic(WARNING, "`a` is there twice", Span(file, 10, 11), labels)
    assert render(found) == (
        "game.yaml:3:1: warning: `a` is there twice [unused]\n"
        "    3 | a: 3\n"
        "      | ^\n"
        "  note: line 1: it is here already\n"
        "    1 | a: 1\n"
        "      | ^\n"
        "  note: mine.yaml:1:10: removed here\n"
        "    1 | remove: [a]\n"
        "      |          ^"
    )


def test_a_span_of_several_lines_is_underlined_on_its_first() -> None:
    text = "do: |\n  if x:\n    y = 1\n"
    assert render(Diagnostic(ERROR, "m", span(text, "if x:\n    y = 1"))).splitlines()[1:] == [
        "    2 |   if x:",
        "      |   ^^^^^...",
    ]


def test_an_empty_span_at_the_end_of_the_text_shows_where() -> None:
    source = SourceFile("game.yaml", "a: 1")
    assert render(Diagnostic(ERROR, "m", Span(source, 4, 4))).splitlines()[1:] == [
        "    1 | a: 1",
        "      |     ^",
    ]


def test_tabs_and_wide_letters_keep_the_carets_in_place() -> None:
    lines = render(Diagnostic(ERROR, "m", span("\t駒 = x", "x"))).splitlines()
    assert lines[1:] == ["    1 |     駒 = x", "      |          ^"]


def test_control_characters_do_not_reach_the_terminal() -> None:
    text = "title: \x1b[31mred\u202e\n"
    shown = render(Diagnostic(ERROR, "bad \x1b[2J name", span(text, "red"), help="\x07"))
    assert "\x1b" not in shown and "\u202e" not in shown and "\x07" not in shown
    assert "\\u{1b}[31mred" in shown


def test_a_long_line_is_cut_around_the_span() -> None:
    text = "x" * 300 + "HERE" + "y" * 300
    lines = render(Diagnostic(ERROR, "m", span(text, "HERE"))).splitlines()
    assert max(map(len, lines[1:])) <= 108
    at = lines[1].index("HERE")
    assert lines[2][at:] == "^^^^"


def test_what_no_file_says_has_no_excerpt() -> None:
    assert render(Diagnostic(ERROR, "m", NOWHERE)) == "ludex: error: m [unknown-name]"
    assert to_json(Diagnostic(ERROR, "m", NOWHERE))["span"] is None


def test_all_are_counted() -> None:
    found = [
        Diagnostic(ERROR, "a", NOWHERE),
        Diagnostic(ERROR, "b", NOWHERE),
        Diagnostic(WARNING, "c", NOWHERE),
    ]
    assert render_all(found).endswith("\n\n2 errors and 1 warning")


def test_the_form_for_programs_counts_from_one() -> None:
    text = "a: 1\nbb: 2\n"
    data = to_json(Diagnostic(ERROR, "m", span(text, "bb")))
    assert data["span"] == {"file": "game.yaml", "line": 2, "column": 1, "end_line": 2, "end_column": 3}
