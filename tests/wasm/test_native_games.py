"""Simulation in native code: the same records as in the interpreter, whatever the number of threads."""

from __future__ import annotations

import signal
import threading
from dataclasses import dataclass

import pytest
from every_game import SKETCHES, Case

from ludex import pipeline
from ludex.game import DefinitionInfo, Game
from ludex.game.definition import content_hash_of
from ludex.pipeline import Backend
from ludex.sim.batch import Job, Result, run
from ludex.sim.record import Batch
from ludex.sim.table import Settings
from ludex.sim.worker import Worker


@dataclass(frozen=True)
class Recipe:
    case: Case
    backend: Backend

    def __call__(self) -> Game:
        case = self.case
        return pipeline.load(case.base, case.overlays, case.players, dict(case.options), backend=self.backend)


def batch(
    case: Case, backend: Backend, games: int, *, seed: int = 3, threads: int = 1, most: int = 10_000
) -> Batch:
    players = case.players or 2
    settings = Settings(("random",) * players, most)
    return run(Job(Recipe(case, backend), settings, games, seed), threads).batch


def same(native: Batch, reference: Batch) -> None:
    """All that is counted but `tested`, which native code does not count; of conditions how often they
    refuse, which the interpreter counts when it looks for a first option, and again when it lists all."""
    assert native.games == reference.games
    assert native.empty == reference.empty
    for rule, other in zip(native.rules, reference.rules, strict=True):
        assert (rule.path, rule.name, rule.kind) == (other.path, other.name, other.kind)
        if rule.kind == "condition":
            assert (rule.applied == 0) == (other.applied == 0), rule
            assert rule.applied <= other.applied
        else:
            assert rule.applied == other.applied, rule


GAMES = [
    (Case("emerald", (), 2), 12),
    (Case("emerald", ("variant_a", "variant_b", "variant_c"), 5), 5),
    (Case("seven_tiles", (), 4), 5),
    (Case("todas_tablas", (), 2), 6),
    (Case("mekong", (), 2), 1),
    (Case(str(SKETCHES / "hearts.yaml"), (), 4), 3),
    (Case(str(SKETCHES / "goofspiel.yaml"), (), 3), 25),
    (Case(str(SKETCHES / "leduc_poker.yaml"), (), 3), 40),
    (Case(str(SKETCHES / "liars_dice.yaml"), (), 4), 25),
    (Case(str(SKETCHES / "rummy.yaml"), (), 2), 4),
]


@pytest.mark.parametrize(("case", "games"), GAMES, ids=str)
def test_records_are_those_of_the_interpreter(case: Case, games: int) -> None:
    same(batch(case, "wasm", games), batch(case, "interpreter", games))


@pytest.mark.long
@pytest.mark.parametrize(("case", "games"), GAMES, ids=str)
def test_many_records_are_those_of_the_interpreter(case: Case, games: int) -> None:
    for seed in (-1, 1 << 63):
        same(batch(case, "wasm", 10 * games, seed=seed), batch(case, "interpreter", 10 * games, seed=seed))


@pytest.mark.parametrize("most", [1, 2, 17])
def test_a_cap_on_decisions(most: int) -> None:
    case = Case("emerald", (), 3)
    native = batch(case, "wasm", 6, most=most)
    assert all(g.outcome == "unfinished" and g.decisions == most for g in native.games)
    same(native, batch(case, "interpreter", 6, most=most))


def test_threads_change_nothing() -> None:
    case = Case("emerald", (), 3)
    alone, together = batch(case, "wasm", 500), batch(case, "wasm", 500, threads=5)
    assert alone == together
    assert batch(case, "wasm", 90).games == alone.games[:90]


# ------------------------------------------------------------------------------- faults, invariants

RISKY = """ludex: 1
game: risky
title: Risky
players: 2
components:
  dice:
    d: 1..20
state:
  n: {type: 0..999}
actions:
  go:
    do:
      it grows: |
        let a = roll(d)
        n += a
        if n > 60:
          n = n + 5 div (a - 7)
  stay:
    do:
      nothing: n += 1
phases:
  play:
    turns: clockwise from player(1)
    do:
      one: act go or stay
end:
  far: n >= 90
  enough: n > 70 and n < 80
scoring:
  points: 10 div (n - 72)
invariants:
  odd: n mod 2 == 1
  small: n < 55
payoff: n
"""


@dataclass(frozen=True)
class Written:
    text: str
    backend: Backend

    def __call__(self) -> Game:
        files = (("g.yaml", self.text),)
        info = DefinitionInfo("g", "G", (), (), 2, files, content_hash_of("g", (), (), 2, files))
        game = pipeline.load_saved(info)
        return game if self.backend == "wasm" else Game(game.machine, game.definition)


def risky(backend: Backend, games: int, *, threads: int = 1, invariants: bool = True) -> Batch:
    settings = Settings(("random", "random"), 1000, invariants=invariants)
    return run(Job(Written(RISKY, backend), settings, games, 9), threads).batch


@pytest.mark.parametrize("invariants", [True, False])
def test_games_that_fault_are_told_of_as_by_the_interpreter(invariants: bool) -> None:
    native = risky("wasm", 120, threads=2, invariants=invariants)
    outcomes = {g.outcome for g in native.games}
    kinds = {(g.fault.kind, g.fault.rule) for g in native.games if g.fault is not None}
    assert outcomes == {"finished", "fault"}
    assert kinds == {("zero", "it grows"), ("zero", "points")}
    assert any(g.broken == ("odd", "small") for g in native.games) == invariants
    same(native, risky("interpreter", 120, invariants=invariants))


# ------------------------------------------------------------------------------- interruptions


def interrupted(progress: object, threads: int = 2) -> Result:
    case = Case("emerald", (), 3)
    job = Job(Recipe(case, "wasm"), Settings(("random",) * 3, 10_000), 10_000_000, 3)
    return run(job, threads, progress)  # type: ignore[arg-type]


def test_an_interruption_keeps_the_games_played() -> None:
    def interrupt(played: int) -> None:
        if played >= 40:
            raise KeyboardInterrupt

    before = threading.active_count()
    result = interrupted(interrupt)
    played = len(result.batch.games)
    assert result.interrupted and 40 <= played < 10_000_000
    assert result.batch == batch(Case("emerald", (), 3), "wasm", played)
    assert threading.active_count() == before


def test_control_c_ends_it_soon() -> None:
    timer = threading.Timer(1.5, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    result = interrupted(None)
    assert result.interrupted
    assert [g.index for g in result.batch.games] == list(range(len(result.batch.games)))


def test_progress_is_told() -> None:
    told: list[int] = []
    job = Job(Recipe(Case("emerald", (), 3), "wasm"), Settings(("random",) * 3, 10_000), 300, 3)
    run(job, 2, told.append)
    assert told == sorted(told) and told[-1] == 300 and len(told) > 1


# ------------------------------------------------------------------------------- without native code


def test_other_bots_and_the_interpreter_do_without_native_code() -> None:
    case = Case("emerald", (), 2)
    assert Worker(Job(Recipe(case, "interpreter"), Settings(("random",) * 2, 10), 1, 1)).compiled is None


def test_where_native_code_cannot_be_run_the_interpreter_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    from ludex.backends.wasm import host

    def unavailable() -> None:
        raise host.Unavailable("it is a test")

    case = Case("emerald", (), 2)
    expected = batch(case, "wasm", 3).games
    monkeypatch.setattr(host, "load_runtime", unavailable)
    assert batch(case, "auto", 3).games == expected
    with pytest.raises(host.Unavailable):
        batch(case, "wasm", 3)


# ------------------------------------------------------------------------------- bots that think


@pytest.mark.parametrize("case", [Case("emerald", (), 2), Case("todas_tablas", (), 2)], ids=str)
def test_monte_carlo_bots_choose_the_same_moves(case: Case) -> None:
    """Their playouts are the same, so their moves are: compared by what they lead to."""
    assert case.players is not None
    settings = Settings(("mc:4",) * case.players, 8)
    results = [run(Job(Recipe(case, backend), settings, 1, 4)) for backend in ("wasm", "interpreter")]
    assert results[0].batch == results[1].batch


def test_a_playout_of_a_faulty_game_faults_alike() -> None:
    from ludex.game import RuleFault
    from ludex.rng import Generator

    texts = []
    for backend in ("wasm", "interpreter"):
        playout = Written(RISKY.replace("5 div (a - 7)", "5 div (a - a)"), backend)().playout()
        with pytest.raises(RuleFault) as raised:
            playout.run(Generator(1), Generator(2))
        texts.append((str(raised.value), playout.number("n"), playout.decisions))
    assert texts[0] == texts[1]
