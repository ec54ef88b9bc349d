"""Two batches compared: the statistics against scipy and published tables, the games by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from dice_game import Pips
from scipy import stats

from ludex.pipeline import Backend
from ludex.rng import derive
from ludex.sim.batch import Job, Result, run, run_together
from ludex.sim.comparison import (
    Comparison,
    Measure,
    RuleUse,
    Side,
    beginners,
    compare,
    pairs_needed,
    rule_uses,
)
from ludex.sim.record import GameRecord, RuleCount
from ludex.sim.table import Settings

PLAYERS = ("ann", "bob", "cid")
RANDOM = Settings(("random", "random"), max_decisions=1000, invariants=False)


def record(
    index: int = 0,
    turns: int = 9,
    totals: tuple[int, ...] = (5, 3, 0),
    ranks: tuple[int, ...] = (1, 2, 3),
    ended_by: str = "end",
    decisions: int = 10,
    options: int = 30,
    forced: int = 5,
) -> GameRecord:
    return GameRecord(
        index, index, "finished", ended_by, decisions, turns, 1, 0, options, 5, forced, ranks, (), totals,
        (totals,),
    )  # fmt: skip


def measure(found: Comparison, name: str) -> Measure:
    return next(m for m in found.measures if m.name == name)


# ---------------------------------------------------------------------------- intervals


def noisy(seed: int, games: int = 60) -> Side:
    rng = Random(seed)
    found = []
    for i in range(games):
        order = rng.sample((1, 2, 3), 3)
        totals = tuple(rng.randint(0, 40) for _ in PLAYERS)
        found.append(record(i, rng.randint(5, 60), totals, tuple(order), options=rng.randint(10, 50)))
    return Side(found, lines=("points",))


@pytest.mark.parametrize("comparisons", [1, 5])
def test_intervals_are_those_of_the_paired_t_test_all_together(comparisons: int) -> None:
    base, variant = noisy(1), noisy(2)
    found = compare(base, variant, PLAYERS, level=0.9, comparisons=comparisons)
    level = 1 - 0.1 / (len(found.measures) * comparisons)
    figures = {
        "turns": [[g.turns for g in side.games] for side in (base, variant)],
        "wins of bob": [[int(g.ranks[1] == 1) for g in side.games] for side in (base, variant)],
        "mean score": [[sum(g.totals) / 3 for g in side.games] for side in (base, variant)],
        "legal actions a decision": [[g.options / 10 for g in side.games] for side in (base, variant)],
    }
    for name, (before, after) in figures.items():
        m = measure(found, name)
        expected = stats.ttest_rel(after, before).confidence_interval(level)
        assert (m.low, m.high) == pytest.approx((expected.low, expected.high), rel=1e-5), name
        assert (m.base, m.variant) == pytest.approx((sum(before) / 60, sum(after) / 60))
        assert m.difference == pytest.approx(m.variant - m.base)


@pytest.mark.parametrize(
    ("level", "two_sided", "power", "one_sided"),
    [  # points of the normal distribution as in any printed table
        (0.95, 1.9600, 0.80, 0.8416),
        (0.95, 1.9600, 0.90, 1.2816),
        (0.95, 1.9600, 0.95, 1.6449),
        (0.99, 2.5758, 0.80, 0.8416),
        (0.99, 2.5758, 0.90, 1.2816),
    ],
)
def test_how_many_pairs_are_needed(level: float, two_sided: float, power: float, one_sided: float) -> None:
    needed = pairs_needed(1000 * 3.0**2, 3.0, level, power=power)
    assert needed == pytest.approx(1000 * (two_sided + one_sided) ** 2, rel=2e-4)


def test_as_many_pairs_as_needed_find_the_difference_four_times_in_five() -> None:
    """By the distribution of the mean, with the intervals of ten figures holding together."""
    needed = pairs_needed(9.0, 0.5, 0.95, intervals=10)
    critical = stats.norm.ppf(1 - 0.05 / 20)
    assert stats.norm.sf(critical - 0.5 * needed**0.5 / 3) == pytest.approx(0.8, abs=0.002)
    needed_less = critical - 0.5 * (needed - 1) ** 0.5 / 3
    assert stats.norm.sf(needed_less) < 0.8


def test_what_a_comparison_recommends_follows_from_the_spread_it_has_seen() -> None:
    base, variant = noisy(1), noisy(2)
    found = compare(base, variant, PLAYERS)
    turns = measure(found, "turns")
    changes = [b.turns - a.turns for a, b in zip(base.games, variant.games, strict=True)]
    assert turns.worth_seeing == pytest.approx(turns.base / 100)
    assert turns.needed == pytest.approx(
        pairs_needed(stats.tvar(changes), turns.base / 100, intervals=len(found.measures)), rel=1e-3
    )
    assert measure(found, "wins of ann").worth_seeing == 0.01


def test_one_game_against_itself() -> None:
    side = noisy(3)
    found = compare(side, side, PLAYERS)
    assert found.differing == 0 and found.pairs == 60
    assert {(m.difference, m.low, m.high, m.differing) for m in found.measures} == {(0, 0, 0, 0)}
    assert not any(m.is_beyond_chance for m in found.measures)


# ---------------------------------------------------------------------------- figures


def test_figures_of_a_game() -> None:
    """By hand. The variant's winner has the lowest score, as in games of penalties."""
    base = Side([record(totals=(5, 3, 0))], ("points",))
    variant = Side(
        [record(turns=12, totals=(26, 2, 9), ranks=(3, 1, 2), ended_by="other", decisions=4, forced=3)],
        ("points",),
    )
    found = compare(base, variant, PLAYERS)
    figures = {m.name: (m.base, m.variant) for m in found.measures}
    assert figures == {
        "wins of ann": (1, 0),
        "wins of bob": (0, 1),
        "wins of cid": (0, 0),
        "winner's lead": (2, 7),
        "score spread": (5, 24),
        "ties for the first place": (0, 0),
        "turns": (9, 12),
        "rounds": (1, 1),
        "decisions": (10, 4),
        "legal actions a decision": (3, 7.5),
        "decisions without a choice": (0.5, 0.75),
        "mean score": (pytest.approx(8 / 3), pytest.approx(37 / 3)),
        "ended by end": (1, 0),
        "ended by other": (0, 1),
        "unfinished games": (0, 0),
    }
    assert all(m.low is None for m in found.measures if m.differing)


def test_a_shared_win_and_a_game_without_scores() -> None:
    tied = replace(record(ranks=(1, 1, 2)), lines=(), totals=(0, 0, 0))
    found = compare(Side([tied]), Side([tied]), PLAYERS)
    assert measure(found, "wins of ann").base == 0.5
    assert measure(found, "ties for the first place").base == 1
    assert not {"winner's lead", "score spread", "mean score"} & {m.name for m in found.measures}


def test_scoring_lines_by_name() -> None:
    """The variant has a line more, in front: what the base has not, it has no points for."""
    base = Side([replace(record(), lines=((1, 2, 3),))], ("gold",))
    variant = Side([replace(record(), lines=((6, 6, 6), (4, 5, 6)))], ("gems", "gold"))
    found = compare(base, variant, PLAYERS)
    gold, gems = measure(found, "points for gold"), measure(found, "points for gems")
    assert (gold.base, gold.variant, gems.base, gems.variant) == (2, 5, 0, 6)


def test_whoever_begins() -> None:
    """Seats 0 and 2 begin; in the variant it is worth a win less."""
    games = [record(0), record(1, ranks=(2, 3, 1)), record(2, ranks=(3, 1, 2))]
    base = Side(games, beginners=(0, 2, 0))
    variant = Side([*games[:1], replace(games[1], ranks=(1, 2, 3)), *games[2:]], beginners=(0, 2, None))
    found = compare(base, variant, PLAYERS)
    begun = measure(found, "wins of whoever begins")
    assert (begun.pairs, begun.base, begun.variant) == (2, 1, 0.5)
    assert found.beginner is None


def test_who_always_begins_is_no_figure_of_its_own() -> None:
    side = Side([record(), record(1)], beginners=(1, 1))
    found = compare(side, side, PLAYERS)
    assert found.beginner == 1
    assert "wins of whoever begins" not in {m.name for m in found.measures}


def test_pairs_without_a_result_do_not_count_for_results() -> None:
    unfinished = GameRecord(1, 1, "unfinished", "", 9, 9, 1, 0, 9, 1, 0)
    found = compare(Side([record(0), record(1)]), Side([record(0), unfinished, record(2)]), PLAYERS)
    assert found.pairs == 2
    assert (measure(found, "wins of ann").pairs, measure(found, "turns").pairs) == (1, 2)
    assert measure(found, "unfinished games").variant == 0.5


def test_rules_by_their_paths() -> None:
    base = [RuleCount("end/a", "a", "end", 3), RuleCount("end/b", "b", "end", 0)]
    variant = [RuleCount("end/c", "c", "end", 2), RuleCount("end/a", "a", "end", 0)]
    games = [record(i) for i in range(4)]
    assert rule_uses(Side(games, rules=base), Side(games[:2], rules=variant)) == [
        RuleUse("end/c", "c", "end", None, 1.0),
        RuleUse("end/a", "a", "end", 0.75, 0.0),
        RuleUse("end/b", "b", "end", 0.0, None),
    ]


# ---------------------------------------------------------------------------- games


def jobs(folder: Path, games: int = 200, seed: int = 1, settings: Settings = RANDOM) -> list[Job]:
    return [Job(Pips(folder, o), settings, games, seed) for o in ((), (("late", True),))]


def sides(results: list[Result]) -> tuple[Side, Side]:
    base, variant = (Side(r.batch.games, ("pips",), r.batch.rules) for r in results)
    return base, variant


def test_pairs_with_the_same_seed_say_more(tmp_path: Path) -> None:
    """The variant is worth a point for each six in the last round, 1/6 of a point a player, and
    differs in nothing else; with other seeds that is lost among the other pips."""
    base, variant = sides(run_together(jobs(tmp_path)))
    (again,) = run_together([replace(jobs(tmp_path)[1], seed=2)])
    other = Side(again.batch.games, ("pips",))
    paired, unpaired = (measure(compare(base, s, ("a", "b")), "mean score") for s in (variant, other))
    assert paired.low is not None and paired.high is not None
    assert unpaired.low is not None and unpaired.high is not None
    assert paired.low < 1 / 6 < paired.high and paired.is_beyond_chance
    assert unpaired.low < 1 / 6 < unpaired.high and not unpaired.is_beyond_chance
    assert unpaired.high - unpaired.low > 5 * (paired.high - paired.low)
    changed = sum(
        Fraction(sum(b.totals) - sum(a.totals), 2) for a, b in zip(base.games, variant.games, strict=True)
    )
    assert paired.difference == pytest.approx(float(changed) / 200)


def test_until_the_rules_differ_it_is_the_same_game(tmp_path: Path) -> None:
    base, variant = sides(run_together(jobs(tmp_path)))
    found = compare(base, variant, ("a", "b"))
    other_totals = sum(a.totals != b.totals for a, b in zip(base.games, variant.games, strict=True))
    assert 0 < found.differing == other_totals < 100


@pytest.mark.parametrize("backend", ["interpreter", "wasm"])
def test_batches_side_by_side_are_those_of_each_alone(tmp_path: Path, backend: Backend) -> None:
    from heap_game import Heap

    both = [Job(Heap(size, backend), RANDOM, games, 5) for size, games in ((10, 450), (12, 230))]
    both = both if backend == "wasm" else [replace(j, games=j.games // 10) for j in both]
    together = run_together(both, processes=2)
    for job, result in zip(both, together, strict=True):
        alone = run(job)
        assert result.batch.games == alone.batch.games
        assert [r.applied for r in result.batch.rules] == [r.applied for r in alone.batch.rules]
        assert not result.interrupted


@pytest.mark.parametrize(("backend", "apart"), [("interpreter", 1), ("wasm", 400)])
def test_an_interruption_leaves_about_as_many_games_of_each(backend: Backend, apart: int) -> None:
    from heap_game import Heap

    def interrupt(played: int) -> None:
        if played >= 501 if backend == "wasm" else played >= 21:
            raise KeyboardInterrupt

    both = [Job(Heap(size, backend), RANDOM, 2000, 5) for size in (10, 12)]
    results = run_together(both, progress=interrupt)
    first, second = (len(r.batch.games) for r in results)
    assert 0 <= first - second <= apart and second > 0 and first < 2000
    assert all(r.interrupted for r in results)
    for job, result in zip(both, results, strict=True):
        expected = run(replace(job, games=len(result.batch.games)))
        assert result.batch.games == expected.batch.games


@pytest.mark.parametrize("lots", [False, True])
def test_who_begins_is_who_decides_first(tmp_path: Path, lots: bool) -> None:
    game = Pips(tmp_path, (("lots", lots),))()
    found = beginners(game, 3, 12)
    asked = [game.start(derive(3, i)).decision for i in range(12)]
    assert [game.players[seat] for seat in found if seat is not None] == [d.players[0] for d in asked if d]
    assert (len(set(found)) == 2) is lots


def test_changes_of_the_lead(tmp_path: Path) -> None:
    """Counted where the games are played through the API: from the throws of a game that is played again."""
    settings = Settings(("mc:1", "random"), max_decisions=1000, invariants=False)
    (result, _) = run_together(jobs(tmp_path, games=5, settings=settings))
    game = Pips(tmp_path)()
    for found in result.batch.games:
        state, leader, changes = game.start(found.seed), None, 0
        while not state.is_terminal:
            (action,) = state.legal_actions()
            state = state.apply(action)
            one, two = state.scores.totals
            if one != two:
                changes += leader is not None and leader != (one > two)
                leader = one > two
        assert found.lead_changes == changes
    assert len({g.lead_changes for g in result.batch.games}) > 1
    side = Side(result.batch.games, ("pips",))
    assert measure(compare(side, side, ("a", "b")), "changes of the lead").pairs == 5
