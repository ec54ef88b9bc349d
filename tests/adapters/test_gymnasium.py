"""Definitions as environments of Gymnasium: its checker passes, and the bots play as they do elsewhere."""

from __future__ import annotations

import warnings
from pathlib import Path

import gymnasium
import numpy as np
import played
import pytest
from gymnasium.utils.env_checker import check_env

import ludex
from ludex.adapters.gymnasium import LudexEnv
from ludex.bots import Bot, PlayerView, RandomBot, make_bot
from ludex.bots.catalogue import BadBot
from ludex.game import Action
from ludex.game.faults import RuleFault
from ludex.rng import Generator

GAMES = ["tic_tac_toe", "connect_four", "leduc_poker", "backgammon", "seven_tiles", "emerald", "mekong"]


@pytest.mark.parametrize("name", GAMES)
def test_the_checker_has_nothing_to_say(name: str) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        check_env(LudexEnv(played.table(name)))
    said = [str(w.message) for w in found if "due to the environment not having a spec" not in str(w.message)]
    assert not said, said


def finished(env: LudexEnv, seed: int) -> tuple[list[int], float]:
    """Plays a game to its end, always the first legal action; the actions and the last reward."""
    observation, _ = env.reset(seed=seed)
    actions: list[int] = []
    while True:
        assert env.observation_space.contains(observation)
        actions.append(int(np.flatnonzero(observation["action_mask"])[0]))
        observation, reward, terminated, truncated, info = env.step(actions[-1])
        assert not truncated and info == {}
        if terminated:
            return actions, reward
        assert reward == 0


class First:
    """The bot that always takes the lowest number, as `finished` does."""

    def __init__(self, env: LudexEnv) -> None:
        self._env = env

    def choose(self, view: PlayerView) -> Action:
        position = self._env._at
        seat = view.seat
        number = min(position.legal(seat))
        return next(a for a in view.actions if a.choice == position.legal(seat)[number])


@pytest.mark.parametrize(("name", "players", "seat"), [("emerald", 3, 1), ("backgammon", 2, 0)])
def test_it_is_the_game_that_the_bots_play_elsewhere(name: str, players: int, seat: int) -> None:
    """The same seed and bots, by way of the API: the same actions, the same result."""
    env = LudexEnv(name, players=players, seat=seat)
    actions, reward = finished(env, seed=6)
    game = ludex.load(name, players=players)
    state, own = game.start(6), 0
    bots = [make_bot("random", 6, s) for s in range(players)]
    while not state.is_terminal:
        (player,) = state.deciding
        if player == game.players[seat]:
            text = env.table.actions.text(actions[own])
            state = state.apply(next(a for a in state.legal_actions() if a.text.startswith(text.rstrip(")"))))
            own += 1
        else:
            state = state.apply(bots[game.players.index(player)].choose(PlayerView(state, player)), player)
    assert own == len(actions)
    assert env.ludex_state.to_bytes() == state.to_bytes()
    assert (reward > 0) == (state.ranking[game.players[seat]] == 1)


def test_bots_of_ones_own() -> None:
    made: list[tuple[int, int]] = []

    def opponent(seed: int, seat: int) -> Bot:
        made.append((seed, seat))
        return RandomBot(Generator(seed))

    env = LudexEnv("emerald", players=3, seat="player_2", opponents=[opponent, "random"])
    made.clear()
    env.reset(seed=11)
    assert made == [(11, 0)] and env.seat == 1


def test_a_bot_that_thinks_wins_more_often() -> None:
    env = LudexEnv("tic_tac_toe", opponents="mc:60")
    assert sum(finished(env, seed)[1] for seed in range(6)) < 0


def test_a_bot_that_there_is_not_is_refused() -> None:
    with pytest.raises(BadBot, match="no bot `genius`"):
        LudexEnv("tic_tac_toe", opponents="genius")
    with pytest.raises(ValueError, match="2 opponents, and 1 bots"):
        LudexEnv("emerald", players=3, opponents=["random"])


def test_an_illegal_action_ends_the_game() -> None:
    env = LudexEnv("tic_tac_toe")
    env.reset(seed=1)
    env.step(0)
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated, info) == (-1.0, True, False, {"illegal": True})


def test_a_game_that_lasts_too_long_is_truncated() -> None:
    env = LudexEnv("connect_four", max_length=4)
    env.reset(seed=1)
    assert env.step(0)[2:4] == (False, False)
    assert env.step(0)[2:4] == (False, True)


IDLE = """
ludex: 1
game: idle
title: Only the first decides
players: 2
state: {n: {type: 0..9}}
phases:
  play:
    turns: clockwise from player(1)
    rounds: 1
    do: {go: "if me == player(1):\\n  act go"}
actions:
  go: {do: {it is done: n += 1}}
payoff: 6 div (n - 1)
"""


def test_what_goes_wrong_in_the_rules_is_said(tmp_path: Path) -> None:
    path = tmp_path / "idle.yaml"
    path.write_text(IDLE, encoding="utf-8")
    env = LudexEnv(str(path), seat=0)
    env.reset(seed=1)
    with pytest.raises(RuleFault, match="division by zero"):
        env.step(0)
    path.write_text(IDLE.replace("n - 1", "n + 1"), encoding="utf-8")
    with pytest.raises(ValueError, match="nothing for player_2 to decide"):
        LudexEnv(str(path), seat=1).reset(seed=1)


def test_it_must_be_reset_first() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded):
        LudexEnv("tic_tac_toe").step(0)


def test_it_can_be_read() -> None:
    env = LudexEnv("connect_four", render_mode="ansi")
    env.reset(seed=1)
    env.step(3)
    assert "disc(yellow) at d1" in str(env.render())
