"""Games on a Dask cluster: the same as here, and what is said where there is none.

The cluster is a scheduler and a worker with two threads in this process, reached by TCP.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from dice_game import TEXT
from heap_game import Heap

from ludex.cli.cluster import recipe
from ludex.cli.games import LoadGame, load_game, parse_spec
from ludex.cli.main import main
from ludex.sim import cluster as module
from ludex.sim.batch import Job, ProcessLost, run_together
from ludex.sim.cluster import DaskCluster, NoCluster, connect
from ludex.sim.table import Settings
from ludex.sim.tournament import Plan, hold

distributed = pytest.importorskip("distributed")

OVERLAY = """\
ludex: 1
overlay: short
extends: pips
replace: {end: {four rounds are over: round_number > 2}}
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with local_cluster(workers=1) as found:
        yield found.scheduler_address


def local_cluster(workers: int) -> Any:
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=2, processes=False, protocol="tcp", dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    )  # fmt: skip


@pytest.fixture
def there(address: str) -> Iterator[DaskCluster]:
    with connect(address) as found:
        yield found


@pytest.fixture
def pips(tmp_path: Path) -> list[Path]:
    files = [tmp_path / "pips.yaml", tmp_path / "short.yaml"]
    for file, text in zip(files, (TEXT, OVERLAY), strict=True):
        file.write_text(text, "utf-8")
    return files


def ludex(*words: str) -> Result:
    result = CliRunner().invoke(main, words)
    assert "Traceback" not in result.output
    return result


def jobs(pips: list[Path], bots: str, games: int, cluster: DaskCluster | None) -> list[Job]:
    """A batch of the game with an option, and one with its overlay."""
    settings = Settings((bots, bots), max_decisions=100)
    specs = [parse_spec([str(pips[0])], 2, [("late", True)]), parse_spec(map(str, pips), 2)]
    return [Job(recipe(load_game(s), s, "auto", cluster), settings, games, 5) for s in specs]


@pytest.mark.parametrize(("bots", "games"), [("random", 120), ("mc:1", 8)])
def test_the_games_are_the_same_and_need_no_files(
    pips: list[Path], there: DaskCluster, bots: str, games: int
) -> None:
    here = run_together(jobs(pips, bots, games, None))
    away = jobs(pips, bots, games, there)
    for file in pips:
        file.unlink()
    told: list[int] = []
    for found, expected in zip(run_together(away, 1, told.append, there), here, strict=True):
        assert found.batch == expected.batch
        assert not found.interrupted
    assert told == sorted(told) and told[-1] == 2 * games


def test_faults_name_their_place_as_they_do_here(tmp_path: Path, there: DaskCluster) -> None:
    path = tmp_path / "pips.yaml"
    path.write_text(TEXT.replace("type: 0..99", "type: 0..5"), "utf-8")
    spec = parse_spec([str(path)], 2)
    settings = Settings(("random", "random"), max_decisions=100)
    here, away = (Job(recipe(load_game(spec), spec, "auto", c), settings, 3, 1) for c in (None, there))
    (expected,), (found,) = run_together([here]), run_together([away], cluster=there)
    assert {g.outcome for g in found.batch.games} == {"fault"}
    assert found.batch.games == expected.batch.games
    assert [str(g.fault and g.fault.message) for g in found.batch.games] == [
        str(g.fault and g.fault.message) for g in expected.batch.games
    ]


def test_an_interruption_keeps_what_has_come(pips: list[Path], there: DaskCluster) -> None:
    def interrupt(played: int) -> None:
        if played >= 30:
            raise KeyboardInterrupt

    away = jobs(pips, "random", 400, there)
    results = run_together(away, 1, interrupt, there)
    assert all(result.interrupted for result in results)
    for found, expected in zip(results, run_together(jobs(pips, "random", 100, None)), strict=True):
        played = len(found.batch.games)
        assert 0 < played < 400
        assert found.batch.games[:100] == expected.batch.games[:played]


def test_simulate_and_compare_say_the_same_on_a_cluster(pips: list[Path], address: str) -> None:
    for words in (
        ["simulate", str(pips[0]), "--games", "12", "--json"],
        ["compare", str(pips[0]), "--with", "late=true", "--games", "12", "--json"],
    ):
        words += ["--backend", "interpreter"]
        here, there = ludex(*words, "-j", "1"), ludex(*words, "--cluster", address)
        assert here.exit_code == there.exit_code == 0
        assert here.stdout == there.stdout and len(here.stdout) > 1000


def test_a_tournament_is_the_same_on_a_cluster(there: DaskCluster) -> None:
    """Its jobs share one game, but the threads of a worker do not."""
    plan = Plan(Heap(), ("random", "mc:4", "mcts:4"), 2, 12, 5, 1000)
    here, away = hold(plan), hold(plan, cluster=there)
    assert away.matches == here.matches and away.played == plan.games == 72


# ------------------------------------------------------------------------ where there is none


def test_nobody_answers(pips: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.3)
    for address in ("tcp://127.0.0.1:1", "nowhere", "odd://127.0.0.1:1"):
        result = ludex("simulate", str(pips[0]), "--cluster", address)
        assert result.exit_code == 1
        assert f"no cluster answers at `{address}`" in result.stderr and "scheduler" in result.stderr


def test_a_cluster_without_workers() -> None:
    with (
        local_cluster(workers=0) as empty,
        pytest.raises(NoCluster, match="has no workers; `dask worker"),
        connect(empty.scheduler_address, seconds=0.5),
    ):
        pass


def test_a_worker_of_another_release(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "__version__", "99.0")
    with pytest.raises(NoCluster, match=r"has ludex \d.*; every worker needs ludex 99\.0"), connect(address):
        pass


def test_a_worker_without_ludex(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(module, "version", missing)
    with pytest.raises(NoCluster, match=r"the worker tcp://.* has no ludex"), connect(address):
        pass


def test_a_cluster_that_goes_away(pips: list[Path]) -> None:
    """What was played until then is kept."""
    with local_cluster(workers=1) as fading, connect(fading.scheduler_address) as there:
        parts = there.play(jobs(pips, "random", 400, there))
        next(parts)
        fading.close()
        with pytest.raises(ProcessLost):
            for _ in parts:
                pass


def test_without_the_extra(pips: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = ludex("simulate", str(pips[0]), "--cluster", "tcp://127.0.0.1:1")
    assert result.exit_code == 1 and "pip install 'ludex[cluster]'" in result.stderr


def test_a_loaded_game_is_loaded_again_elsewhere_only(pips: list[Path]) -> None:
    """Processes get its recipe, not the game."""
    spec = parse_spec([str(pips[0])], 2)
    game = load_game(spec)
    made = recipe(game, spec, "interpreter", None)
    assert made() is game
    assert ForkingPickler.loads(ForkingPickler.dumps(made)) == LoadGame(spec, "interpreter")
