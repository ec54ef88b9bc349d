"""A bot plays by what its player may see, and keeps to its budget."""

from __future__ import annotations

from typing import Any

import pytest
from coin_game import coin_game

from ludex.backends.interpreter.walk import PlainWalk
from ludex.bots import PlayerView, make_bot
from ludex.game import State

FAIR = ("game", "legal_actions", "observation", "determinize", "worlds")
"""What a player may ask of a state: all of it is computed from what he has seen."""


class Guarded:
    """A state that tells nothing else."""

    def __init__(self, state: State) -> None:
        self._state = state

    def __getattr__(self, name: str) -> Any:
        assert name in FAIR, f"a bot asked for `{name}`"
        return getattr(self._state, name)


@pytest.mark.parametrize("spec", ["random", "mc:12", "mcts:12"])
def test_a_bot_asks_only_what_its_player_may_know(spec: str) -> None:
    state = coin_game().start(2)
    while not state.is_terminal:
        assert state.decision is not None
        player = state.decision.players[0]
        view = PlayerView(Guarded(state), player)  # type: ignore[arg-type]
        action = make_bot(spec, len(state.history), 0).choose(view)
        assert action in state.legal_actions(player)
        state = state.apply(action, player)


@pytest.mark.parametrize("spec", ["mc:20", "mcts:20"])
def test_the_same_seed_chooses_alike(spec: str) -> None:
    game = coin_game()
    view = PlayerView(game.start(4), game.players[0])
    choices = {make_bot(spec, 8, 0).choose(view).text for _ in range(5)}
    assert len(choices) == 1


def test_the_budget_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = 0
    run = PlainWalk.playout

    def counted(self: PlainWalk, max_decisions: int) -> bool:
        nonlocal runs
        runs += 1
        return run(self, max_decisions)

    monkeypatch.setattr(PlainWalk, "playout", counted)
    game = coin_game()
    state = game.start(1)
    count = len(state.legal_actions())
    make_bot("mc:50", 5, 0).choose(PlayerView(state, game.players[0]))
    assert runs == 50 // count * count
