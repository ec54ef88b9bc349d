"""The sections that say what there is: types, constants, components, state.

May import: `document`, `ast`, `codes_dsl`, `dsl`, `sections_base`.
"""

from __future__ import annotations

import re
from typing import Final

from ludex.syntax import ast, codes_dsl, dsl
from ludex.syntax.document import Entry, Mapping, Node, Scalar, Sequence
from ludex.syntax.sections_base import Slots, is_null, key_ident

_GRID: Final = re.compile(r"\s*(\w+?)(?:\s+x\s+|(?<=[0-9])x(?=[0-9]))(\w+)\s*\Z")
_DECIMAL: Final = re.compile(r"(-?)([0-9]{1,6})(?:\.([0-9]{1,2}))?\Z")
_CONSTANT_KEYS: Final = frozenset(("per", "type", "values"))


# ---------------------------------------------------------------------- types, constants


def type_decl(slots: Slots, entry: Entry) -> ast.TypeDecl | None:
    """`[a, b]`, `A or B`, `{range: LO..HI, names: …}`, `{by: …}`."""
    name = slots.ident(entry.key, "the name of a type")
    node = entry.value
    if name is None:
        return None
    span = name.span.to(node.span)
    if isinstance(node, Sequence):
        return ast.TypeDecl(name, slots.enum(node), span)
    if not isinstance(node, Mapping):
        type_ref = slots.type_ref(node)
        return None if type_ref is None else ast.TypeDecl(name, type_ref, span)
    range_node = node.get("range")
    if range_node is not None:
        return _range_type(slots, name, node, range_node)
    if node.get("by") is not None:
        by = slots.by(node, lambda n: slots.enum(n), frozenset())
        return None if by is None else ast.TypeDecl(name, by, span)
    slots.wrong(node, "a type is a list of members, `A or B`, `{range: …}` or `{by: …}`")
    return None


def _range_type(slots: Slots, name: ast.Ident, node: Mapping, range_node: Node) -> ast.TypeDecl | None:
    expr = slots.expr(range_node, "a range")
    if expr is None:
        return None
    if not isinstance(expr, ast.Range):
        slots.wrong(range_node, "a range is `LO..HI`")
        return None
    names: list[tuple[int, ast.Ident]] = []
    for entry in slots.entries(node.get("names"), "`names`"):
        number = slots.integer(entry.key, "what is named")
        value = slots.ident(entry.value, "the name of a number")
        if number is not None and value is not None:
            names.append((number, value))
    body = ast.RangeType(expr.lo, expr.hi, tuple(names), node.span)
    return ast.TypeDecl(name, body, name.span.to(node.span))


def constant(slots: Slots, entry: Entry) -> ast.ConstantDecl | None:
    """`EXPR`, `{by: …}`, or a table with `per`."""
    name = slots.ident(entry.key, "the name of a constant")
    node = entry.value
    if name is None:
        return None
    span = name.span.to(node.span)
    if not isinstance(node, Mapping):
        expr = slots.expr(node, "a constant")
        return None if expr is None else ast.ConstantDecl(name, (), None, expr, span)
    indices = (slots.scalar(item, "an index") for item in slots.items(node.get("per")))
    found = (dsl.parse_type(index, slots.report) for index in indices if index is not None)
    per = tuple(type_ref for type_ref in found if type_ref is not None)
    type_node = node.get("type")
    type_ref = None if type_node is None else slots.type_ref(type_node)
    value: ast.TableValue | ast.By[ast.TableValue] | None
    values = node.get("values") or node.get("is")
    if values is not None:
        value = _table_value(slots, values)
    elif node.get("by") is not None:
        value = slots.by(node, lambda n: _table_value(slots, n), _CONSTANT_KEYS)
    else:
        slots.wrong(node, "a constant is a value, `{by: …}`, or a table with `per` and `values`")
        return None
    return None if value is None else ast.ConstantDecl(name, per, type_ref, value, span)


def _table_value(slots: Slots, node: Node) -> ast.TableValue | None:
    """An expression, or a listing: a list, a mapping by key, `{each: value}`."""
    if isinstance(node, Sequence):
        found = (_table_value(slots, item) for item in node.items)
        return ast.Listing(tuple(v for v in found if v is not None), None, None, None, node.span)
    if not isinstance(node, Mapping):
        return slots.expr(node, "a value of the table")
    each_node, otherwise_node = node.get("each"), node.get("otherwise")
    each = None if each_node is None else _table_value(slots, each_node)
    otherwise = None if otherwise_node is None else _table_value(slots, otherwise_node)
    keyed: list[tuple[ast.Ident, ast.TableValue]] = []
    for entry in node:
        if entry.name in ("each", "otherwise"):
            continue
        value = _table_value(slots, entry.value)
        if value is not None:
            keyed.append((key_ident(entry), value))
    return ast.Listing(None, tuple(keyed) if each_node is None else None, each, otherwise, node.span)


# -------------------------------------------------------------------------- components


def per_fields(slots: Slots, node: Node | None) -> tuple[ast.PerField, ...]:
    """`per: KIND`, `per: [KIND, KIND]`, `per: {field: DOMAIN}`."""
    fields: list[ast.PerField] = []
    if isinstance(node, Mapping):
        for entry in node:
            name = slots.ident(entry.key, "the name of a field")
            scalar = slots.scalar(entry.value, "the domain of a field")
            domain = None if scalar is None else dsl.parse_domain(scalar, slots.report)
            if name is not None and domain is not None:
                span = name.span.to(entry.value.span)
                fields.append(ast.PerField(name, domain.expr, domain.binder, domain.where, span))
        return tuple(fields)
    for item in slots.items(node):
        expr = slots.expr(item, "a field")
        if expr is not None:
            fields.append(ast.PerField(None, expr, None, None, item.span))
    return tuple(fields)


def space(slots: Slots, entry: Entry) -> ast.SpaceDecl | None:
    """A number, or a mapping with `per`, `count`, `grid`, `hex`, `lines`, `at` or `pairs`."""
    name = slots.ident(entry.key, "the name of a space")
    if name is None:
        return None
    node = _options(entry.value)
    pairs, holds = node.get("pairs"), node.get("holds")
    lines = node.get("lines")
    if isinstance(lines, Scalar) and not is_null(lines):
        slots.wrong(lines, "`lines` is a list of lines, each a list of spaces")
    found = (slots.idents(line, "a space on a line") for line in slots.items(lines))
    fields_entry = node.entry("fields")
    return ast.SpaceDecl(
        name=name,
        per=per_fields(slots, node.get("per")),
        count=_count(slots, entry.value),
        grid=_grid(slots, node.get("grid")),
        hex=_grid(slots, node.get("hex")),
        only=slots.optional_expr(node.get("only"), "`only`"),
        lines=tuple(found),
        points=_points(slots, node.get("at")),
        pairs=None if pairs is None else slots.ident(pairs, "a kind"),
        where=slots.conditions(slots.named(node.entry("where"))),
        fields=slots.conditions(slots.named(fields_entry), "a field"),
        holds=None if holds is None else slots.integer(holds, "`holds`"),
        name_pattern=slots.text(node.get("name"), "a pattern for names"),
        span=name.span.to(entry.value.span),
    )


def _options(node: Node) -> Mapping:
    """The mapping of a component; an empty one if only its number was written."""
    if isinstance(node, Mapping) and node.get("by") is None:
        return node
    return Mapping((), node.span)


def _count(slots: Slots, node: Node) -> ast.CountValue | None:
    """The number of a component, written alone or under `count`."""
    if isinstance(node, Mapping) and node.get("by") is None:
        return slots.count(node.get("count"))
    return slots.count(node)


def _grid(slots: Slots, node: Node | None) -> ast.Grid | None:
    """`8x8`, `width x height`, `[width, height]`, or one number for a square."""
    if node is None:
        return None
    sides: tuple[ast.Expr | None, ...]
    match = _GRID.match(node.text) if isinstance(node, Scalar) else None
    if isinstance(node, Scalar) and match is not None:
        slices = (dsl.slice_scalar(node, *match.span(group)) for group in (1, 2))
        sides = tuple(dsl.parse_expression(part, slots.report) for part in slices)
    elif isinstance(node, Sequence):
        sides = tuple(slots.expr(item, "a side") for item in node.items)
    else:
        side = slots.expr(node, "a side")
        sides = (side, side)
    if len(sides) != 2:
        slots.wrong(node, "width and height are expected: `8x8` or `[width, height]`")
        return None
    width, height = sides
    return None if width is None or height is None else ast.Grid(width, height, node.span)


def _points(slots: Slots, node: Node | None) -> tuple[tuple[ast.Ident | None, ast.Expr, ast.Expr], ...]:
    """`{A1: [2.49, -0.22]}`, or without names when `per` gives them."""
    points: list[tuple[ast.Ident | None, ast.Expr, ast.Expr]] = []
    named: list[tuple[ast.Ident | None, Node]]
    if isinstance(node, Mapping):
        named = [(slots.ident(e.key, "the name of a point"), e.value) for e in node]
    else:
        named = [(None, item) for item in slots.items(node)]
    for name, pair in named:
        if not isinstance(pair, Sequence) or len(pair.items) != 2:
            slots.wrong(pair, "a point is two coordinates: `[x, y]`")
            continue
        x, y = (_hundredths(slots, item) for item in pair.items)
        if x is not None and y is not None:
            points.append((name, x, y))
    return tuple(points)


def _hundredths(slots: Slots, node: Node) -> ast.Int | None:
    """A decimal with at most two places, in hundredths."""
    scalar = slots.scalar(node, "a coordinate")
    if scalar is None:
        return None
    match = _DECIMAL.match(scalar.text.strip())
    if match is None:
        message = "a coordinate is a number with at most two decimals"
        slots.report.add(codes_dsl.GAME_NUMBER, message, scalar.span)
        return None
    sign, whole, rest = match.groups()
    value = int(whole) * 100 + int((rest or "").ljust(2, "0"))
    return ast.Int(-value if sign else value, scalar.span)


def track(slots: Slots, entry: Entry) -> ast.TrackDecl | None:
    name = slots.ident(entry.key, "the name of a track")
    if name is None:
        return None
    if not isinstance(entry.value, Sequence):
        slots.wrong(entry.value, "a track is a list of its parts", f"`{name}: [first, second]`")
        return None
    spaces = slots.exprs(entry.value, "a part of a track")
    return ast.TrackDecl(name, spaces, name.span.to(entry.value.span))


def component(slots: Slots, entry: Entry, category: str) -> ast.ComponentDecl | None:
    """Pieces, tokens or cards."""
    name = slots.ident(entry.key, f"the name of a {category}")
    if name is None:
        return None
    node = _options(entry.value)
    return ast.ComponentDecl(
        name=name,
        category=category,
        per=per_fields(slots, node.get("per")),
        count=_count(slots, entry.value),
        places=slots.idents(node.get("places"), "a kind of place"),
        start=slots.optional_expr(node.get("start"), "`start`"),
        name_pattern=slots.text(node.get("name"), "a pattern for names"),
        span=name.span.to(entry.value.span),
    )


def die(slots: Slots, entry: Entry) -> ast.DieDecl | None:
    """`[1, 2, 3]`, `1..6`, or a mapping with `faces`."""
    name = slots.ident(entry.key, "the name of a die")
    if name is None:
        return None
    node = _options(entry.value)
    faces_node = node.get("faces") if isinstance(entry.value, Mapping) else entry.value
    if faces_node is None or is_null(faces_node):
        slots.wrong(entry.value, "a die has `faces`: a list or `1..6`")
        return None
    listed = slots.exprs(faces_node, "a face")
    faces: tuple[ast.Expr, ...] | ast.Range = listed
    if not isinstance(faces_node, Sequence) and listed and isinstance(listed[0], ast.Range):
        faces = listed[0]
    return ast.DieDecl(
        name=name,
        faces=faces,
        per=per_fields(slots, node.get("per")),
        count=slots.count(node.get("count")),
        visible=_visible(slots, node),
        span=name.span.to(entry.value.span),
    )


def pile(slots: Slots, entry: Entry) -> ast.PileDecl | None:
    name = slots.ident(entry.key, "the name of a pile")
    if name is None:
        return None
    if not isinstance(entry.value, Mapping):
        slots.wrong(entry.value, "a pile is a mapping with `holds` and `visible`")
        return None
    node = entry.value
    return ast.PileDecl(
        name=name,
        per=per_fields(slots, node.get("per")),
        count=slots.count(node.get("count")),
        holds=slots.idents(node.get("holds"), "a kind of card or piece"),
        visible=_visible(slots, node),
        span=name.span.to(node.span),
    )


def _visible(slots: Slots, node: Mapping) -> ast.Ident | None:
    """`all`, `owner`, `none` or `top`; the words are not names of the game."""
    value = node.get("visible")
    scalar = None if value is None else slots.scalar(value, "`visible`")
    return None if scalar is None else ast.Ident(scalar.text.strip(), scalar.span)


def state(slots: Slots, entry: Entry) -> ast.StateDecl | None:
    """`{per: …, type: …, start: …, reset: …, visible: …}`."""
    name = slots.ident(entry.key, "the name of a state item")
    if name is None:
        return None
    node = entry.value
    type_node = node.get("type") if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping) or type_node is None:
        slots.wrong(node, "a state item is a mapping with a `type`", f"`{name}: {{type: …}}`")
        return None
    type_ref = slots.type_ref(type_node)
    if type_ref is None:
        return None
    reset = node.get("reset")
    return ast.StateDecl(
        name=name,
        per=per_fields(slots, node.get("per")),
        type=type_ref,
        start=slots.optional_expr(node.get("start"), "`start`"),
        reset=None if reset is None else slots.ident(reset, "when it is reset"),
        visible=_visible(slots, node),
        span=name.span.to(entry.value.span),
    )
