"""Maps: spaces where they lie, lines between them, and marks that keep clear of what stands there."""

from __future__ import annotations

from ludex.cli.chart import Chart, draw_chart
from ludex.cli.table import Ink

A, B, C, D = (0, 300), (600, 300), (0, 0), (600, 0)
SIGNS = {A: "A", B: "B", C: "C", D: "D"}
CORNERS = tuple((x, y, (Ink(sign),)) for (x, y), sign in SIGNS.items())


def rows(*lines: str) -> list[str]:
    return ["lake", *lines]


def test_north_is_up_and_a_character_is_twice_as_high_as_wide() -> None:
    """16 columns from A to B, and half as far down in half as many rows: 4."""
    assert draw_chart(Chart("lake", CORNERS), 19) == rows(
        " A               B", "", "", "", " C               D"
    )


def test_a_map_is_never_wider_than_it_may_be() -> None:
    for width in (20, 33, 80, 200):
        lines = draw_chart(Chart("lake", CORNERS), width)
        assert max(map(len, lines)) <= min(width, 80)
        assert lines[1].strip().startswith("A") and lines[1].endswith("B")


def test_level_and_upright_lines_stop_before_the_signs_and_bear_their_marks() -> None:
    lines = ((A, B, (Ink("3"),)), (A, C, (Ink("2"),)), (B, D, ()))
    assert draw_chart(Chart("lake", CORNERS, lines), 19) == rows(
        " A-------3-------B",
        " |               |",
        " 2               |",
        " |               |",
        " C               D",
    )


def test_a_slanting_line_has_one_sign_in_each_column_and_rises_to_its_end() -> None:
    _, *drawn = draw_chart(Chart("lake", CORNERS, ((C, B, (Ink("5"),)),)), 19)
    at = {column: row for row, line in enumerate(drawn) for column, sign in enumerate(line) if sign in "-/5"}
    assert sorted(at) == list(range(2, 17)) and sum(line.count("5") for line in drawn) == 1
    assert [at[column] for column in sorted(at)] == sorted(at.values(), reverse=True)
    assert at[2] == 4 and at[16] == 0 and drawn[2][9] == "5"


def test_a_line_is_the_same_from_both_ends() -> None:
    for a, b in ((A, B), (A, C), (A, D), (B, C)):
        there = draw_chart(Chart("lake", CORNERS, ((a, b, ()),)), 40)
        assert draw_chart(Chart("lake", CORNERS, ((b, a, ()),)), 40) == there


def test_a_line_has_the_colour_of_its_mark() -> None:
    def bracketed(text: str, colour: str) -> str:
        return f"<{text}>"

    drawn = draw_chart(Chart("lake", CORNERS, ((A, B, (Ink("3", "red"),)),)), 19, bracketed)
    assert drawn[1] == " A<-------3------->B"


def test_a_mark_leaves_its_place_to_a_sign() -> None:
    """E lies in the middle of the line, and the mark goes to one side of it."""
    spaces = (*CORNERS, (300, 300, (Ink("E"),)))
    assert draw_chart(Chart("lake", spaces, ((A, B, (Ink("3"),)),)), 19)[1] == " A-----3-E-------B"


def test_one_space_and_none() -> None:
    assert draw_chart(Chart("lake", ((5, 5, (Ink("A"),)),)), 19) == rows(" A")
    assert draw_chart(Chart("lake", ()), 19) == ["lake"]
