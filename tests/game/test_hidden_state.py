"""Secrets that are no cards: hidden items, what they refer to, locals of waiting code, records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest
from written import written

from ludex.game import Game, State
from ludex.rng import Generator

GAME = """
components:
  spaces: {town: 3}
  pieces: {pawn: {per: player, places: [town], start: town(1)}}
  cards: {card: {per: {v: 1..6}, start: deck}}
  dice: {die: 1..6}
  piles:
    deck: {holds: card, visible: none}
    hand: {per: player, holds: card, visible: owner}
state:
  points: {per: player, type: 0..99}
  plan: {per: player, type: 0..9, visible: owner}
  spy: {per: player, type: optional pawn, visible: owner}
  wanted: {per: player, type: set of card, visible: owner}
  noted: {per: player, type: 0..9, visible: owner}
  old: {per: player, type: 0..9, start: 4, visible: owner}
records:
  hands: {of: [plan, worth_of], keep: 40}
  open: {of: [points], keep: 40}
define:
  worth(player p): sum(c.v for c in hand(p))
  worth_of(player p): worth(p)
setup:
  deal: |
    shuffle deck
    for each p in players do deal 1 from deck to hand(p)
    for each p in players:
      plan(p) = random n in 1..9
      spy(p) = random k in pawn
      noted(p) = roll(die)
      wanted(p) = set(c in hand(p))
phases:
  play:
    turns: clockwise from player(1)
    rounds: 4
    do:
      note it: |
        note hands
        note open
      go: act go
actions:
  go:
    choose: {q: player}
    let: {w: worth(me)}
    where: {another: q != me}
    do:
      it is asked: |
        let d = plan(me) + 1
        let twice = 2 * d
        let rich = worth(me) > 3
        let best = most(c in hand(me) by c.v)
        ask q:
          act yes or no
        points(q) += twice + w
        if rich then points(me) += 1
        if best is not none and best in wanted(me) then spy(me) = none
        if seen(hands) > 40 or seen(open) > 40 or old(me) > 8 or noted(me) > 8 then end game
  yes: {do: {well: points(me) += 1}}
  no: {do: {well: points(me) += 2}}
"""
ME = "player_3"


@pytest.fixture(scope="module")
def game() -> Game:
    return written(GAME, players=3)


def played(game: Game, seed: int, mine: dict[str, str], moves: int) -> State:
    """A game whose chance is as in `mine` where player 3 sees it, else as the seed says."""
    rng = Generator(seed, 5)
    state = game.start(1, explicit=True)
    events: Counter[str] = Counter()
    while not state.is_terminal and moves:
        actions = state.legal_actions()
        if state.deciding:
            moves -= 1
            state = state.apply(actions[moves % len(actions)])
            continue
        name = state.decision.name  # type: ignore[union-attr]
        events[name] += 1
        own = mine.get(f"{name} {events[name]}")
        others = [a for a in actions if a.text not in mine.values() or name != "draw"]
        state = state.apply(own if own is not None else others[rng.bounded(len(others))])
    return state


# Cards are dealt to players 1, 2, 3; then come plan, spy, die for each of them. Dice are open.
MINE = {"draw 3": "card(5)", "plan 3": "7", "spy 3": "pawn(player_1)"} | {f"die {n}": "2" for n in (1, 2, 3)}


def pairs(game: Game) -> Iterator[tuple[State, State]]:
    """Two states that are one to player 3: before the first turn, and while somebody is asked."""
    for moves, first in product((0, 1), range(1, 30, 2)):
        one, two = (played(game, seed, MINE, moves) for seed in (first, first + 1))
        if one == two:
            continue
        assert one.information_state(ME) == two.information_state(ME)
        assert one.history_for(ME) == two.history_for(ME)
        yield one, two


def test_nothing_hidden_is_left_in_a_world(game: Game) -> None:
    found = list(pairs(game))
    assert len(found) > 9
    for one, two in found:
        for seed in range(3):
            worlds = [s.determinize(ME, Generator(seed)) for s in (one, two)]
            assert worlds[0].to_bytes() == worlds[1].to_bytes()
            again = [w.determinize(ME, Generator(seed)) for w in worlds]
            assert again[0].to_bytes() == again[1].to_bytes()
            assert worlds[0].observation(ME).to_json() == one.observation(ME).to_json()


def test_code_that_waits_agrees_with_the_world_around_it(game: Game) -> None:
    """Player 2 is asked by player 1, whose plan and hand player 3 does not know."""
    state = played(game, 1, MINE, 2)
    while state.deciding != ("player_2",) or state.observation("player_2").active != "player_1":
        state = state.apply(state.legal_actions()[0])
    gains = set()
    for seed in range(30):
        world = state.determinize(ME, Generator(seed))
        asker = world.observation("player_1")
        (card,) = asker.place("hand(player_1)").things
        plan, worth = asker.value("plan(player_1)"), int(card[5:-1])
        before, after = asker.value("points(player_2)"), world.apply("yes").observation(None)
        gain = after.value("points(player_2)") - before - 1
        assert gain == 2 * (plan + 1) + worth
        gains.add(gain)
    assert len(gains) > 5


def test_what_is_drawn_at_random_for_a_hidden_item_is_told_to_its_owner_alone(game: Game) -> None:
    state = game.start(5)
    for viewer in (*game.players, None):
        texts = {"plan": [], "spy": [], "die": []}
        for record in state.history_for(viewer):
            if record.name in texts:
                texts[record.name].append(record.text)
        assert texts["plan"].count("?") == (3 if viewer is None else 2)
        assert texts["spy"].count("?pawn") == (3 if viewer is None else 2)
        assert "?" not in texts["die"], "an open die is seen by all"
        own = [line.text for line in state.log(viewer) if line.text.startswith("plan: ")]
        assert len(own) == (0 if viewer is None else 1)


def test_hidden_items_are_dealt_as_their_owner_got_them(game: Game) -> None:
    state = game.start(5)
    worlds = [state.determinize(ME, Generator(i)).observation("player_1") for i in range(400)]
    spies = Counter(w.value("spy(player_1)") for w in worlds)
    assert set(spies) == {f"pawn({p})" for p in game.players}, "drawn from the pawns, so never none"
    assert min(spies.values()) > 90
    plans = Counter(w.value("plan(player_1)") for w in worlds)
    assert set(plans) == set(range(1, 10))
    assert {w.value("old(player_1)") for w in worlds} == {4}, "never set since it was declared"
    rolled = state.observation("player_1").value("noted(player_1)")
    assert {w.value("noted(player_1)") for w in worlds} == {rolled}, "all saw the die"


def test_a_record_of_secrets_tells_nothing(game: Game) -> None:
    state = played(game, 1, MINE, 7)
    layouts = {r.name: r for r in game.program.layout.records}
    trails = {}
    at = game.program.layout.words
    for record in game.program.layout.records:
        trails[record.name] = slice(at, at + 2 * record.keep)
        at += 2 * record.keep
    true = state.at.words
    dealt = state.determinize(ME, Generator(2)).at.words
    for name, kept in (("open", True), ("hands", False)):
        noted = true[layouts[name].offset]
        assert noted > 2 and dealt[layouts[name].offset] == noted
        assert (dealt[trails[name]] == true[trails[name]]) == kept


BOX = """
components:
  cards: {card: {per: {v: 1..4}}}
  piles:
    row: {holds: card}
    hand: {per: player, holds: card, visible: AUDIENCE}
state: {n: {type: 0..9}}
phases:
  play:
    turns: clockwise from player(1)
    rounds: 2
    do:
      go: |
        let c = random c in card at box
        move c to HERE
        act go
actions: {go: {do: {once more: n += 1}}}
"""


@pytest.mark.parametrize(("audience", "place"), [("all", "row"), ("owner", "hand(me)")])
def test_the_box_alone_hides_nothing(audience: str, place: str) -> None:
    """What is not in the row is in the box; of a hand that only its owner sees nobody else can say so."""
    game = written(BOX.replace("AUDIENCE", audience).replace("HERE", place))
    assert game.context.visibility.hides_something == (audience == "owner")


GONE = GAME.replace(
    """        let d = plan(me) + 1
""",
    """        let k = next(me)
        ask q:
          act yes or no
        let his = worth(k)
        let d = plan(me) + 1
""",
).replace("points(q) += twice + w", "points(q) += twice + w + his")


def test_what_was_made_of_a_local_that_is_gone_tells_nothing() -> None:
    """While player 2 is asked the second time nobody needs `k` any more, but what was made of it."""
    game = written(GONE, players=3)
    found = 0
    for one, two in pairs(game):
        state, other = (s.apply("yes") if s.deciding == ("player_2",) else s for s in (one, two))
        found += state is not one
        for seed in range(3):
            worlds = [s.determinize(ME, Generator(seed)) for s in (state, other)]
            assert worlds[0].to_bytes() == worlds[1].to_bytes()
    assert found > 3


def test_what_was_made_of_a_local_that_is_gone_agrees_with_the_world() -> None:
    game = written(GONE, players=3)
    state = played(game, 1, MINE, 2)
    while state.deciding != ("player_2",) or state.observation("player_2").active != "player_1":
        state = state.apply(state.legal_actions()[0])
    state = state.apply("yes")
    gains = set()
    for seed in range(30):
        world = state.determinize(ME, Generator(seed))
        worth = {}
        for player in ("player_1", "player_2"):
            (card,) = world.observation(player).place(f"hand({player})").things
            worth[player] = int(card[5:-1])
        plan = world.observation("player_1").value("plan(player_1)")
        before = world.observation("player_2").value("points(player_2)")
        gain = world.apply("yes").observation(None).value("points(player_2)") - before - 1
        assert gain == 2 * (plan + 1) + worth["player_1"] + worth["player_2"]
        gains.add(gain)
    assert len(gains) > 5
