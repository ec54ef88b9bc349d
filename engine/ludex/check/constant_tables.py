"""Named constants and tables, computed when they are first needed."""

from __future__ import annotations

from ludex import limits
from ludex.check import codes
from ludex.check.coercions import join, wrong
from ludex.check.constants import constant_value, key_value
from ludex.check.context import Context, LazySymbol, TableSymbol, ValueSymbol
from ludex.check.elaborated import Wrong
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
    assert isinstance(selector, x.Const)
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
        shown = str(selector.value) if isinstance(selector.type, IntType) else cx.names[selector.value]
        raise wrong(
            cx, codes.MISSING_CASE, f"`{what}` says nothing for {shown}", by.span, "add `otherwise: …`"
        )
    return by.otherwise


def _table(cx: Context, decl: ast.ConstantDecl, chosen: ast.TableValue) -> TableSymbol:
    dims = [dimension(cx, ref) for ref in decl.per]
    size = 1
    for d in dims:
        size *= d.size
    if size > limits.MAX_TABLE_CELLS:
        raise wrong(cx, codes.TOO_LARGE, f"`{decl.name}` has too many cells", decl.span)
    cells: list[tuple[int, Type]] = []
    _fill(cx, decl, chosen, dims, cells)
    t: Type | None = None
    for _, cell in cells:
        t = cell if t is None else join(t, cell)
        if t is None:
            raise wrong(cx, codes.BAD_TABLE, f"the values of `{decl.name}` are of different sorts", decl.span)
    if decl.type is not None:
        t = resolve_type(cx, decl.type)
    assert t is not None
    name = decl.name.text
    cx.add_table(name, tuple(dims), tuple(v for v, _ in cells))
    return TableSymbol(name, t, decl.name.span)


def _fill(
    cx: Context,
    decl: ast.ConstantDecl,
    node: ast.TableValue,
    dims: list[Dimension],
    cells: list[tuple[int, Type]],
) -> None:
    if not dims:
        if isinstance(node, ast.Listing):
            raise wrong(cx, codes.BAD_TABLE, f"`{decl.name}` lists more than it is indexed by", node.span)
        e = constant_value(cx, node)
        assert isinstance(e, x.Const)
        cells.append((e.value, e.type))
        return
    dim, rest = dims[0], dims[1:]
    if not isinstance(node, ast.Listing):
        raise wrong(cx, codes.BAD_TABLE, f"`{decl.name}` needs {dim.size} values here", node.span)
    if node.each is not None:
        for _ in range(dim.size):
            _fill(cx, decl, node.each, rest, cells)
        return
    if node.items is not None:
        if len(node.items) < dim.size and node.otherwise is None:
            raise wrong(
                cx,
                codes.BAD_TABLE,
                f"`{decl.name}` needs {dim.size} values here, one for each {dim.kind or 'number'}: there are "
                f"{len(node.items)}",
                node.span,
            )
        if len(node.items) > dim.size:
            raise wrong(
                cx,
                codes.BAD_TABLE,
                f"`{decl.name}` needs {dim.size} values here, one for each {dim.kind or 'number'}: there are "
                f"{len(node.items)}",
                node.span,
            )
        for i in range(dim.size):
            item = node.items[i] if i < len(node.items) else node.otherwise
            assert item is not None
            _fill(cx, decl, item, rest, cells)
        return
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
    for i in range(dim.base, dim.base + dim.size):
        item = keyed.get(i, node.otherwise)
        if item is None:
            shown = str(i) if dim.kind is None else cx.names[i]
            raise wrong(
                cx,
                codes.MISSING_CASE,
                f"`{decl.name}` says nothing for {shown}",
                node.span,
                "add it, or `otherwise: …`",
            )
        _fill(cx, decl, item, rest, cells)
