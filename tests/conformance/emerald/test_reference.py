"""The oracle against the worked examples of section 4 of the rule model, and against published figures."""

from __future__ import annotations

import importlib.util
import random
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def load(name: str) -> ModuleType:
    """By path: other games have a reference.py too."""
    spec = importlib.util.spec_from_file_location(f"emerald_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


ref: Any = load("reference")

GOLD = ((3, 1, 2), (1, 5), (2, 2, 2), (1, 3), (3, 4, 5), (1, 4), (2, 3, 4), (1, 5), (3, 4, 5))
JEWELS = ref.deal(ref.ALL_JEWELS, ref.JEWEL_HEIGHTS)
A, B, C, D = range(4)


def start(players: int, **switches: Any) -> Any:
    return ref.Game(ref.Config(players, **switches), gold_stacks=GOLD, jewel_stacks=JEWELS, starter=A)


def position(players: int, places: dict[str, list[int]], **switches: Any) -> Any:
    """The start state with the knights moved to these places; the rest of each colour stays in the towers.

    A state may be built before `pending` is read for the first time.
    """
    game = start(players, **switches)
    for color, wanted in places.items():
        knights = [knight for knight in game.knights if knight.color == color]
        for knight, place in zip(knights, wanted, strict=False):
            knight.place = place
    return game


def play(game: Any, *choices: Any) -> Any:
    for choice in choices:
        game.apply(choice)
    return game


def knights_at(game: Any, place: int) -> Counter[str]:
    return Counter(knight.color for knight in game.knights if knight.place == place)


def dragon(game: Any) -> tuple[int, int, int]:
    return game.dragon, game.facing, game.strip


# ---- setup


@pytest.mark.parametrize(
    ("players", "used", "per_place", "knights"), [(2, 4, 4, 16), (3, 5, 3, 15), (4, 5, 4, 20), (5, 4, 5, 20)]
)
def test_start_occupancy(players: int, used: int, per_place: int, knights: int) -> None:
    game = start(players)
    places = ref.Config(players).start_places()
    assert Counter(knight.place for knight in game.knights) == dict.fromkeys(places, per_place)
    assert len(places) == used
    assert len(game.knights) == knights
    assert dragon(game) == (10, -1, 7)


def test_two_players_own_two_colors_each() -> None:
    config = ref.Config(2)
    assert (config.colors_of(0), config.colors_of(1)) == (("red", "green"), ("yellow", "blue"))


def test_the_setup_is_chance_unless_given() -> None:
    game = ref.Game(ref.Config(3))
    assert game.pending == ("chance", "starter", ((0, 1), (1, 1), (2, 1)))
    assert play(game, 2).pending == ("chance", "gold", ())
    assert play(game, GOLD).pending == ("chance", "jewels", ())
    rides = tuple(("ride", "green", place) for place in (-5, -4, -3, -2, -1))
    assert play(game, JEWELS).pending == ("decision", 2, rides)
    with pytest.raises(ValueError):
        game.apply(("pass",))
    with pytest.raises(ValueError):
        ref.Game(ref.Config(3), gold_stacks=((1,) * 3, *GOLD[1:]), jewel_stacks=JEWELS, starter=0)


# ---- the micro-scenarios, in their order


def test_untouched_towers() -> None:
    game = play(start(3), ("ride", "red", -1))
    assert knights_at(game, 3) == {"red": 1}
    assert game.pending.options[-1] == ("pass",)
    assert ("ride", "red", -1) not in game.pending.options
    play(game, ("ride", "red", -2))
    assert knights_at(game, 3) == {"red": 2}
    assert game.pending.who == B
    play(game, ("ride", "yellow", -1))
    assert knights_at(game, 2) == {"yellow": 1}


def test_two_of_three_from_one_space() -> None:
    game = position(3, {"red": [2, 2], "yellow": [2]})
    play(game, ("ride", "red", 2), ("ride", "red", 2))
    assert knights_at(game, 5) == {"red": 1}
    assert knights_at(game, 4) == {"red": 1}
    assert game.pending.who == B


def test_from_the_plain_into_the_mountains() -> None:
    game = position(3, {"red": [5], "yellow": [5], "green": [5]})
    play(game, ("ride", "red", 5))
    assert knights_at(game, 8) == {"red": 1}
    assert game.pending == ("decision", A, (("take_gold",), ("take_jewel",)))
    assert play(game, ("take_gold",)).pending == ("chance", "die", ((1, 2), (2, 2), (3, 2)))
    assert game.holdings[A].gold == [1]
    assert game.gold[1] == [5]


def test_capture_and_bribe() -> None:
    game = position(3, {"red": [7]})
    game.holdings[A].gold = [3]
    play(game, ("ride", "red", 7), ("take_jewel",), 2)
    assert dragon(game) == (8, -1, 7)
    assert game.pending == ("decision", A, (("capture", "red", True),))
    assert play(game, ("capture", "red", True)).pending == ("decision", A, (("bribe", 3), ("give_up",)))
    play(game, ("bribe", 3))
    assert game.holdings[A].gold == []
    assert knights_at(game, 8) == {"red": 1}
    assert dragon(game) == (8, -1, 8)
    assert game.pending.who == B  # a card was taken: no second knight


def test_the_dragon_off_the_strip() -> None:
    game = position(3, {"red": [8], "yellow": [6], "green": [3]})
    play(game, ("ride", "red", 8), ("take_gold",), 3)
    assert dragon(game) == (7, 1, 8)
    play(game, ("ride", "yellow", 6), ("take_gold",))
    assert game.pending.who == "die"
    play(game, 1)
    assert dragon(game) == (8, 1, 9)


def test_overshooting_into_the_lair() -> None:
    game = position(4, {"red": [14], "yellow": [14], "green": [14], "blue": [14]})
    play(game, ("ride", "red", 14))
    assert knights_at(game, ref.LAIR) == {"red": 1}
    assert game.holdings[A].treasures == 1
    assert game.pending.who == B
    assert dragon(game) == (10, -1, 7)


def test_the_active_player_chooses_and_the_owner_answers() -> None:
    game = position(3, {"green": [7], "red": [9, 9], "yellow": [9]})
    game.starter = game.marker = C
    game._begin_round()
    game.holdings[A].gold, game.holdings[B].gold = [5, 2, 2], [1]
    play(game, ("ride", "green", 7), ("take_gold",), 1)
    assert game.pending == ("decision", C, (("capture", "red", False), ("capture", "yellow", False)))
    play(game, ("capture", "red", False))
    assert game.pending == ("decision", A, (("bribe", 2), ("bribe", 5), ("give_up",)))
    play(game, ("give_up",))
    assert knights_at(game, 9) == {"red": 1, "yellow": 1}
    assert knights_at(game, ref.NEST) == {"red": 1}


def test_only_ones_own_knights_at_the_landing_space() -> None:
    game = position(3, {"red": [7, 8]})
    play(game, ("ride", "red", 7), ("take_jewel",), 2)
    assert game.pending == ("decision", A, (("capture", "red", False), ("capture", "red", True)))
    play(game, ("capture", "red", True))
    assert game.pending == ("decision", A, (("give_up",),))
    play(game, ("give_up",))
    assert knights_at(game, 8) == {"red": 1}


@pytest.mark.parametrize("lair_counts", [False, True])
def test_down_to_one_knight_in_play(lair_counts: bool) -> None:
    places = {"red": [7, 1, ref.LAIR, ref.NEST, ref.NEST]}
    game = position(3, places, lair_counts_in_play=lair_counts)
    game.holdings[A].treasures = 1
    play(game, ("ride", "red", 7), ("take_jewel",), 2, ("capture", "red", True), ("give_up",))
    if lair_counts:
        assert game.pending.who == B
        assert dragon(game) == (8, -1, 8)
    else:
        assert game.pending is None
        assert dragon(game) == (8, -1, 7)
        assert game.scores[A].total == 5 + 1 + 4  # with the majority of its only gem


def test_scoring() -> None:
    game = start(2)
    a, b = game.holdings
    a.gold, a.treasures = [4, 2], 1
    a.jewels = Counter(ruby=2, emerald=1, garnet=1, turquoise=1)
    b.jewels = Counter(ruby=2, emerald=2)
    game.four_different = A
    assert game.scores == [
        ref.Score(6, 5, 5, 4, 8, treasure_cards=1, gem_cards=5),
        ref.Score(0, 0, 4, 0, 4, treasure_cards=0, gem_cards=4),
    ]
    assert [score.total for score in game.scores] == [28, 8]


def test_variant_b() -> None:
    config = ref.Config(4, variant_b=True)
    rng = random.Random(1)
    for _ in range(50):
        gold = ref.random_outcome(config, ref.Pending("chance", "gold", ()), rng)
        assert sorted(value for stack in gold[:4] for value in stack) == [1, 1, 1, 2, 2, 2, 3, 3, 4, 5]
        ref.Game(config, gold_stacks=gold, jewel_stacks=JEWELS, starter=0)
    with pytest.raises(ValueError):
        ref.Game(config, gold_stacks=GOLD, jewel_stacks=JEWELS, starter=0)


def bid(game: Any, *cards: int) -> None:
    """A raise by exactly these cards."""
    player = game.pending.who
    play(game, ("raise",))
    while game.phase == "bid_card" and game.pending.who == player:
        value = game.pending.options[0][1]
        game.apply(("take" if value in cards else "leave", value))


def test_variant_c() -> None:
    game = start(4, variant_c=True)
    assert game.pending == ("decision", A, (("raise",), ("withdraw",)))
    bid(game, 3)
    assert game.pending.who == B
    bid(game, 5)
    play(game, ("withdraw",), ("withdraw",))
    assert game.pending.who == A
    bid(game, 4)
    assert (game.high, game.leader, game.holdings[A].front) == (7, A, [3, 4])
    assert game.pending.who == B
    play(game, ("withdraw",))
    assert game.pending.type == "decision" and game.pending.who == A and game.pending.options[0][0] == "ride"
    assert game.holdings[A].hand == [1, 2, 5, 6, 7, 8]
    assert game.holdings[B].hand == [1, 2, 3, 4, 5, 6, 7, 8]


def test_variant_c_a_raise_must_exceed_the_highest_bid() -> None:
    game = start(4, variant_c=True)
    game.holdings[A].hand = [2, 3]
    bid(game, 3)
    bid(game, 5)
    play(game, ("withdraw",), ("withdraw",))
    assert game.pending.options == (("withdraw",),)  # 3 and 2 are but equal to 5
    game = start(4, variant_c=True)
    game.holdings[A].hand = [2, 3, 4]
    bid(game, 3)
    bid(game, 5)
    play(game, ("withdraw",), ("withdraw",), ("raise",))
    assert game.pending.options == (("take", 2), ("leave", 2))
    play(game, ("take", 2))
    assert game.pending.options == (("take", 4),)


def test_variant_c_the_last_player_may_bid_if_nobody_has() -> None:
    game = play(start(3, variant_c=True), ("withdraw",), ("withdraw",))
    assert game.pending == ("decision", C, (("raise",), ("withdraw",)))
    bid(game, 1)
    assert (game.marker, game.active, game.holdings[C].spent) == (C, C, [1])
    game = play(start(3, variant_c=True), ("withdraw",), ("withdraw",), ("withdraw",))
    assert (game.marker, game.active) == (A, A)


@pytest.mark.parametrize("back", [False, True])
def test_variant_c_spent_cards(back: bool) -> None:
    game = start(3, variant_c=True, spent_cards_return=back)
    game.holdings[A].hand, game.holdings[A].spent = [8], [1, 2]
    bid(game, 8)
    play(game, ("withdraw",), ("withdraw",))
    assert game.holdings[A].hand == ([1, 2, 8] if back else [])


def test_variant_a() -> None:
    game = position(4, {"red": [15]}, variant_a=True)
    game.holdings[A].treasures = 3
    assert [game._next(player) for player in (A, B, C, D)] == [B, C, D, A]
    play(game, ("ride", "red", 15))
    assert [score.treasure for score in game.finished[0]] == [20, 0, 0, 0]
    play(game, GOLD, JEWELS)
    order = []
    for _ in range(4):
        order.append(game.pending.who)
        play(game, game.pending.options[0], ("pass",))
    assert order == [D, C, B, A]
    for knight in game.knights:
        knight.place = 15 if knight.color == "blue" else 1
    game.holdings[D].treasures = 3
    game._begin_turn(D)
    play(game, ("ride", "blue", 15))
    assert game.pending is None
    assert [score.treasure for score in game.scores] == [20, 0, 0, 20]


def test_ranking() -> None:
    def score(total: int, treasure_cards: int = 0, gem_cards: int = 0) -> Any:
        return ref.Score(gold=total, treasure_cards=treasure_cards, gem_cards=gem_cards)

    assert ref.ranking([score(20) + score(15), score(18) + score(16)]) == [(0,), (1,)]
    assert ref.ranking([score(9, 1, 5), score(9, 2, 0), score(9, 1, 6)]) == [(1,), (2,), (0,)]
    assert ref.ranking([score(9, 1, 5), score(8, 4, 9), score(9, 1, 5)]) == [(0, 2), (1,)]


# ---- the register


def test_two_players_move_one_color() -> None:
    game = play(start(2), ("ride", "green", -1))
    assert {option[1] for option in game.pending.options if option[0] == "ride"} == {"green"}
    places = {"red": [1, ref.NEST, ref.NEST, ref.NEST]}
    game = play(position(2, places), ("ride", "red", 1))
    assert game.pending == ("decision", A, (("pass",),))


@pytest.mark.parametrize("rule", ["may", "must"])
def test_the_second_knight(rule: str) -> None:
    game = play(start(3, second_knight=rule), ("ride", "red", -1))
    assert (("pass",) in game.pending.options) == (rule == "may")


@pytest.mark.parametrize(("rule", "over"), [("per_player", False), ("per_color", True)])
def test_the_last_knight_of_a_color(rule: str, over: bool) -> None:
    game = position(2, {"red": [15, 1, ref.NEST, ref.NEST]}, last_knight=rule)
    play(game, ("ride", "red", 15))
    assert (game.pending is None) == over


@pytest.mark.parametrize(("rule", "after"), [("on_arrival", (9, -1)), ("before_step", (11, 1))])
def test_the_flip_at_the_end_towards_the_lair(rule: str, after: tuple[int, int]) -> None:
    game = position(3, {"red": [7], "yellow": [9]}, flip=rule)
    game.dragon, game.facing = 9, 1
    play(game, ("ride", "red", 7), ("take_gold",), 1)
    assert (game.dragon, game.strip) == (10, 8)
    play(game, ("ride", "yellow", 9), ("take_gold",), 1)
    assert (game.dragon, game.facing) == after


def test_an_empty_stack_leaves_the_turn_going() -> None:
    game = position(3, {"red": [7, 9], "yellow": [2]})
    game.gold[1], game.jewels[1] = [], []
    game.gold[3] = []
    play(game, ("ride", "red", 7), 1)
    assert dragon(game) == (9, -1, 7)
    play(game, ("capture", "red", False), ("give_up",))
    assert game.pending.who == A and game.pending.options[-1] == ("pass",)
    assert ("ride", "red", 8) not in game.pending.options
    assert dragon(game) == (9, -1, 8)


def test_the_set_bonus_stays_with_the_first() -> None:
    game = position(3, {"red": [6]})
    game.holdings[A].jewels = Counter(emerald=1, garnet=1, turquoise=1)
    assert JEWELS[0][0] == "ruby"
    play(game, ("ride", "red", 6), ("take_jewel",))
    assert game.four_different == A
    game.holdings[B].jewels = Counter(dict.fromkeys(ref.GEMS, 1))
    assert [score.four_different for score in game.scores] == [4, 0, 0]


def test_a_player_without_a_move_is_passed_over() -> None:
    places = {"yellow": [ref.LAIR, ref.LAIR, ref.NEST, ref.NEST, ref.NEST]}
    game = position(3, places, lair_counts_in_play=True)
    play(game, ("ride", "red", -1), ("pass",))
    assert game.pending.who == C


# ---- random games


@pytest.mark.parametrize(
    "switches",
    [
        {},
        {"lair_counts_in_play": True},
        {"flip": "before_step"},
        {"last_knight": "per_color"},
        {"second_knight": "must"},
        {"variant_a": True, "variant_b": True, "variant_c": True},
        {"variant_c": True, "spent_cards_return": True},
    ],
)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_random_games_end(players: int, switches: dict[str, Any]) -> None:
    rng = random.Random(players)
    for _ in range(5):
        result = ref.random_game(ref.Config(players, **switches), rng)
        assert result.winners and result.turns > 0 and len(result.scores) == players


def test_published_figures() -> None:
    """Of an independent program, over 20,000 games, each with twice its standard error."""
    published = {
        "turns": [(68.57, 0.10)],
        "score": [(22.14, 0.03)],
        "wins by order": [(0.362, 0.007), (0.271, 0.007), (0.215, 0.007), (0.152, 0.007)],
    }
    found = ref.figures(ref.Config(4), 500, seed=1)
    for name, values in published.items():
        for (mean, error), (expected, twice) in zip(found[name], values, strict=True):
            assert abs(mean - expected) < 4 * (error**2 + (twice / 2) ** 2) ** 0.5, name
