"""A view evaluated for one viewer, on a program built by hand: two hills, a card on each."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from ludex.backends.machine import Fault
from ludex.cli.table import draw
from ludex.cli.view import BACK, Drawing
from ludex.ir.program import Glyph, Panel, PanelRow, Program, Sign
from ludex.source import NOWHERE
from ludex.typed.expr import Binding, Const, Expr, Pick, RangeDomain, SetDomain, Size, Var
from ludex.typed.types import BOOL, EntityType, IntType, SetType
from ludex.typed.world import Kind, World

HILL, CARD = EntityType(("hill",)), EntityType(("card",))
CARDS = SetType(CARD)
PLACES = ("none", "player(1)", "player(2)", "hill(1)", "hill(2)")
WORLD = World(
    kinds=(
        Kind("player", "player", 1, 2, NOWHERE),
        Kind("hill", "space", 3, 2, NOWHERE),
        Kind("card", "card", 5, 3, NOWHERE),
    ),
    names=(
        "none",
        "player(1)",
        "player(2)",
        "hill(1)",
        "hill(2)",
        "card(red, 1)",
        "card(red, 2)",
        "card(bl\x1bue)",
    ),
    copies=(),
    faces=(
        "none",
        "player(1)",
        "player(2)",
        "hill(1)",
        "hill(2)",
        "card(red)",
        "card(red)",
        "card(bl\x1bue)",
    ),
)
LYING = {3: 1 << 5 | 1 << 6, 4: 1 << 7}
"""The cards on each hill."""

ME, S, GLYPH = 0, 1, 2
HERE = Pick("the", Var(S, HILL), CARDS, 0)
"""Stands for the cards at hill s: `evaluate` below knows it by identity."""


def evaluate(expr: Expr, bound: dict[int, int]) -> int:
    match expr:
        case Const(value):
            return value
        case Var(id):
            return bound[id]
        case Size():
            return LYING[bound[S]].bit_count()
        case Pick("the"):
            return LYING[bound[S]]
        case _:
            raise Fault("index", 0)


def drawn(cell: tuple[str | Expr, ...], visible: set[int], glyphs: tuple[Glyph, ...] = ()) -> list[str]:
    across = Binding(S, SetDomain(Const(1 << 3 | 1 << 4, SetType(HILL))))
    panel = Panel("board", across, None, None, (PanelRow("here", cell),))
    program = SimpleNamespace(panels=(panel,), glyphs=glyphs, viewer=ME, world=WORLD)
    (table,) = Drawing(cast(Program, program), evaluate, visible.__contains__, LYING.__getitem__, 1).tables()
    return draw(table, 80)


def test_faces_that_may_be_seen_and_backs_of_the_others() -> None:
    assert drawn((HERE,), {5}) == ["board  hill", "       1            2", f"here   card(red) {BACK}  {BACK}"]


def test_equal_faces_are_counted_and_control_characters_shown() -> None:
    assert drawn((HERE,), {5, 6, 7})[-1] == "here   card(red)x2  card(bl\\u{1b}ue)"


def test_glyphs() -> None:
    sign = Glyph("card", GLYPH, (Sign(("c",)),))
    assert drawn((HERE,), {5, 6, 7}, (sign,))[-1] == "here   cc  c"


def test_a_sign_has_the_signs_of_other_kinds_in_it_and_names_its_own() -> None:
    hill = Glyph("hill", S, (Sign(("^", Var(S, HILL))),))
    card = Glyph("card", GLYPH, (Sign((Const(4, HILL), "/", Var(GLYPH, CARD))),))
    assert any(line.startswith("here   ^hill(2)/card(red)  ") for line in drawn((HERE,), {5}, (hill, card)))


def test_sets_in_a_sign() -> None:
    hills, numbers = Const(1 << 3 | 1 << 4, SetType(HILL)), Const(1 << 2 | 1 << 5, SetType(IntType()))
    sign = Glyph("card", GLYPH, (Sign((hills, ": ", numbers)),))
    assert drawn((HERE,), {5, 6, 7}, (sign, Glyph("hill", S, (Sign(("^",)),))))[-1].endswith("  ^ ^: 2 5")


def test_signs_within_signs_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each card draws both hills, so three cards draw six."""
    monkeypatch.setattr("ludex.cli.view.MAX_NESTED_SIGNS", 5)
    card = Glyph("card", GLYPH, (Sign((Const(1 << 3 | 1 << 4, SetType(HILL)),)),))
    hill = Glyph("hill", S, (Sign(("^",)),))
    text = "\n".join(drawn((HERE,), {5, 6, 7}, (card, hill)))
    assert text.count("…") == 1


def test_text_numbers_and_truth_values() -> None:
    cell = ("n=", Size(HERE, IntType()), " ", Const(1, BOOL))
    assert drawn(cell, set())[-1] == "here   n=2 yes  n=1 yes"


def test_what_does_not_exist_for_the_viewer_is_a_dash() -> None:
    assert drawn((Pick("first", Var(S, HILL), CARD, 0),), set())[-1] == "here   -  -"


def beside(panel: Panel) -> list[str]:
    program = SimpleNamespace(panels=(panel,), glyphs=(), viewer=ME, world=WORLD)
    nothing: set[int] = set()
    (table,) = Drawing(cast(Program, program), evaluate, nothing.__contains__, LYING.__getitem__, 1).tables()
    return draw(table, 80)


X, Y = Var(7, IntType()), Var(8, IntType())
ACROSS = Binding(7, RangeDomain(Const(1, IntType()), Const(3, IntType())))
DOWN = Binding(8, RangeDomain(Const(4, IntType()), Const(5, IntType())))


def test_numbers_that_are_gone_through_are_their_own_names() -> None:
    """And not the names of what has these numbers: 1 is player(1), 3 is hill(1)."""
    panel = Panel("grid", ACROSS, None, DOWN, (PanelRow("cell", (X, Y)),))
    assert beside(panel) == ["grid  1   2   3", "4     14  24  34", "5     15  25  35"]
    hills = Const(1 << 1 | 1 << 2, SetType(IntType()))
    assert beside(Panel("grid", Binding(7, SetDomain(hills)), None, None, (PanelRow("", (X,)),))) == [
        "grid  1  2",
        "      1  2",
    ]


def test_what_stands_above_below_and_beside() -> None:
    panel = Panel(
        "grid", ACROSS, None, DOWN, (PanelRow("cell", (X,)),), head=("c", X), foot=(X, "!"), side=("line ", Y)
    )
    assert beside(panel) == [
        "grid    c1  c2  c3",
        "line 4  1   2   3",
        "line 5  1   2   3",
        "        1!  2!  3!",
    ]


def test_a_sign_for_cells_that_are_empty() -> None:
    nothing = Const(0, SetType(HILL))
    panel = Panel("grid", ACROSS, None, DOWN, (PanelRow("cell", ("", nothing)),), side=("",), empty=".")
    assert beside(panel) == ["grid  1  2  3", "      .  .  .", "      .  .  ."]
