"""`per` and `count`: what members a kind has, their fields and their names."""

from __future__ import annotations

import re

from ludex import limits
from ludex.check import codes
from ludex.check.arithmetic import NotConstant
from ludex.check.coercions import boolean, describe, domain, plain, value, wrong
from ludex.check.constants import check_selector, integer_constant, key_value, value_text
from ludex.check.context import Context, Env
from ludex.check.elaborated import Ints, Wrong
from ludex.node import node
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.types import EntityType, IntType, SetType, Type
from ludex.typed.world import FieldValues


@node
class Members:
    names: list[str]
    fields: tuple[str, ...]
    attributes: tuple[FieldValues, ...]
    named: bool
    """Whether the names are new names of the game, rather than expressions like `tower(2)`."""


def field_name(cx: Context, per: ast.PerField) -> str:
    """`per: player` names the field `owner`; other kinds and ranges name it like themselves."""
    if per.name is not None:
        return per.name.text
    if isinstance(per.domain, ast.Name):
        return "owner" if per.domain.id == "player" else per.domain.id
    raise wrong(cx, codes.BAD_COMPONENT, "this field needs a name", per.span, "`per: {name: …}`")


def field_type(cx: Context, per: ast.PerField) -> Type:
    """The type of the values of a `per` field: a whole kind or a range."""
    e = cx.elaborate(per.domain, Env())
    if isinstance(e, Ints):
        lo, hi = cx.constant(e.lo), cx.constant(e.hi)
        if lo is None or hi is None:
            raise wrong(
                cx, codes.CONSTANT_NEEDED, "the range must be known when the game is loaded", per.span
            )
        return IntType(lo, hi)
    t = plain(cx, e, per.domain).type if not hasattr(e, "faces") else EntityType((e.kind,))  # type: ignore[union-attr]
    if isinstance(t, SetType):
        return t.element
    if isinstance(t, EntityType):
        return t
    raise wrong(cx, codes.NOT_A_SET, f"a kind or a range is needed, this is {describe(t)}", per.domain.span)


def expand(
    cx: Context,
    name: ast.Ident,
    per: tuple[ast.PerField, ...],
    count: ast.CountValue | None,
    pattern: str | None,
    single_ok: bool,
    copies: bool = True,
) -> Members:
    """All combinations of the fields, each as often as `count` says."""
    fields: list[str] = []
    types: list[Type] = []
    rows: list[tuple[int, ...]] = [()]
    env = Env()
    variables: list[x.Var] = []
    for p in per:
        f = field_name(cx, p)
        binder = p.binder.text if p.binder is not None else None
        grown: list[tuple[int, ...]] = []
        d, t = domain(cx, p.domain, env)
        var = cx.new_var(binder or f, t)
        inner = env.bind(binder, var) if binder is not None else env
        guard = boolean(cx, p.where, inner) if p.where is not None else None
        for row in rows:
            bound = dict(zip((v.id for v in variables), row, strict=True))
            try:
                for e in cx.evaluator.elements(d, bound):
                    if guard is None or cx.evaluator.value(guard, {**bound, var.id: e}):
                        grown.append((*row, e))
            except NotConstant:
                raise wrong(
                    cx,
                    codes.CONSTANT_NEEDED,
                    "the fields of a component must be known when the game is loaded",
                    p.span,
                ) from None
            if len(grown) > limits.MAX_ENTITIES:
                raise wrong(
                    cx, codes.TOO_LARGE, f"there are more than {limits.MAX_ENTITIES} of `{name}`", p.span
                )
        rows = grown
        fields.append(f)
        types.append(t)
        variables.append(var)
        env = env.bind(f, var)
    counts = [count_of(cx, count, env, variables, row, name, limits.MAX_ENTITIES) for row in rows]
    if sum(counts) > limits.MAX_ENTITIES:
        raise wrong(cx, codes.TOO_LARGE, f"there are more than {limits.MAX_ENTITIES} of `{name}`", name.span)
    many = (
        copies and count is not None and not (max(counts, default=0) <= 1 and not isinstance(count, ast.By))
    )
    full = [(*row, i + 1) for row, n in zip(rows, counts, strict=True) for i in range(n)]
    if not full:
        cx.error(codes.BAD_COMPONENT, f"there are no `{name}` at all", name.span)
        raise Wrong
    if many and per:
        fields.append("n")
        types.append(IntType(1, max(counts)))
    numbered = many and not per
    values = full if many else [row[:-1] for row in full]
    attributes = []
    for i, (f, t) in enumerate(zip(fields, types, strict=True)):
        column = tuple(row[i] for row in values)
        if isinstance(t, IntType):
            t = IntType(min(column), max(column))
        if isinstance(t, EntityType | IntType):
            attributes.append(FieldValues(f, t, column))
    if numbered:
        fields = ["n"]
        attributes = [FieldValues("n", IntType(1, len(full)), tuple(range(1, len(full) + 1)))]
    names = [
        member_name(cx, name.text, pattern, fields, attributes, i, len(full), single_ok)
        for i in range(len(full))
    ]
    return Members(names, tuple(fields), tuple(attributes), pattern is not None)


def count_of(
    cx: Context,
    count: ast.CountValue | None,
    env: Env,
    variables: list[x.Var],
    row: tuple[int, ...],
    name: ast.Ident,
    most: int,
) -> int:
    """How many there are of the member whose fields, `variables` in `env`, have the values `row`."""
    if count is None:
        return 1
    if not isinstance(count, ast.By):
        return integer_constant(cx, count, "a count", 0, most)
    selector = value(cx, count.selector, env)
    check_selector(cx, count.selector, selector.type)
    try:
        at = cx.evaluator.value(selector, dict(zip((v.id for v in variables), row, strict=True)))
    except NotConstant:
        raise wrong(
            cx, codes.CONSTANT_NEEDED, "how many there are must be constant", count.selector.span
        ) from None
    for key, case in count.cases:
        if key_value(cx, key, selector.type) == at:
            return integer_constant(cx, case, "a count", 0, most)
    if count.otherwise is not None:
        return integer_constant(cx, count.otherwise, "a count", 0, most)
    shown = value_text(cx, at, selector.type)
    raise wrong(
        cx,
        codes.MISSING_CASE,
        f"the count of `{name}` says nothing for {shown}",
        count.span,
        f"add `{shown}: …` or `otherwise: …`",
    )


_HOLE = re.compile(r"\{([^}:]+)(:a)?\}")


def member_name(
    cx: Context,
    kind: str,
    pattern: str | None,
    fields: list[str],
    attributes: list[FieldValues],
    i: int,
    total: int,
    single_ok: bool,
) -> str:
    """The text form of member `i`: by the pattern, else a DSL expression."""
    shown = {}
    for f, a in zip(fields, attributes, strict=False):
        v = a.values[i]
        shown[f] = str(v) if isinstance(a.type, IntType) else cx.names[v]
    if pattern is not None:

        def fill(m: re.Match[str]) -> str:
            text = shown.get(m[1], m[0])
            return chr(96 + int(text)) if m[2] and text.isdigit() and int(text) <= 26 else text

        return _HOLE.sub(fill, pattern)
    if fields:
        return f"{kind}({', '.join(shown[f] for f in fields)})"
    if total == 1 and single_ok:
        return kind
    return f"{kind}({i + 1})"
