"""Any definition as an environment of Gymnasium: one seat learns, bots play the others.

    from ludex.adapters import gymnasium
    env = gymnasium.LudexEnv("emerald", players=3, opponents="random")

See docs/adapters/gymnasium.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ludex import pipeline
from ludex.adapters.actions import GREATEST
from ludex.adapters.extras import extra
from ludex.adapters.position import MAX_IN_VAIN, Position, Table, table_of
from ludex.adapters.spaces import action_space, observation_space, observed
from ludex.adapters.utility import Worth
from ludex.bots import Bot, PlayerView, RandomBot, make_bot
from ludex.game import State
from ludex.limits import MAX_DECISIONS
from ludex.rng import CHANCE, Generator

with extra("pettingzoo", "Gymnasium"):
    import gymnasium as gym

if TYPE_CHECKING:
    from ludex.adapters.spaces import Observed

Opponent: TypeAlias = "str | Callable[[int, int], Bot]"
"""A bot by its name, or what makes one from the game's seed and its seat (counted from 0)."""


class LudexEnv(gym.Env[Any, Any]):
    """One seat of a game against bots.

    `base`, `overlays`, `players` and `options` are as for `ludex.load` (or `base` is a `Table`, which
    several environments may share). `seat` is the learner's, by its name
    or counted from 0. `opponents` is one bot for all others, or a list with one for each of them in seat
    order. `utility` is one of `Utility`; rewards come at the end. After `max_length` decisions of all players
    a game is given up (truncated). `greatest` is where numbers end that the rules do not bound. An illegal
    action ends the game with the least reward, and `info["illegal"]` is True then.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012  (Gymnasium wants a mapping on the class)

    def __init__(
        self,
        base: str | Table,
        overlays: Iterable[str] = (),
        players: int | None = None,
        options: Mapping[str, pipeline.OptionValue] | None = None,
        *,
        seat: int | str = 0,
        opponents: Opponent | Sequence[Opponent] = "random",
        utility: str = "auto",
        max_length: int = MAX_DECISIONS,
        greatest: int = GREATEST,
        render_mode: str | None = None,
    ) -> None:
        self.table = table_of(base, overlays, players, options, greatest)
        game = self.table.game
        self.seat = game.players.index(seat) if isinstance(seat, str) else range(len(game.players))[seat]
        self._worth = Worth(game, utility)
        self._max_length = max_length
        self._opponents = self._by_seat(opponents)
        self.observation_space = observation_space(self.table)
        self.action_space = action_space(self.table)
        self.render_mode = render_mode
        self._position: Position | None = None

    def _by_seat(self, opponents: Opponent | Sequence[Opponent]) -> dict[int, Opponent]:
        others = [seat for seat in range(self.table.players) if seat != self.seat]
        each = [opponents] * len(others) if isinstance(opponents, str) or callable(opponents) else opponents
        if len(each) != len(others):
            raise ValueError(f"there are {len(others)} opponents, and {len(each)} bots for them")
        found = dict(zip(others, each, strict=True))
        for other, opponent in found.items():
            _bot(opponent, 0, other)  # a bot that there is not is found out at once
        return found

    @property
    def ludex_state(self) -> State:
        """The same position of the API: history, log, views."""
        return self._at.state

    @property
    def _at(self) -> Position:
        if self._position is None:
            raise gym.error.ResetNeeded("call `reset` before anything else")
        return self._position

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """A new game; with a seed, that of `Game.start(seed)`. The bots draw from streams of the same seed.
        A game that is over before the learner has decided is followed by the next. Raises ValueError if
        he is never to decide."""
        super().reset(seed=seed)
        own = int(self.np_random.integers(2**63)) if seed is None else seed
        for _ in range(MAX_IN_VAIN):
            self._chance = Generator(own, CHANCE)
            self._bots = {other: _bot(opponent, own, other) for other, opponent in self._opponents.items()}
            self._position = self.table.begin(own, self._chance)
            self._others_play()
            if not self._at.is_over:
                return self._observed(), {}
            own = int(self.np_random.integers(2**63))
        name = self.table.game.players[self.seat]
        raise ValueError(f"in {MAX_IN_VAIN} games one after another there was nothing for {name} to decide")

    def step(self, action: Any) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        at, number = self._at, int(action)
        if number not in at.legal(self.seat):
            return self._observed(), self._worth.least, True, False, {"illegal": True}
        self._position = at.after(number, self.seat, self._chance)
        self._others_play()
        at = self._at
        reward = self._worth.of(self.table.machine, at.words)[self.seat] if at.is_over else 0.0
        given_up = at.decisions >= self._max_length and not at.is_over
        return self._observed(), reward, at.is_over, given_up, {}

    def _observed(self) -> Observed:
        return observed(self._at, self.seat)

    def _others_play(self) -> None:
        """Until the learner is to decide, or the game is over or given up."""
        at = self._at
        while at.deciding and self.seat not in at.deciding and at.decisions < self._max_length:
            seat = at.deciding[0]
            at = at.after(self._chosen(at, seat), seat, self._chance)
        self._position = at

    def _chosen(self, at: Position, seat: int) -> int:
        bot, legal = self._bots[seat], at.legal(seat)
        if isinstance(bot, RandomBot):  # as it would choose itself, without telling it what it sees
            return list(legal)[bot.rng.bounded(len(legal))]
        action = bot.choose(PlayerView(at.state, self.table.game.players[seat]))
        return next(number for number, choice in legal.items() if choice == action.choice)

    def render(self) -> str | None:
        return self._at.text(self.seat) if self.render_mode == "ansi" else None


def _bot(opponent: Opponent, seed: int, seat: int) -> Bot:
    return make_bot(opponent, seed, seat) if isinstance(opponent, str) else opponent(seed, seat)
