"""Adding a kind of things to the world."""

from __future__ import annotations

from ludex import limits
from ludex.check import codes
from ludex.check.context import Context
from ludex.check.elaborated import Wrong
from ludex.check.members import Members
from ludex.check.symbols import ValueSymbol
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.types import EntityType, IntType, SetType, Type
from ludex.typed.world import Category, FieldValues, Kind


def add_kind(
    cx: Context,
    name: str,
    category: Category,
    names: list[str],
    span: Span,
    fields: tuple[str, ...],
    attributes: tuple[FieldValues, ...],
) -> Kind:
    base = len(cx.names)
    if base + len(names) > limits.MAX_ENTITIES:
        cx.error(codes.TOO_LARGE, f"there are more than {limits.MAX_ENTITIES} things with `{name}`", span)
        raise Wrong
    cx.names.extend(names)
    kind = Kind(name, category, base, len(names), span, fields, attributes)
    cx.kinds[name] = kind
    return kind


def make_kind(cx: Context, name: ast.Ident, category: Category, members: Members) -> Kind:
    kind = add_kind(cx, name.text, category, members.names, name.span, members.fields, members.attributes)
    if members.named:
        for i, n in zip(kind.ids, members.names, strict=True):
            if n.isidentifier() and n != name.text:
                cx.declare(n, ValueSymbol(x.Const(i, EntityType((name.text,))), name.span))
    return kind


def value_bounds(cx: Context, t: Type) -> tuple[int, int]:
    """The least and greatest word of a value of this type."""
    if isinstance(t, IntType):
        return t.lo, t.hi
    if isinstance(t, EntityType):
        ids = [i for k in t.kinds for i in (cx.kinds[k].base, cx.kinds[k].base + cx.kinds[k].count - 1)]
        return (0 if t.optional or not ids else min(ids)), max(ids, default=0)
    if isinstance(t, SetType):
        return -(2**31), 2**31 - 1
    return 0, 1
