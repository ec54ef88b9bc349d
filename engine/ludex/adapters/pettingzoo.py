"""Any definition as an environment of PettingZoo: one agent at a time (AEC), or all at once (parallel).

    from ludex.adapters import pettingzoo
    env = pettingzoo.env("emerald", players=3)
    env.reset(seed=7)

The agents are the seats by their names. An observation has what its agent sees (`observation`) and which
actions are legal (`action_mask`). Rewards come at the end. See docs/adapters/pettingzoo.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ludex import pipeline
from ludex.adapters.actions import GREATEST
from ludex.adapters.extras import extra
from ludex.adapters.position import Position, Table, table_of
from ludex.adapters.spaces import action_space, observation_space, observed
from ludex.adapters.utility import Worth
from ludex.game import State
from ludex.limits import MAX_DECISIONS
from ludex.rng import CHANCE, Generator

with extra("pettingzoo", "PettingZoo"):
    import numpy as np
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers

if TYPE_CHECKING:
    from ludex.adapters.spaces import Observed


class _Environment:
    """What both forms share: spaces, and one game after another with its utilities."""

    def __init__(
        self,
        base: str | Table,
        overlays: Iterable[str] = (),
        players: int | None = None,
        options: Mapping[str, pipeline.OptionValue] | None = None,
        *,
        utility: str = "auto",
        max_length: int = MAX_DECISIONS,
        greatest: int = GREATEST,
        render_mode: str | None = None,
    ) -> None:
        self.table = table = table_of(base, overlays, players, options, greatest)
        game = table.game
        self.metadata: dict[str, Any] = {
            "name": f"ludex_{game.definition.name}",
            "render_modes": ["ansi"],
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = list(game.players)
        self.agents: list[str] = []
        self.wait = table.actions.size
        """The action, in the parallel form, of those who are not to decide."""
        more = isinstance(self, ParallelEnv)
        self._observation_spaces = {name: observation_space(table, more) for name in self.possible_agents}
        self._action_spaces = {name: action_space(table, more) for name in self.possible_agents}
        self._worth = Worth(game, utility)
        self._max_length = max_length
        self._seeds = np.random.default_rng()
        self._begin(None)

    def observation_space(self, agent: str) -> Any:
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self._action_spaces[agent]

    @property
    def ludex_state(self) -> State:
        """The same position of the API: history, log, views."""
        return self._position.state

    def close(self) -> None:
        pass

    def _begin(self, seed: int | None) -> None:
        """A new game. With a seed it is that of `Game.start(seed)`, and the games without a seed that
        follow it are always the same."""
        if seed is not None:
            self._seeds = np.random.default_rng(seed)
        own = int(self._seeds.integers(2**63)) if seed is None else seed
        self._chance = Generator(own, CHANCE)
        self._position: Position = self.table.begin(own, self._chance)

    def _play(self, number: int, seat: int) -> None:
        self._position = self._position.after(number, seat, self._chance)

    @property
    def _is_given_up(self) -> bool:
        return self._position.decisions >= self._max_length and not self._position.is_over

    def _utilities(self) -> dict[str, float]:
        found = self._worth.of(self.table.machine, self._position.words)
        return dict(zip(self.possible_agents, found, strict=True))


def env(base: str | Table, overlays: Iterable[str] = (), players: int | None = None, **settings: Any) -> Any:
    """The AEC environment as it is usually wanted: an illegal action ends the game, with a reward of -1 for
    whoever chose it; what is no action at all, or comes before `reset`, is refused."""
    wrapped: Any = wrappers.TerminateIllegalWrapper(raw_env(base, overlays, players, **settings), -1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class raw_env(_Environment, AECEnv):  # type: ignore[misc]
    """One agent after another. Of sealed choices the first who has not finished chooses.

    `base`, `overlays`, `players` and `options` are as for `ludex.load` (or `base` is a `Table`, which
    several environments may share), `utility` is one of `Utility`. After
    `max_length` decisions a game is given up (truncated). `greatest` is where numbers end that the rules do
    not bound. With `render_mode="ansi"`, `render` gives what the agent sees in words.
    """

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        self._begin(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._settle()
        self._accumulate_rewards()

    def _settle(self) -> None:
        """Whose turn it is; at the end, what it was worth."""
        if self._position.is_over:
            self.rewards = self._utilities()
            self.terminations = dict.fromkeys(self.agents, True)
        elif self._is_given_up:
            self.truncations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.possible_agents[self._position.deciding[0]]

    def observe(self, agent: str) -> Observed:
        """Of an agent who is not to decide nothing is legal."""
        found = observed(self._position, self.possible_agents.index(agent))
        if self._is_given_up or agent != self.agent_selection:
            found["action_mask"][:] = 0
        return found

    def step(self, action: int | None) -> None:
        """Raises ValueError where the action is not legal (`env` ends the game instead)."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is to choose an action")
        self._play(int(action), self.possible_agents.index(agent))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._settle()
        self._accumulate_rewards()

    def render(self) -> str:
        return self._position.text(self.possible_agents.index(self.agent_selection))


class parallel_env(_Environment, ParallelEnv):  # type: ignore[misc]
    """All agents at once. Those who are not to decide wait: that is the last action, and the only one that
    is legal for them. In sealed choices all who are asked decide in one step.

    The arguments are those of `raw_env`. An illegal action ends the game, with a reward of -1 for whoever
    chose it and 0 for the others.
    """

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observed], dict[str, dict[str, Any]]]:
        self._begin(seed)
        self.agents = [] if self._position.is_over else list(self.possible_agents)
        return self._observations(), self._infos()

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[
        dict[str, Observed],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        if not self.agents:
            return {}, {}, {}, {}, {}
        agents = self.possible_agents
        wrong = [a for seat, a in enumerate(agents) if not self._is_legal(seat, int(actions[a]))]
        rewards = dict.fromkeys(agents, 0.0) | dict.fromkeys(wrong, -1.0)
        if not wrong:
            for seat in self._position.deciding:
                self._play(int(actions[agents[seat]]), seat)
            if self._position.is_over:
                rewards = self._utilities()
        ended = bool(wrong) or self._position.is_over
        given_up = not ended and self._is_given_up
        if ended or given_up:
            self.agents = []
        return (
            self._observations(),
            rewards,
            dict.fromkeys(agents, ended),
            dict.fromkeys(agents, given_up),
            self._infos(),
        )

    def _observations(self) -> dict[str, Observed]:
        found = {}
        for seat, agent in enumerate(self.possible_agents):
            found[agent] = observed(self._position, seat, 1)
            if seat not in self._position.deciding:
                found[agent]["action_mask"][self.wait] = 1
        return found

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: {} for agent in self.possible_agents}

    def _is_legal(self, seat: int, action: int) -> bool:
        position = self._position
        return action in position.legal(seat) if seat in position.deciding else action == self.wait

    def render(self) -> str:
        return "\n".join(self._position.text(seat) for seat in range(len(self.possible_agents)))
