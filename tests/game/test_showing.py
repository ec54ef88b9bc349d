"""`show`, `reveal` and `say`: who is told what, of cards, dice and values."""

from __future__ import annotations

import pytest
from written import written

from ludex.diagnostics import Failed
from ludex.game import Game, State
from ludex.rng import Generator

GAME = """
types: {suit: [clubs, hearts]}
components:
  spaces: {town: 2}
  pieces: {pawn: {per: player, places: [town], start: town(1)}}
  cards: {card: {per: {suit: suit, v: 1..3}, start: deck}}
  dice:
    cup: {per: player, count: 2, faces: 1..6, visible: owner}
    bone: {count: 2, faces: 1..6}
  piles:
    deck: {holds: card, visible: none}
    hand: {per: player, holds: card, visible: owner}
setup:
  deal: |
    move card(clubs, 1) to hand(player(1))
    move card(clubs, 2) to hand(player(1))
    roll cup
    roll bone
phases: {play: {turns: clockwise from player(1), rounds: 9, do: {go: act go or again_all}}}
actions:
  go:
    do:
      it happens: |
        STEP
  again_all: {do: {all are rolled: roll cup}}
"""


def game(step: str) -> Game:
    return written(GAME.replace("STEP", step), players=3)


def told(state: State, viewer: str | None) -> list[str]:
    return [line.text for line in state.log(viewer) if line.rule == "it happens"]


def faces(state: State, player: str) -> list[int]:
    view = state.observation(player)
    return [view.value(f"face(cup({player}, {n}))") for n in (1, 2)]


def test_dice_that_are_revealed_are_told_to_everybody() -> None:
    state = game("reveal cup(me)").start(4)
    a, b = faces(state, "player_1")
    after = state.apply("go")
    for viewer in (None, *after.game.players):
        assert told(after, viewer) == [f"cup(player_1, 1) is {a}, cup(player_1, 2) is {b}"]


def test_dice_that_are_shown_to_one_player_are_told_to_him() -> None:
    state = game("show cup(me) to next(me)").start(4)
    a, b = faces(state, "player_1")
    after = state.apply("go")
    assert told(after, "player_2") == [f"cup(player_1, 1) is {a}, cup(player_1, 2) is {b} to player_2"]
    for viewer in (None, "player_1", "player_3"):
        assert told(after, viewer) == ["2 cups are shown to player_2"]


def test_what_was_shown_of_a_die_is_known_until_it_is_rolled_again() -> None:
    state = game("show cup(me) to next(me)").start(4)
    own = faces(state, "player_1")
    after = state.apply("go")

    def guesses(state: State, viewer: str) -> set[tuple[int, ...]]:
        worlds = (state.determinize(viewer, Generator(i)) for i in range(40))
        return {tuple(faces(w, "player_1")) for w in worlds}

    assert guesses(after, "player_2") == {tuple(own)}
    assert len(guesses(after, "player_3")) > 10
    twice = after.determinize("player_2", Generator(1))
    assert guesses(twice, "player_2") == {tuple(own)}, "in a world that was dealt as well"
    rolled = after.apply("again_all")
    assert len(guesses(rolled, "player_2")) > 10


def test_who_sees_a_die_is_told_what_he_rolled() -> None:
    state = game("reveal cup").start(4).apply("again_all")
    a, b = faces(state, "player_1")
    lines = [line.text for line in state.log("player_1") if line.kind == "state"]
    assert [t for t in lines if t.startswith("cup")] == [
        f"cup(player_1, 1) is {a}",
        f"cup(player_1, 2) is {b}",
    ]
    assert not [line for line in state.log(None) if line.text.startswith("cup(player_1, 1)")]


def test_cards_that_are_revealed_are_told_to_spectators_too() -> None:
    after = game("reveal hand(me)").start(1).apply("go")
    for viewer in (None, "player_2", "player_3"):
        assert told(after, viewer) == ["card(clubs, 1), card(clubs, 2) are shown"]
        assert after.known(viewer).places["card(clubs, 1)"] == (("hand(player_1)",),)


def test_open_things_may_be_shown_too() -> None:
    after = game("reveal pawn(me)").start(1).apply("go")
    assert told(after, None) == ["pawn(player_1) is shown"]
    assert told(game("reveal bone(1)").start(1).apply("go"), None)[0].startswith("bone(1) is ")


@pytest.mark.parametrize("what", ["town(1)", "players", "me", "suit", "round_number"])
def test_only_what_has_a_face_can_be_shown(what: str) -> None:
    with pytest.raises(Failed) as failed:
        game(f"reveal {what}")
    assert {d.code.name for d in failed.value.diagnostics} <= {"wrong-type", "not-a-set"}


@pytest.mark.parametrize(
    ("says", "heard"),
    [
        ("{set(c in hand(me))}", ["?card, ?card", "card(clubs, 1), card(clubs, 2)"]),
        ("{set(t in town)}", ["town(1), town(2)"] * 2),
        ("{set(n in 1..3)}", ["1, 2, 3"] * 2),
        ("{me == player(1)}", ["yes"] * 2),
    ],
)
def test_sets_and_conditions_are_said_in_words(says: str, heard: list[str]) -> None:
    after = game(f'say "{says}"').start(1).apply("go")
    assert [told(after, v) for v in (None, "player_1")] == [[h] for h in heard]
