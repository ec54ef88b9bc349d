"""What a player may not see changes nothing of what he is given."""

from __future__ import annotations

from collections import Counter

import pytest
from coin_game import coin_game
from hypothesis import given, settings
from hypothesis import strategies as st
from random_play import play
from written import written

from ludex.game import Game, State
from ludex.game.deal import shuffled
from ludex.game.knowledge import Belief, belief_at
from ludex.game.redeal import patched, redealt
from ludex.rng import Generator

GAME = coin_game()
VIEWERS = (None, *GAME.players)


def states(seed: int) -> list[State]:
    return list(play(GAME, seed))


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_permuting_what_a_player_cannot_see_changes_no_byte_of_his_observation(seed: int) -> None:
    changed = 0
    for state in states(seed):
        if state.is_terminal or state.at.sealed is not None:
            continue
        for viewer in VIEWERS:
            bit = GAME.context.bit(viewer)
            belief = Belief.ignorant(GAME.context, bit, state.at.words)
            words, _ = redealt(GAME.context, state.at.words, belief, Generator(seed))
            other = GAME.from_bytes(GAME.machine.pack(words))
            changed += other.hash != state.hash
            assert other.observation(viewer).to_json() == state.observation(viewer).to_json()
    assert changed


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_swapping_copies_of_one_face_changes_no_byte_for_anybody(seed: int) -> None:
    naming, reader = GAME.context.naming, GAME.context.reader
    coin = GAME.program.world.kind("coin")
    for state in states(seed):
        if state.at.sealed is not None:
            continue
        mapping: dict[int, int] = {}
        for first in range(coin.base, coin.base + coin.count, 4):
            copies = list(range(first, first + 4))
            mapping.update(zip(copies, shuffled(copies, Generator(seed)), strict=True))
        words, changes = state.at.words, {}
        for old, new in mapping.items():
            changes[reader.place_word(new)] = reader.place(words, old)
            changes[reader.order_word(new)] = reader.order(words, old)
        other = GAME.from_bytes(GAME.machine.pack(patched(GAME.context, words, changes)))
        for viewer in VIEWERS:
            assert other.observation(viewer).to_json() == state.observation(viewer).to_json()
    assert naming.text(coin.base) == "coin(1)"


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_hidden_outcomes_change_nothing_of_an_information_state(seed: int) -> None:
    """Two games that differ only in what player 1 cannot see are one to him, to the last byte."""
    rng = Generator(seed)
    mine = [f"coin({1 + rng.bounded(3)})" for _ in range(2)]
    top = f"coin({1 + rng.bounded(3)})"

    def dealt() -> State:
        hidden = [f"coin({v})" for v in shuffled([1, 1, 2, 2, 3, 3], rng)[:5]]
        state = GAME.start(1, explicit=True)
        for outcome in (*mine, *hidden, top):
            try:
                state = state.apply(outcome)
            except ValueError:  # that face has run out
                state = state.apply(state.legal_actions()[0])
        return state.apply("roll").apply("2").apply("roll").apply(str(1 + rng.bounded(3)))

    one, two = dealt(), dealt()
    seen = [s.observation("player(1)").to_json() for s in (one, two)]
    told = [s.information_state("player(1)") for s in (one, two)]
    if seen[0] == seen[1]:
        assert told[0] == told[1]
        assert one.history_for("player(1)") == two.history_for("player(1)")


def test_nobody_sees_a_hand_but_its_owner(game: Game) -> None:
    state = game.start(2)
    assert state.observation("player(1)").place("hand(1)").things[0].startswith("coin(")
    for viewer in (None, "player(2)", "player(3)"):
        assert state.observation(viewer).place("hand(1)").things == ("?coin", "?coin")
        assert state.observation(viewer).actions == ()


def test_of_a_stack_laid_in_one_step_only_the_top_is_seen(game: Game) -> None:
    state = game.start(2)
    top, below = state.observation(None).place("row").things
    assert top.startswith("coin(") and below == "?coin"
    moves = [line.text for line in state.log(None) if line.text.endswith("to row")]
    assert moves == ["a coin card moves from deck to row", f"{top} moves from deck to row"]
    explicit = game.start(2, explicit=True)
    for _ in range(7):
        explicit = explicit.apply(explicit.legal_actions()[0])
    assert explicit.observation(None).place("row").things == ("?coin",), "half laid: nobody looks yet"


def test_scores_that_depend_on_hidden_coins_are_masked(game: Game) -> None:
    state = game.start(2)
    scores = state.observation("player(2)").scores
    worth, number = scores.lines
    assert worth.values == (None, state.scores.of("player(2)")["coins in hand"], None)
    assert number.values == (2, 2, 2), "how many cards lie somewhere is public"
    assert scores.totals[0] is None and scores.total("player(2)") == state.scores.total("player(2)")


def test_hidden_state_is_shown_to_its_owner_only(game: Game) -> None:
    state = game.start(2).apply("roll")
    luck = state.observation("player(1)").value("luck(player(1))")
    assert luck in (1, 2, 3)
    with pytest.raises(KeyError):
        state.observation("player(2)").value("luck(player(1))")
    (roll,) = [r for r in state.history_for(None) if r.name == "die"]
    assert roll.text == "?" and roll.masked
    assert not any("luck" in line.text for line in state.log("player(2)"))


def test_actions_with_hidden_arguments_are_masked_for_the_others(game: Game) -> None:
    state = game.start(2)
    action = state.legal_actions()[0]
    after = state.apply(action)
    assert after.history[-1].text == action.text
    assert after.history_for("player(1)")[-1].text == action.text
    assert after.history_for("player(2)")[-1].text == action.text, "it went to his hand: he has seen it"
    assert after.history_for("player(3)")[-1].text == "give(?coin)"


def test_before_the_join_others_see_nothing_of_a_sealed_choice(game: Game) -> None:
    state = game.start(5)
    for _ in range(3):
        state = state.apply("roll")
    before = {v: state.observation(v).to_json() for v in VIEWERS}
    known = {v: state.known(v) for v in VIEWERS}
    put = state.apply("put", "player(2)") if state.parse_action("put", "player(2)") else None
    put = put or state.apply(state.legal_actions("player(2)")[0], "player(2)")
    assert put.observation("player(2)").place("tray(2)").count == 1
    for viewer in (None, "player(1)", "player(3)"):
        assert put.observation(viewer).to_json() == before[viewer]
        assert put.history_for(viewer) == state.history_for(viewer)
        assert put.log(viewer) == ()
        assert put.known(viewer) == known[viewer]
    done = put.apply("stop", "player(2)")
    assert done.observation(None).deciding == ("player(1)", "player(3)")
    assert done.observation(None).place("hand(2)").count == 2
    assert [line.text for line in done.log(None)] == ["player(2) has chosen"]


# ------------------------------------------------------------------------------- knowledge


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_what_is_known_never_excludes_the_truth(seed: int) -> None:
    reader, coin = GAME.context.reader, GAME.program.world.kind("coin")
    for state in states(seed):
        for viewer in VIEWERS:
            belief = belief_at(GAME.context, state.at.entry, GAME.context.bit(viewer))
            for thing in coin.ids:
                place = reader.place(state.at.words, thing)
                assert belief.place[thing] == place
                assert belief.maybe[thing] >> place & 1
                assert thing not in belief.pinned or belief.maybe[thing] == 1 << place


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_a_determinized_state_looks_the_same_and_keeps_what_is_known(seed: int, explicit: bool) -> None:
    for n, state in enumerate(play(GAME, seed, explicit=explicit)):
        if state.is_terminal:
            continue
        for viewer in VIEWERS:
            dealt = state.determinize(viewer, Generator(seed + n))
            assert dealt.observation(viewer).to_json() == state.observation(viewer).to_json()
            if viewer is not None:
                assert dealt.legal_actions(viewer) == state.legal_actions(viewer)
            assert dealt.history_for(viewer) == state.history_for(viewer)
            assert dealt.information_state(viewer) == state.information_state(viewer)
            assert dealt.known(viewer) == state.known(viewer)
            again = dealt.determinize(viewer, Generator(n))
            assert again.observation(viewer).to_json() == state.observation(viewer).to_json()
            playout = GAME.playout(dealt)
            assert playout.run(Generator(n), Generator(n, 1))


def test_nothing_hidden_is_left_in_a_determinized_state(game: Game) -> None:
    """The worlds dealt do not depend on the true one: the same seed gives the same."""
    one, two = [
        state for hidden in ("13232", "32113") if (state := _dealt(game, "12", hidden, "3")) is not None
    ]
    assert one.hash != two.hash
    seen = [
        Counter(_hand(s.determinize("player(1)", Generator(i)), 2) for i in range(300)) for s in (one, two)
    ]
    for hand in seen[0] | seen[1]:
        assert abs(seen[0][hand] - seen[1][hand]) < 60


def _dealt(game: Game, mine: str, hidden: str, top: str) -> State:
    state = game.start(1, explicit=True)
    for value in (*mine, *hidden, top):
        state = state.apply(f"coin({value})")
    return state


def _hand(state: State, seat: int) -> tuple[str, ...]:
    return state.observation(f"player({seat})").place(f"hand({seat})").things


def test_dealing_anew_is_uniform(game: Game) -> None:
    """Nine unseen coins (3 ones, 3 twos, 3 threes of 12 less 3 seen): two of them in a hand."""
    state = _dealt(game, "12", "13232", "3")
    n = 1500
    hands = Counter(_hand(state.determinize("player(1)", Generator(i)), 2) for i in range(n))
    pairs = 9 * 8 / 2
    for hand, number in hands.items():
        ways = 3 if hand[0] == hand[1] else 9
        assert number / n == pytest.approx(ways / pairs, abs=0.05)
    assert len(hands) == 6


def test_a_coin_that_was_given_is_known_until_it_may_have_gone_on(game: Game) -> None:
    state = _dealt(game, "12", "33223", "1").apply("give(coin(1))")
    assert ("hand(2)",) in state.known("player(1)").places["coin(1)"]
    for seed in range(20):
        assert "coin(1)" in _hand(state.determinize("player(1)", Generator(seed)), 2)
    state = state.apply("give(coin(1))")
    assert ("hand(2)", "hand(3)") in state.known("player(1)").places["coin(1)"]
    places = {
        next(i for i in (2, 3) if "coin(1)" in _hand(state.determinize("player(1)", Generator(seed)), i))
        for seed in range(60)
    }
    assert places == {2, 3}


def test_hidden_rolls_are_rolled_anew(game: Game) -> None:
    state = game.start(1).apply("roll")
    luck = Counter(
        state.determinize("player(2)", Generator(i)).observation("player(1)").value("luck(player(1))")
        for i in range(1000)
    )
    assert luck[1] / 1000 == pytest.approx(0.5, abs=0.06)
    own = {
        state.determinize("player(1)", Generator(i)).observation("player(1)").value("luck(player(1))")
        for i in range(20)
    }
    assert len(own) == 1


def test_a_card_that_is_called_card_is_called_so_once() -> None:
    game = written("""
        components:
          cards: {card: {count: 3, start: deck}}
          piles: {deck: {holds: card, visible: none}, hand: {per: player, holds: card, visible: none}}
        setup: {one: deal 1 from deck to hand(player(1)), two: deal 2 from deck to hand(player(2))}
        phases: {nothing: {}}
    """)
    assert [line.text for line in game.start(1).log(None)][:2] == [
        "a card moves from deck to hand(player_1)",
        "2 cards move from deck to hand(player_2)",
    ]
