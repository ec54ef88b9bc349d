"""What a definition says of how its players stand: bots look at it, the game does not change."""

from __future__ import annotations

from math import dist
from pathlib import Path

import pytest

from ludex.bots import PlayerView, make_bot
from ludex.bots.ends import Ends
from ludex.diagnostics import Failed
from ludex.game import Game, State
from ludex.limits import MAX_DECISIONS
from ludex.pipeline import Backend, load

RACE = """
ludex: 1
game: race
title: Race
players: 2
state:
  steps: {per: player, type: 0..1000}
actions:
  stay: {do: "steps(me) = steps(me)"}
  go: {do: steps(me) += 1}
  slip: {do: "if steps(me) > 0 then steps(me) -= 1"}
phases:
  play: {turns: clockwise from player_1, do: act stay or go or slip, until: round_number > 300}
end:
  somebody is there:
    is: any(steps(p) == 1000 for p in players)
    winner: set(p in players where steps(p) == 1000)
"""

HEURISTICS = {None: "stay", "steps(me)": "go", "-steps(me)": "slip"}
"""What tells the players apart, and what a bot does who would win only after 1000 steps."""


def race(folder: Path, heuristic: str | None, backend: Backend) -> Game:
    path = folder / "race.yaml"
    path.write_text(RACE + (f"heuristic: {heuristic}\n" if heuristic else ""), encoding="utf-8")
    return load(str(path), backend=backend)


def chosen(bot: str, state: State) -> str:
    (player,) = state.deciding
    seat = state.game.players.index(player)
    return make_bot(bot, 3, seat).choose(PlayerView(state, player)).text


@pytest.mark.parametrize(
    ("heuristic", "bot", "decisions"),
    [
        ("{is: steps(me), horizon: 3}", "mc:30", 3),
        ("{is: steps(me), horizon: 3}", "mcts:30", 3),
        ("{is: steps(me), horizon: 3}", "mcts:30:7", 7),
        ("steps(me)", "mc:6", MAX_DECISIONS),
        (None, "mcts:6", MAX_DECISIONS),
    ],
)
def test_after_how_many_decisions_it_is_asked(
    tmp_path: Path, played: set[int], heuristic: str | None, bot: str, decisions: int
) -> None:
    chosen(bot, race(tmp_path, heuristic, "auto").start())
    assert played == {decisions}


@pytest.mark.parametrize("backend", ["wasm", "interpreter"])
@pytest.mark.parametrize("bot", ["mc:90:2", "mcts:90:2"])
def test_bots_make_for_what_the_definition_calls_good(tmp_path: Path, bot: str, backend: Backend) -> None:
    for heuristic, action in HEURISTICS.items():
        state = race(tmp_path, heuristic, backend).start()
        for first in ("go", "go", "go", "stay"):
            state = state.apply(first)
        assert chosen(bot, state) == action


def test_an_end_that_no_ranking_tells_apart_is_judged_by_it_too(tmp_path: Path) -> None:
    state = race(tmp_path, "steps(me)", "auto").start().apply("go")
    while not state.is_terminal:
        state = state.apply("stay")
    assert set(state.ranking.values()) == {1}
    view = PlayerView(state, "player_1")
    walk = state.game.walk()
    walk.begin(state.to_bytes())
    one, other = Ends(view).values(walk, finished=True)
    assert 0.5 < one < 0.6 and 0.4 < other < 0.5, "a lead counts for less than a win"


def test_the_game_is_the_same_without(tmp_path: Path) -> None:
    ends = set()
    for heuristic in HEURISTICS:
        walk = race(tmp_path, heuristic, "auto").walk()
        walk.begin(race(tmp_path, heuristic, "auto").start().to_bytes())
        walk.luck = ((1, 2, 3, 4), (5, 6, 7, 8))
        walk.playout(500)
        ends.add(walk.data())
    assert len(ends) == 1


def test_it_is_nothing_that_a_player_is_shown(tmp_path: Path) -> None:
    shown = [race(tmp_path, heuristic, "auto").start().observation("player_1") for heuristic in HEURISTICS]
    assert shown[0] == shown[1] == shown[2]


SETUP = """
ludex: 1
overlay: halfway
extends: mekong
title: Halfway
add:
  setup:
    a pawn has gone on: |
      move 1 stone from supply to B1
      move white_1 to gap(B1, white_village)
      move pawn(player_1) to gap(B1, white_village)
"""


def test_the_way_left_in_a_shipped_game(tmp_path: Path) -> None:
    """Two villages lie across a circle of radius 10.00. One pawn stands on a plank from its village to the
    island B1, at (6.81, 2.34), and its goal is at (-10, 0)."""
    (tmp_path / "halfway.yaml").write_text(SETUP, encoding="utf-8")
    game = load("mekong", [str(tmp_path / "halfway.yaml")], 2)
    walk = game.walk()
    walk.begin(game.start().to_bytes())
    left = int(100 * dist((6.81, 2.34), (-10, 0)))
    assert list(walk.heuristics()) == [-2 * left, -2 * 2000], "and no step would lead on"


def test_what_it_may_not_be(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="a number is needed"):
        race(tmp_path, "steps(me) > 3", "auto")
    with pytest.raises(Failed, match="the horizon must be 1 to 100000, not 0"):
        race(tmp_path, "{is: steps(me), horizon: 0}", "auto")
