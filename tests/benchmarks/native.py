"""Native code beside the interpreter, in processor time of one thread: the figures of docs/performance.md.

    python tests/benchmarks/native.py [GAME...]

Games are played at random from the beginning to the end; nothing is asserted.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable

from ludex import pipeline
from ludex.backends.machine import CHANCE_TURN, OVER_TURN
from ludex.backends.wasm.games import COUNTED, PLAIN, Games
from ludex.backends.wasm.machine import Compiled
from ludex.game import Game
from ludex.limits import MAX_DECISIONS
from ludex.resources import definition_names
from ludex.rng import CHANCE, POLICY, Generator, derive

SECONDS = 1.0
"""Of each measurement, at least."""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder  # nothing is compiled yet
        measure()


def measure() -> None:
    heads = ("playouts/s", "decisions/s", "simulated/s", "interpreter", "times", "step, µs")
    print(f"{'game':16} {'made':>7}" + "".join(f"{head:>13}" for head in heads))
    for name in sys.argv[1:] or definition_names():
        game = pipeline.load(name)
        started = time.process_time()
        compiled = Compiled(game.program)
        made = time.process_time() - started
        plain, decisions = native(Compiled(game.program, counting=False), PLAIN)
        counted, _ = native(compiled, COUNTED)
        slow = interpreted(game)
        figures = f"{plain:13,.0f}{decisions:13,.0f}{counted:13,.0f}{slow:13,.1f}{plain / slow:13,.0f}"
        print(f"{name:16} {made:6.2f}s{figures}{step(game):13.2f}", flush=True)


def native(compiled: Compiled, mode: int) -> tuple[float, float]:
    """(playouts, decisions) a second; of counted games the records are read, too."""
    games = Games(compiled, 1, MAX_DECISIONS, mode)
    played = decisions = 0
    size = 1

    def play() -> None:
        nonlocal played, decisions, size
        if mode == COUNTED:
            part = games.play(played, 32)
            played += len(part.games)
        else:
            tally = games.tally(played, size)
            played += tally.games
            decisions += tally.decisions
            size = min(games.most_at_once, size * 2) if played < 2000 else size

    play()
    played = decisions = 0
    seconds = until_long_enough(play)
    return played / seconds, decisions / seconds


def step(game: Game) -> float:
    """µs that a step of one state takes from Python: of a walk, the first action of random positions."""
    walk, machine, rng = game.walk(), game.machine, Generator(1, POLICY)
    seconds, steps, seed = 0.0, 0, 0
    while seconds < SECONDS / 4:
        seed += 1
        words = machine.start()
        machine.playout(words, Generator(seed, CHANCE), rng, rng.bounded(20))
        data = machine.pack(words)
        walk.begin(data)
        if walk.turn in (CHANCE_TURN, OVER_TURN):
            continue
        started = time.process_time()
        for _ in range(1000):
            walk.begin(data)
            walk.count()
        between = time.process_time()
        for _ in range(1000):
            walk.begin(data)
            walk.count()
            walk.choose(0)
        seconds += (time.process_time() - between) - (between - started)
        steps += 1000
    return 1e6 * seconds / steps


def interpreted(game: Game) -> float:
    played = 0

    def play() -> None:
        nonlocal played
        seed = derive(1, played)
        words = game.machine.start()
        game.machine.playout(words, Generator(seed, CHANCE), Generator(seed, POLICY), MAX_DECISIONS)
        played += 1

    seconds = until_long_enough(play)
    return played / seconds


def until_long_enough(play: Callable[[], None]) -> float:
    started = time.process_time()
    while (taken := time.process_time() - started) < SECONDS:
        play()
    return taken


if __name__ == "__main__":
    main()
