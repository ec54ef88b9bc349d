"""`test_lockstep` through the API everybody uses: action texts, what each viewer sees, the history, scores.

Fewer games, as names are slow. Only the deal, which nobody sees, is read from the words of the state.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import cycle
from typing import Any

import pytest

import ludex
from ludex.game import Action, Game, Observation, State, Turn

from . import reference as ref
from .test_lockstep import Taste
from .translation import Translation

SETTINGS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (2, ()),
    (3, ("variant_a", "variant_c")),
    (4, ()),
    (5, ("variant_b",)),
)
PLACES = {
    **{f"tower({n})": -n for n in range(1, 6)},
    **{f"plain({n})": n for n in range(1, 7)},
    **{f"mountain({n})": 6 + n for n in range(1, 10)},
    "lair": ref.LAIR,
    "nest": ref.NEST,
}


def option_of(action: Action, seen: Observation) -> ref.Option:
    """The reference's name for an action, from its text and what anybody sees."""
    match action.name:
        case "ride" | "choose":
            (knight,) = action.args
            assert action.text == f"{action.name}({knight})"
            color = knight.split("_")[0]
            place = next(PLACES[p.place] for p in seen.places if knight in p.things)
            if action.name == "ride":
                return "ride", color, place
            return "capture", color, bool(seen.value(f"moved({knight})"))
        case "bribe":
            return "bribe", int(action.text.removeprefix("bribe(gold(").removesuffix("))"))
        case "take" | "leave":
            prefix = f"{action.name}(bid_card({action.player}, "
            return action.name, int(action.text.removeprefix(prefix).removesuffix("))"))
        case _:
            assert action.text == action.name
            return (action.name,)


def check_view(seen: Observation, game: ref.Game, players: tuple[str, ...]) -> None:
    """What a viewer sees is what he may see (E38) of the reference's position."""
    assert seen.value("facing") == game.facing
    assert seen.value("strip") == game.strip - ref.FIRST_MOUNTAIN + 1
    assert seen.value("starter") == players[game.marker]
    assert seen.game_number == len(game.finished) + (game.phase != "over")
    for name, place in PLACES.items():
        things = Counter(thing.split("_")[0] for thing in seen.place(name).things)
        expected = Counter(knight.color for knight in game.knights if knight.place == place)
        expected["dragon"] += place == game.dragon
        assert things == +expected, name
    assert game.gold is not None and game.jewels is not None
    for kind, stacks in (("gold", game.gold), ("jewel", game.jewels)):
        for m, stack in enumerate(stacks, 1):
            faces = tuple(f"?{kind}" if i else f"{kind}({card})" for i, card in enumerate(stack))
            assert seen.place(f"{kind}_stack(mountain({m}))").things == faces
    for player, mine in zip(players, game.holdings, strict=True):
        faces = tuple(f"gold({v})" for v in sorted(mine.gold))
        gold = faces if player == seen.viewer else ("?gold",) * len(mine.gold)
        assert seen.place(f"purse({player})").things == gold
        jewels = Counter(f"jewel({gem})" for gem in mine.jewels.elements())
        assert Counter(seen.place(f"jewels({player})").things) == jewels
        assert seen.place(f"treasures({player})").count == mine.treasures
        assert seen.place(f"bonuses({player})").count == (game.four_different == players.index(player))
        if game.config.variant_c and game.phase != "bid_card":
            hand = tuple(f"bid_card({player}, {v})" for v in sorted(mine.hand))
            bid = tuple(f"bid_card({player}, {v})" for v in sorted(mine.front))
            assert seen.place(f"bid_hand({player})").things == hand
            assert seen.place(f"bid({player})").things == bid


def check_scores(state: State, game: ref.Game) -> None:
    """The table's, and what a spectator is told: gold is counted when a game is over."""
    for player, score, mine in zip(state.game.players, game.scores, game.holdings, strict=True):
        assert state.scores.of(player) == {
            "gold cards": score.gold,
            "treasure cards": score.treasure,
            "gem cards": score.jewels,
            "bonus for four different gems": score.four_different,
            "bonus for the most of a gem": score.most_of_a_gem,
        }
        assert state.scores.total(player) == score.total
        told = state.observation(None).scores.of(player)["gold cards"]
        assert told == (score.gold if state.is_terminal or not mine.gold else None)


def tell_chance(game: ref.Game, state: State, rolled: list[str]) -> None:
    """The reference learns what the history says was rolled, and the deal."""
    translation = Translation(state.game)
    while (pending := game.pending) is not None and pending.type == "chance":
        answers: dict[Any, Any] = {
            "starter": lambda: state.game.players.index(str(state.observation(None).value("starter"))),
            "gold": lambda: translation.gold_stacks(state.at.words),
            "jewels": lambda: translation.jewel_stacks(state.at.words),
            "die": lambda: int(rolled.pop(0)),
        }
        game.apply(answers[pending.who]())


def play(game: Game, config: ref.Config, seed: int) -> None:
    taste = Taste(random.Random(seed))
    oracle = ref.Game(config)
    viewers = cycle((None, *game.players))
    state = game.start(seed)
    tell_chance(oracle, state, [])
    while not state.is_terminal:
        pending = oracle.pending
        assert pending is not None and isinstance(state.decision, Turn)
        player = game.players[int(pending.who)]
        assert state.decision.players == state.deciding == (player,)
        viewer = next(viewers)
        seen = state.observation(viewer)
        check_view(seen, oracle, game.players)
        assert seen.actions == (state.legal_actions(player) if viewer == player else ())
        if viewer is None:
            check_scores(state, oracle)
        legal = state.legal_actions(player)
        actions = {option_of(action, seen): action for action in legal}
        assert len(actions) == len(legal)
        assert actions.keys() == set(pending.options)
        option = taste.choose(list(pending.options))
        oracle.apply(option)
        before = len(state.history)
        state = state.apply(actions[option].text)
        record, *chance = state.history[before:]
        assert (record.player, record.text) == (player, actions[option].text)
        rolled = [r.text for r in chance if r.text.isdigit()]
        tell_chance(oracle, state, rolled)
        assert not rolled
    assert oracle.pending is None
    check_scores(state, oracle)
    groups = ref.ranking(oracle.scores)
    ranks = {p: 1 + sum(map(len, groups[:i])) for i, group in enumerate(groups) for p in group}
    assert list(state.ranking.values()) == [ranks[p] for p in range(config.players)]
    assert [p for p, r in state.returns.items() if r > 0] == [game.players[p] for p in groups[0]]


@pytest.mark.parametrize(("players", "overlays"), SETTINGS)
def test_the_named_interface_says_the_same(players: int, overlays: tuple[str, ...]) -> None:
    game = ludex.load("emerald", overlays, players)
    config = ref.Config(players, **dict.fromkeys(overlays, True))  # type: ignore[arg-type]
    play(game, config, seed=players)
