"""Drawings: bands, groups, colours that only add."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from ludex.cli.table import Ink, Table, draw, terminal_colour
from ludex.cli.view import join


def cells(*texts: str) -> tuple[tuple[Ink, ...], ...]:
    return tuple((Ink(t),) if t else () for t in texts)


def test_a_table_as_it_is_drawn() -> None:
    table = Table(
        "road",
        ("1", "2", "10"),
        ("", "", ""),
        (("knights", cells("RR", "", "Y")), ("gold", cells("3", "##", ""))),
    )
    assert draw(table, 80) == [
        "road     1   2   10",
        "knights  RR      Y",
        "gold     3   ##",
    ]


def test_feet_stand_below_their_columns() -> None:
    rows = (("", cells("x", "")), ("", cells("", "o")))
    assert draw(Table("", ("a", "b"), ("", ""), rows, ("1", "222")), 80) == [
        "  a  b",
        "  x",
        "     o",
        "  1  222",
    ]


def test_groups_stand_above_their_columns() -> None:
    table = Table("t", ("1", "2", "1"), ("plain", "plain", "hill"), (("k", cells("aaa", "bbb", "cccc")),))
    assert draw(table, 80) == ["t  plain     hill", "   1    2    1", "k  aaa  bbb  cccc"]


def test_a_wide_table_is_broken_into_bands() -> None:
    columns = tuple(str(i) for i in range(30))
    table = Table("wide", columns, ("",) * 30, (("row", cells(*("xxxx" for _ in columns))),))
    lines = draw(table, 40)
    assert max(map(len, lines)) <= 40
    assert lines.count("") == sum(line.startswith("row") for line in lines) - 1
    assert sum(line.count("xxxx") for line in lines) == 30


def test_bands_break_between_groups() -> None:
    table = Table(
        "t", tuple("123123"), ("a",) * 3 + ("b",) * 3, (("r", cells(*("12345678" for _ in range(6)))),)
    )
    assert [line.split() for line in draw(table, 45) if line.startswith("t")] == [["t", "a"], ["t", "b"]]


def test_a_full_cell_goes_on_in_the_next_line() -> None:
    many = tuple(Ink(t) for t in ("alpha", " ", "beta", " ", "gamma"))
    assert draw(Table("t", ("1",), ("",), (("r", (many,)),)), 80) == ["t  1", "r  alpha beta", "   gamma"]


def test_a_table_without_columns_is_a_list() -> None:
    assert draw(Table("", (), (), (("lair", cells("RY")), ("strip", cells("1")))), 80) == [
        "  lair   RY",
        "  strip  1",
    ]


def test_equal_signs_are_counted_when_there_are_many() -> None:
    def text(*signs: str) -> str:
        return "".join(i.text for i in join([Ink(s) for s in signs]))

    assert text("R", "R", "Y") == "RRY"
    assert text(*["#"] * 9) == "#x9"
    assert text("gold", "gold", "gem") == "goldx2 gem"


@given(
    st.lists(
        st.tuples(st.text("abc", max_size=20), st.sampled_from([None, "red", "odd colour"])), max_size=12
    ),
    st.integers(20, 90),
)
def test_colours_change_nothing_but_colours(signs: list[tuple[str, str | None]], width: int) -> None:
    table = Table(
        "t", tuple(str(i) for i in range(len(signs))), ("",) * len(signs),
        (("row", tuple((Ink(text, colour),) for text, colour in signs)),),
    )  # fmt: skip
    coloured = [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in draw(table, width, terminal_colour)]
    assert coloured == draw(table, width)
