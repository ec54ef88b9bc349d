"""Spaces that form a board: grids, hexagons, graphs of lines, points, and pairs of points."""

from __future__ import annotations

from typing import cast

from ludex.check import codes
from ludex.check.arithmetic import NotConstant
from ludex.check.coercions import boolean, integer, wrong
from ludex.check.constants import integer_constant
from ludex.check.context import Context, Env
from ludex.check.geometry import Board
from ludex.check.kinds import add_kind, make_kind
from ludex.check.members import Members, expand, member_name
from ludex.check.symbols import ValueSymbol
from ludex.check.type_refs import flatten
from ludex.node import replace
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.types import EntityType, IntType
from ludex.typed.world import FieldValues


def grid(cx: Context, decl: ast.SpaceDecl, size: ast.Grid, shape: str) -> None:
    """Cells by rows from the south-west corner: x counts east, y north, both from 1."""
    w = integer_constant(cx, size.width, "a width", 1, 64)
    h = integer_constant(cx, size.height, "a height", 1, 64)
    cells = [(px, py) for py in range(1, h + 1) for px in range(1, w + 1)]
    if decl.only is not None:
        vx, vy = cx.new_var("x", IntType(1, w)), cx.new_var("y", IntType(1, h))
        test = boolean(cx, decl.only, Env().bind("x", vx).bind("y", vy))
        try:
            kept = cx.evaluator.compiled(test, (vx.id, vy.id))
            cells = [c for c in cells if kept({vx.id: c[0], vy.id: c[1]})]
        except NotConstant:
            raise wrong(
                cx, codes.CONSTANT_NEEDED, "which cells there are must be constant", decl.only.span
            ) from None
    attributes = (
        FieldValues("x", IntType(1, w), tuple(c[0] for c in cells)),
        FieldValues("y", IntType(1, h), tuple(c[1] for c in cells)),
    )
    names = [
        member_name(cx, decl.name.text, decl.name_pattern, ["x", "y"], list(attributes), i, len(cells), False)
        for i in range(len(cells))
    ]
    kind = make_kind(
        cx, decl.name, "space", Members(names, ("x", "y"), attributes, decl.name_pattern is not None)
    )
    board = Board(shape, dict(zip(kind.ids, cells, strict=True)))
    board.link()
    cx.boards[kind.name] = board


def graph(cx: Context, decl: ast.SpaceDecl) -> None:
    """Points named in lines; neighbours stand next to each other on a line."""
    names: dict[str, ast.Ident] = {}
    for line in decl.lines:
        for p in line:
            names.setdefault(p.text, p)
    kind = add_kind(cx, decl.name.text, "space", list(names), decl.name.span, (), ())
    ids = dict(zip(names, kind.ids, strict=True))
    for n, i in ids.items():
        cx.declare(n, ValueSymbol(x.Const(i, EntityType((kind.name,))), names[n].span))
    board = Board("graph", lines=tuple(tuple(ids[p.text] for p in line) for line in decl.lines))
    board.link()
    cx.boards[kind.name] = board


def points(cx: Context, decl: ast.SpaceDecl) -> None:
    """Spaces at coordinates: named, or one for each value of `per`, in order."""
    coordinates = [(cast(ast.Int, a).value, cast(ast.Int, b).value) for _, a, b in decl.points]
    if decl.per:
        members = expand(cx, decl.name, decl.per, decl.count, decl.name_pattern, single_ok=True)
        if len(members.names) != len(coordinates):
            raise wrong(
                cx,
                codes.BAD_COMPONENT,
                f"`{decl.name}` has {len(members.names)} spaces but {len(coordinates)} positions",
                decl.span,
            )
        kind = make_kind(cx, decl.name, "space", members)
    else:
        names = [
            i.text if i is not None else f"{decl.name}({k + 1})" for k, (i, _, _) in enumerate(decl.points)
        ]
        kind = add_kind(cx, decl.name.text, "space", names, decl.name.span, (), ())
        for (ident, _, _), i in zip(decl.points, kind.ids, strict=True):
            if ident is not None:
                cx.declare(ident.text, ValueSymbol(x.Const(i, EntityType((kind.name,))), ident.span))
    board = Board("points", dict(zip(kind.ids, coordinates, strict=True)))
    cx.boards[kind.name] = board


def pairs(cx: Context, decl: ast.SpaceDecl) -> None:
    """One space for each unordered pair of a kind that passes `where`, with derived fields."""
    assert decl.pairs is not None
    kinds = flatten(cx, (decl.pairs.text,))
    ids = [i for k in kinds for i in cx.kinds[k].ids]
    t = EntityType(kinds)
    a, b = cx.new_var("a", t), cx.new_var("b", t)
    env = Env().bind("a", a).bind("b", b)
    tests = [boolean(cx, c.expr, env) for c in decl.where]
    derived = [(c.name.text, integer(cx, c.expr, env)) for c in decl.fields]
    rows: list[tuple[int, int]] = []
    try:
        computed = [cx.evaluator.compiled(test, (a.id, b.id)) for test in tests]
        for n, i in enumerate(ids):
            for j in ids[n + 1 :]:
                bound = {a.id: i, b.id: j}
                if all(test(bound) for test in computed):
                    rows.append((i, j))
        columns = [[cx.evaluator.value(e, {a.id: i, b.id: j}) for i, j in rows] for _, e in derived]
    except NotConstant:
        raise wrong(cx, codes.CONSTANT_NEEDED, "which pairs there are must be constant", decl.span) from None
    attributes = [
        FieldValues("a", t, tuple(i for i, _ in rows)),
        FieldValues("b", t, tuple(j for _, j in rows)),
    ]
    for (field, _), column in zip(derived, columns, strict=True):
        t_field = IntType(min(column, default=0), max(column, default=0))
        attributes.append(FieldValues(field, t_field, tuple(column)))
    names = [f"{decl.name}({cx.names[i]}, {cx.names[j]})" for i, j in rows]
    kind = add_kind(cx, decl.name.text, "space", names, decl.name.span, ("a", "b"), tuple(attributes))
    cx.kinds[kind.name] = replace(kind, fields=("a", "b"))
