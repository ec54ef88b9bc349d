"""States stepped together are those that are stepped one by one through the API."""

from __future__ import annotations

import pytest
from every_game import SKETCHES, Case

from ludex import pipeline
from ludex.backends.wasm.batch import NOTHING, Batch
from ludex.backends.wasm.machine import Compiled
from ludex.game import DefinitionInfo, Game, RuleFault, State
from ludex.rng import Generator

CASES = [
    Case("emerald", (), 3),
    Case("todas_tablas"),
    Case("connect_four"),
    *(Case(str(SKETCHES / f"{name}.yaml"), (), n) for name, n in (("hearts", 4), ("goofspiel", 3))),
]


def seat(state: State) -> int:
    return state.game.players.index(state.deciding[0]) if state.deciding else -1


def legal(state: State) -> int:
    return len(state.legal_actions(state.deciding[0])) if state.deciding else 0


@pytest.mark.parametrize("case", CASES, ids=str)
def test_steps_are_those_of_the_api(case: Case) -> None:
    game = case.load()
    seeds = [3, -1, 1 << 40]
    batch = Batch(Compiled(game.program), seeds)
    states = [game.start(seed) for seed in seeds]
    rng = Generator(8)
    for _ in range(25):
        assert [batch.state(i) for i in range(len(batch))] == [s.to_bytes() for s in states]
        assert list(batch.options) == [legal(s) for s in states]
        assert list(batch.players) == [seat(s) for s in states]
        actions = [rng.bounded(n) if n else NOTHING for n in batch.options]
        batch.step(actions)
        for i, (state, k) in enumerate(zip(states, actions, strict=True)):
            if k != NOTHING:
                player = state.deciding[0]
                states[i] = state.apply(state.legal_actions(player)[k], player)


def test_games_come_to_their_end_in_parts_larger_than_the_module_has_room_for() -> None:
    game = pipeline.load("tic_tac_toe")
    compiled = Compiled(game.program)
    count = 2 * compiled.plan.state_count + 7
    batch, rng = Batch(compiled, range(count)), Generator(1)
    steps = 0
    while any(batch.options):
        batch.step([rng.bounded(n) if n else NOTHING for n in batch.options])
        steps += 1
    assert steps == 9
    for i in (0, count // 2, count - 1):
        state = game.from_bytes(batch.state(i))
        assert state.is_terminal and sum(state.returns.values()) == 1


def test_nothing_leaves_a_state_as_it_is() -> None:
    batch = Batch(Compiled(pipeline.load("connect_four").program), [1, 2])
    before = batch.state(1)
    batch.step([3, NOTHING])
    assert batch.state(1) == before != batch.state(0)
    assert list(batch.players) == [1, 0]


@pytest.mark.parametrize("actions", [[7, 0], [-2, 0], [0], [0, 0, 0]])
def test_what_cannot_be_played_is_refused_before_anything_is(actions: list[int]) -> None:
    batch = Batch(Compiled(pipeline.load("connect_four").program), [1, 2])
    before = [batch.state(0), batch.state(1)]
    with pytest.raises(ValueError, match=r"legal actions|states"):
        batch.step(actions)
    assert [batch.state(0), batch.state(1)] == before


RISKY = """ludex: 1
game: g
title: G
players: 2
state:
  n: {type: 0..9}
actions:
  add:
    choose: {k: 1..5}
    do: {it grows: n += k}
phases:
  play:
    turns: clockwise from player(1)
    do: {one: act add}
"""


def made(text: str) -> Game:
    return pipeline.load_saved(DefinitionInfo("g", "G", (), (), 2, (("g.yaml", text),), ""))


def test_a_fault_stays_with_its_state() -> None:
    game = made(RISKY)
    batch = Batch(Compiled(game.program), [1, 2, 3])
    batch.step([4, 0, 4])
    before = batch.state(0)
    batch.step([4, 0, 3])  # 5 + 5 is more than 9
    assert {i: fault.kind for i, fault in batch.faults.items()} == {0: "range"}
    assert game.rules[batch.faults[0].rule].name == "it grows"
    assert batch.state(0) == before
    assert list(batch.options) == [0, 5, 5] and list(batch.players) == [-1, 0, 0]
    batch.step([NOTHING, 4, 0])
    assert list(batch.faults) == [0, 2]
    with pytest.raises(RuleFault, match="it grows"):
        game.from_bytes(before).apply("add(5)")
