"""How fast a game is played at random, one playout after the other."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ludex.backends.wasm.games import PLAIN, Games
from ludex.backends.wasm.machine import WasmMachine
from ludex.game import Game
from ludex.rng import CHANCE, POLICY, Generator, derive

_AT_ONCE = 0.05
"""Seconds that one call of native code takes, as far as can be foreseen."""


@dataclass(slots=True)
class Speed:
    """Playouts, their decisions, and the seconds (of a clock on the wall) they took."""

    native: bool
    playouts: int = 0
    decisions: int = 0
    seconds: float = 0.0
    unfinished: int = 0

    @property
    def per_second(self) -> float:
        return self.playouts / self.seconds if self.seconds else 0.0

    @property
    def decisions_per_second(self) -> float:
        return self.decisions / self.seconds if self.seconds else 0.0

    @property
    def mean_length(self) -> float:
        return self.decisions / self.playouts if self.playouts else 0.0


def measure(game: Game, seconds: float, seed: int, max_decisions: int) -> Speed:
    """Playouts i = 0, 1, … of `derive(seed, i)` for so long, at least one; they are the same in both
    back ends. Raises `RuleFault`."""
    machine = game.fastest
    if not isinstance(machine, WasmMachine):
        return _interpreted(game, seconds, seed, max_decisions)
    speed = Speed(native=True)
    games = Games(machine.compiled, seed, min(max_decisions, (1 << 31) - 1), PLAIN)
    games.play(0, 1)  # what is done once is no part of the speed
    size = 1
    while speed.seconds < seconds:
        started = time.perf_counter()
        part = games.tally(speed.playouts, size)
        taken = time.perf_counter() - started
        if part.faulted:
            _play(game, derive(seed, speed.playouts + part.games), max_decisions)
        speed.seconds += taken
        speed.playouts += part.games
        speed.decisions += part.decisions
        speed.unfinished += part.unfinished
        size = max(1, min(games.most_at_once, size * 4, int(size * _AT_ONCE / max(taken, 1e-9))))
    return speed


def _interpreted(game: Game, seconds: float, seed: int, max_decisions: int) -> Speed:
    speed = Speed(native=False)
    while speed.seconds < seconds:
        started = time.perf_counter()
        decisions, finished = _play(game, derive(seed, speed.playouts), max_decisions)
        speed.seconds += time.perf_counter() - started
        speed.playouts += 1
        speed.decisions += decisions
        speed.unfinished += not finished
    return speed


def _play(game: Game, seed: int, max_decisions: int) -> tuple[int, bool]:
    playout = game.playout()
    finished = playout.run(Generator(seed, CHANCE), Generator(seed, POLICY), max_decisions)
    return playout.decisions, finished
