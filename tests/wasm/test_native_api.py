"""What everybody plays through is the same over either back end: states, texts, views, saves."""

from __future__ import annotations

import pytest
from every_game import SKETCHES, Case

from ludex.backends.interpreter import Interpreter
from ludex.backends.wasm.machine import WasmMachine
from ludex.game import Game, State
from ludex.game.save import export_save, save_text
from ludex.rng import Generator

CASES = [
    Case("emerald", ("variant_b",), 3),
    Case("seven_tiles", (), 2),
    Case("todas_tablas"),
    Case(str(SKETCHES / "hearts.yaml"), (), 4),
    Case(str(SKETCHES / "goofspiel.yaml"), (), 3),
    Case(str(SKETCHES / "go.yaml"), (), 2, (("size", "5"),)),
]
STEPS = 25


def both(case: Case) -> tuple[Game, Game]:
    game = case.load()
    program, info = game.program, game.definition
    return Game(Interpreter(program), info), Game(WasmMachine(program), info)


def told(state: State) -> list[object]:
    """All that may be asked of a state."""
    found: list[object] = [state.to_bytes(), state.hash, state.decision, state.ranking, state.scores]
    found += [state.returns, state.broken_invariants, list(map(str, state.history))]
    for viewer in (None, *state.game.players):
        found += [state.observation(viewer).to_json(), state.known(viewer), state.information_state(viewer)]
        found += [line.text for line in state.log(viewer)]
    for player in state.deciding:
        found += [(a, a.choice) for a in state.legal_actions(player)]
        found.append(state.explain("nonsense(1)", player).text)
        found.append(state.determinize(player, Generator(3)).to_bytes())
    return found


@pytest.mark.parametrize("explicit", [False, True], ids=["sampled", "explicit"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_all_that_is_told_is_the_same(case: Case, explicit: bool) -> None:
    one, other = both(case)
    here, there = (game.start(5, explicit=explicit) for game in (one, other))
    rng = Generator(9)
    for step in range(STEPS):
        if step % 6 == 0:
            assert told(here) == told(there)
        assert here.to_bytes() == there.to_bytes()
        if here.is_terminal:
            break
        player = here.deciding[rng.bounded(len(here.deciding))] if here.deciding else None
        actions = here.legal_actions(player)
        assert actions == there.legal_actions(player)
        action = actions[rng.bounded(len(actions))]
        here, there = here.apply(action, player), there.apply(action.text, player)
    assert told(here) == told(there)
    for viewer in (None, *one.players):
        assert export_save(here, viewer) == export_save(there, viewer)
    assert save_text(here) == save_text(there)
