"""Walks of both back ends, side by side: what a search sees of a game is the same in each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ludex.backends.machine import CHANCE_TURN, OVER_TURN
from ludex.game import Game
from ludex.rng import Generator

LUCK = ((1, 2, 3, 4), (5, 6, 7, 8))


@pytest.mark.parametrize(
    ("name", "players", "steps", "expected"),
    [
        ("emerald", 3, 120, {"chance"}),
        ("mekong", 3, 60, {"sealed"}),
        ("backgammon", None, 60, {"chance"}),
        ("goofspiel", 2, 60, {"sealed", "chance"}),
        ("leduc_poker", 2, 30, {"chance"}),
    ],
)
def test_both_walks_go_the_same_way(
    load: Callable[..., Game], name: str, players: int | None, steps: int, expected: set[str]
) -> None:
    game = load(name, players)
    native, plain = game.walk(), load(name, players, "interpreter").walk()
    assert type(native) is not type(plain)
    rng = Generator(7)
    data = game.start(3).to_bytes()
    kinds = set()
    for walk in (native, plain):
        walk.begin(data)
        walk.luck = LUCK
    for _ in range(steps):
        assert native.data() == plain.data()
        assert native.turn == plain.turn
        if native.turn == OVER_TURN:
            break
        assert (native.sealed, native.block) == (plain.sealed, plain.block)
        if native.turn == CHANCE_TURN:
            kinds.add("chance")
            assert native.let_happen() == plain.let_happen()
            continue
        if native.sealed:
            kinds.add("sealed")
            assert native.waiting() == plain.waiting()
            player = native.waiting()[rng.bounded(len(native.waiting()))]
            native.ask(player)
            plain.ask(player)
        assert native.count() == plain.count() > 0
        assert native.choices() == plain.choices()
        number = rng.bounded(native.count())
        native.choose(number)
        plain.choose(number)
    assert native.playout(10_000) and plain.playout(10_000)
    assert native.luck == plain.luck != LUCK
    assert [list(x) for x in native.standings()] == [list(x) for x in plain.standings()]
    assert list(native.returns()) == list(plain.returns())
    assert list(native.heuristics()) == list(plain.heuristics())
    assert expected <= kinds
