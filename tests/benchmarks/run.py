"""How fast ludex is: `make bench`. Figures to read, side by side from one run; nothing is asserted.

Times are processor time: the median of several rounds, and their range.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from ludex import pipeline
from ludex.bots import PlayerView, RandomBot
from ludex.game import Chance, Game
from ludex.limits import MAX_DECISIONS
from ludex.resources import definition_names
from ludex.rng import CHANCE, POLICY, Generator, derive

ROUNDS = 5
GAMES = 4


def main() -> None:
    for name in definition_names():
        game = pipeline.load(name)
        print(f"{name}, {len(game.players)} players")
        show("load", lambda name=name: pipeline.load(name), 1)  # type: ignore[misc]
        show("check, all numbers of players", lambda name=name: pipeline.check(name), 1)  # type: ignore[misc]
        show("a playout in the back end", lambda game=game: playouts(game), GAMES)  # type: ignore[misc]
        show("a game through states", lambda game=game: games(game), GAMES)  # type: ignore[misc]
        show("a game of random bots", lambda game=game: bots(game), GAMES)  # type: ignore[misc]


def show(what: str, run: Callable[[], object], times: int) -> None:
    measured = []
    for _ in range(ROUNDS):
        start = time.process_time()
        run()
        measured.append((time.process_time() - start) / times * 1000)
    median, least, most = statistics.median(measured), min(measured), max(measured)
    print(f"  {what:32} {median:9.1f} ms  ({least:.1f} to {most:.1f})")


def playouts(game: Game) -> None:
    for i in range(GAMES):
        seed = derive(1, i)
        playout = game.playout()
        playout.run(Generator(seed, CHANCE), Generator(seed, POLICY), MAX_DECISIONS)


def games(game: Game) -> None:
    """States with their events and masks, the first legal action that a random number says."""
    for i in range(GAMES):
        seed = derive(1, i)
        rng, state = Generator(seed, POLICY), game.start(seed)
        while not state.is_terminal:
            actions = state.legal_actions()
            state = state.apply(actions[rng.bounded(len(actions))])


def bots(game: Game) -> None:
    for i in range(GAMES):
        seed = derive(1, i)
        bot, state = RandomBot(Generator(seed, POLICY)), game.start(seed)
        while (decision := state.decision) is not None:
            assert not isinstance(decision, Chance)
            player = decision.players[0]
            state = state.apply(bot.choose(PlayerView(state, player)), player)


if __name__ == "__main__":
    main()
