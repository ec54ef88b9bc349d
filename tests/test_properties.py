"""What holds of every game, on random histories of the classic sketches and on generated definitions."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import ludex
from ludex.backends.machine import Choice, SealedPoint, TurnPoint
from ludex.game import Chance, Game, RuleFault, State
from ludex.ir.verify import verify
from ludex.rng import Generator

SKETCHES = Path(__file__).parent / "sketches"
GAMES: dict[str, tuple[int, dict[str, int]]] = {
    "leduc_poker": (2, {}),
    "hearts": (4, {}),
    "liars_dice": (2, {"dice_each": 2}),
    "goofspiel": (2, {"ranks": 5}),
    "seven_tiles": (3, {}),
    "todas_tablas": (2, {}),
    "emerald": (3, {}),
}
STEPS = 45
SEEDS = st.integers(0, 10**6)
few = settings(
    max_examples=2,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),  # games do not shrink in useful time
    suppress_health_check=list(HealthCheck),
)


@cache
def loaded(name: str, players: int | None = None, **options: int) -> Game:
    usual, usual_options = GAMES.get(name, (2, {}))
    path = name if name == "emerald" else str(SKETCHES / f"{name}.yaml")
    return ludex.load(path, players=players or usual, options={**usual_options, **options})


def play(game: Game, seed: int, *, explicit: bool, steps: int = STEPS) -> list[State]:
    """The states of the beginning of a random game."""
    rng = Generator(seed, 7)
    states = [game.start(seed, explicit=explicit)]
    while not (state := states[-1]).is_terminal and len(states) <= steps:
        deciding = state.deciding
        player = deciding[rng.bounded(len(deciding))] if deciding else None
        actions = state.legal_actions(player)
        states.append(state.apply(actions[rng.bounded(len(actions))], player))
    return states


@pytest.mark.parametrize("name", GAMES)
@few
@given(seed=SEEDS)
def test_a_history_replayed_gives_the_same_bytes(name: str, seed: int) -> None:
    """What was sampled and what was chosen, given as texts to a game that samples nothing."""
    game = loaded(name)
    for state in (play(game, seed, explicit=explicit)[-1] for explicit in (False, True)):
        again = game.start(seed + 1, explicit=True)
        for record in state.history:
            again = again.apply(record.text, record.player)
        assert again.to_bytes() == state.to_bytes()
        assert list(map(str, again.history)) == list(map(str, state.history))


@pytest.mark.parametrize("name", GAMES)
@few
@given(seed=SEEDS)
def test_every_point_survives_as_bytes_and_chance_sums_to_one(name: str, seed: int) -> None:
    game = loaded(name)
    for state in play(game, seed, explicit=True):
        other = game.from_bytes(state.to_bytes(), explicit=True)
        assert other.to_bytes() == state.to_bytes()
        assert other.decision == state.decision
        for player in (None, *state.deciding):
            actions = state.legal_actions(player)
            assert [(a, a.choice) for a in other.legal_actions(player)] == [(a, a.choice) for a in actions]
            assert len({a.text for a in actions}) == len(actions)
        match state.at.point:
            case TurnPoint() | SealedPoint():
                in_order(game, state)
            case _:
                pass
        if isinstance(state.decision, Chance):
            probabilities = [p for _, p in state.decision.outcomes]
            assert sum(probabilities) == Fraction(1)
            assert min(probabilities) > 0


def in_order(game: Game, state: State) -> None:
    """Options are ordered by offer and, within one, by their values; each is legal."""
    for player in state.deciding:
        choices = [a.choice for a in state.legal_actions(player)]
        keys = [c.option for c in choices]
        assert keys == sorted(keys)
        assert len(set(choices)) == len(choices)
        number = game.context.player_id(player)
        for choice in choices[:: max(1, len(choices) // 5)]:
            assert game.machine.is_legal(state.at.words, number, choice)


# ------------------------------------------------------------------------------- hidden things

SMALL: dict[str, tuple[int, dict[str, int]]] = {
    "leduc_poker": (2, {}),
    "liars_dice": (2, {"dice_each": 1, "wild": 0}),
    "goofspiel": (2, {"ranks": 3}),
}


@pytest.mark.parametrize("name", SMALL)
def test_what_was_seen_alike_is_alike_in_all_that_is_sent(name: str) -> None:
    """Of many random histories those that one viewer saw alike: his actions, history, knowledge
    and the worlds dealt for him are the same whatever is hidden."""
    players, options = SMALL[name]
    game = loaded(name, players, **options)
    for viewer in (None, *game.players):
        alike: defaultdict[tuple[str, ...], list[State]] = defaultdict(list)
        for seed in range(36):
            seen: tuple[str, ...] = ()
            for state in play(game, seed, explicit=True, steps=9):
                log = [(line.rule, line.text) for line in state.log(viewer)]
                seen = (*seen, f"{state.observation(viewer).to_json()} {log}")
                alike[seen].append(state)
        compared = 0
        for states in alike.values():
            first, *others = {s.to_bytes(): s for s in states}.values()
            for other in others[:4]:
                compared += 1
                assert other.information_state(viewer) == first.information_state(viewer)
                assert other.history_for(viewer) == first.history_for(viewer)
                assert other.known(viewer) == first.known(viewer)
                if viewer is not None:
                    assert other.legal_actions(viewer) == first.legal_actions(viewer)
                worlds = [s.determinize(viewer, Generator(5)) for s in (first, other)]
                assert worlds[0].to_bytes() == worlds[1].to_bytes()
                assert worlds[0].observation(viewer).to_json() == first.observation(viewer).to_json()
        assert compared > 3, "nothing was compared"


# ------------------------------------------------------------------------------- sealed choices


def first_sealed(name: str, players: int) -> State:
    game = loaded(name, players)
    state = game.start(3)
    while state.at.sealed is None:
        state = state.apply(state.legal_actions()[0])
    return state


def arrivals(start: State, luck: int, order: Callable[[State, int], str]) -> list[State]:
    """The sealed choices of all, each player's from his own generator, arriving in an order."""
    rngs = {p: Generator(luck, n) for n, p in enumerate(start.game.players)}
    states = [start]
    while states[-1].at.sealed is start.at.sealed:
        player = order(states[-1], len(states))
        actions = states[-1].legal_actions(player)
        states.append(states[-1].apply(actions[rngs[player].bounded(len(actions))], player))
    return states


@pytest.mark.parametrize(("name", "players"), [("goofspiel", 3), ("hearts", 4), ("mekong", 3)])
def test_sealed_choices_join_alike_in_any_order(name: str, players: int) -> None:
    start = first_sealed(name, players)
    joins = set()
    for seed in range(4):
        rng = random.Random(seed)
        joins.add(arrivals(start, 1, lambda s, _, rng=rng: rng.choice(s.deciding))[-1].to_bytes())
    assert len(joins) == 1


@pytest.mark.parametrize(("name", "players"), [("goofspiel", 3), ("hearts", 4), ("mekong", 3)])
def test_nobody_learns_of_a_sealed_choice_before_the_join(name: str, players: int) -> None:
    """Other choices arriving in the same order: until the join all is the same to those who only watch."""
    start = first_sealed(name, players)
    watchers = (None, start.game.players[-1])

    def in_seat_order(state: State, _: int) -> str:
        return state.deciding[0]

    one, two = (arrivals(start, luck, in_seat_order) for luck in (1, 2))
    chosen = [[r.text for r in run[-2].history[len(start.history) :]] for run in (one, two)]
    assert chosen[0] != chosen[1]
    for here, there in zip(one, two, strict=True):
        if watchers[1] not in here.deciding or here.at.sealed is not start.at.sealed:
            break
        for viewer in watchers:
            if here.at.entry.strand == start.game.context.player_id(str(watchers[1])):
                break
            assert here.information_state(viewer) == there.information_state(viewer)
            assert here.history_for(viewer) == there.history_for(viewer) == start.history_for(viewer)
            assert here.observation(viewer).places == start.observation(viewer).places
            assert [x.text for x in here.log(viewer)] == [x.text for x in there.log(viewer)]


# ------------------------------------------------------------------------------- playouts

DEFENCES = {"c6": "(3, 6)", "Nc6": "(3, 6)", "Nd7": "(4, 7)", "Bd7": "(4, 7)", "Qd7": "(4, 7)"}


def in_check() -> State:
    """1. e4 d6 2. Bb5+: of thirty moves the five of `DEFENCES` are legal."""
    state = loaded("chess").start(1)
    for a, b in pairwise(("5, 2", "5, 4", "4, 7", "4, 6", "6, 1", "2, 5")):
        if f"{a}{b}" in ("5, 25, 4", "4, 74, 6", "6, 12, 5"):
            state = state.apply(f"move(square({a}), square({b}), none)")
    return state


def crowded_go() -> State:
    """Go on 4 by 4, late in a random game: suicide and repetition rule out some empty points."""
    for seed in range(40):
        for state in play(loaded("go", size=4), seed, explicit=False, steps=40)[20:]:
            empty = sum(not p.tokens for p in state.observation(None).places if p.kind == "point")
            if not state.is_terminal and 4 <= len(state.legal_actions()) <= empty - 1:
                return state
    raise AssertionError("no such position")


@pytest.mark.parametrize("position", [in_check, crowded_go])
def test_playouts_choose_uniformly_among_legal_actions(position: Callable[[], State]) -> None:
    state = position()
    legal = [a.choice for a in state.legal_actions()]
    if position is in_check:
        assert len(legal) == len(DEFENCES)
        assert {v for a in state.legal_actions() for v in DEFENCES.values() if v in a.args[1]} == {
            "(3, 6)",
            "(4, 7)",
        }
    player = state.game.context.player_id(state.deciding[0])
    counts: dict[Choice, int] = dict.fromkeys(legal, 0)
    rng, each = Generator(11), 30 if position is in_check else 150
    for _ in range(each * len(legal)):
        counts[state.game.machine.sample_choice(state.at.words, player, rng)] += 1
    chi_square = sum((n - each) ** 2 / each for n in counts.values())
    freedom = len(legal) - 1
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5
    assert len(counts) == len(legal)


# ------------------------------------------------------------------------------- generated definitions

CONDITIONS = (
    "turns > {n}",
    "count(hand(me)) < {n} + 1",
    "row is not empty",
    "luck(me) <= {n}",
    "all(count(hand(p)) < 9 for p in players)",
)
EFFECTS = (
    "turns += {n}",
    "points(me) += count(hand(me))",
    "if count(row) > {n} then move all row to deck",
    "let a = roll(die)\n        luck(me) = a + {n}",
    "for each p in players do points(p) = points(p) * {n} - 1",
    "points(me) = points(me) div (turns - {n})",
)
SCORES = ("points(me)", "count(hand(me))", "sum(c.rank for c in hand(me))")


@st.composite
def definitions(draw: st.DrawFn) -> str:
    """A small card game from templates; some divide by zero, overflow or get stuck."""

    def pick(templates: tuple[str, ...]) -> str:
        return draw(st.sampled_from(templates)).format(n=draw(st.integers(1, 4)))

    def conditions() -> str:
        chosen = draw(st.lists(st.sampled_from(CONDITIONS), max_size=2, unique=True))
        if not chosen:
            return ""
        lines = [f"      c{i}: {c.format(n=draw(st.integers(1, 4)))}" for i, c in enumerate(chosen)]
        return "\n".join(["    where:", *lines, ""])

    ranks, copies = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    hand, row = draw(st.sampled_from(("owner", "all"))), draw(st.sampled_from(("all", "none")))
    luck = draw(st.sampled_from(("all", "owner")))
    rolls = draw(st.booleans())
    return f"""ludex: 1
game: made_up
title: Made up
players: 2..3
types:
  rank: {{range: 1..{ranks}}}
components:
  cards:
    card: {{per: rank, count: {copies}, start: deck}}
  dice:
    die: 1..4
  piles:
    deck: {{holds: card, visible: none}}
    row: {{holds: card, visible: {row}}}
    hand: {{per: player, holds: card, visible: {hand}}}
state:
  turns: {{type: int}}
  points: {{per: player, type: int}}
  luck: {{per: player, type: 0..9, visible: {luck if rolls else "all"}}}
actions:
  draw:
    where:
      some are left: deck is not empty
    do:
      take one: |
        shuffle deck
        deal 1 from deck to hand(me)
  lay:
    choose: {{c: hand(me)}}
{conditions().replace("luck(me)", "turns")}    do:
      lay it: |
        move c to row
        {pick(EFFECTS)}
  rest:
{conditions().replace("luck(me)", "points(me)")}    do:
      rest: |
        {pick(EFFECTS)}
setup:
  shuffle: shuffle deck
  deal: for each p in players do deal 1 from deck to hand(p)
phases:
  main:
    turns: clockwise from player(1)
    do:
      play: act draw or lay or rest
      next: turns += 1
end:
  long enough: turns > {draw(st.integers(4, 12))}
scoring:
  score: {pick(SCORES)}
ranking:
  most: most score
"""


@settings(few, max_examples=20)
@given(text=definitions(), seed=SEEDS)
def test_generated_definitions_check_lower_and_play(
    tmp_path_factory: pytest.TempPathFactory, text: str, seed: int
) -> None:
    path = tmp_path_factory.mktemp("made") / "made_up.yaml"
    path.write_text(text)
    game = ludex.load(str(path), players=2 + seed % 2)
    assert verify(game.program) == []
    for explicit in (False, True):
        try:
            states = play(game, seed, explicit=explicit, steps=25)
        except RuleFault as fault:
            assert fault.span.source.text == text
            continue
        for state in states[::6]:
            if state.is_terminal:
                continue
            for viewer in (None, *game.players):
                dealt = state.determinize(viewer, Generator(seed))
                assert dealt.observation(viewer).to_json() == state.observation(viewer).to_json()
                assert dealt.information_state(viewer) == state.information_state(viewer)
