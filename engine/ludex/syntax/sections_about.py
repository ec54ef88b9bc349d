"""The sections about a definition: players, sources, options, ambiguities; records and drawings.

May import: `limits`, `document`, `ast`, `codes_dsl`, `dsl`, `sections_base`.
"""

from __future__ import annotations

import re

from ludex.limits import MAX_PLAYERS
from ludex.syntax import ast, codes_dsl, dsl
from ludex.syntax.document import Entry, Mapping, Node, Sequence
from ludex.syntax.sections_base import Slots, is_null, key_ident

_PLAYERS = r"\s*([0-9]{1,4})(?:\s*\.\.\s*([0-9]{1,4})(?:\s*,\s*usually\s+([0-9]{1,4}))?)?\s*"
_NUMBERS_OF_PLAYERS = "`4`, `2..5`, `2..5, usually 3` or `[white, black]`"
USUAL_PLAYERS = 4
"""So many play if the game is for them and says nothing else, else the nearest number it is for."""


def players(slots: Slots, node: Node | None) -> ast.Players | None:
    """`2..5`, `2..5, usually 3`, `4`, or `[white, black]`."""
    if node is None:
        return None
    if isinstance(node, Sequence):
        seats = slots.idents(node, "the name of a seat")
        if not 1 <= len(seats) <= MAX_PLAYERS:
            message = f"a game has 1 to {MAX_PLAYERS} seats, and {len(seats)} are named here"
            slots.report.add(codes_dsl.GAME_NUMBER, message, node.span)
            return None
        return ast.Players(len(seats), len(seats), len(seats), seats, node.span)
    scalar = slots.scalar(node, "`players`")
    if scalar is None:
        return None
    match = re.fullmatch(_PLAYERS, scalar.text)
    if match is None:
        message = "the number of players is expected"
        slots.report.add(codes_dsl.GAME_NUMBER, message, node.span, help=_NUMBERS_OF_PLAYERS)
        return None
    lo = int(match[1])
    hi = int(match[2] or lo)
    if not 1 <= lo <= hi <= MAX_PLAYERS:
        message = f"a game is for 1 to {MAX_PLAYERS} players, the smaller number first, not {lo} to {hi}"
        slots.report.add(codes_dsl.GAME_NUMBER, message, node.span, help=_NUMBERS_OF_PLAYERS)
        return None
    usual = int(match[3] or min(max(lo, USUAL_PLAYERS), hi))
    if not lo <= usual <= hi:
        message = f"the game is for {lo} to {hi} players, so {usual} is not a usual number"
        slots.report.add(codes_dsl.GAME_NUMBER, message, node.span)
        return None
    return ast.Players(lo, hi, usual, (), node.span)


def source(slots: Slots, entry: Entry) -> ast.SourceDecl | None:
    """`{title, language, edition, sha256, headings, end, exclude}`."""
    name = slots.ident(entry.key, "the name of a source")
    if name is None:
        return None
    span = name.span.to(entry.value.span)
    if not isinstance(entry.value, Mapping):
        slots.wrong(entry.value, "a source is a mapping with a `title`", f"`{name}: {{title: …}}`")
        return None
    node = entry.value
    exclude = (slots.cite(item) for item in slots.items(node.get("exclude")))
    return ast.SourceDecl(
        name=name,
        title=slots.text(node.get("title"), "a title") or name.text,
        language=slots.text(node.get("language"), "a language"),
        edition=slots.text(node.get("edition"), "an edition"),
        sha256=slots.text(node.get("sha256"), "a fingerprint"),
        headings=_headings(slots, node.get("headings")),
        end=slots.text(node.get("end"), "the words at which the text ends"),
        exclude=tuple(cite for cite in exclude if cite is not None),
        span=span,
    )


def _headings(slots: Slots, node: Node | None) -> tuple[ast.Heading, ...]:
    """`{HEADING: fingerprints or their number}`, or a list of headings that were not indexed."""
    if isinstance(node, Mapping):
        return tuple(_heading(slots, entry) for entry in node)
    items = (slots.scalar(item, "a heading") for item in slots.items(node))
    return tuple(
        ast.Heading(key_ident(Entry(item, item)), None, (), item.span) for item in items if item is not None
    )


def _heading(slots: Slots, entry: Entry) -> ast.Heading:
    """`3`, or `3fa91c 02b4e1 …`, or a list of these."""
    span = entry.key.span.to(entry.value.span)
    words = [w for text in _texts(slots, entry.value, "a fingerprint") for w in text.split()]
    if len(words) == 1 and re.fullmatch(r"[0-9]{1,4}", words[0]):
        return ast.Heading(key_ident(entry), int(words[0]), (), span)
    return ast.Heading(key_ident(entry), len(words), tuple(words), span)


def _texts(slots: Slots, node: Node | None, what: str) -> tuple[str, ...]:
    found = (slots.text(item, what) for item in slots.items(node))
    return tuple(text for text in found if text is not None)


def option(slots: Slots, entry: Entry) -> ast.OptionDecl | None:
    """`{type: …, default: …, needs: …}`."""
    name = slots.ident(entry.key, "the name of an option")
    node = entry.value
    if name is None:
        return None
    type_node = node.get("type") if isinstance(node, Mapping) else None
    default_node = node.get("default") if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping) or type_node is None or default_node is None:
        slots.wrong(node, "an option has a `type` and a `default`", "`{type: bool, default: false}`")
        return None
    type_ref = slots.type_ref(type_node)
    default = slots.expr(default_node, "a default")
    needs = slots.optional_expr(node.get("needs"), "`needs`")
    if type_ref is None or default is None:
        return None
    return ast.OptionDecl(name, type_ref, default, needs, slots.provenance(node), name.span.to(node.span))


def ambiguity(slots: Slots, entry: Entry) -> ast.Ambiguity | None:
    """`{question, readings, chosen, because, cite}`."""
    node = entry.value
    chosen_entry = node.entry("chosen") if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping) or chosen_entry is None:
        slots.wrong(node, "an ambiguity has `question`, `readings`, `chosen` and `because`")
        return None
    chosen = slots.scalar(chosen_entry.value, "the chosen reading")
    if chosen is None:
        return None
    readings = (_reading(slots, e) for e in slots.entries(node.get("readings"), "`readings`"))
    return ast.Ambiguity(
        name=key_ident(entry),
        question=slots.text(node.get("question"), "a question") or "",
        readings=tuple(readings),
        chosen=ast.Ident(key_ident(Entry(chosen, chosen)).text, chosen.span),
        because=slots.text(node.get("because"), "a reason") or "",
        provenance=slots.provenance(node),
        span=entry.key.span.to(node.span),
    )


def _reading(slots: Slots, entry: Entry) -> ast.Reading:
    options: list[tuple[ast.Ident, ast.Expr]] = []
    overlay: ast.Ident | None = None
    for item in slots.entries(entry.value, "a reading"):
        if item.name == "overlay":
            overlay = slots.ident(item.value, "the name of an overlay")
            continue
        name = slots.ident(item.key, "the name of an option")
        value = slots.expr(item.value, "the value of an option")
        if name is not None and value is not None:
            options.append((name, value))
    return ast.Reading(key_ident(entry), tuple(options), overlay, entry.key.span.to(entry.value.span))


def settled(slots: Slots, node: Node | None) -> tuple[ast.Settled, ...]:
    """`MATTER: answer` or `{is: answer, cite: …, note: …}`."""
    found: list[ast.Settled] = []
    for entry in slots.entries(node, "`settled`"):
        value: Node | None = entry.value
        if isinstance(entry.value, Mapping):
            value = entry.value.get("is") or entry.value.get("answer")
        answer = slots.text(value, "an answer")
        if answer is None:
            slots.wrong(entry.value, "how it was settled is missing")
            continue
        span = entry.key.span.to(entry.value.span)
        found.append(ast.Settled(key_ident(entry), answer, slots.provenance(entry.value), span))
    return tuple(found)


def record(slots: Slots, entry: Entry) -> ast.Record | None:
    """`{of: [names], keep: N}`."""
    name = slots.ident(entry.key, "the name of a record")
    node = entry.value
    if name is None:
        return None
    keep_node = node.get("keep") if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping) or keep_node is None:
        slots.wrong(node, "a record has `of` and `keep`", "`{of: [owner_on, to_move], keep: 300}`")
        return None
    keep = slots.expr(keep_node, "`keep`")
    if keep is None:
        return None
    return ast.Record(name, slots.idents(node.get("of"), "a definition"), keep, name.span.to(node.span))


def match(slots: Slots, node: Node | None) -> ast.Match | None:
    """`{games: N, total: sum}`."""
    if node is None:
        return None
    games_node = node.get("games") if isinstance(node, Mapping) else node
    if games_node is None:
        slots.wrong(node, "a match has `games`")
        return None
    games = slots.expr(games_node, "the number of games")
    return None if games is None else ast.Match(games, node.span)


def heuristic(slots: Slots, entry: Entry | None) -> ast.Heuristic | None:
    """`EXPR` or `{is: EXPR, horizon: N, note: …}`."""
    if entry is None:
        return None
    line = slots.condition(key_ident(entry), entry.value, "`heuristic`")
    node = entry.value.get("horizon") if isinstance(entry.value, Mapping) else None
    horizon = None if node is None else slots.expr(node, "the horizon")
    return None if line is None else ast.Heuristic(line.expr, horizon)


def diagram(slots: Slots, entry: Entry) -> ast.Diagram | None:
    """`{space, piece, legend, rows}`."""
    name = slots.ident(entry.key, "the name of a diagram")
    node = entry.value
    space_node = node.get("space") if isinstance(node, Mapping) else None
    if name is None:
        return None
    if not isinstance(node, Mapping) or space_node is None:
        slots.wrong(node, "a diagram has `space`, `legend` and `rows`")
        return None
    space = slots.ident(space_node, "a kind of space")
    piece_node = node.get("piece")
    piece = None if piece_node is None else slots.ident(piece_node, "a kind of piece")
    legend: list[tuple[str, ast.Expr]] = []
    for item in slots.entries(node.get("legend"), "`legend`"):
        value = _legend(slots, item.value, piece)
        if value is not None:
            legend.append((item.name, value))
    rows = tuple(
        tuple(line.split())
        for text in _texts(slots, node.get("rows"), "the rows of a diagram")
        for line in text.splitlines()
        if line.strip()
    )
    if space is None:
        return None
    return ast.Diagram(name, space, piece, tuple(legend), rows, name.span.to(node.span))


def _legend(slots: Slots, node: Node, piece: ast.Ident | None) -> ast.Expr | None:
    """An entity; with `piece`, its fields alone: `white king` is `PIECE(white, king)`."""
    scalar = slots.scalar(node, "what a sign stands for")
    if scalar is None:
        return None
    words = list(re.finditer(r"\S+", scalar.text))
    if piece is None or len(words) < 2 or not all(w[0].isidentifier() for w in words):
        return dsl.parse_expression(scalar, slots.report)
    parts = (dsl.parse_expression(dsl.slice_scalar(scalar, *w.span()), slots.report) for w in words)
    args = tuple(part for part in parts if part is not None)
    return ast.Call(ast.Name(piece.text, piece.span), args, scalar.span)


# -------------------------------------------------------------------------------- view


def view(slots: Slots, node: Node | None) -> ast.View | None:
    """`{panels: …, glyphs: …}`."""
    if node is None or is_null(node):
        return None
    if not isinstance(node, Mapping):
        slots.wrong(node, "`view` is a mapping with `panels` and `glyphs`")
        return None
    panels = (_panel(slots, entry) for entry in slots.entries(node.get("panels"), "`panels`"))
    glyphs = (_glyph(slots, entry) for entry in slots.entries(node.get("glyphs"), "`glyphs`"))
    return ast.View(
        tuple(panel for panel in panels if panel is not None),
        tuple(glyph for glyph in glyphs if glyph is not None),
        node.span,
    )


def _panel(slots: Slots, entry: Entry) -> ast.Panel | ast.Map | ast.Picture | None:
    name = key_ident(entry)
    span = entry.key.span.to(entry.value.span)
    if not isinstance(entry.value, Mapping):
        template = _template(slots, entry.value)
        return None if template is None else ast.Panel(
            name, None, None, None, ((name, template),), None, None, None, None, span
        )
    node = entry.value
    if node.get("map") is not None:
        return _map(slots, name, node)
    if node.get("picture") is not None:
        return _picture(slots, name, node)
    across, where = _binder(slots, node.get("across"))
    down, down_where = _binder(slots, node.get("down"))
    rows_entry = node.entry("rows")
    rows: list[tuple[ast.Ident, ast.Template]] = []
    lines: tuple[Entry, ...] = ()
    if rows_entry is not None:
        rows_node = rows_entry.value
        lines = rows_node.entries if isinstance(rows_node, Mapping) else (rows_entry,)
    for line in lines:
        template = _template(slots, line.value)
        if template is not None:
            rows.append((key_ident(line), template))
    head, foot, side = (
        None if part is None else _template(slots, part) for part in map(node.get, ("head", "foot", "side"))
    )
    empty = slots.text(node.get("empty"), "what is drawn in empty cells")
    return ast.Panel(name, across, where or down_where, down, tuple(rows), head, foot, side, empty, span)


def _map(slots: Slots, name: ast.Ident, panel: Mapping) -> ast.Map | None:
    """`{map: {spaces: x in S, sign: …, links: p in P, mark: …}}`."""
    node = panel.get("map")
    if not isinstance(node, Mapping):
        return None  # refused by its shape
    for entry in panel.entries:
        if entry.name != "map":
            slots.wrong(entry.key, "a panel with a `map` has nothing else")
    spaces, where = _binder(slots, node.get("spaces"))
    links, links_where = _binder(slots, node.get("links"))
    sign_node, mark_node = node.get("sign"), node.get("mark")
    sign = None if sign_node is None else _template(slots, sign_node)
    mark = None if mark_node is None else _template(slots, mark_node)
    if mark_node is not None and node.get("links") is None:
        slots.wrong(mark_node, "a `mark` stands on a line: `links` says which lines there are")
    if spaces is None or sign is None:
        return None
    return ast.Map(name, spaces, where, sign, links, links_where, mark, name.span.to(panel.span))


def _picture(slots: Slots, name: ast.Ident, panel: Mapping) -> ast.Picture | None:
    """`{picture: …, legend: {X: sign}, across: x in S, at: [COLUMN, LINE]}`."""
    drawing = panel.entry("picture")
    assert drawing is not None
    for entry in panel.entries:
        if entry.name not in ("picture", "legend", "across", "where", "at"):
            slots.wrong(entry.key, f"a panel with a `picture` has no `{entry.name}`")
    scalar = slots.scalar(drawing.value, "a picture")
    if scalar is None:
        return None
    lines = tuple(line.rstrip() for line in scalar.text.rstrip().split("\n"))
    legend = []
    for entry in slots.entries(panel.get("legend"), "`legend`"):
        if len(entry.name) != 1 or entry.name.isspace():
            slots.wrong(entry.key, "a legend explains single characters")
        elif not any(entry.name in line for line in lines):
            slots.wrong(entry.key, f"`{entry.name}` stands nowhere in the picture")
        else:
            legend.append((entry.name, _signs(slots, entry.value)))
    across, where = _binder(slots, panel.get("across"))
    at_node = panel.get("at")
    at = slots.exprs(at_node, "a column or a line") if at_node is not None else ()
    if at_node is not None and len(at) != 2:
        slots.wrong(at_node, "a picture stands at a column and a line", "`at: [3 * s.x, 2 * s.y]`")
    return ast.Picture(
        name, across, where, lines, tuple(legend), at if len(at) == 2 else None, name.span.to(panel.span)
    )


def _signs(slots: Slots, node: Node) -> tuple[ast.Sign, ...]:
    """A text, `{sign: …, color: …, where: …}`, or a list of these."""
    items: tuple[Node, ...] = (node,)
    if isinstance(node, Sequence) and not (node.flow and all(_is_text(item) for item in node.items)):
        items = node.items  # else brackets that are drawn
    found = (_sign(slots, item) for item in items)
    return tuple(sign for sign in found if sign is not None)


def _sign(slots: Slots, node: Node) -> ast.Sign | None:
    if not isinstance(node, Mapping) or _is_text(node):
        text = _template(slots, node)
        return None if text is None else ast.Sign(text, None, None, node.span)
    text_node = node.get("sign")
    text = None if text_node is None else _template(slots, text_node)
    color = slots.optional_expr(node.get("color"), "a colour")
    where = slots.optional_expr(node.get("where"), "a condition")
    return None if text is None else ast.Sign(text, color, where, node.span)


def _is_text(node: Node) -> bool:
    """In braces without `sign`, it is a text: `{value}`."""
    return not isinstance(node, Mapping) or (node.flow and node.get("sign") is None)


def _binder(slots: Slots, node: Node | None) -> tuple[ast.Binder | None, ast.Expr | None]:
    """`x in S [where C]`."""
    scalar = None if node is None else slots.scalar(node, "what a panel shows")
    domain = None if scalar is None else dsl.parse_domain(scalar, slots.report)
    if scalar is None or domain is None:
        return None, None
    if domain.binder is None:
        slots.wrong(scalar, "a panel goes over a set: `x in S`")
        return None, None
    return ast.Binder(domain.binder, domain.expr, scalar.span), domain.where


def _template(slots: Slots, node: Node) -> ast.Template | None:
    scalar = slots.scalar(node, "a text with `{…}`")
    return None if scalar is None else dsl.parse_template(scalar, slots.report)


def _glyph(slots: Slots, entry: Entry) -> ast.Glyph | None:
    """`KIND: sign`, `KIND: {sign: …, color: …, where: …}`, or a list of signs."""
    kind = slots.ident(entry.key, "a kind of thing")
    signs = _signs(slots, entry.value)
    return None if kind is None or not signs else ast.Glyph(kind, signs, kind.span.to(entry.value.span))
