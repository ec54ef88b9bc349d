"""Pictures: their holes, what is laid over what, and where they come to stand."""

from __future__ import annotations

from pathlib import Path

import pytest

import ludex
from ludex.cli.board import Board
from ludex.cli.picture import MAX_SHEET, Sheet, Stamp, draw_picture, fill
from ludex.cli.table import Cell, Ink

GAME = """\
ludex: 1
game: huts
title: Huts
players: 2
components:
  spaces: {hut: 3}
  pieces: {guest: {per: player, count: 2, places: [hut], start: hut(owner.number)}}
state: {open: {per: hut, type: bool}}
setup:
  the second hut is open: open(hut(2)) = true
actions:
  visit: {choose: {g: guest, h: hut}, do: {go: move g to h}}
phases: {play: {turns: clockwise from player(1), do: {go: act visit}}}
view:
  glyphs:
    guest: [{sign: "{owner.number}!", where: open(it.place)}, {sign: "{owner.number}", color: owner}]
  panels:
    huts:
      across: h in hut
AT      picture: |2
         /\\
        |NN|GGGGGGG
        =dd=
      legend:
        N: "{h}"
        G: {sign: "{guest at h}", where: any(guest at h)}
        d: [{sign: ".", where: open(h)}, {sign: "#"}]
"""


def drawn(tmp_path: Path, at: str, width: int = 80) -> list[str]:
    path = tmp_path / "huts.yaml"
    path.write_text(GAME.replace("AT", at), encoding="utf-8")
    game = ludex.load(str(path), players=2)
    return Board(game).draw(game.start(1), "player_1", width)


def test_a_sheet_has_no_more_than_can_be_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture of the huts has 18 characters."""
    monkeypatch.setattr("ludex.cli.view.MAX_DRAWN", 2 * 18 + 17)
    assert drawn(tmp_path, "      at: [3 * (h.n - 1), 0]\n")[3] == "=##=..="


def test_each_hole_shows_what_the_legend_says(tmp_path: Path) -> None:
    """Cut to the width of the hole, the first sign that holds, one character filling it."""
    assert drawn(tmp_path, "      at: [0, 4 * (h.n - 1)]\n") == [
        "huts",
        " /\\",
        "|hu|1 1",
        "=##=",
        "",
        " /\\",
        "|hu|2! 2!",
        "=..=",
        "",
        " /\\",
        "|hu|",
        "=##=",
    ]


def test_blanks_are_transparent_and_the_later_picture_covers(tmp_path: Path) -> None:
    assert drawn(tmp_path, "      at: [3 * (h.n - 1), 0]\n") == [
        "huts",
        " /\\ /\\ /\\",
        "|hu|hu|hu|2!",
        "=##=..=##=",
    ]


def test_without_places_they_stand_side_by_side(tmp_path: Path) -> None:
    assert drawn(tmp_path, "", 30) == [
        "huts",
        " /\\           /\\",
        "|hu|1 1      |hu|2! 2!",
        "=##=         =..=",
        "",
        " /\\",
        "|hu|",
        "=##=",
    ]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ((), "[   ]"),
        ((Ink("ab"),), "[ab ]"),
        ((Ink("ab", "red"), Ink("cd")), "[abc]"),
        ((Ink("é"),), "[ééé]"),
        ((Ink("二三"),), "[二 ]"),  # a sign that is two columns wide is not cut in half
    ],
)
def test_holes_keep_their_width(cell: Cell, expected: str) -> None:
    assert "".join(ink.text for ink in fill("[xxx]", {"x": lambda: cell})) == expected


def test_colours_go_with_the_characters() -> None:
    sheet = Sheet("", (Stamp(((Ink("ab", "red"), Ink("c")),), (0, 0)), Stamp(((Ink("X", "blue"),),), (1, 0))))
    assert draw_picture(sheet, 80, lambda text, colour: f"<{colour} {text}>") == ["", "<red a><blue X>c"]


def test_what_lies_outside_of_the_sheet_is_not_drawn() -> None:
    far = [(-1, 0), (0, -1), (MAX_SHEET, 0), (0, 1 << 30)]
    assert draw_picture(Sheet("far", tuple(Stamp(((Ink("x"),),), at) for at in far)), 80) == ["far"]
