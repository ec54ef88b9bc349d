"""Random games of the rulebooks beside plain Python programs that play the same, alternately in one run.

    python tests/benchmarks/rulebooks.py [GAME...]

The Python programs are the independent simulators of `tests/conformance`, written from the rulebooks
for the tests; both sides in processor time of one thread. Nothing is asserted.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from ludex import pipeline
from ludex.backends.wasm.games import PLAIN, Games
from ludex.backends.wasm.machine import Compiled
from ludex.limits import MAX_DECISIONS

SLICE = 0.5
"""Seconds of a slice, at least."""
SLICES = 5

PLAYERS = {"emerald": 4, "mekong": 4, "seven_tiles": 3, "todas_tablas": 2}

Speed = Callable[[], float]
"""Plays for a while; games a second."""


def main() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    print(f"{'game':16}{'players':>8}{'ludex/s':>12}{'Python/s':>12}{'ratio':>8}")
    for name in sys.argv[1:] or PLAYERS:
        ours, plain = native(name), python(name)
        ours(), plain()
        pairs = [(ours(), plain()) for _ in range(SLICES)]
        ratio = statistics.median(a / b for a, b in pairs)
        speeds = [statistics.median(pair[k] for pair in pairs) for k in (0, 1)]
        print(f"{name:16}{PLAYERS[name]:8}{speeds[0]:12,.0f}{speeds[1]:12,.1f}{ratio:8.0f}", flush=True)


def native(name: str) -> Speed:
    compiled = Compiled(pipeline.load(name, players=PLAYERS[name]).program, counting=False)
    games = Games(compiled, 1, MAX_DECISIONS, PLAIN)
    first = 0

    def play(count: int) -> int:
        nonlocal first
        part = games.tally(first, min(count, games.most_at_once))
        first += part.games
        return part.games

    return timed(play)


def python(name: str) -> Speed:
    reference: Any = import_module(f"conformance.{name}.reference")
    config = reference.Config() if name == "todas_tablas" else reference.Config(PLAYERS[name])
    rng = random.Random(1)
    random_game = getattr(reference, "random_game", None) or reference.playout

    def play(count: int) -> int:
        for _ in range(count):
            random_game(config, rng)
        return count

    return timed(play)


def timed(play: Callable[[int], int]) -> Speed:
    size = 1

    def speed() -> float:
        nonlocal size
        played = 0
        started = time.process_time()
        while (seconds := time.process_time() - started) < SLICE:
            played += play(size)
            if seconds < SLICE / 20:
                size *= 2
        return played / seconds

    return speed


if __name__ == "__main__":
    main()
