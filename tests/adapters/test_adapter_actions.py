"""Every action has a number of its own, which says nothing that its player does not see."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import played
import pytest

import ludex
from ludex.adapters import ActionSpace, BeyondBound
from ludex.adapters.actions import MAX_ACTIONS
from ludex.diagnostics import Failed
from ludex.rng import Generator


@pytest.mark.parametrize("name", played.GAMES, ids=played.short)
def test_legal_actions_have_numbers_of_their_own_that_name_them(name: str) -> None:
    table = played.table(name)
    for position in played.some(table, seed=5, most=played.LONG.get(name, 60), every=4):
        for seat in range(table.players):
            legal = position.legal(seat)
            actions = position.state.legal_actions(table.game.players[seat])
            assert len(legal) == len(actions), "two actions share a number"
            for number, action in zip(legal, actions, strict=True):
                assert 0 <= number < table.actions.size
                # what reads alike is told apart in other ways: `gold(3) at purse`, `gold(3)#2`
                text = table.actions.text(number).split("#")[0]
                assert action.text.startswith(text.removesuffix(")")), (action.text, text)


@pytest.mark.parametrize("name", ["emerald", "mekong", str(played.SKETCHES / "rummy.yaml")], ids=played.short)
def test_the_same_actions_have_the_same_numbers_whatever_is_hidden(name: str) -> None:
    table, rng, tried = played.table(name), Generator(3), 0
    for position in played.some(table, seed=8, most=120, every=10):
        for seat in position.deciding:
            player = table.game.players[seat]
            twin = table.at(position.state.determinize(player, rng))
            assert list(twin.legal(seat)) == list(position.legal(seat))
            tried += twin.words != position.words
    assert tried > 3, "no world was another one"


def test_numbers_of_a_game_worked_out_by_hand() -> None:
    table = played.table("backgammon")
    size = 6 * (24 + 2 + 2)  # a die, and a point, bar or tray
    assert table.actions.size == size
    assert table.actions.text(0) == "play(1, p1)"
    assert table.actions.text(27) == "play(1, tray(black))"
    assert table.actions.text(28) == "play(2, p1)"
    with pytest.raises(IndexError):
        table.actions.text(size)


def test_numbers_do_not_depend_on_hashing() -> None:
    script = (
        "import ludex; from ludex.adapters import ActionSpace;"
        "from ludex.adapters.observation import ObservationSpace;"
        f"game = ludex.load({str(played.SKETCHES / 'rummy.yaml')!r}, players=2);"
        "space = ActionSpace(game);"
        "print([space.text(i) for i in range(space.size)], ObservationSpace(game).names)"
    )
    first, second = (
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    )
    assert first == second


WIDE = """
ludex: 1
game: wide
title: Wide
players: 2
components: {spaces: {cell: {grid: 30x30}}}
state: {heap: {type: int, start: 300}}
phases: {play: {turns: clockwise from player(1), rounds: 1, do: {go: act go}}}
actions:
  go: {choose: {CHOICES}, do: {it is done: heap -= 1}}
"""


def test_too_many_actions_are_a_diagnostic(tmp_path: Path) -> None:
    path = tmp_path / "wide.yaml"
    path.write_text(WIDE.replace("CHOICES", "a: cell, b: cell"), encoding="utf-8")
    assert MAX_ACTIONS < (30 * 30) ** 2
    with pytest.raises(Failed) as failed:
        ActionSpace(ludex.load(str(path)))
    (diagnostic,) = failed.value.diagnostics
    assert diagnostic.code.name == "too-large"
    assert "`go`" in diagnostic.message and diagnostic.help is not None
    assert diagnostic.span.line == 10


def test_numbers_that_the_rules_do_not_bound_end_where_one_says(tmp_path: Path) -> None:
    path = tmp_path / "wide.yaml"
    path.write_text(WIDE.replace("CHOICES", "n: 1..heap"), encoding="utf-8")
    game = ludex.load(str(path))
    block = next(i for i, b in enumerate(game.program.blocks) if getattr(b.end, "options", ()))
    words = game.machine.start()
    choices = game.machine.options(words, 1)
    assert len(choices) == 300
    with pytest.raises(BeyondBound, match="n is 128"):
        ActionSpace(game).numbers(words, block, choices)
    wider = ActionSpace(game, greatest=400)
    assert wider.text(wider.numbers(words, block, choices)[-1]) == "go(300)"


def test_numbers_that_the_rules_bound_are_all_numbered(tmp_path: Path) -> None:
    path = tmp_path / "wide.yaml"
    text = WIDE.replace("CHOICES", "n: 1..heap").replace("type: int", "type: 0..300")
    path.write_text(text, encoding="utf-8")
    space = ActionSpace(ludex.load(str(path)))
    assert space.size == 300
    assert (space.text(0), space.text(299)) == ("go(1)", "go(300)")
