"""DSL text to AST: one function for each kind of text that a definition holds.

Each takes the YAML scalar the text stands in, so that every node and every diagnostic points
into the file, and a report. A text with a mistake yields None; nothing is ever raised for it.

May import: `source`, `diagnostics`, `limits`, `document`, `ast`, `codes_dsl`, `dsl_*`.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ludex.diagnostics import Report
from ludex.limits import MAX_DIAGNOSTICS, MAX_RULE_CHARACTERS
from ludex.source import SourceFile, Span
from ludex.syntax import ast, codes_dsl
from ludex.syntax.document import Scalar
from ludex.syntax.dsl_builder import Builder, Domain, Ranking, Signature, file_span
from ludex.syntax.dsl_expressions import EXPRESSIONS
from ludex.syntax.dsl_parser import Stopped, parser
from ludex.syntax.dsl_statements import STATEMENTS

__all__ = [
    "Domain",
    "Ranking",
    "Signature",
    "parse_domain",
    "parse_expression",
    "parse_offer",
    "parse_ranking",
    "parse_signature",
    "parse_steps",
    "parse_template",
    "parse_type",
    "scalar_of",
    "slice_scalar",
]

BUILDERS: Final = {**EXPRESSIONS, **STATEMENTS}
"""The builder of every rule and alias of the grammar that yields a tree; a test compares the two."""

_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|#[^\n]*')


def parse_expression(scalar: Scalar, report: Report) -> ast.Expr | None:
    """An expression: a condition, a value."""
    expr: ast.Expr | None = _parse(scalar, "start_expression", report)
    return expr


def parse_steps(scalar: Scalar, report: Report) -> ast.Block | None:
    """Statements: what stands under `do`."""
    block: ast.Block | None = _parse(scalar, "start_steps", report)
    return block


def parse_domain(scalar: Scalar, report: Report) -> Domain | None:
    """`S`, `S where C`, `x in S where C`, `optional KIND`: a set to choose from or to multiply by."""
    domain: Domain | None = _parse(scalar, "start_domain", report)
    return domain


def parse_type(scalar: Scalar, report: Report) -> ast.TypeRef | None:
    """`KIND`, `optional KIND`, `set of KIND`, `A or B`, `LO..HI`."""
    type_ref: ast.TypeRef | None = _parse(scalar, "start_type", report)
    return type_ref


def parse_signature(scalar: Scalar, report: Report) -> Signature | None:
    """`name` or `name(KIND x, KIND y)`: the key of a define or a procedure."""
    signature: Signature | None = _parse(scalar, "start_signature", report)
    return signature


def parse_offer(scalar: Scalar, report: Report) -> ast.Offer | None:
    """`action` or `action(arguments)`."""
    offer: ast.Offer | None = _parse(scalar, "start_offer", report)
    return offer


def parse_ranking(scalar: Scalar, report: Report) -> Ranking | None:
    """`most E` or `least E`."""
    ranking: Ranking | None = _parse(scalar, "start_ranking", report)
    return ranking


def parse_template(scalar: Scalar, report: Report) -> ast.Template | None:
    """Text with `{expression}` holes; `{{` and `}}` stand for the braces themselves."""
    parts: list[str | ast.Expr] = []
    plain: list[str] = []
    text, i, good = scalar.text, 0, True
    while i < len(text):
        if text[i : i + 2] in ("{{", "}}"):
            plain.append(text[i])
            i += 2
        elif text[i] == "{":
            end = text.find("}", i)
            if end < 0:
                span = file_span(scalar, i, i + 1)
                message = "this `{` is never closed"
                report.add(codes_dsl.GAME_HOLE, message, span, help="write `{{` for a brace")
                return None
            if plain:
                parts.append("".join(plain))
                plain = []
            expr = parse_expression(slice_scalar(scalar, i + 1, end), report)
            good = good and expr is not None
            if expr is not None:
                parts.append(expr)
            i = end + 1
        elif text[i] == "}":
            span = file_span(scalar, i, i + 1)
            report.add(codes_dsl.GAME_HOLE, "this `}` closes nothing", span, help="write `}}` for a brace")
            return None
        else:
            plain.append(text[i])
            i += 1
    if plain:
        parts.append("".join(plain))
    return ast.Template(tuple(parts), scalar.span) if good else None


def slice_scalar(scalar: Scalar, start: int, end: int) -> Scalar:
    """Characters `start` to `end` of a scalar, as a text of its own at the same place."""
    span = file_span(scalar, start, end)
    return Scalar(scalar.text[start:end], "string", scalar.style, span, scalar.offsets[start : end + 1])


def scalar_of(text: str, name: str = "<text>") -> Scalar:
    """A text that stands in no YAML file (console, tests), as a scalar."""
    source = SourceFile(name, text)
    return Scalar(text, "string", "literal", Span(source, 0, len(text)), tuple(range(len(text) + 1)))


def _parse(scalar: Scalar, start: str, report: Report) -> Any:
    """The builder's value for a text, or None if anything was reported."""
    if len(report.found) >= MAX_DIAGNOSTICS:
        return None  # more would not be shown, and reports are searched for what they already hold
    if len(scalar.text) > MAX_RULE_CHARACTERS:
        message = f"this text has more than {MAX_RULE_CHARACTERS} characters"
        report.add(codes_dsl.DSL_TOO_LONG, message, scalar.span)
        return None
    text = _COMMENT.sub(_blank_comment, scalar.text) if "#" in scalar.text else scalar.text
    text = text.replace("\r", " ")
    text = text + "\n" if start == "start_steps" else text.replace("\n", " ")
    try:
        tree = parser().parse(text, start=start)
    except Stopped as stopped:
        from ludex.syntax.dsl_errors import explain  # not needed for a text without mistakes

        explain(stopped, scalar, text, report, start=start)
        return None
    return Builder(scalar, report, BUILDERS).build(tree)


def _blank_comment(match: re.Match[str]) -> str:
    found = match[0]
    return " " * len(found) if found.startswith("#") else found
