"""Many games of one definition that are played together, for programs that learn from many at once.

    env = BatchEnv("emerald", players=3, games=256, seed=1)
    while True:
        observations, masks = env.observe()
        rewards, over = env.step(choose(observations, masks))

Whoever is to decide in a game decides: `players` says who that is. A game that is over is followed by
another at once. See docs/adapters/gymnasium.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import ludex.adapters.observation as observation
from ludex import pipeline
from ludex.adapters.actions import GREATEST
from ludex.adapters.extras import extra
from ludex.adapters.position import MAX_IN_VAIN, Table, table_of
from ludex.adapters.utility import Worth
from ludex.backends.machine import Words
from ludex.game import State
from ludex.game.faults import named_faults, rule_fault
from ludex.ir import program as p
from ludex.rng import CHANCE, Generator, derive

with extra("pettingzoo", "NumPy"):
    import numpy as np
    from numpy.typing import NDArray


class BatchEnv:
    """`games` games. Game k of all that are ever begun has the seed `derive(seed, k)`: it is what
    `Game.start` gives for that, stepped by the same actions.

    `base`, `overlays`, `players` and `options` are as for `ludex.load` (or `base` is a `Table`), `utility` is
    one of `Utility`. `observation_size` and `action_count` say how many numbers there are of each. Games
    without sealed choices are stepped by native code in one call.
    """

    def __init__(
        self,
        base: str | Table,
        overlays: Iterable[str] = (),
        players: int | None = None,
        options: Mapping[str, pipeline.OptionValue] | None = None,
        *,
        games: int,
        seed: int = 0,
        utility: str = "auto",
        greatest: int = GREATEST,
    ) -> None:
        self.table = table_of(base, overlays, players, options, greatest)
        self._worth = Worth(self.table.game, utility)
        self._seed = seed
        self.begun = games
        """How many games have been begun."""
        self._games: _Native | _Positions = _made(self.table, [derive(seed, i) for i in range(games)])
        self.observation_size = self.table.observations.size
        self.action_count = self.table.actions.size
        self._restart([i for i in range(games) if self._games.seats[i] < 0])

    def __len__(self) -> int:
        return len(self._games.seats)

    @property
    def players(self) -> NDArray[np.int32]:
        """The seat that is to decide in each game."""
        return np.array(self._games.seats, np.int32)

    def state(self, i: int) -> State:
        """Game i as the API has it, without the history."""
        return self.table.game.from_bytes(self.table.machine.pack(self._games.words(i)))

    def observe(self) -> tuple[observation.Floats, NDArray[np.bool_]]:
        """What the players who are to decide see, a row for each game, and which actions are legal."""
        masks = np.zeros((len(self), self.action_count), np.bool_)
        for mask, i in zip(masks, range(len(self)), strict=True):
            mask[self._games.numbers(i)] = True
        return self._games.observations(), masks

    def step(self, actions: Iterable[int]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Plays an action in each game. The rewards of all seats, a row for each game, and which games are
        over: they have been followed by others. Raises ValueError, and plays nothing, if an action is
        not legal; `RuleFault`."""
        chosen = []
        for i, action in enumerate(actions):
            numbers = self._games.numbers(i)
            if int(action) not in numbers:
                raise ValueError(f"action {int(action)} is not legal in game {i}")
            chosen.append(numbers.index(int(action)))
        if len(chosen) != len(self):
            raise ValueError(f"there are {len(self)} games, and {len(chosen)} actions")
        self._games.step(chosen)
        ended = [i for i, seat in enumerate(self._games.seats) if seat < 0]
        rewards = np.zeros((len(self), self.table.players), np.float32)
        for i in ended:
            rewards[i] = self._worth.of(self.table.machine, self._games.words(i))
        self._restart(ended)
        over = np.zeros(len(self), np.bool_)
        over[ended] = True
        return rewards, over

    def _restart(self, ended: Sequence[int]) -> None:
        """Begins others in place of games that are over. Raises ValueError if nobody is ever to decide."""
        for i in ended:
            for _ in range(MAX_IN_VAIN):
                self._games.restart(i, derive(self._seed, self.begun))
                self.begun += 1
                if self._games.seats[i] >= 0:
                    break
            else:
                raise ValueError(f"in {MAX_IN_VAIN} games one after another there was nothing to decide")


def _made(table: Table, seeds: Sequence[int]) -> _Native | _Positions:
    seals = any(isinstance(block.end, p.Simultaneous) for block in table.game.program.blocks)
    return _Positions(table, seeds) if seals or table.machine is table.game.machine else _Native(table, seeds)


class _Native:
    """Games in native code. `seats[i]` is who decides in game i, -1 where it is over."""

    def __init__(self, table: Table, seeds: Sequence[int]) -> None:
        from ludex.backends.wasm.batch import Batch
        from ludex.backends.wasm.machine import WasmMachine

        assert isinstance(table.machine, WasmMachine)
        self._table = table
        self._batch = Batch(table.machine.compiled, seeds)
        self._pc = table.game.program.layout.field("@pc").offset
        self._numbers: dict[int, list[int]] = {}
        self._stop_at_faults()

    @property
    def seats(self) -> Sequence[int]:
        return self._batch.players

    def words(self, i: int) -> Words:
        return cast(Words, array("i", self._batch.state(i)))

    def numbers(self, i: int) -> list[int]:
        if i not in self._numbers:
            words = self.words(i)
            with named_faults(self._table.game.program):
                options = self._table.machine.options(words, self._batch.players[i] + self._table.first)
            self._numbers[i] = self._table.actions.numbers(words, words[self._pc], options)
        return self._numbers[i]

    def step(self, chosen: Sequence[int]) -> None:
        self._batch.step(chosen)
        self._numbers.clear()
        self._stop_at_faults()

    def restart(self, i: int, seed: int) -> None:
        self._batch.restart(i, seed)
        self._stop_at_faults()

    def _stop_at_faults(self) -> None:
        for fault in self._batch.faults.values():
            raise rule_fault(self._table.game.program, fault)

    def observations(self) -> observation.Floats:
        n, space = len(self._batch), self._table.observations
        words = np.frombuffer(b"".join(map(self._batch.state, range(n))), np.int32).reshape(n, -1)
        seats = np.array(self._batch.players, np.intp)
        turns = np.zeros((n, self._table.players), np.float32)
        turns[np.arange(n), seats] = 1
        found = np.empty((n, space.size), np.float32)
        for seat in range(self._table.players):
            rows = np.flatnonzero(seats == seat)
            if len(rows):
                found[rows] = space.many(words[rows], seat, turns[rows])
        return found


class _Positions:
    """The same by positions, one after another: for games with sealed choices, of which the words alone
    do not tell what a player sees, and where there is no native code."""

    def __init__(self, table: Table, seeds: Sequence[int]) -> None:
        self._table = table
        self._chance = [Generator(seed, CHANCE) for seed in seeds]
        self._at = [table.begin(seed, chance) for seed, chance in zip(seeds, self._chance, strict=True)]

    @property
    def seats(self) -> Sequence[int]:
        return [at.deciding[0] if at.deciding else -1 for at in self._at]

    def words(self, i: int) -> Words:
        return self._at[i].words

    def numbers(self, i: int) -> list[int]:
        at = self._at[i]
        return list(at.legal(at.deciding[0]))

    def step(self, chosen: Sequence[int]) -> None:
        for i, k in enumerate(chosen):
            at, numbers = self._at[i], self.numbers(i)
            self._at[i] = at.after(numbers[k], at.deciding[0], self._chance[i])

    def restart(self, i: int, seed: int) -> None:
        self._chance[i] = Generator(seed, CHANCE)
        self._at[i] = self._table.begin(seed, self._chance[i])

    def observations(self) -> observation.Floats:
        return np.stack([at.numbers(at.deciding[0]) for at in self._at])
