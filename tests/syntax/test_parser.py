"""Documents to game trees: every form of every section, and the sketches of all known games."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludex.diagnostics import Code, Report
from ludex.overlay import apply_overlays, load_overlay
from ludex.source import SourceFile, Span
from ludex.syntax import ast, codes_dsl
from ludex.syntax.document import Entry, Mapping, Node, Scalar, Sequence
from ludex.syntax.parser import parse_game
from ludex.syntax.printer import print_block, print_expr, print_type
from ludex.syntax.reader import read_document
from ludex.syntax.shape import document_kind, validate_shape

SKETCHES = Path(__file__).parent.parent / "sketches"
NAMES = sorted(path.stem for path in SKETCHES.glob("*.yaml"))


def read(text: str, report: Report) -> Mapping:
    document = read_document(SourceFile("test", text), report)
    assert document is not None, report.found
    return document


def sketch(name: str, report: Report) -> Mapping:
    path = SKETCHES / f"{name}.yaml"
    document = read_document(SourceFile(path.name, path.read_text(encoding="utf-8")), report)
    assert document is not None, report.found
    return document


def resolved(name: str, report: Report) -> Mapping:
    """The document of a sketch; an overlay applied to what it extends."""
    document = sketch(name, report)
    validate_shape(document, document_kind(document), report)
    extends = document.get("extends")
    if not isinstance(extends, Scalar):
        return document
    overlay = load_overlay(document, report)
    assert overlay is not None
    result = apply_overlays(resolved(extends.text, report), [overlay], report)
    assert result is not None
    return result


def game(sections: str) -> ast.Game:
    """A game of the given sections, which must be without mistakes."""
    report = Report()
    tree = parse_game(read("ludex: 1\ngame: g\nplayers: 2\n" + sections, report), report)
    assert not report.found, report.found
    assert tree is not None
    return tree


def refused(sections: str) -> list[tuple[str, int, int]]:
    report = Report()
    parse_game(read("ludex: 1\ngame: g\nplayers: 2\n" + sections, report), report)
    return [(d.code.name, d.span.line, d.span.column) for d in report.found]


# ----------------------------------------------------------------------------- sketches


def test_all_sketches_are_here() -> None:
    assert len(NAMES) == 22


@pytest.mark.parametrize("name", NAMES)
def test_a_sketch_parses_without_diagnostics(name: str) -> None:
    report = Report()
    tree = parse_game(resolved(name, report), report)
    assert not report.found, "\n".join(f"{d.span}: {d.message}" for d in report.found)
    assert tree is not None
    assert tree.phases


def test_the_sketch_of_emerald_comes_out_whole() -> None:
    tree = parse_game(resolved("emerald", Report()), Report())
    assert tree is not None
    assert (tree.name.text, tree.players.lo, tree.players.hi) == ("emerald", 2, 5)
    assert [len(part) for part in (tree.options, tree.ambiguities, tree.settled)] == [5, 5, 22]
    assert [action.name.text for action in tree.actions][:2] == ["ride", "take_gold"]
    ride = tree.actions[0]
    assert ride.label == "ride with {k}"
    assert [step.name.text for step in ride.steps][2] == "the dragon wakes"
    assert ride.where[3].provenance.cite[0].heading == "Règle pour deux joueurs"
    assert ride.where[3].expr.span.text == "player_count > 2 or rider is none or rider.color == k.color"
    assert print_block(ride.steps[2].body).splitlines()[0] == "let m = k.place"


# -------------------------------------------------------------------- players and types


@pytest.mark.parametrize(
    ("written", "lo", "hi", "usual", "seats"),
    [
        ("3", 3, 3, 3, []),
        ("2..5", 2, 5, 4, []),
        ("2..3", 2, 3, 3, []),
        ("6..9", 6, 9, 6, []),
        ("2..10, usually 2", 2, 10, 2, []),
        ("[white, black]", 2, 2, 2, ["white", "black"]),
    ],
)
def test_players(written: str, lo: int, hi: int, usual: int, seats: list[str]) -> None:
    report = Report()
    tree = parse_game(read(f"ludex: 1\ngame: g\nplayers: {written}\n", report), report)
    assert tree is not None
    players = tree.players
    assert (players.lo, players.hi, players.usual) == (lo, hi, usual)
    assert [seat.text for seat in players.seats] == seats


def test_types() -> None:
    tree = game(
        "types:\n  gem: [ruby, emerald]\n  site: island or village\n"
        "  value: {range: 2..14, names: {11: jack}}\n"
        "  color: {by: player_count, 2: [red], otherwise: [red, blue]}\n"
    )
    gem, site, value, color = (decl.body for decl in tree.types)
    assert isinstance(gem, ast.EnumType) and [m.text for m in gem.members] == ["ruby", "emerald"]
    assert isinstance(site, ast.TypeRef) and print_type(site) == "island or village"
    assert isinstance(value, ast.RangeType) and [(n, i.text) for n, i in value.names] == [(11, "jack")]
    assert isinstance(color, ast.By) and [key.text for key, _ in color.cases] == ["2"]
    assert color.otherwise is not None and len(color.otherwise.members) == 2


def test_constants() -> None:
    tree = game(
        "constants:\n  a: 3\n  b: {by: player_count, 2: 36, otherwise: 24}\n"
        "  c: {per: mountain, values: [3, 2]}\n"
        "  d: {per: [tile, 1..6], by: map, uniform: {each: [1, 2]}, mixed: [[1, 2], [3, 4]]}\n"
        "  e: {per: 1..24, type: color, values: {1: red, otherwise: blue}}\n"
    )
    a, b, c, d, e = tree.constants
    assert isinstance(a.value, ast.Int)
    assert isinstance(b.value, ast.By) and isinstance(b.value.cases[0][1], ast.Int)
    assert isinstance(c.value, ast.Listing) and c.value.items is not None and len(c.value.items) == 2
    assert [print_type(t) for t in d.per] == ["tile", "1..6"]
    assert isinstance(d.value, ast.By)
    uniform, mixed = (value for _, value in d.value.cases)
    assert isinstance(uniform, ast.Listing) and isinstance(uniform.each, ast.Listing)
    assert isinstance(mixed, ast.Listing) and mixed.items is not None
    assert isinstance(mixed.items[0], ast.Listing)
    assert isinstance(e.value, ast.Listing) and e.value.keyed is not None and e.value.otherwise is not None
    assert e.type is not None and print_type(e.type) == "color"


# --------------------------------------------------------------------------- components


def test_spaces() -> None:
    tree = game(
        "components:\n  spaces:\n    plain: 6\n    square: {grid: 8x8, only: (x + y) mod 2 == 0, holds: 1}\n"
        "    cell: {hex: [size, size]}\n    board: {grid: width x height}\n"
        "    point: {lines: [[a7, d7], [b6, d6]]}\n    island: {at: {A1: [2.49, -0.22], A2: [10, 0.5]}}\n"
        "    village: {per: {color: color}, at: [[1.00, 2.00]]}\n"
        "    span: {pairs: site, where: {long: a != b}, fields: {size: 'distance(a, b)'}}\n"
    )
    plain, square, cell, board, point, island, village, span = tree.spaces
    assert isinstance(plain.count, ast.Int)
    assert square.grid is not None and square.holds == 1 and square.only is not None
    assert (print_expr(square.grid.width), square.grid.width.span.text) == ("8", "8")
    assert cell.hex is not None and print_expr(cell.hex.height) == "size"
    assert board.grid is not None and print_expr(board.grid.width) == "width"
    assert [[p.text for p in line] for line in point.lines] == [["a7", "d7"], ["b6", "d6"]]
    points = [(n and n.text, print_expr(x), print_expr(y)) for n, x, y in island.points]
    assert points == [("A1", "249", "-22"), ("A2", "1000", "50")]
    assert village.points[0][0] is None and village.per[0].name is not None
    assert span.pairs is not None and span.where[0].name.text == "long" and span.fields[0].name.text == "size"


def test_other_components() -> None:
    tree = game(
        "components:\n  tracks: {road: [plain, lair]}\n"
        "  pieces:\n    man:\n      per: {owner: player, kind: kind}\n"
        "      count: {by: kind, king: 1, pawn: 8}\n"
        "      start: home(owner)\n      places: square\n      name: \"{owner}_{n}\"\n"
        "  tokens: {stone: 27}\n"
        "  cards:\n    dragon:\n      per:\n        owner: player\n"
        "        foe: c in color where c != tint(owner)\n"
        "    card: {per: [suit, value]}\n"
        "  dice: {d6: 1..6, odd: [1, 1, 2], many: {per: player, count: 5, faces: 1..6, visible: owner}}\n"
        "  piles: {hand: {per: player, holds: [card, dragon], visible: owner}}\n"
    )
    assert [print_expr(s) for s in tree.tracks[0].spaces] == ["plain", "lair"]
    man, stone, dragon, card = tree.components
    assert (man.category, stone.category, card.category) == ("piece", "token", "card")
    assert isinstance(man.count, ast.By) and man.start is not None and man.name_pattern == "{owner}_{n}"
    assert [p.text for p in man.places] == ["square"]
    foe = dragon.per[1]
    assert foe.binder is not None and foe.where is not None and foe.name is not None
    assert [field.name for field in card.per] == [None, None]
    d6, odd, many = tree.dice
    assert isinstance(d6.faces, ast.Range) and isinstance(many.faces, ast.Range)
    assert isinstance(odd.faces, tuple) and len(odd.faces) == 3
    assert [h.text for h in tree.piles[0].holds] == ["card", "dragon"]


def test_state() -> None:
    tree = game(
        "state:\n  rider: {type: optional knight, reset: turn}\n  adjacent: {per: [a, a], type: bool}\n"
        "  start: {type: player, start: player(1)}\n"
    )
    rider, adjacent, start = tree.state
    assert rider.type.optional and rider.reset is not None and rider.reset.text == "turn"
    assert len(adjacent.per) == 2
    assert start.start is not None


# -------------------------------------------------------------------------------- rules


def test_rules_in_short_and_long_form_are_alike() -> None:
    tree = game(
        "setup:\n  a: tie\n  b: {do: tie, cite: book / Set up / 1-2, note: why}\n"
        "  c:\n    do: |\n      tie\n    cite: [book / 3, other]\n"
    )
    a, b, c = tree.setup
    assert print_block(a.body) == print_block(b.body) == print_block(c.body) == "tie"
    cite = b.provenance.cite[0]
    assert (cite.source.text, cite.heading, cite.sentences) == ("book", "Set up", "1-2")
    assert b.provenance.note == "why"
    assert [(x.source.text, x.heading, x.sentences) for x in c.provenance.cite] == [
        ("book", None, "3"),
        ("other", None, None),
    ]


def test_an_unnamed_rule_bears_the_name_of_its_section() -> None:
    tree = game("phases:\n  p:\n    until: settled\n    when: {is: ready, cite: book}\n    do: act take\n")
    phase = tree.phases[0]
    names = (phase.until[0].name.text, phase.when[0].name.text, phase.do[0].name.text)
    assert names == ("until", "when", "do")
    assert phase.when[0].provenance.cite


def test_scalars_that_yaml_resolves_are_expressions_too() -> None:
    tree = game("options: {a: {type: bool, default: true}, b: {type: 0..5, default: 3}}\ndefine: {c: none}\n")
    assert [type(option.default).__name__ for option in tree.options] == ["Bool", "Int"]
    assert isinstance(tree.defines[0].body, ast.NoneLiteral)


def test_procedures_with_and_without_do() -> None:
    tree = game(
        "procedures:\n  a(square from, square to):\n    take: tie\n    go: stop\n"
        "  b:\n    cite: book\n    do:\n      take: tie\n  c: tie\n"
    )
    a, b, c = tree.procedures
    assert [p.name.text for p in a.params] == ["from", "to"]
    assert [s.name.text for s in a.steps] == ["take", "go"]
    assert [s.name.text for s in b.steps] == ["take"] and b.provenance.cite
    assert [s.name.text for s in c.steps] == ["c"]


def test_an_action_has_all_its_parts() -> None:
    tree = game(
        "actions:\n  ride:\n    label: ride {k} to {d}\n    given: {m: optional mountain}\n"
        "    choose: {k: knight, d: 1..6, c: hand(me), into: optional kind}\n    let: {n: k.place}\n"
        "    where: {yours: owner(k) == me}\n    do: {it rides: tie}\n    cite: book\n  pass:\n"
        "    do: {go: tie}\n"
    )
    ride, _ = tree.actions
    assert ride.given[0].type.optional
    assert [(c.name.text, print_expr(c.domain), c.optional) for c in ride.choose] == [
        ("k", "knight", False),
        ("d", "1..6", False),
        ("c", "hand(me)", False),
        ("into", "kind", True),
    ]
    assert ride.let[0].name.text == "n" and ride.provenance.cite


def test_a_label_may_begin_with_a_hole() -> None:
    assert game("actions:\n  ride: {label: {k}, do: {x: tie}}\n").actions[0].label == "{k}"


def test_phases_nest_and_end_conditions_may_name_a_winner() -> None:
    tree = game(
        "phases:\n  deal:\n    repeat_until: done\n    phases:\n"
        "      trick: {turns: clockwise from leader, rounds: 1}\n"
        "    end: {over: {is: a, winner: me}}\nend: {out: b}\n"
    )
    deal = tree.phases[0]
    assert deal.phases[0].name.text == "trick" and deal.phases[0].rounds is not None
    assert isinstance(deal.phases[0].turns, ast.SeatsFrom)
    assert deal.end[0].winner is not None and tree.end[0].winner is None


def test_results() -> None:
    tree = game(
        "scoring: {points: count(hand(me))}\nranking: {best: most score, rest: {is: least n, cite: book}}\n"
        "payoff: won(me) - 1\nheuristic: {is: won(me), horizon: 9, note: Bots.}\n"
        "match: {games: 2, total: sum}\nrecords: {pos: {of: [a, b], keep: 300}}\n"
        "invariants: {one: true}\n"
    )
    assert [(key.most, print_expr(key.expr)) for key in tree.ranking] == [(True, "score"), (False, "n")]
    assert tree.payoff is not None and print_expr(tree.payoff) == "won(me) - 1"
    assert tree.heuristic is not None and tree.heuristic.horizon is not None
    assert (print_expr(tree.heuristic.expr), print_expr(tree.heuristic.horizon)) == ("won(me)", "9")
    assert tree.match is not None and tree.records[0].of[1].text == "b"


# --------------------------------------------------------------------- about, drawings


def test_sources_and_ambiguities() -> None:
    tree = game(
        "sources:\n"
        "  book: {title: A book, language: fr, headings: {Start: [aa, bb]}, exclude: [book / Ads]}\n"
        "  other: {title: Another}\n"
        "ambiguities:\n  doubt:\n    question: What?\n"
        "    readings: {one: {a: true}, two: {a: false, overlay: late}}\n"
        "    chosen: one\n    because: so\n    cite: book / Start / 1\n  settled:\n    misprint: read 10\n"
    )
    book, other = tree.sources
    (start,) = book.headings
    assert (start.name.text, start.count, start.fingerprints) == ("Start", 2, ("aa", "bb"))
    assert book.exclude[0].heading == "Ads"
    assert other.title == "Another"
    doubt = tree.ambiguities[0]
    assert doubt.chosen.text == "one" and doubt.readings[1].overlay is not None
    assert [name.text for name, _ in doubt.readings[1].options] == ["a"]
    assert tree.settled[0].answer == "read 10"


def test_diagrams_and_views() -> None:
    tree = game(
        "diagrams:\n  opening:\n    space: square\n    piece: man\n"
        "    legend: {K: white king, k: 'man(black, king)'}\n"
        "    rows: |\n      k .\n      . K\n"
        "view:\n  glyphs: {knight: {sign: '{color}', color: color}, dragon: D}\n"
        "  panels:\n    road: {across: s in road where s.n > 1, rows: {knights: '{knight at s}'}}\n"
        "    sum: 'x {score}'\n"
    )
    diagram = tree.diagrams[0]
    assert diagram.rows == (("k", "."), (".", "K"))
    assert [print_expr(e) for _, e in diagram.legend] == ["man(white, king)", "man(black, king)"]
    assert tree.view is not None
    road, total = tree.view.panels
    assert road.across is not None and road.where is not None and total.rows[0][0].text == "sum"
    assert [[s.color is None for s in glyph.signs] for glyph in tree.view.glyphs] == [[False], [True]]


# ------------------------------------------------------------------------------- errors


def test_all_wrong_texts_of_a_file_are_reported() -> None:
    sections = "define:\n  a: b = c\n  d: e\nsetup:\n  x: |\n    tie\n    mvoe k\nend:\n  y: p && q\n"
    assert refused(sections) == [
        ("dsl-equals", 5, 8),
        ("dsl-unknown-statement", 10, 5),
        ("dsl-foreign-operator", 12, 8),
    ]


@pytest.mark.parametrize(
    ("sections", "code", "line", "column"),
    [
        ("components: [a]\n", codes_dsl.GAME_SHAPE, 4, 13),
        ("setup: [a]\n", codes_dsl.DSL_FOREIGN_BRACKET, 4, 8),
        ("setup:\n  a:\n    - b\n", codes_dsl.GAME_SHAPE, 6, 5),
        ("define:\n  a: {cite: book}\n", codes_dsl.GAME_SHAPE, 5, 6),
        ("types:\n  if: [a]\n", codes_dsl.GAME_NAME, 5, 3),
        ("types:\n  gem: [ruby, a b]\n", codes_dsl.GAME_NAME, 5, 15),
        ("components: {spaces: {a: {holds: x}}}\n", codes_dsl.GAME_NUMBER, 4, 34),
        ("components: {spaces: {a: {at: {b: [1.234, 2]}}}}\n", codes_dsl.GAME_NUMBER, 4, 36),
        ("setup: {a: {do: tie, cite: a b / c}}\n", codes_dsl.GAME_CITE, 4, 28),
        ("view: {panels: {a: 'x {score'}}\n", codes_dsl.GAME_HOLE, 4, 23),
    ],
)
def test_what_does_not_fit_its_slot_is_reported(
    sections: str, code: Code, line: int, column: int
) -> None:
    assert (code.name, line, column) in refused(sections)


def test_a_game_needs_a_name_and_players() -> None:
    report = Report()
    assert parse_game(read("ludex: 1\n", report), report) is None
    assert [d.message for d in report.found] == ["`game` is missing", "`players` is missing"]


SECTIONS = [
    "players sources options ambiguities types constants components state define setup phases procedures",
    "actions end scoring ranking payoff heuristic match records diagrams invariants view spaces pieces piles",
    "dice per count grid at lines pairs fields where do is cite legend rows panels glyphs across by tracks",
]
keys = st.sampled_from([*" ".join(SECTIONS).split(), "f(x y)", "a name", "1"])
NOTHING = SourceFile("random", "")


def scalar(text: str) -> Scalar:
    source = SourceFile("random", text)
    return Scalar(text, "string", "plain", Span(source, 0, len(text)), tuple(range(len(text) + 1)))


TEXTS = ["", "a", "1", "a b", "x in S", "most score", "tie", "{k}", "book / a / 1", "["]
leaves = st.sampled_from(TEXTS).map(scalar)


def mapping(entries: list[tuple[str, Node]]) -> Mapping:
    unique = dict(entries)
    return Mapping(tuple(Entry(scalar(k), v) for k, v in unique.items()), Span(NOTHING, 0, 0))


nodes: st.SearchStrategy[Node] = st.recursive(
    leaves,
    lambda inner: st.lists(st.tuples(keys, inner), max_size=4).map(mapping)
    | st.lists(inner, max_size=3).map(lambda items: Sequence(tuple(items), Span(NOTHING, 0, 0))),
    max_leaves=20,
)


@given(st.lists(st.tuples(keys, nodes), max_size=8).map(mapping))
@settings(deadline=None, max_examples=300)
def test_no_document_raises(document: Mapping) -> None:
    parse_game(document, Report())
