"""States, decisions, actions: texts, tolerance, refusals, chance, playouts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from random_play import play

from ludex.game import Chance, Game, IllegalAction, Simultaneous, Turn
from ludex.rng import POLICY, Generator


def test_a_game_is_played_to_its_end_and_chance_sampled_from_the_seed(game: Game) -> None:
    states = list(play(game, 3))
    assert states[-1].is_terminal and states[-1].decision is None
    assert sum(states[-1].returns.values()) == pytest.approx(1)
    assert [s.hash for s in play(game, 3)] == [s.hash for s in states]
    assert len({game.start(seed).hash for seed in range(20)}) > 10


def test_states_are_values(game: Game) -> None:
    state = game.start(1)
    before = state.to_bytes()
    rolled = [state.apply("roll") for _ in range(3)]
    assert state.to_bytes() == before
    assert len({s.hash for s in rolled}) == 1, "the generator's state is part of the state"
    assert rolled[0].previous is state
    assert game.from_bytes(before) == state


def test_explicit_chance_has_exact_probabilities(game: Game) -> None:
    state = game.start(1, explicit=True)
    decision = state.decision
    assert isinstance(decision, Chance)
    assert [(a.text, p) for a, p in decision.outcomes] == [
        ("coin(1)", Fraction(1, 3)),
        ("coin(2)", Fraction(1, 3)),
        ("coin(3)", Fraction(1, 3)),
    ]
    while isinstance(state.decision, Chance):
        state = state.apply(state.legal_actions()[0])
    state = state.apply("roll")
    assert isinstance(state.decision, Chance)
    assert [(str(a), p) for a, p in state.decision.outcomes] == [
        ("1", Fraction(1, 2)),
        ("2", Fraction(1, 4)),
        ("3", Fraction(1, 4)),
    ]
    assert isinstance(state.apply("2").decision, Turn)


def deal(game: Game, outcomes: str) -> object:
    """A game whose first draws are given by their values."""
    state = game.start(1, explicit=True)
    for value in outcomes:
        state = state.apply(f"coin({value})")
    return state


def test_texts_of_actions_name_the_face_never_the_copy(game: Game) -> None:
    state = deal(game, "11233312")
    assert [a.text for a in state.legal_actions()] == [
        "give(coin(1))",
        "lay(coin(1))",
        "take",
        "draw",
        "roll",
    ]
    assert state.legal_actions()[0].label == "give coin(1) away"


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("give(coin(1))", "give(coin(1))"),
        (" Give ( COIN(1) ) ", "give(coin(1))"),
        ("give(coin(1, 1))", "give(coin(1))"),
        ("give(coin(1, 4))", "give(coin(1))"),
        ("give", None),
        ("TAKE", "take"),
        ("give(coin(3))", None),
        ("give(coin(1), coin(2))", None),
        ("give(", None),
        ("", None),
    ],
)
def test_texts_are_read_with_tolerance(game: Game, text: str, means: str | None) -> None:
    state = deal(game, "12333312")
    action = state.parse_action(text)
    assert (action.text if action is not None else None) == means


def test_a_name_alone_will_do_if_it_fits_one_option(game: Game) -> None:
    assert deal(game, "11333322").parse_action("give").text == "give(coin(1))"


@pytest.mark.parametrize(
    ("text", "verdict", "said"),
    [
        ("take", "legal", "legal"),
        ("give", "unreadable", "may mean `give(coin(1))`, `give(coin(2))`"),
        ("pass", "refused", "nobody passes at first [book / 3]"),
        ("giv(coin(1))", "unknown_action", "Did you mean `give(coin(1))`?"),
        ("put(coin(1))", "not_offered", "`put` is not offered"),
        ("give(cojn(1))", "no_value", "Did you mean `coin(1)`?"),
        ("give(coin(1), 3)", "unreadable", "takes c"),
        ("give((", "unreadable", "cannot be read"),
        ("give(coin(3))", "refused", "not among the choices"),
        ("\x1b[31mred", "unknown_action", "\\u{1b}[31mred"),
    ],
)
def test_a_refusal_is_explained(game: Game, text: str, verdict: str, said: str) -> None:
    state = deal(game, "12333312")
    explanation = game.explain(state, text)
    assert explanation.verdict == verdict
    assert said in explanation.text
    assert "\x1b" not in explanation.text
    if verdict != "legal":
        with pytest.raises(IllegalAction) as raised:
            state.apply(text)
        assert raised.value.explanation == explanation


def test_who_is_not_to_decide_is_told_so(game: Game) -> None:
    state = game.start(1)
    assert game.explain(state, "take", "player(2)").verdict == "not_deciding"
    assert state.legal_actions("player(2)") == ()
    with pytest.raises(IllegalAction):
        state.apply("take", "player(2)")
    with pytest.raises(ValueError, match="no such player"):
        state.apply("take", "player(9)")


def test_failed_conditions_carry_their_citation(game: Game) -> None:
    (condition,) = game.explain(game.start(1), "pass").conditions
    assert (condition.name, condition.cites) == ("nobody passes at first", ("book / 3",))


def test_the_default_for_an_absent_player(game: Game) -> None:
    state = game.start(1)
    assert state.default_action() is not None and state.default_action().text == "roll"


def test_sealed_choices_arrive_in_any_order(game: Game) -> None:
    def sealed(order: list[int]) -> str:
        state = game.start(5)
        for _ in range(3):
            state = state.apply("roll")
        assert isinstance(state.decision, Simultaneous)
        for seat in order:
            player = game.players[seat]
            state = state.apply(state.legal_actions(player)[0], player).apply("stop", player)
        return state.hash

    assert len({sealed([0, 1, 2]), sealed([2, 1, 0]), sealed([1, 2, 0])}) == 1


def test_a_playout_plays_in_place_and_goes_back(game: Game) -> None:
    state = game.start(1)
    playout = game.playout(state)
    results = set()
    for i in range(5):
        playout.reset()
        playout.apply(state.legal_actions()[0], Generator(9))
        assert playout.run(Generator(i), Generator(i, POLICY))
        assert playout.is_terminal and playout.decisions > 0
        assert sum(playout.returns) == pytest.approx(1)
        assert len(playout.totals) == len(playout.ranks) == 3
        results.add(tuple(playout.totals))
    assert len(results) > 1
    assert state.hash == game.start(1).hash
    fresh = game.playout()
    assert not fresh.run(Generator(1), Generator(1, POLICY), max_decisions=1)
