"""A bot plays by what its player may see, and keeps to its budget."""

from __future__ import annotations

from typing import Any

import pytest
from coin_game import coin_game

from ludex.bots import PlayerView, make_bot
from ludex.game import State
from ludex.game.playout import Playout
from ludex.rng import Generator

FAIR = ("game", "legal_actions", "observation", "determinize")
"""What a player may ask of a state: all of it is computed from what he has seen."""


class Guarded:
    """A state that tells nothing else."""

    def __init__(self, state: State) -> None:
        self._state = state

    def __getattr__(self, name: str) -> Any:
        assert name in FAIR, f"a bot asked for `{name}`"
        return getattr(self._state, name)


@pytest.mark.parametrize("spec", ["random", "mc:12"])
def test_a_bot_asks_only_what_its_player_may_know(spec: str) -> None:
    state = coin_game().start(2)
    while not state.is_terminal:
        assert state.decision is not None
        player = state.decision.players[0]
        view = PlayerView(Guarded(state), player)  # type: ignore[arg-type]
        action = make_bot(spec, len(state.history), 0).choose(view)
        assert action in state.legal_actions(player)
        state = state.apply(action, player)


def test_the_same_seed_chooses_alike() -> None:
    game = coin_game()
    view = PlayerView(game.start(4), game.players[0])
    choices = {make_bot("mc:20", 8, 0).choose(view).text for _ in range(5)}
    assert len(choices) == 1


def test_the_budget_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = 0
    run = Playout.run

    def counted(self: Playout, chance: Generator, policy: Generator, max_decisions: int = 0) -> bool:
        nonlocal runs
        runs += 1
        return run(self, chance, policy, max_decisions)

    monkeypatch.setattr(Playout, "run", counted)
    game = coin_game()
    state = game.start(1)
    count = len(state.legal_actions())
    make_bot("mc:50", 5, 0).choose(PlayerView(state, game.players[0]))
    assert runs == 50 // count * count
