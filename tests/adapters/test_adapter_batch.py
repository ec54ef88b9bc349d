"""Games that are played together are those that the API plays one by one."""

from __future__ import annotations

import numpy as np
import played
import pytest

from ludex.adapters.batch import BatchEnv, _Native, _Positions
from ludex.adapters.position import Position
from ludex.rng import CHANCE, POLICY, Generator, derive

NAMES = ["connect_four", "leduc_poker", "emerald", "backgammon", str(played.SKETCHES / "goofspiel.yaml")]


@pytest.mark.parametrize("name", NAMES, ids=played.short)
def test_games_together_are_those_one_by_one(name: str) -> None:
    table, games, rng = played.table(name), 5, Generator(1, POLICY)
    env = BatchEnv(table, games=games, seed=7)
    assert isinstance(env._games, _Positions if "goofspiel" in name else _Native)
    chances = [Generator(derive(7, i), CHANCE) for i in range(games)]
    twins: list[Position] = [table.begin(derive(7, i), chances[i]) for i in range(games)]
    begun = games
    for _ in range(30):
        observations, masks = env.observe()
        actions = []
        for i, twin in enumerate(twins):
            seat = twin.deciding[0]
            assert env.players[i] == seat
            assert np.array_equal(observations[i], twin.numbers(seat))
            legal = np.flatnonzero(masks[i]).tolist()
            assert legal == sorted(twin.legal(seat))
            actions.append(legal[rng.bounded(len(legal))])
        rewards, over = env.step(actions)
        for i, twin in enumerate(twins):
            twins[i] = after = twin.after(actions[i], twin.deciding[0], chances[i])
            assert over[i] == after.is_over
            if after.is_over:
                worth = env._worth.of(table.machine, after.words)
                assert rewards[i].tolist() == pytest.approx(worth)
                chances[i] = Generator(derive(7, begun), CHANCE)
                twins[i] = table.begin(derive(7, begun), chances[i])
                begun += 1
            else:
                assert not rewards[i].any()
            assert env.state(i).to_bytes() == table.machine.pack(twins[i].words)
    assert env.begun == begun
    assert (begun > games) == (name in ("connect_four", "leduc_poker")), "of these some are over by now"


def test_an_illegal_action_is_refused_and_nothing_played() -> None:
    env = BatchEnv(played.table("connect_four"), games=3)
    before = [env.state(i).to_bytes() for i in range(3)]
    with pytest.raises(ValueError, match="action 7 is not legal in game 1"):
        env.step([0, 7, 0])
    with pytest.raises(ValueError, match="3 games, and 2 actions"):
        env.step([0, 0])
    assert [env.state(i).to_bytes() for i in range(3)] == before
