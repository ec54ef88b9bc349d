"""What a tree search must find, by the rules and by published theory; and what it may know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice, permutations
from math import sqrt
from statistics import pvariance

import pytest

from ludex.bots import BadBot, PlayerView, make_bot, normal_form
from ludex.bots import tree as search_tree
from ludex.bots.ends import Ends
from ludex.game import Game, State
from ludex.rng import Generator

BOTS = ("random", "mc:12", "mcts:12")

Load = Callable[..., Game]


def chosen(bot: str, state: State, seed: int = 1) -> str:
    (player,) = state.deciding[:1]
    return make_bot(bot, seed, state.game.players.index(player)).choose(PlayerView(state, player)).text


def after(state: State, *actions: str) -> State:
    for action in actions:
        state = state.apply(action)
    return state


@pytest.mark.parametrize("seed", range(3))
def test_it_wins_at_once_where_it_can(load: Load, seed: int) -> None:
    state = after(load("connect_four").start(), *["drop(1)", "drop(7)"] * 3)
    assert chosen("mcts:200", state, seed) == "drop(1)"


@pytest.mark.parametrize("seed", range(3))
def test_it_stops_a_line_of_three(load: Load, seed: int) -> None:
    state = after(load("connect_four").start(), "drop(1)", "drop(7)", "drop(1)", "drop(7)", "drop(1)")
    assert chosen("mcts:400", state, seed) == "drop(1)"


def test_tic_tac_toe_is_a_draw(load: Load) -> None:
    state = load("tic_tac_toe").start()
    while not state.is_terminal:
        state = state.apply(chosen("mcts:2000", state))
    assert set(state.ranking.values()) == {1}


def kuhn(load: Load, card: str, facing: str | None = None) -> Iterator[State]:
    """Positions of Kuhn poker where who is to decide has a card; a bet was made before, or nothing."""
    game = load("kuhn_poker", 2)
    for seed in range(40):
        state = game.start(seed)
        if facing is not None:
            state = state.apply(facing)
        (player,) = state.deciding
        hand = state.observation(player).place(f"hand({player})").things
        if card in hand[0]:
            yield state


def test_poker_without_dominated_play(load: Load) -> None:
    """Kuhn (1950), page 99: with the lowest card one never calls a bet, with the highest always."""
    for rank, action in (("jack", "fold"), ("king", "bet")):
        states = list(islice(kuhn(load, rank, "bet"), 3))
        assert len(states) == 3
        for state in states:
            assert chosen("mcts:200", state) == action


@pytest.mark.parametrize("bot", BOTS)
def test_what_another_holds_makes_no_difference(load: Load, bot: str) -> None:
    """Two deals in which the player has the same card, the other another: one history to him, one action."""
    for card in ("jack", "queen", "king"):
        by_truth: dict[bytes, State] = {}
        for state in kuhn(load, card):
            by_truth.setdefault(state.to_bytes(), state)
        states = list(by_truth.values())
        (player,) = states[0].deciding
        assert len(states) > 1
        assert len({s.information_state(player) for s in states}) == 1
        for seed in range(4):
            assert len({chosen(bot, s, seed) for s in states}) == 1


@pytest.mark.parametrize("bot", BOTS)
def test_sealed_choices_of_others_make_no_difference(load: Load, bot: str) -> None:
    """Player 2 has chosen; what it was, player 1 does not know."""
    start = load("goofspiel", 2).start(4)
    me, other = start.game.players
    states = [start.apply(start.legal_actions(other)[i], other) for i in (0, 5, -1)]
    assert len({s.to_bytes() for s in states}) == 3
    assert len({s.information_state(me) for s in states}) == 1
    for seed in range(3):
        actions = {make_bot(bot, seed, 0).choose(PlayerView(s, me)).text for s in states}
        assert len(actions) == 1


@pytest.mark.parametrize(
    ("name", "players", "moves"), [("emerald", 2, 12), ("goofspiel", 2, 1), ("tic_tac_toe", 2, 1)]
)
@pytest.mark.parametrize("bot", BOTS[1:])
def test_both_back_ends_think_alike(load: Load, bot: str, name: str, players: int, moves: int) -> None:
    texts = []
    for backend in ("auto", "interpreter"):
        state = load(name, players, backend).start(2)
        for i in range(moves):
            state = state.apply(state.legal_actions()[i % len(state.legal_actions())], state.deciding[0])
        texts.append([chosen(bot, state, seed) for seed in range(2)])
    assert texts[0] == texts[1]


def test_both_back_ends_share_out_sealed_choices_alike(load: Load) -> None:
    """Three cards to be passed by each of four: the tree makes the choices that it knows, chance the rest."""
    games = [load("hearts", None, backend) for backend in ("auto", "interpreter")]
    found = [chosen("mcts:60:9", game.start(3), 5) for game in games]
    assert found[0] == found[1]


@pytest.mark.parametrize("bot", ["mc:30:4", "mcts:30:4"])
def test_playouts_are_broken_off(load: Load, bot: str, played: set[int]) -> None:
    chosen(bot, load("breakthrough").start())
    assert played == {4}


def test_what_is_broken_off_counts_as_it_stands(load: Load) -> None:
    """Hearts after its first deal: whoever has fewer points is better off; in Connect Four nobody is."""
    state = load("hearts").start(1)
    rng = Generator(8)
    while not any(state.scores.totals):
        player = state.deciding[0]
        actions = state.legal_actions(player)
        state = state.apply(actions[rng.bounded(len(actions))], player)
    assert not state.is_terminal
    walk = state.game.walk()
    walk.begin(state.to_bytes())
    values = Ends(PlayerView(state, state.game.players[0])).values(walk, finished=False)
    points = [total or 0 for total in state.scores.totals]
    for one, other in permutations(range(4), 2):
        assert (values[one] > values[other]) == (points[one] < points[other])
    state = after(load("connect_four").start(), "drop(1)")
    walk = state.game.walk()
    walk.begin(state.to_bytes())
    assert Ends(PlayerView(state, "player_2")).values(walk, finished=False) == [0.5, 0.5]


Playout = tuple[int, bytes, object]
"""Action, world and luck."""


@pytest.fixture
def grown(monkeypatch: pytest.MonkeyPatch) -> list[Playout]:
    """The playouts of all searches, in order."""
    seen: list[Playout] = []
    grow = search_tree.Search.grow

    def recorded(self: search_tree.Search, action: int, world: bytes, max_decisions: int) -> None:
        seen.append((action, world, self._walk.luck))
        grow(self, action, world, max_decisions)

    monkeypatch.setattr(search_tree.Search, "grow", recorded)
    return seen


def test_the_spread_of_values() -> None:
    """The standard deviation as `statistics` has it, of one half won and one half lost at first."""
    spread = search_tree.Spread()
    assert spread.deviation == pytest.approx(0.5)
    values = [0.5, 0.5, 1.0, 0.25, 0.5, 0.0, 0.5]
    for value in values:
        spread.add(value)
    variance = (len(values) * pvariance(values) + 0.25) / (len(values) + 1)
    assert spread.deviation == pytest.approx(sqrt(variance))
    for _ in range(10_000):
        spread.add(0.5)
    assert 0 < spread.deviation < 0.02


@pytest.mark.parametrize("playouts", [7, 13, 20, 21, 70, 71])
def test_the_budget_is_kept(load: Load, grown: list[Playout], playouts: int) -> None:
    chosen(f"mcts:{playouts}", load("connect_four").start())
    assert len(grown) == playouts


def test_each_action_is_tried_at_least_once(load: Load, grown: list[Playout]) -> None:
    state = load("connect_four").start()
    chosen("mcts:3", state)
    assert sorted(action for action, _, _ in grown) == list(range(7))


def test_actions_meet_the_same_worlds_and_the_worse_half_drops_out(load: Load, grown: list[Playout]) -> None:
    """Four actions with 70 playouts: 32 for all of them, then 38 for two."""
    state = load("emerald", 2).start(1)
    while len(state.legal_actions()) != 4:
        state = state.apply(state.legal_actions()[0])
    chosen("mcts:70", state)
    rounds = grown[:32], grown[32:]
    assert [len({action for action, _, _ in r}) for r in rounds] == [4, 2]
    for playouts in rounds:
        met: dict[int, list[tuple[bytes, object]]] = {}
        for action, world, luck in playouts:
            met.setdefault(action, []).append((world, luck))
        first, *others = met.values()
        assert all(other == first for other in others)
        assert len({world for world, _ in first}) > 1
        assert len({luck for _, luck in first}) == len(first)


def test_nothing_drops_out_after_a_few_playouts(load: Load, grown: list[Playout]) -> None:
    """Seven actions with 55 playouts: not even eight for each, so one round for all."""
    chosen("mcts:55", load("connect_four").start())
    tried = Counter(action for action, _, _ in grown)
    assert sorted(tried.values()) == [7] + [8] * 6


def test_a_forced_move_takes_no_thought(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(search_tree.Search, "grow")
    full = ("a1", "b1", "c1", "b2", "a2", "c2", "b3", "a3")  # but for c3, and nobody has three in a row
    state = after(load("tic_tac_toe").start(), *(f"write({cell})" for cell in full))
    assert chosen("mcts:10", state) == "write(c3)"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("mtcs", "did you mean `mcts`"),
        ("clever", "there are `random`, `mc` and `mcts`"),
        ("mcts:0", "1 to 200000, as in mcts:200"),
        ("mcts:many", "1 to 200000"),
        ("mc:²", "1 to 1000000, as in mc:200"),
        ("random:5", "takes no number"),
        ("mcts:5:0", "broken off after 1 to 100000 decisions, as in mcts:5:300"),
        ("mc:5:100001", "1 to 100000 decisions"),
        ("mc:5:", "1 to 100000 decisions"),
        ("mc:5:6:7", "two numbers at most"),
    ],
)
def test_bots_that_there_are_not(spec: str, words: str) -> None:
    with pytest.raises(BadBot) as error:
        normal_form(spec)
    assert words in str(error.value)


def test_full_names() -> None:
    assert [normal_form(s) for s in ("mcts", " MC ", "mcts:5")] == ["mcts:1000", "mc:48", "mcts:5"]
    assert normal_form("MC:07:030") == "mc:7:30"
