"""Definitions as games of OpenSpiel: its own tests pass, and its algorithms find what is published."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import played
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability, gambit, mcts, minimax
from open_spiel.python.observation import make_observation

from ludex.adapters import openspiel
from ludex.adapters.openspiel import LudexGame, LudexState
from ludex.adapters.utility import Worth
from ludex.game.faults import RuleFault
from ludex.rng import CHANCE, POLICY, Generator

Type = pyspiel.GameType

SEALED = """
ludex: 1
game: two_sealed
title: Rock, paper and scissors for as much as one dares
players: 2
types: {hand: [rock, paper, scissors]}
state:
  shown: {per: player, type: optional hand, visible: owner}
  stake: {per: player, type: 0..2, visible: owner}
define:
  beats(hand a, hand b): (a.number - b.number) mod 3 == 1
  better(player p, player q): "beats(the(shown(p)), the(shown(q)))"
phases:
  play:
    do:
      both choose: |
        secretly ask players:
          choose h in hand:
            shown(me) = h
          act dare
actions:
  dare: {choose: {n: 1..2}, do: {so much: stake(me) = n}}
payoff: |
  (if better(me, opponent(me)) then 1 elif better(opponent(me), me) then -1 else 0)
  * min(stake(player(1)), stake(player(2)))
"""
"""Two decisions each in one sealed choice. To mix all three hands evenly is the only equilibrium, worth 0."""


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> LudexGame:
    path = tmp_path_factory.mktemp("definitions") / "game.yaml"
    path.write_text(SEALED, encoding="utf-8")
    return openspiel.load(str(path))


@cache
def game(name: str, players: int = 2, **parameters: Any) -> LudexGame:
    return openspiel.load(name, players=players, **parameters)


def states(root: LudexState) -> Iterator[LudexState]:
    """All histories of a game, the last decided first."""
    yield root
    for action in root.legal_actions():
        yield from states(root.child(action))


# -------------------------------------------------------------------------------- OpenSpiel's own tests


@pytest.mark.parametrize(
    ("name", "players", "games"),
    [
        ("kuhn_poker", 2, 5),
        ("kuhn_poker", 3, 3),
        ("leduc_poker", 2, 5),
        ("tic_tac_toe", 2, 3),
        ("connect_four", 2, 1),
        ("backgammon", 2, 1),
        ("seven_tiles", 2, 1),
    ],
)
def test_random_simulation(name: str, players: int, games: int) -> None:
    long = name in ("backgammon", "seven_tiles")
    found = game(name, players, max_length=30) if long else game(name, players)
    pyspiel.random_sim_test(found, games, True, False)


def test_random_simulation_of_sealed_choices(sealed: LudexGame) -> None:
    pyspiel.random_sim_test(sealed, 5, True, False)


@pytest.mark.parametrize(("name", "players"), [("kuhn_poker", 2), ("leduc_poker", 2), ("tic_tac_toe", 2)])
def test_api(name: str, players: int) -> None:
    """`sim_game` of OpenSpiel's `games_sim_test`, which all its games must pass."""
    from open_spiel.python.tests import games_sim_test

    games_sim_test.GamesSimTest().sim_game(game(name, players))


@pytest.mark.long
@pytest.mark.parametrize(("name", "players"), [("emerald", 2), ("emerald", 4), ("mekong", 3), ("chess", 2)])
def test_random_simulation_of_large_games(name: str, players: int) -> None:
    pyspiel.random_sim_test(game(name, players, max_length=60), 1, True, False)


# --------------------------------------------------------------------------------- what is published


def solved(found: LudexGame, iterations: int) -> tuple[float, float]:
    """The value for the first player of what CFR+ finds in so many rounds, and how far from the value of
    the game it may be (what both together could gain). The tree is walked in Python once, and then
    solved by OpenSpiel in C++."""
    tree = pyspiel.load_efg_game(gambit.export_gambit(found))
    solver = pyspiel.CFRPlusSolver(tree)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    value = pyspiel.expected_returns(tree.new_initial_state(), average, -1, True)[0]
    return value, 2 * pyspiel.exploitability(tree, average)


def test_kuhn_poker_is_worth_minus_an_eighteenth() -> None:
    """H. W. Kuhn, A Simplified Two-Person Poker (1950): the first player loses 1/18 a game."""
    value, within = solved(game("kuhn_poker"), 1000)
    assert within < 1e-3
    assert abs(value + 1 / 18) <= within


def test_leduc_poker_is_worth_what_openspiel_says() -> None:
    """-0.085606424078 for the first player: OpenSpiel's test of its linear program."""
    value, within = solved(game("leduc_poker"), 300)
    assert within < 6e-3
    assert abs(value + 0.085606424078) <= within


def test_information_states_of_leduc_poker() -> None:
    """288 where cards of a rank are alike, as is said wherever algorithms are measured by it."""
    root = game("leduc_poker").new_initial_state()
    found = {s.information_state_string() for s in states(root) if s.is_player_node()}
    assert len(found) == 288


@pytest.mark.parametrize(("name", "theirs"), [("kuhn_poker", "kuhn_poker"), ("leduc_poker", "leduc_poker")])
def test_the_uniform_policy_is_as_exploitable_as_in_their_game(name: str, theirs: str) -> None:
    """What only fits if returns, chances and information states are all right."""
    other = pyspiel.load_game(theirs)
    expected = pyspiel.exploitability(other, pyspiel.UniformRandomPolicy(other))
    if name == "kuhn_poker":
        found = exploitability.exploitability(game(name), policy.UniformRandomPolicy(game(name)))
    else:
        tree = pyspiel.load_efg_game(gambit.export_gambit(game(name)))
        found = pyspiel.exploitability(tree, pyspiel.UniformRandomPolicy(tree))
    assert found == pytest.approx(expected, abs=1e-9)


# --------------------------------------------------------------------------------------- algorithms


def test_cfr_runs_in_python_as_well() -> None:
    solver = cfr.CFRSolver(game("kuhn_poker"))
    for _ in range(60):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    assert exploitability.nash_conv(game("kuhn_poker"), average) < 0.05
    returns = expected_game_score.policy_value(game("kuhn_poker").new_initial_state(), [average] * 2)
    assert returns == pytest.approx([-1 / 18, 1 / 18], abs=0.02)


def test_cfr_mixes_sealed_choices_evenly(sealed: LudexGame) -> None:
    """Whoever chose second and knew what the first has chosen would win every game."""
    solver = cfr.CFRPlusSolver(sealed)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    assert exploitability.exploitability(sealed, average) < 0.03
    state = sealed.new_initial_state()
    for first in (0, 1):
        chances = average.action_probabilities(state, first)
        assert list(chances.values()) == pytest.approx([1 / 3] * 3, abs=0.05)
        state.apply_action(state.legal_actions()[0])
        state.apply_action(state.legal_actions()[0])


def test_mcts_takes_what_wins_and_prevents_what_loses() -> None:
    found = game("tic_tac_toe")
    rng = np.random.RandomState(3)
    evaluator = mcts.RandomRolloutEvaluator(2, rng)
    for moves, best in (((4, 0, 3, 1), {2, 5}), ((0, 4, 8, 1), {7})):  # win at once; stop the column
        state = found.new_initial_state()
        for move in moves:
            state.apply_action(move)
        bot = mcts.MCTSBot(found, 2, 400, evaluator, solve=True, random_state=rng)
        assert bot.step(state) in best


def test_minimax_finds_that_tic_tac_toe_is_a_tie() -> None:
    state = game("tic_tac_toe").new_initial_state()
    state.apply_action(0)  # any first move will do
    value, _ = minimax.alpha_beta_search(game("tic_tac_toe"), state=state, maximizing_player_id=1)
    assert value == 0


# ------------------------------------------------------------------------------- information states


def test_information_states_recall_everything(sealed: LudexGame) -> None:
    """Equal information states have the same legal actions, and the same own past: what the player knew at
    each of his decisions, and what he chose there. Equal texts are equal numbers, and only those."""
    for found in (game("kuhn_poker"), sealed):
        walk = Walk(found.num_players())
        walk.visit(found.new_initial_state(), ((),) * found.num_players())
        for texts in walk.numbers:
            assert len(set(texts.values())) == len(texts) > 3


class Walk:
    """Through all of a game: for each player and information state what goes with it."""

    def __init__(self, players: int) -> None:
        self.known: list[dict[str, Any]] = [{} for _ in range(players)]
        self.numbers: list[dict[str, bytes]] = [{} for _ in range(players)]

    def visit(self, state: LudexState, past: tuple[tuple[Any, ...], ...]) -> None:
        for player, own in enumerate(past):
            text = state.information_state_string(player)
            legal = state.legal_actions(player) if state.current_player() == player else []
            assert self.known[player].setdefault(text, (legal, own)) == (legal, own)
            tensor = np.array(state.information_state_tensor(player), np.float32).tobytes()
            assert self.numbers[player].setdefault(text, tensor) == tensor
        for action in state.legal_actions():
            player, then = state.current_player(), past
            if player >= 0:
                step = (state.information_state_string(), action)
                then = (*past[:player], (*past[player], step), *past[player + 1 :])
            self.visit(state.child(action), then)


def test_nobody_is_told_a_sealed_choice(sealed: LudexGame) -> None:
    seen: set[tuple[str, str, bytes]] = set()
    for hand in range(3):
        for dare in range(2):
            state = sealed.new_initial_state()
            state.apply_action(state.legal_actions()[hand])
            state.apply_action(state.legal_actions()[dare])
            assert state.current_player() == 1
            tensor = np.array(state.observation_tensor(1) + state.information_state_tensor(1)).tobytes()
            seen.add((state.information_state_string(1), state.observation_string(1), tensor))
    assert len(seen) == 1


def test_observers_have_parts_by_name() -> None:
    observer = make_observation(game("leduc_poker"))
    state = game("leduc_poker").new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    observer.set_from(state, 0)
    assert observer.dict["own things"].sum() == 1  # a card in the hand
    assert observer.dict["seat"].tolist() == [1, 0, 1, 0]  # it is the first player, and he decides
    assert observer.tensor.tolist() == state.observation_tensor(0)


# -------------------------------------------------------------------------------- games and parameters


def test_what_kind_of_game_it_is() -> None:
    kuhn, board, dice = (game(n).get_type() for n in ("kuhn_poker", "connect_four", "backgammon"))
    assert kuhn.dynamics == board.dynamics == Type.Dynamics.SEQUENTIAL
    assert kuhn.information == Type.Information.IMPERFECT_INFORMATION
    assert board.information == dice.information == Type.Information.PERFECT_INFORMATION
    assert kuhn.chance_mode == dice.chance_mode == Type.ChanceMode.EXPLICIT_STOCHASTIC
    assert board.chance_mode == Type.ChanceMode.DETERMINISTIC
    assert kuhn.utility == board.utility == Type.Utility.ZERO_SUM
    assert (kuhn.min_num_players, kuhn.max_num_players) == (2, 10)


def test_small_games_are_measured() -> None:
    """Nine cells; three bets at most and two chips to lose; 13 chips in Leduc poker."""
    assert game("tic_tac_toe").max_game_length() == 9
    kuhn, leduc = game("kuhn_poker"), game("leduc_poker")
    assert (kuhn.max_game_length(), kuhn.min_utility(), kuhn.max_utility()) == (3, -2, 2)
    assert (leduc.min_utility(), leduc.max_utility()) == (-13, 13)
    assert kuhn.num_distinct_actions() == 3  # pass, bet, fold


def test_parameters_are_players_and_options() -> None:
    name = openspiel.register("kuhn_poker")
    assert name == "ludex_kuhn_poker"
    found = pyspiel.load_game("ludex_kuhn_poker(players=3,bet_size=2)")
    assert found.num_players() == 3
    assert found.max_utility() == 2 * 3  # two who lose an ante and a bet of two
    assert pyspiel.load_game(name).num_players() == 2
    with pytest.raises(pyspiel.SpielError):
        pyspiel.load_game("ludex_kuhn_poker(stakes=3)")
    with pytest.raises(ValueError, match="no option `stakes`"):
        openspiel.load("kuhn_poker", options={"stakes": 3})


def test_a_game_with_a_rule_that_fails_is_not_measured(sealed: LudexGame, tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    text = SEALED.replace("two_sealed", "failing").replace("* min(", "div (min(") + "   - 1)"
    path.write_text(text, encoding="utf-8")
    assert sealed.max_game_length() == 4
    found = openspiel.load(str(path))
    assert found.max_game_length() > 4
    state = found.new_initial_state()
    for action in (0, 3, 0, 3):
        state.apply_action(action)
    with pytest.raises(RuleFault, match="division by zero"):
        state.returns()


def test_utilities() -> None:
    found = played.table(str(played.SKETCHES / "goofspiel.yaml")).game
    for seed in range(100):
        words = found.fastest.start()
        found.fastest.playout(words, Generator(seed, CHANCE), Generator(seed, POLICY), 10_000)
        state = found.from_bytes(found.fastest.pack(words))
        ranks, scores = list(state.ranking.values()), [s or 0 for s in state.scores.totals]
        names = ("win", "rank", "score", "auto")
        worth = {name: Worth(found, name).of(found.fastest, words) for name in names}
        assert worth["win"] == worth["auto"]
        assert worth["score"] == [s - (sum(scores) - s) / 2 for s in scores]
        if sorted(ranks) == [1, 2, 3]:
            assert [worth["win"][ranks.index(r)] for r in (1, 2, 3)] == [1, -0.5, -0.5]
            assert [worth["rank"][ranks.index(r)] for r in (1, 2, 3)] == [1, 0, -1]
        elif sorted(ranks) == [1, 1, 3]:
            assert sorted(worth["win"]) == [-0.5, 0.25, 0.25]
            assert sorted(worth["rank"]) == [-1, 0.5, 0.5]
            return
    raise AssertionError("no two have shared the first place: take more seeds")


def test_a_utility_that_there_is_not_is_refused() -> None:
    found = played.table("emerald").game
    with pytest.raises(ValueError, match="no `payoff`"):
        Worth(found, "payoff")
    with pytest.raises(ValueError, match="no utility `most`"):
        Worth(found, "most")


def test_a_game_that_lasts_too_long_is_a_tie() -> None:
    state = game("connect_four", max_length=5).new_initial_state()
    for column in (0, 1, 0, 1):
        state.apply_action(column)
    assert not state.is_terminal()
    state.apply_action(0)
    assert state.is_terminal() and state.returns() == [0, 0] and state.legal_actions() == []


LATE = """
ludex: 1
game: late
title: Each does what is to be done, and then a coin is tossed
players: 2
state: {done: {type: 0..2}, coin: {type: 0..2}}
phases:
  play: {turns: clockwise from player(1), rounds: 1, do: {go: act go}}
  toss: {do: {toss it: coin = random side in 1..2}}
actions:
  go: {do: {it is done: done += 1}}
payoff: "if me == player(1) then 2 * coin - 3 else 3 - 2 * coin"
"""


def test_what_chance_does_after_the_last_decision_counts(tmp_path: Path) -> None:
    path = tmp_path / "late.yaml"
    path.write_text(LATE, encoding="utf-8")
    found = openspiel.load(str(path))
    assert found.max_game_length() == 2
    state = found.new_initial_state()
    for _ in range(2):
        state.apply_action(0)
    assert state.is_chance_node() and not state.is_terminal()
    ends = [state.child(outcome) for outcome, _ in state.chance_outcomes()]
    assert all(end.is_terminal() for end in ends)
    assert [end.returns() for end in ends] == [[-1, 1], [1, -1]]
    pyspiel.random_sim_test(found, 3, True, False)


def test_without_a_number_as_many_play_as_usual(tmp_path: Path) -> None:
    path = tmp_path / "usual.yaml"
    path.write_text(LATE.replace("late", "usual", 1).replace("players: 2", "players: 2..4, usually 3"))
    name = openspiel.register(str(path))
    assert pyspiel.load_game(name).num_players() == 3
    assert pyspiel.load_game(f"{name}(players=4)").num_players() == 4


def test_copies_go_their_own_ways() -> None:
    state = game("tic_tac_toe").new_initial_state()
    twin = state.clone()
    twin.apply_action(4)
    assert state.history() == [] and twin.history() == [4]
    assert state.legal_actions() == list(range(9))
    assert twin.action_to_string(1, 0) == "write(a1)"


def test_states_are_saved_by_what_was_played() -> None:
    state = game("leduc_poker").new_initial_state()
    for _ in range(4):
        state.apply_action(state.legal_actions()[-1])
    saved = game("leduc_poker").deserialize_state(state.serialize())
    for again in (pickle.loads(pickle.dumps(state)), saved):
        assert again.history() == state.history() and str(again) == str(state)
        assert again.information_state_string(0) == state.information_state_string(0)


def test_another_definition_of_the_name_is_refused(tmp_path: Path) -> None:
    openspiel.register("kuhn_poker")
    path = tmp_path / "game.yaml"
    path.write_text(SEALED.replace("two_sealed", "kuhn_poker"), encoding="utf-8")
    with pytest.raises(ValueError, match="another definition"):
        openspiel.register(str(path))
    assert openspiel.register(str(path), name="mine") == "mine"


def test_what_to_install_is_said() -> None:
    script = "import sys; sys.modules['pyspiel'] = None\nimport ludex.adapters.openspiel"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "pip install 'ludex[openspiel]'" in done.stderr.splitlines()[-1]


def test_positions_are_the_same_as_those_of_the_api() -> None:
    state, rng = game("emerald", 2).new_initial_state(), np.random.RandomState(1)
    for _ in range(20):
        state.apply_action(int(rng.choice(state.legal_actions())))
        assert state.ludex_state.to_bytes() == played.table("emerald", 2).machine.pack(state.at.words)
