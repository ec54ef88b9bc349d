"""Random playouts beside OpenSpiel's C++ and plain C, alternately in one run.

    python tests/benchmarks/openspiel.py [GAME...]

Wants OpenSpiel (`pip install 'ludex[openspiel]'`), and a C compiler for the row of plain C. OpenSpiel's
playouts are those of its `RandomRolloutEvaluator`, as its tree search asks for them; both sides are
measured in processor time of one thread, slice by slice, and the median of the slices' ratios is
printed. Nothing is asserted.
"""

from __future__ import annotations

import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyspiel

from ludex import pipeline
from ludex.backends.wasm.games import COUNTED, PLAIN, Games
from ludex.backends.wasm.machine import Compiled
from ludex.limits import MAX_DECISIONS

SLICE = 0.4
"""Seconds of a slice, about."""
SLICES = 7
SAMPLE = 40
"""Games that OpenSpiel's decisions are counted in."""

TWINS = {
    "tic_tac_toe": "tic_tac_toe",
    "connect_four": "connect_four",
    "breakthrough": "breakthrough",
    "reversi": "othello",
    "english_draughts": "checkers",
    "hex": "hex(board_size=11)",
    "chess": "chess",
    "amazons": "amazons",
    "nine_mens_morris": "nine_mens_morris",
    "backgammon": "backgammon",
    "oware": "oware",
}
"""Our games and OpenSpiel's. Rules differ a little; where games differ in length, compare decisions."""

Slice = Callable[[], tuple[float, float]]
"""Plays for a while; (playouts, decisions) a second."""


def main() -> None:
    unknown = sorted(set(sys.argv[1:]) - TWINS.keys())
    if unknown:
        sys.exit(f"no such game here: {', '.join(unknown)}; there are {', '.join(TWINS)}")
    print(f"{'game':24}{'ludex/s':>12}{'other/s':>12}{'ratio':>8}{'ratio of decisions':>20}")
    for name in sys.argv[1:] or TWINS:
        other = openspiel(TWINS[name])
        row(name, ours(name, PLAIN), other)
        if name == "chess":
            row("chess, all moves tested", ours(name, COUNTED), other)
        if name == "connect_four" and (limit := plain_c()) is not None:
            row("connect_four, plain C", ours(name, PLAIN), limit)


def row(name: str, one: Slice, other: Slice) -> None:
    one(), other()
    pairs = [(one(), other()) for _ in range(SLICES)]
    playouts, decisions = (statistics.median(a[k] / b[k] for a, b in pairs) for k in (0, 1))
    speeds = [statistics.median(pair[k][0] for pair in pairs) for k in (0, 1)]
    print(f"{name:24}{speeds[0]:12,.0f}{speeds[1]:12,.0f}{playouts:8.2f}{decisions:20.2f}", flush=True)


def ours(name: str, mode: int) -> Slice:
    # invariants are for simulations: a playout tests none
    compiled = Compiled(replace(pipeline.load(name).program, invariants=()), counting=False)
    games = Games(compiled, 1, MAX_DECISIONS, mode)
    first = 0

    def play() -> tuple[float, float]:
        nonlocal first
        playouts = decisions = 0
        size = 1
        started = time.process_time()
        while (seconds := time.process_time() - started) < SLICE:
            part = games.tally(first, size)
            first += part.games
            playouts += part.games
            decisions += part.decisions
            size = min(games.most_at_once, size * 2 if seconds < SLICE / 8 else size)
        return playouts / seconds, decisions / seconds

    return play


def openspiel(name: str) -> Slice:
    game = pyspiel.load_game(name)
    rng = random.Random(1)
    start = game.new_initial_state()
    while start.is_chance_node():
        start.apply_action(start.legal_actions()[0])
    length = statistics.mean(decided(start, rng) for _ in range(SAMPLE))
    count, seed = 4, 0

    def play() -> tuple[float, float]:
        nonlocal count, seed
        while True:
            seed += 1
            evaluator = pyspiel.RandomRolloutEvaluator(count, seed)
            bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 100, False, seed, False)
            started = time.process_time()
            bot.mcts_search(start)  # one simulation: it evaluates the state itself
            seconds = time.process_time() - started
            if seconds > SLICE / 2:
                return count / seconds, count * length / seconds
            count = max(count + 1, int(count * min(8.0, SLICE / max(seconds, 1e-4))))

    return play


def decided(start: pyspiel.State, rng: random.Random) -> int:
    """The decisions of a random game."""
    state, decisions = start.clone(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, odds = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, odds)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
            decisions += 1
    return decisions


def plain_c() -> Slice | None:
    """Connect Four by hand, if there is a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    source = Path(__file__).with_name("connect_four.c")
    program = Path(tempfile.mkdtemp()) / "connect_four"
    subprocess.run([compiler, "-O2", "-o", str(program), str(source)], check=True)
    count, seed = 50_000, 0

    def play() -> tuple[float, float]:
        nonlocal seed, count
        while True:
            seed += 1
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            done = subprocess.run([str(program), str(count), str(seed)], check=True, capture_output=True)
            seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            if seconds > SLICE / 2:
                return count / seconds, int(done.stdout.split()[0]) / seconds
            count *= 2

    return play


if __name__ == "__main__":
    main()
