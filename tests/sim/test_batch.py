"""Many games: the same whatever the number of processes, and what is kept of an interruption."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable

import pytest
from coin_game import coin_game
from heap_game import Heap

from ludex.game import Game
from ludex.pipeline import Backend
from ludex.rng import derive
from ludex.sim import one_game
from ludex.sim.batch import Job, run
from ludex.sim.summary import Summary, games_to_csv, summarise, to_csv, to_json
from ludex.sim.table import Settings

RANDOM = Settings(("random", "random"), max_decisions=1000)


def job(games: int, settings: Settings = RANDOM, seed: int = 5, backend: Backend = "interpreter") -> Job:
    return Job(Heap(backend=backend), settings, games, seed)


def summary(games: int = 60, settings: Settings = RANDOM) -> Summary:
    return summarise(
        run(job(games, settings)),
        title="heap",
        seed=5,
        asked=games,
        players=("player_1", "player_2"),
        bots=settings.bots,
        score_lines=("stones",),
    )


def test_processes_change_nothing() -> None:
    alone, together = run(job(40)), run(job(40), processes=3)
    assert alone.batch.games == together.batch.games
    assert alone.batch.rules == together.batch.rules


def test_native_code_changes_nothing() -> None:
    native = run(job(40, backend="wasm"), processes=3)
    assert native.batch.games == run(job(40)).batch.games


def test_a_game_depends_on_seed_and_index_only() -> None:
    assert run(job(30)).batch.games[:7] == run(job(7)).batch.games
    assert run(job(7)).batch.games != run(job(7, seed=6)).batch.games


def test_an_interruption_keeps_the_games_played() -> None:
    def interrupt(played: int) -> None:
        if played == 12:
            raise KeyboardInterrupt

    result = run(job(100), progress=interrupt)
    assert result.interrupted
    assert result.batch.games == run(job(12)).batch.games


def test_an_interruption_of_processes_leaves_none_behind() -> None:
    def interrupt(played: int) -> None:
        raise KeyboardInterrupt

    assert run(job(100), processes=2, progress=interrupt).interrupted
    for _ in range(100):
        if not multiprocessing.active_children():
            return
        time.sleep(0.05)
    raise AssertionError("a process goes on")


def test_wins_and_ranks_account_for_every_game() -> None:
    found = summary()
    assert found.finished == 60
    assert sum(seat.wins for seat in found.seats) == 60
    assert all(sum(seat.ranks) == 60 for seat in found.seats)
    assert [s.total.total for s in found.seats] == [s.lines["stones"].total for s in found.seats]
    assert sum(s.total.total for s in found.seats) == 60 * 10
    assert found.endings == {"the heap is empty": 60}


def test_what_is_counted_of_rules() -> None:
    found = summary()
    assert [r.name for r in found.unused] == ["it lasts too long"]
    assert found.broken == {"odd": 60}
    (step,) = [r for r in found.rules if r.path == "phases/taking/do/take some"]
    assert found.lengths["turns"].total == step.applied


def test_a_cap_on_decisions_leaves_games_unfinished() -> None:
    found = summary(settings=Settings(("random", "random"), max_decisions=2))
    assert found.unfinished == found.played - found.finished > 0
    assert found.lengths["decisions"].most == 2


def test_monte_carlo_beats_random() -> None:
    found = summary(settings=Settings(("random", "mc:40"), max_decisions=1000))
    assert found.interval(found.seats[1])[0] > 0.5


def test_what_bots_think_is_not_counted() -> None:
    settings = Settings(("mc:20", "mc:20"), max_decisions=1000)
    batch = run(job(5, settings)).batch
    (end,) = [r for r in batch.rules if r.name == "the heap is empty"]
    assert end.applied == 5, "the last stone is taken once a game"


def test_forms_for_programs() -> None:
    found = summary()
    data = to_json(found)
    assert data["games"]["played"] == 60
    assert data["seats"][0]["interval_95"][0] < data["seats"][0]["share"] < data["seats"][0]["interval_95"][1]
    lines = to_csv(found).splitlines()
    assert lines[0].startswith("measure,name,player,count,mean,sd")
    assert {line.split(",")[0] for line in lines[1:]} == {"wins", "rank", "length", "score"}
    rows = games_to_csv(run(job(3)).batch.games, ("player_1", "player_2"), ("stones",)).splitlines()
    assert len(rows) == 4
    assert all(row.count(",") == rows[0].count(",") for row in rows)


@pytest.mark.parametrize("spec", ["random", "mc:5"])
def test_bots_choose_legal_actions(spec: str) -> None:
    from ludex.bots import PlayerView, make_bot

    state = Heap()().start(1)
    action = make_bot(spec, 3, 0).choose(PlayerView(state, "player_1"))
    assert action in state.legal_actions("player_1")


@pytest.mark.parametrize("spec", ["smart", "random:3", "mc:0", "mc:x", "mc:99999999", ""])
def test_names_of_bots_that_are_none(spec: str) -> None:
    from ludex.bots import BadBot, make_bot

    with pytest.raises(BadBot, match=r"bot|playouts"):
        make_bot(spec, 1, 0)


@pytest.mark.parametrize("make", [Heap(), coin_game])
def test_random_games_on_the_back_end_are_those_of_the_api(
    make: Callable[[], Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make()
    settings = Settings(("random",) * len(game.players), max_decisions=1000)
    player = one_game.Player(game, settings)
    raw = [player.play(i, derive(3, i)) for i in range(25)]
    monkeypatch.setattr(one_game.Player, "_table", lambda self, bots: one_game._Table(game, settings, bots))
    assert raw == [player.play(i, derive(3, i)) for i in range(25)]
