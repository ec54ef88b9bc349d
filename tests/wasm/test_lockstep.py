"""Interpreter and module in step over random play of every game: they may differ in nothing."""

from __future__ import annotations

from pathlib import Path

import every_game
import pytest
from every_game import Case
from lockstep import Faulted, Pair, luck

from ludex.backends.wasm.machine import Compiled, WasmMachine
from ludex.resources import definition_names
from ludex.rng import Generator

ONE_BY_ONE = 8
"""Decisions that are compared one by one, at the beginning, in the middle and at the end of a game."""
AT_ONCE = 15
"""Decisions of a playout in both back ends."""
LONGEST = 400
"""Decisions after which a game counts as endless here."""


def _usual() -> list[Case]:
    """What is played whenever the tests are run: each game for as few and for as many as it is for,
    sketches for as few, and not those of the games that are shipped."""
    found: dict[tuple[str, bool], Case] = {}
    for case in every_game.players():
        if not every_game.is_sketch(case.base):
            found.setdefault((case.base, False), case)
            found[case.base, True] = case
        elif Path(case.base).stem not in definition_names():
            found.setdefault((case.base, False), case)
    return list(dict.fromkeys(found.values()))


USUAL = _usual()
OTHERS = [
    case
    for case in (*every_game.players(), *every_game.overlaid(), *every_game.options())
    if case not in set(USUAL)
]


@pytest.mark.parametrize("case", USUAL, ids=str)
def test_in_step(case: Case) -> None:
    in_step(case, 1)


@pytest.mark.long
@pytest.mark.parametrize("case", OTHERS, ids=str)
def test_in_step_with_overlays_options_and_other_players(case: Case) -> None:
    in_step(case, 2)


@pytest.mark.long
@pytest.mark.parametrize("case", USUAL, ids=str)
@pytest.mark.parametrize("seed", range(3, 6))
def test_whole_games_at_once_and_in_step(case: Case, seed: int) -> None:
    whole = Pair(case.load().program)
    whole.start()
    decisions = whole.playout(*luck(seed), LONGEST)
    whole.results()
    slow = Pair(whole.program)
    slow.start()
    slow.steps(LONGEST, *luck(seed))
    assert slow.decisions == decisions or slow.decisions == LONGEST


def as_when_nobody_counts(pair: Pair, seed: int) -> None:
    """Modules that count nothing, in which conditions may go ahead of others, play the same games."""
    ends = []
    for counting in (True, False):
        machine = WasmMachine(pair.program, Compiled(pair.program, counting=counting))
        words = machine.start()
        chance, policy = luck(seed)
        decisions = machine.playout(words, chance, policy, LONGEST)
        ends.append((decisions, machine.pack(words), chance.state, policy.state))
    assert ends[0] == ends[1]


def in_step(case: Case, seed: int) -> None:
    """The beginning, a stretch from a random decision, and the end of one random game."""
    pair = Pair(case.load().program)
    module = pair.machines[1]
    try:
        pair.start()
        length = module.playout(module.start(), *luck(seed), LONGEST)
        as_when_nobody_counts(pair, seed)
        if not pair.steps(ONE_BY_ONE, *luck(seed)):
            return
        for start in (Generator(seed, 7).bounded(length), max(0, length - ONE_BY_ONE)):
            chance, policy = luck(seed)
            pair.words = pair.words[0], module.start()
            module.playout(pair.words[1], chance, policy, start)
            pair.adopt()
            here = tuple(m.copy(w) for m, w in zip(pair.machines, pair.words, strict=True))
            rngs = chance.state, policy.state
            pair.exchange()
            pair.steps(ONE_BY_ONE, chance, policy)
            pair.words = here[0], here[1]
            chance.state, policy.state = rngs
            pair.playout(chance, policy, AT_ONCE)
            pair.playout(chance, policy, 3)
            pair.results()
    except Faulted as fault:
        pytest.fail(f"a rule of a shipped game faults: {fault}")
