"""Whatever a view asks for, a viewer is drawn nothing that he may not see."""

from __future__ import annotations

from pathlib import Path

import pytest

import ludex
from ludex.cli.board import Board
from ludex.game import Game, State

VIEW = """
ludex: 1
game: drawn
title: Drawn
players: 2
components:
  cards: {card: {per: {v: 1..6}, start: deck}}
  piles:
    deck: {holds: card, visible: none}
    hand: {per: player, holds: card, visible: owner}
    aside: {per: player, holds: card, visible: owner}
    table: {holds: card, visible: top}
state: {plan: {per: {p: player}, type: 0..90, start: 50 + p.number, visible: owner}}
define: {worth(player p): sum(c.v for c in hand(p))}
setup:
  deal: |
    move card(1) to hand(player(1))
    move card(2) to hand(player(1))
    move card(5) to hand(player(2))
    move card(6) to hand(player(2))
    move card(3) to table
    move card(4) to table
phases:
  play:
    turns: clockwise from player(1)
    rounds: 2
    do:
      lay aside: |
        secretly ask players:
          choose c in hand(me):
            move c to aside(me)
            plan(me) += 10
      go: act go
actions: {go: {do: {it: if plan(me) > 99 or worth(me) > 99 then end turn}}}
view:
  glyphs: {card: "c{v}"}
  panels:
    board:
      across: p in players
      rows: {it: "CELL"}
"""


@pytest.fixture
def drawn(tmp_path: Path) -> object:
    def draw(cell: str, viewer: str | None = "player_1", rows: str | None = None) -> list[str]:
        path = tmp_path / "game.yaml"
        text = VIEW.replace("CELL", cell)
        path.write_text(text if rows is None else text.replace("across: p in players", rows))
        game = ludex.load(str(path))
        return cells(game, game.start(1), viewer)

    return draw


def cells(game: Game, state: State, viewer: str | None) -> list[str]:
    return " ".join(Board(game).draw(state, viewer, 80)[1:]).split()


@pytest.mark.parametrize(
    ("cell", "his", "spectators"),
    [
        ("{hand(p)}", ["c1", "c2", "##"], ["##", "##"]),
        ("{plan(p)}", ["51", "?"], ["?", "?"]),
        ("{worth(p)}", ["3", "?"], ["?", "?"]),
        ("{count(hand(p))}", ["2", "2"], ["2", "2"]),
        ("{most(c in hand(p) by c.v)}", ["c2", "?"], ["?", "?"]),
        ("{set(c in hand(p) where c.v > 1)}", ["c2", "?"], ["?", "?"]),
        ("{any(c in hand(p) where c.v > 5)}", ["no", "?"], ["?", "?"]),
        ("{card at hand(p)}", ["c1", "c2", "##"], ["##", "##"]),
        ("{card(6).place}", ["?", "?"], ["?", "?"]),
        ("{set(c in hand(p) where c != card(1))}", ["c2", "?"], ["?", "?"]),
        ("{set(c in table where c == card(3))}", ["?", "?"], ["?", "?"]),
        (
            "{set(c in table where c == top(table))}{set(c in table where c != top(table))}",
            ["c4#"] * 2,
            ["c4#"] * 2,
        ),
        ("{set(c in hand(p))}", ["c1", "c2", "##"], ["##", "##"]),
    ],
)
def test_values_that_rest_on_secrets_are_not_drawn(
    drawn: object, cell: str, his: list[str], spectators: list[str]
) -> None:
    assert callable(drawn)
    assert drawn(cell)[1:] == his
    assert drawn(cell, None)[1:] == spectators


def test_what_a_view_goes_through_tells_no_secret_either(drawn: object) -> None:
    assert callable(drawn)
    assert "player_2" not in drawn("x", rows="across: p in players where plan(p) > 51")
    assert not any("5" in t or "6" in t for t in drawn("x", rows="across: p in hand(player(2))"))


@pytest.mark.parametrize("ordered", [False, True])
def test_in_the_midst_of_sealed_choices_a_view_is_as_before_them(tmp_path: Path, ordered: bool) -> None:
    path = tmp_path / "game.yaml"
    text = VIEW.replace("CELL", "{count(hand(p))}/{hand(p)}/{plan(p)}")
    if ordered:
        text = text.replace("worth(me) > 99", "top(hand(me)).v > 99 or top(aside(me)).v > 99")
    path.write_text(text)
    game = ludex.load(str(path))
    state = game.start(1)
    before = {v: cells(game, state, v) for v in (None, *game.players)}
    after = state.apply("choose(card(6))", "player_2")
    assert cells(game, after, "player_1") == before["player_1"]
    assert cells(game, after, None) == before[None]
    own = " ".join(cells(game, after, "player_2"))
    assert "1/c5" in own and "/62" in own
