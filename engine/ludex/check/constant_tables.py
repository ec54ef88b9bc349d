"""Named constants and tables, computed when they are first needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from ludex import limits
from ludex.check import codes
from ludex.check.coercions import fit, join, wrong
from ludex.check.constants import check_selector, constant_value, key_value, value_text
from ludex.check.context import Context
from ludex.check.elaborated import Wrong
from ludex.check.symbols import LazySymbol, TableSymbol, ValueSymbol
from ludex.check.type_refs import dimension, resolve_type
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.tables import Dimension
from ludex.typed.types import BOOL, EntityType, IntType, Type


def force(cx: Context, name: str) -> x.Expr:
    """Computes a constant when it is first needed."""
    symbol = cx.symbols[name]
    if not isinstance(symbol, LazySymbol):
        assert isinstance(symbol, ValueSymbol | TableSymbol)
        return symbol.value if isinstance(symbol, ValueSymbol) else x.Const(0, BOOL)
    decl = symbol.decl
    if name in cx.failed:
        raise Wrong
    if name in cx.in_progress:
        raise wrong(cx, codes.CYCLE, f"`{name}` is defined by itself", decl.name.span)
    cx.in_progress.append(name)
    try:
        chosen = pick(cx, decl.value, decl.name) if isinstance(decl.value, ast.By) else decl.value
        if decl.per:
            made: ValueSymbol | TableSymbol = _table(cx, decl, chosen)
        else:
            if isinstance(chosen, ast.Listing):
                raise wrong(
                    cx,
                    codes.BAD_TABLE,
                    f"`{name}` lists values but does not say per what",
                    decl.span,
                    "give it `per:`",
                )
            e = constant_value(cx, chosen)
            made = ValueSymbol(e, symbol.span)
    except Wrong:
        cx.failed.add(name)
        raise
    finally:
        cx.in_progress.pop()
    cx.symbols[name] = made
    return made.value if isinstance(made, ValueSymbol) else x.Const(0, BOOL)


def pick(cx: Context, by: ast.By[ast.TableValue], what: ast.Ident) -> ast.TableValue:
    """The case of a `by:` that holds for the players and options at hand."""
    selector = constant_value(cx, by.selector)
    check_selector(cx, by.selector, selector.type)
    if isinstance(by.selector, ast.Name) and by.selector.id == "player_count":
        for wanted in range(cx.game.players.lo, cx.game.players.hi + 1):
            if by.otherwise is None and not any(k.text == str(wanted) for k, _ in by.cases):
                cx.error(
                    codes.MISSING_CASE,
                    f"`{what}` says nothing for {wanted} players",
                    by.span,
                    f"the game is for {cx.game.players.lo} to {cx.game.players.hi}: "
                    f"add `{wanted}: …` or `otherwise: …`",
                )
    for key, case in by.cases:
        if key_value(cx, key, selector.type) == selector.value:
            return case
    if by.otherwise is None:
        shown = value_text(cx, selector.value, selector.type)
        raise wrong(
            cx,
            codes.MISSING_CASE,
            f"`{what}` says nothing for {shown}",
            by.span,
            f"add `{shown}: …` or `otherwise: …`",
        )
    return by.otherwise


def _table(cx: Context, decl: ast.ConstantDecl, chosen: ast.TableValue) -> TableSymbol:
    dims = [dimension(cx, ref) for ref in decl.per]
    size = 1
    for d in dims:
        size *= d.size
    if size > limits.MAX_TABLE_CELLS:
        raise wrong(cx, codes.TOO_LARGE, f"`{decl.name}` has too many cells", decl.span)
    t = resolve_type(cx, decl.type) if decl.type is not None else None
    cells = _cells(cx, decl, chosen, dims, t)
    if t is None:
        t = _joined(cx, decl, dict.fromkeys(cell for _, cell in cells))
    name = decl.name.text
    cx.add_table(name, tuple(dims), tuple(v for v, _ in cells))
    return TableSymbol(name, t, decl.name.span)


Cell: TypeAlias = tuple[int, Type]
"""A value of a table, and its type."""


def _joined(cx: Context, decl: ast.ConstantDecl, types: Iterable[Type]) -> Type:
    t: Type | None = None
    for cell in types:
        t = cell if t is None else join(t, cell)
        if t is None:
            raise wrong(cx, codes.BAD_TABLE, f"the values of `{decl.name}` are of different sorts", decl.span)
    assert t is not None
    return t


def _cells(
    cx: Context, decl: ast.ConstantDecl, node: ast.TableValue, dims: list[Dimension], wanted: Type | None
) -> list[Cell]:
    """The values in order. What stands for several indices is worked out once."""
    if not dims:
        if isinstance(node, ast.Listing):
            raise wrong(cx, codes.BAD_TABLE, f"`{decl.name}` lists more than it is indexed by", node.span)
        e = constant_value(cx, node)
        if wanted is not None:
            fit(cx, e, wanted, node.span, f"`{decl.name}`", codes.WRONG_TYPE)
        return [(e.value, e.type)]
    dim, rest = dims[0], dims[1:]
    if not isinstance(node, ast.Listing):
        raise wrong(
            cx,
            codes.BAD_TABLE,
            f"`{decl.name}` needs {dim.size} values here, one for each {dim.kind or 'number'}",
            node.span,
            "list them, `[…, …]`, or give all the same: `{each: …}`",
        )
    if node.each is not None:
        return _cells(cx, decl, node.each, rest, wanted) * dim.size
    items = _listed(cx, decl, node, dim)
    others = None if node.otherwise is None else _cells(cx, decl, node.otherwise, rest, wanted)
    cells: list[Cell] = []
    for i in range(dim.base, dim.base + dim.size):
        item = items.get(i)
        if item is not None:
            cells.extend(_cells(cx, decl, item, rest, wanted))
        elif others is not None:
            cells.extend(others)
        else:
            shown = str(i) if dim.kind is None else cx.names[i]
            message = f"`{decl.name}` says nothing for {shown}"
            raise wrong(cx, codes.MISSING_CASE, message, node.span, "add it, or `otherwise: …`")
    return cells


def _listed(
    cx: Context, decl: ast.ConstantDecl, node: ast.Listing, dim: Dimension
) -> dict[int, ast.TableValue]:
    """The values that are written down, by what they are for."""
    if node.items is not None:
        n = len(node.items)
        if n > dim.size or (n < dim.size and node.otherwise is None):
            raise wrong(
                cx,
                codes.BAD_TABLE,
                f"`{decl.name}` needs {dim.size} values here, one for each {dim.kind or 'number'}: "
                f"there {'is' if n == 1 else 'are'} {n}",
                node.span,
            )
        return dict(enumerate(node.items, start=dim.base))
    keyed = {}
    t: Type = IntType() if dim.kind is None else EntityType((dim.kind,))
    for key, item in node.keyed or ():
        try:
            at = key_value(cx, key, t)
        except Wrong:
            continue
        if not dim.base <= at < dim.base + dim.size:
            cx.error(codes.OUT_OF_RANGE, f"`{key}` is not among what `{decl.name}` is indexed by", key.span)
            continue
        keyed[at] = item
    return keyed
