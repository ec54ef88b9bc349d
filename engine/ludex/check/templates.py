"""Text with `{expr}` holes: labels of actions, `say`, and the cells of a view."""

from __future__ import annotations

from ludex.check.coercions import plain
from ludex.check.context import Context, Env
from ludex.check.elaborated import Bag, Direction, Ints, Seats, Wrong
from ludex.check.operators import token_count
from ludex.source import Span
from ludex.syntax import ast
from ludex.syntax.document import Scalar
from ludex.syntax.dsl import parse_template
from ludex.typed import expr as x


def template(cx: Context, text: str, span: Span, env: Env) -> tuple[str | x.Expr, ...]:
    """Fixed text and expressions in turn; the holes of a plain text are parsed here."""
    parsed = cx.templates.get(span) or _parsed(cx, text, span)
    cx.templates[span] = parsed
    return resolve(cx, parsed.parts, env)


def _parsed(cx: Context, text: str, span: Span) -> ast.Template:
    at = span.source.text.find(text, span.start, span.end)
    offsets = tuple(range(at, at + len(text) + 1)) if at >= 0 else (span.start,) * (len(text) + 1)
    parsed = parse_template(Scalar(text, "string", "plain", span, offsets), cx.report)
    if parsed is None:
        raise Wrong
    return parsed


def resolve(cx: Context, parts: tuple[str | ast.Expr, ...], env: Env) -> tuple[str | x.Expr, ...]:
    made: list[str | x.Expr] = []
    for part in parts:
        if isinstance(part, str):
            made.append(part)
            continue
        e = cx.elaborate(part, env)
        if isinstance(e, Bag):
            made.append(token_count(cx, e, part.span))
        elif isinstance(e, Direction | Ints | Seats):
            made.append(plain(cx, e, part))
        else:
            made.append(e)
    return tuple(made)
