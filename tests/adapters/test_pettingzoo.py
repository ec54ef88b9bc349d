"""Definitions as environments of PettingZoo: its own tests pass, and what it gives is what is played."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import played
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import ludex
from ludex.adapters import pettingzoo

GAMES = ["tic_tac_toe", "connect_four", "leduc_poker", "backgammon", "seven_tiles", "emerald", "mekong"]

KNOWN = (
    "Observation space for each agent probably should be",
    "Observation is not a NumPy array",
    "We recommend agents to be named",
)
"""What `api_test` says of every environment with a mask of actions but those of PettingZoo, which it knows by
name; and that seats are called `white` in some games."""


@contextmanager
def without_warnings() -> Iterator[None]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    said = [str(w.message) for w in found if not str(w.message).startswith(KNOWN)]
    assert not said, said


@pytest.mark.parametrize("name", GAMES)
def test_api_and_seeds_one_after_another(name: str) -> None:
    table = played.table(name)
    with without_warnings():
        api_test(pettingzoo.env(table), num_cycles=30)
        seed_test(lambda: pettingzoo.env(table), num_cycles=20)


@pytest.mark.parametrize("name", GAMES)
def test_api_and_seeds_all_at_once(name: str) -> None:
    table = played.table(name)
    with without_warnings():
        parallel_api_test(pettingzoo.parallel_env(table), num_cycles=30)
        parallel_seed_test(lambda: pettingzoo.parallel_env(table), num_cycles=20)


def test_a_game_is_that_of_its_seed() -> None:
    """What is played here and by the API, with the same seed and actions, is the same game."""
    env, rng = pettingzoo.raw_env("emerald", players=3), np.random.default_rng(2)
    env.reset(seed=9)
    state = ludex.load("emerald", players=3).start(9)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        rewards[agent] = reward
        if terminated or truncated:
            env.step(None)
            continue
        assert state.deciding == (agent,)
        legal = np.flatnonzero(observation["action_mask"])
        assert len(legal) == len(state.legal_actions())
        action = int(rng.choice(legal))
        text = env.table.actions.text(action)
        state = state.apply(next(a for a in state.legal_actions() if a.text.startswith(text.rstrip(")"))))
        env.step(action)
        if env.agents and not any(env.terminations.values()):
            assert env.ludex_state.to_bytes() == state.to_bytes()
    assert state.is_terminal
    winners = [p for p, rank in state.ranking.items() if rank == 1]
    assert {a for a, r in rewards.items() if r > 0} == set(winners)
    assert sum(rewards.values()) == pytest.approx(0)


def test_masks_are_of_those_who_decide() -> None:
    env = pettingzoo.raw_env("connect_four")
    env.reset(seed=1)
    first, second = env.agents
    assert env.agent_selection == first
    assert env.observe(first)["action_mask"].tolist() == [1] * 7
    assert env.observe(second)["action_mask"].tolist() == [0] * 7


def test_in_sealed_choices_all_decide_in_one_step() -> None:
    env = pettingzoo.parallel_env(str(played.SKETCHES / "goofspiel.yaml"), players=3)
    observations, _ = env.reset(seed=4)
    assert all(seen["action_mask"][env.wait] == 0 for seen in observations.values())
    env.step({agent: int(np.flatnonzero(o["action_mask"])[0]) for agent, o in observations.items()})
    assert env.ludex_state.observation(None).round_number == 2


def test_those_who_wait_can_do_nothing_else() -> None:
    env = pettingzoo.parallel_env("connect_four")
    observations, _ = env.reset(seed=4)
    first, second = env.agents
    assert np.flatnonzero(observations[second]["action_mask"]).tolist() == [env.wait] == [7]
    _, rewards, ended, _, _ = env.step({first: 0, second: 3})
    assert rewards == {first: 0.0, second: -1.0} and all(ended.values()) and not env.agents


def test_an_illegal_action() -> None:
    raw = pettingzoo.raw_env("tic_tac_toe")
    raw.reset(seed=1)
    raw.step(4)
    with pytest.raises(ValueError, match="not legal"):
        raw.step(4)
    env = pettingzoo.env("tic_tac_toe")
    env.reset(seed=1)
    env.step(4)
    env.step(4)
    assert all(env.terminations.values()) and sorted(env.rewards.values()) == [-1, 0]


def test_a_game_that_lasts_too_long_is_truncated() -> None:
    env = pettingzoo.raw_env("connect_four", max_length=3)
    env.reset(seed=1)
    for action in (0, 1, 0):
        assert not any(env.truncations.values())
        env.step(action)
    assert all(env.truncations.values()) and not any(env.terminations.values())
    env = pettingzoo.parallel_env("connect_four", max_length=1)
    env.reset(seed=1)
    _, _, ended, given_up, _ = env.step({"yellow": 0, "red": env.wait})
    assert all(given_up.values()) and not any(ended.values())


def test_it_can_be_read() -> None:
    env = pettingzoo.raw_env("connect_four", render_mode="ansi")
    env.reset(seed=1)
    env.step(3)
    assert "disc(yellow) at d1" in env.render()


def test_what_to_install_is_said() -> None:
    script = """
import importlib, sys
for module in ("pettingzoo", "gymnasium", "numpy"):
    sys.modules[module] = None
for name in ("pettingzoo", "gymnasium", "batch"):
    try:
        importlib.import_module(f"ludex.adapters.{name}")
    except ImportError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    said = done.stdout.splitlines()
    assert len(said) == 3 and all("pip install 'ludex[pettingzoo]'" in line for line in said), said
