"""The properties of `test_privacy` on a whole game: Emerald, its variants, all player counts."""

from __future__ import annotations

from functools import cache

import pytest
from random_play import play

import ludex
from ludex.diagnostics import Report
from ludex.game import Game, State, read_save, write_save
from ludex.game.knowledge import Belief, belief_at
from ludex.game.redeal import redealt
from ludex.rng import Generator

VARIANTS = [(2, ()), (3, ("variant_a",)), (4, ("variant_b",)), (5, ("variant_c",)), (4, ())]


@cache
def emerald(players: int, overlays: tuple[str, ...]) -> Game:
    return ludex.load("emerald", players=players, overlays=list(overlays))


def some_states(game: Game, seed: int) -> list[State]:
    states = list(play(game, seed))
    return [*states[::30], states[-1]]


@pytest.mark.parametrize(("players", "overlays"), VARIANTS)
def test_nothing_hidden_reaches_a_player(players: int, overlays: tuple[str, ...]) -> None:
    game = emerald(players, overlays)
    viewers = (None, *game.players)
    for state in some_states(game, 11):
        if state.is_terminal:
            continue
        for n, viewer in enumerate(viewers):
            seen = state.observation(viewer).to_json()
            bit = game.context.bit(viewer)
            ignorant = Belief.ignorant(game.context, bit, state.at.words)
            words, _ = redealt(game.context, state.at.words, ignorant, Generator(n))
            assert game.from_bytes(game.machine.pack(words)).observation(viewer).to_json() == seen
            dealt = state.determinize(viewer, Generator(n))
            assert dealt.observation(viewer).to_json() == seen
            assert dealt.information_state(viewer) == state.information_state(viewer)
            assert dealt.broken_invariants == ()
            if viewer is not None:
                assert dealt.legal_actions(viewer) == state.legal_actions(viewer)
                for action in dealt.legal_actions(viewer)[::3]:
                    dealt.apply(action)


@pytest.mark.parametrize(("players", "overlays"), VARIANTS)
def test_knowledge_and_saves_of_a_whole_game(
    players: int, overlays: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    game = emerald(players, overlays)
    reader = game.context.reader
    path = tmp_path_factory.mktemp("saves") / "game.ludex"
    for state in some_states(game, 5):
        for viewer in (None, *game.players):
            belief = belief_at(game.context, state.at.entry, game.context.bit(viewer))
            for thing in reader.movables:
                assert belief.maybe[thing] >> reader.place(state.at.words, thing) & 1
    write_save(path, state)
    again = read_save(path, lambda _: game, Report())
    assert again == state and again.history == state.history


def test_gold_in_purses_is_known_to_those_who_saw_it_taken() -> None:
    game = emerald(4, ())
    rng = Generator(2)
    state = game.start(2)
    while state.parse_action("take_gold") is None:
        actions = state.legal_actions()
        state = state.apply(actions[rng.bounded(len(actions))])
    taker = state.deciding[0]
    after = state.apply("take_gold")
    move = next(line.text for line in after.log(None) if "purse" in line.text)
    gold, purse = move.split(" moves from ")[0], f"purse({taker})"
    assert gold.startswith("gold(") and move.endswith(f"to {purse}")
    other = next(p for p in game.players if p != taker)
    assert after.observation(other).place(purse).things == ("?gold",)
    assert after.observation(other).scores.of(taker)["gold cards"] is None
    assert (purse,) in after.known(other).places[gold]
    assert after.determinize(other, rng).observation(taker).place(purse).things == (gold,)
