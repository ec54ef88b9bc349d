"""What is said about wrong DSL texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ludex.diagnostics import Report
from ludex.limits import MAX_EXPRESSION_DEPTH
from ludex.syntax import codes_dsl, dsl
from ludex.syntax.document import Scalar

BAD_EXPRESSIONS = [
    ("", codes_dsl.DSL_ENDS_EARLY, 1, 1),
    ("a ==", codes_dsl.DSL_ENDS_EARLY, 1, 4),
    ("a.", codes_dsl.DSL_ENDS_EARLY, 1, 2),
    ("a = b", codes_dsl.DSL_EQUALS, 1, 3),
    ("a and b or c", codes_dsl.DSL_MIXED_LOGIC, 1, 1),
    ("a or b and c", codes_dsl.DSL_MIXED_LOGIC, 1, 6),
    ("1 < a < 6", codes_dsl.DSL_CHAINED_COMPARISON, 1, 1),
    ("x\n  and a == b == c", codes_dsl.DSL_CHAINED_COMPARISON, 2, 7),
    ("if a b else c", codes_dsl.DSL_NO_THEN, 1, 6),
    ("if a then b", codes_dsl.DSL_NO_ELSE, 1, 11),
    ("max(a, b", codes_dsl.DSL_PARENTHESIS, 1, 4),
    ("max(a, b))", codes_dsl.DSL_PARENTHESIS, 1, 10),
    ("a && b", codes_dsl.DSL_FOREIGN_OPERATOR, 1, 3),
    ("a || b", codes_dsl.DSL_FOREIGN_OPERATOR, 1, 3),
    ("!a", codes_dsl.DSL_FOREIGN_OPERATOR, 1, 1),
    ("a / 2", codes_dsl.DSL_FOREIGN_OPERATOR, 1, 3),
    ("a ≤ 2", codes_dsl.DSL_FOREIGN_OPERATOR, 1, 3),
    ("a = 1; b = 2", codes_dsl.DSL_FOREIGN_OPERATOR, 1, 6),
    ("{x in S}", codes_dsl.DSL_FOREIGN_BRACKET, 1, 1),
    ("start[3]", codes_dsl.DSL_FOREIGN_BRACKET, 1, 6),
    ("2.5", codes_dsl.DSL_DECIMAL, 1, 1),
    ("2147483648", codes_dsl.DSL_NUMBER_TOO_LARGE, 1, 1),
    ("9" * 5000, codes_dsl.DSL_NUMBER_TOO_LARGE, 1, 1),
    ("a $ b", codes_dsl.DSL_CHARACTER, 1, 3),
    ("'a'", codes_dsl.DSL_CHARACTER, 1, 1),
    ('"a"', codes_dsl.DSL_UNEXPECTED, 1, 1),
    ("count(x in S were C)", codes_dsl.DSL_UNEXPECTED, 1, 14),
    ("a orb", codes_dsl.DSL_UNEXPECTED, 1, 3),
    ("3abc", codes_dsl.DSL_UNEXPECTED, 1, 1),
    ("a: b", codes_dsl.DSL_UNEXPECTED, 1, 2),
    ("f(a,)", codes_dsl.DSL_UNEXPECTED, 1, 5),
    ("not " * 200 + "a", codes_dsl.DSL_TOO_DEEP, 1, 401),
    ("(" * 101 + "a" + ")" * 101, codes_dsl.DSL_TOO_DEEP, 1, 101),
    ("a" + ".b" * 200, codes_dsl.DSL_TOO_DEEP, 1, 1),
    ("a" * 70_000, codes_dsl.DSL_TOO_LONG, 1, 1),
]
BAD_STEPS = [
    ("mvoe k to nest", codes_dsl.DSL_UNKNOWN_STATEMENT, 1, 1),
    ("tie\nfoo(x)", codes_dsl.DSL_UNKNOWN_STATEMENT, 2, 1),
    ("pass", codes_dsl.DSL_UNKNOWN_STATEMENT, 1, 1),
    ("3", codes_dsl.DSL_UNKNOWN_STATEMENT, 1, 1),
    ("if a\n  tie", codes_dsl.DSL_NO_COLON, 1, 4),
    ("for each x in S\n  tie", codes_dsl.DSL_NO_COLON, 1, 15),
    ("repeat\n  tie", codes_dsl.DSL_NO_COLON, 1, 6),
    ("if a: tie", codes_dsl.DSL_NO_BLOCK, 1, 7),
    ("if a:\ntie", codes_dsl.DSL_NO_BLOCK, 2, 1),
    ("if a:", codes_dsl.DSL_NO_BLOCK, 1, 5),
    ("if a = b:\n  tie", codes_dsl.DSL_EQUALS, 1, 6),
    ("x == 3", codes_dsl.DSL_EQUALS, 1, 3),
    ("let x == 3", codes_dsl.DSL_EQUALS, 1, 7),
    ("a = b = c", codes_dsl.DSL_EQUALS, 1, 7),
    ("if a:\n  tie\nelse if b:\n  tie", codes_dsl.DSL_ELSE_IF, 3, 1),
    ("tie\nelse:\n  tie", codes_dsl.DSL_STRAY_ELSE, 2, 1),
    ("if a then tie\nelse:\n  tie", codes_dsl.DSL_STRAY_ELSE, 2, 1),
    ("tie\n  tie", codes_dsl.DSL_INDENTATION, 2, 3),
    ("if a:\n    tie\n  tie", codes_dsl.DSL_INDENTATION, 3, 3),
    ("if a:\n\ttie", codes_dsl.DSL_TAB, 2, 1),
    ("move k", codes_dsl.DSL_ENDS_EARLY, 1, 6),
    ("move k nest\ntie", codes_dsl.DSL_ENDS_EARLY, 1, 11),
    ("act", codes_dsl.DSL_ENDS_EARLY, 1, 3),
    ("end match", codes_dsl.DSL_UNEXPECTED, 1, 5),
    ("for x in S:\n  tie", codes_dsl.DSL_UNEXPECTED, 1, 5),
    ("if a then b", codes_dsl.DSL_UNEXPECTED, 1, 11),
    ("run f(x for x in S)", codes_dsl.DSL_UNEXPECTED, 1, 1),
    ("f(x where a) = 3", codes_dsl.DSL_TARGET, 1, 1),
    ("x = if a then b", codes_dsl.DSL_NO_ELSE, 1, 15),
]


def refused(parse: Callable[[Scalar, Report], Any], text: str) -> tuple[str, int, int]:
    report = Report()
    assert parse(dsl.scalar_of(text), report) is None
    first = report.found[0]
    return first.code.name, first.span.line, first.span.column


@pytest.mark.parametrize(("text", "code", "line", "column"), BAD_EXPRESSIONS)
def test_a_wrong_expression_is_refused_at_its_place(text: str, code: Any, line: int, column: int) -> None:
    assert refused(dsl.parse_expression, text) == (code.name, line, column)


@pytest.mark.parametrize(("text", "code", "line", "column"), BAD_STEPS)
def test_wrong_steps_are_refused_at_their_place(text: str, code: Any, line: int, column: int) -> None:
    assert refused(dsl.parse_steps, text) == (code.name, line, column)


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("mvoe k to x", "`move`"),
        ("rol d", "`roll`"),
        ("foo(x)", "`run foo`"),
        ("if a && b:\n  tie", "`and`"),
        ("x = set[a]", "name(index)"),
        ("if a = b:\n  tie", "`==`"),
        ("for x in S:\n  tie", "`for each x`"),
    ],
)
def test_help_names_what_to_write(text: str, help: str) -> None:
    report = Report()
    dsl.parse_steps(dsl.scalar_of(text), report)
    assert help in (report.found[0].help or "")


def test_what_is_said_in_quotes_is_no_part_of_the_language() -> None:
    text = 'say "take it, or else if you like: 2.5 && [x]"\nmvoe k to nest'
    report = Report()
    assert dsl.parse_steps(dsl.scalar_of(text), report) is None
    assert [(d.code.name, d.span.line) for d in report.found] == [("dsl-unknown-statement", 2)]


def test_several_foreign_signs_are_all_reported() -> None:
    report = Report()
    dsl.parse_expression(dsl.scalar_of("a && !b || c[1]"), report)
    assert [d.span.column for d in report.found] == [3, 6, 9, 13]


def test_every_code_has_a_case() -> None:
    tested = {case[1].name for case in (*BAD_EXPRESSIONS, *BAD_STEPS)}
    assert {c.name for c in codes_dsl.CODES if c.name.startswith("dsl-")} == tested


def test_blocks_nest_up_to_the_limit() -> None:
    lines = ["  " * i + "if a:" for i in range(MAX_EXPRESSION_DEPTH + 5)]
    text = "\n".join([*lines, "  " * len(lines) + "tie"])
    assert refused(dsl.parse_steps, text)[0] == codes_dsl.DSL_TOO_DEEP.name
