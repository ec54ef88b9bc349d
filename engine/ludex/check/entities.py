"""`KIND(fields)`, and arguments as indices of fields and tables."""

from __future__ import annotations

from ludex import limits
from ludex.check import codes
from ludex.check.coercions import amount, as_entity, describe, one_of, wrong, wrong_number
from ludex.check.context import Context
from ludex.check.elaborated import Elaborated, Wrong
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.tables import Dimension
from ludex.typed.types import EntityType, IntType, SetType
from ludex.typed.world import Kind


def indices(
    cx: Context,
    name: str,
    dims: list[Dimension],
    args: list[tuple[x.Expr, Span]],
    span: Span,
    lift: bool = False,
) -> tuple[tuple[x.Expr, ...], bool]:
    """Arguments as indices of a field or table, checked against its dimensions."""
    if len(args) != len(dims):
        raise wrong_number(cx, name, tuple(d.kind or "number" for d in dims), len(args), span)
    result, lifted = [], False
    usage = f"`{name}({', '.join(d.kind or 'number' for d in dims)})`" if len(dims) > 1 else None
    for dim, (arg, arg_span) in zip(dims, args, strict=True):
        if dim.kind is None:
            if not isinstance(arg.type, IntType):
                raise wrong(
                    cx,
                    codes.WRONG_ARGUMENTS,
                    f"`{name}` takes a number here, this is {describe(arg.type)}",
                    arg_span,
                    usage,
                )
            if arg.type.hi < dim.base or arg.type.lo >= dim.base + dim.size:
                raise wrong(
                    cx,
                    codes.OUT_OF_RANGE,
                    f"`{name}` takes {dim.base}..{dim.base + dim.size - 1} here, this is {amount(arg.type)}",
                    arg_span,
                )
            result.append(arg)
            continue
        kinds = tuple(dim.kind.split(" or "))
        help = one_of(cx, arg) if isinstance(arg.type, SetType) else usage
        optional = isinstance(arg.type, EntityType) and arg.type.optional and bool(arg.type.kinds)
        if not isinstance(arg.type, EntityType) or not set(arg.type.kinds) <= set(kinds):
            raise wrong(
                cx,
                codes.WRONG_ARGUMENTS,
                f"`{name}` takes a {dim.kind} here, this is {describe(arg.type)}",
                arg_span,
                help,
            )
        if optional and lift:
            lifted = True
            result.append(arg)
        else:
            result.append(as_entity(cx, arg, arg_span, kinds))
    return tuple(result), lifted


def _is_alone(cx: Context, kind: Kind) -> bool:
    """Whether there is one member because the declaration speaks of one, for any number of players."""
    game = cx.game
    declared: tuple[ast.SpaceDecl | ast.PileDecl | ast.ComponentDecl | ast.DieDecl, ...]
    declared = (*game.spaces, *game.piles, *game.components, *game.dice)
    decl = next((d for d in declared if d.name.text == kind.name), None)
    return decl is not None and not decl.per and decl.count is None and cx.names[kind.base] == kind.name


def construct(
    cx: Context, name: str, kinds: tuple[str, ...], args: list[tuple[x.Expr, Span]], span: Span
) -> Elaborated:
    """`KIND(fields)`: the entity with these fields; with fewer, all that have them."""
    if len(kinds) != 1:
        raise wrong(cx, codes.NOT_CALLABLE, f"`{name}` is several kinds: name one of them", span)
    kind = cx.need_kind(kinds[0])
    if kind is None:
        if kinds[0] in cx.failed:
            raise Wrong
        raise wrong(cx, codes.CYCLE, f"`{name}` is used before it can be made", span)
    fields = [kind.attribute(f) for f in kind.fields] or [kind.attribute("number")]
    dims = []
    for f in fields:
        if f is None:
            dims.append(Dimension(1, kind.count, None))
        elif isinstance(f.type, EntityType):
            dims.append(cx.span_dimension(f.type.kinds))
        else:
            dims.append(Dimension(min(f.values), max(f.values) - min(f.values) + 1, None))
    if _is_alone(cx, kind):
        raise wrong(cx, codes.NOT_CALLABLE, f"there is one `{name}` only", span, f"write `{name}` alone")
    if not 0 < len(args) <= len(dims):
        raise wrong_number(cx, name, kind.fields or ("number",), len(args), span)
    whole = len(args) == len(dims)
    dims = dims[: len(args)]
    table = f"@make:{kind.name}:{len(args)}"
    if table not in cx.tables:
        size = 1
        for d in dims:
            size *= d.size
        if size > limits.MAX_TABLE_CELLS:
            raise wrong(cx, codes.TOO_LARGE, f"`{name}` has too many combinations of fields", span)
        cells = [0] * size
        for i, e in enumerate(kind.ids):
            at = 0
            for f, d in zip(fields, dims, strict=False):
                at = at * d.size + ((f.values[i] if f is not None else i + 1) - d.base)
            cells[at] = e if whole else cells[at] | 1 << e
        cx.add_table(table, tuple(dims), tuple(cells))
    index, lifted = indices(cx, name, dims, args, span, lift=True)
    if (
        kind.fields
        and kind.fields[len(args) - 1] == "n"
        and not cx.in_setup
        and not isinstance(index[-1], x.Const)
    ):
        cx.copies_read.add(kind.name)
    if not whole:
        return cx.fold(x.Lookup(table, index, SetType(EntityType((kind.name,))), cx.site(span), lifted))
    holes = 0 in cx.tables[table].values
    made = cx.fold(x.Lookup(table, index, EntityType((kind.name,), holes or lifted), cx.site(span), lifted))
    if isinstance(made, x.Const):
        if made.value == 0:
            raise wrong(cx, codes.OUT_OF_RANGE, f"there is no such {name}", span)
        return x.Const(made.value, EntityType((kind.name,)))
    return made
