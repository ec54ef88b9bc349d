"""Two positions that a player cannot tell apart are one to him: in the worlds dealt for him, and to bots."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from random_play import play

import ludex
from ludex.bots import PlayerView, make_bot
from ludex.game import Game, State
from ludex.game import deal as d
from ludex.game.history import Entry
from ludex.game.knowledge import Belief, belief_at
from ludex.game.redeal import patched
from ludex.game.step import Step
from ludex.rng import Generator

SKETCHES = Path(__file__).parents[1] / "sketches"
GAMES = [("emerald", 4), ("emerald", 2), ("hearts", 4), ("leduc_poker", 3), ("rummy", 3)]


@cache
def loaded(name: str, players: int) -> Game:
    return ludex.load(name if name == "emerald" else str(SKETCHES / f"{name}.yaml"), players=players)


def twin(state: State, viewer: str | None, rng: random.Random) -> State:
    """The same history to the viewer, with another truth: hidden cards change places, copies numbers.

    Made without the code that deals anew: by exchanging two unseen cards at a time, where
    what he has seen allows either to be where the other is.
    """
    context, at = state.game.context, state.at
    reader, world = context.reader, context.program.world
    belief = belief_at(context, at.entry, context.bit(viewer))
    at_now = {t: (belief.place[t], reader.order(at.words, t)) for t in reader.movables}
    maybe, pinned = dict(belief.maybe), set(belief.pinned)
    for kind in world.kinds:
        if kind.category != "card":
            continue
        for _ in range(3 * kind.count):
            a, b = rng.choice(kind.ids), rng.choice(kind.ids)
            free = a not in pinned and b not in pinned
            if free and maybe[a] >> at_now[b][0] & 1 and maybe[b] >> at_now[a][0] & 1:
                at_now[a], at_now[b] = at_now[b], at_now[a]
            elif world.copies[a] == world.copies[b]:  # the copies as they are, but for their numbers
                at_now[a], at_now[b] = at_now[b], at_now[a]
                maybe[a], maybe[b] = maybe[b], maybe[a]
                if (a in pinned) != (b in pinned):
                    pinned ^= {a, b}
    changes: dict[int, int] = {}
    for thing, (place, order) in at_now.items():
        changes[reader.place_word(thing)] = place
        word = reader.order_word(thing)
        if word is not None:
            changes[word] = order
    words = patched(context, at.words, changes)
    entry = Entry(at.entry.parent, at.entry.record, ())
    entry.words, entry.origin = words, True
    places = {t: p for t, (p, _) in at_now.items()}
    entry.beliefs = {context.bit(viewer): Belief(context, context.bit(viewer), places, maybe, pinned)}
    step = Step(words, context.machine.point(words), entry, at.first, at.chance, at.explicit, at.seed, None)
    return State(state.game, step)


def positions(name: str, players: int, number: int) -> Iterator[State]:
    """Some positions of a random game where a player is to decide in turn."""
    game = loaded(name, players)
    states = []
    for i, state in enumerate(play(game, 3)):
        if i >= 90:
            break
        if state.at.sealed is None and not state.is_terminal:
            states.append(state)
    yield from states[:: max(1, len(states) // number)][:number]


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_a_world_is_a_function_of_what_the_player_knows(name: str, players: int) -> None:
    rng = random.Random(1)
    different = 0
    for n, state in enumerate(positions(name, players, 6)):
        for viewer in (None, *state.game.players):
            other = twin(state, viewer, rng)
            assert other.observation(viewer).to_json() == state.observation(viewer).to_json()
            different += other != state
            one, two = (s.determinize(viewer, Generator(n)) for s in (state, other))
            assert one.to_bytes() == two.to_bytes()
            assert one.known(viewer) == two.known(viewer)
            assert one.at.chance.state == two.at.chance.state
            again = one.determinize(viewer, Generator(n + 1))
            assert again.to_bytes() == state.determinize(viewer, Generator(n + 1)).to_bytes()
    assert different > 3, "nothing was compared"


@pytest.mark.parametrize("bot", ["random", "mc:6", "mcts:12"])
@pytest.mark.parametrize(("name", "players"), [("emerald", 4), ("hearts", 4), ("leduc_poker", 3)])
def test_bots_act_on_what_their_player_knows(bot: str, name: str, players: int) -> None:
    rng = random.Random(2)
    different = 0
    for n, state in enumerate(positions(name, players, 4)):
        (player,) = state.deciding
        other = twin(state, player, rng)
        different += other != state
        chosen = [make_bot(bot, n, 0).choose(PlayerView(s, player)) for s in (state, other)]
        assert chosen[0].text == chosen[1].text
    assert different


@pytest.mark.parametrize(("name", "players"), [("goofspiel", 3), ("hearts", 4)])
def test_what_others_chose_in_secret_is_no_part_of_a_world(name: str, players: int) -> None:
    """Player 2 has finished, player 1 is in the midst; what player 2 chose makes no difference to him."""
    game = loaded(name, players)
    start = game.start(4)
    assert start.at.sealed is not None
    me, other = game.players[:2]
    found = []
    for option in (0, -1):
        state = start
        while other in state.deciding:
            state = state.apply(state.legal_actions(other)[option], other)
        if name == "hearts":
            state = state.apply(state.legal_actions(me)[1], me)
        found.append(state)
    one, two = found
    assert one != two
    assert one.information_state(me) == two.information_state(me)
    for seed in range(5):
        worlds = [s.determinize(me, Generator(seed)) for s in found]
        assert worlds[0].to_bytes() == worlds[1].to_bytes()
        assert worlds[0].information_state(me) == one.information_state(me)
    views = [PlayerView(s, me) for s in found]
    for bot in ("mc:6", "mcts:12"):
        assert len({make_bot(bot, 1, 0).choose(view).text for view in views}) == 1


def test_the_random_walk_begins_without_the_truth() -> None:
    """Two true arrangements that are one to the viewer give the same walk."""
    maybe = {10: 0b00110, 11: 0b01110, 12: 0b11110, 13: 0b00110, 14: 0b11000, 15: 0b11110}
    one = {10: 1, 11: 1, 12: 2, 13: 2, 14: 3, 15: 4}
    two = {10: 2, 11: 1, 12: 1, 13: 2, 14: 4, 15: 3}
    for seed in range(50):
        walks = [d._walk(sorted(maybe), place, maybe, Generator(seed)) for place in (one, two)]
        assert walks[0] == walks[1]
        assert all(maybe[t] >> p & 1 for t, p in walks[0].items())
        assert Counter(walks[0].values()) == Counter(one.values())


def test_hidden_dice_are_seen_by_their_owner_alone() -> None:
    game = loaded("liars_dice", 3)
    one, two = (game.start(seed) for seed in (1, 2))
    me, other = game.players[:2]
    faces = [f for f in one.observation(me).fields if f.field == "face"]
    assert [f.index[0] for f in faces] == [f"die({me}, {n})" for n in range(1, 6)]
    assert not [f for f in one.observation(None).fields if f.field == "face"]
    assert one.information_state(None) == two.information_state(None), "the log tells no face"
    rolled = [r.text for r in one.history_for(other) if r.name == "die"]
    his = [str(f.value) for f in one.observation(other).fields if f.field == "face"]
    assert rolled == ["?"] * 5 + his + ["?"] * 5, "each player has rolled five dice, in seat order"
    assert {r.text for r in one.history_for(None) if r.name == "die"} == {"?"}
    assert one.determinize(None, Generator(3)).to_bytes() == two.determinize(None, Generator(3)).to_bytes()
