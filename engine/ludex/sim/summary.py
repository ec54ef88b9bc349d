"""What a batch of games says: wins, lengths, scores, rules that never applied.

`summarise` counts, `to_json` and `to_csv` write; the forms are documented in docs/formats.md.
Wins that are shared count for each winner by his share. Only finished games count for wins,
ranks and scores; lengths and branching count all of them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ludex.sim.batch import Result
from ludex.sim.intervals import wilson
from ludex.sim.record import FaultNote, GameRecord, RuleCount
from ludex.sim.statistics import Moments

_COVERED = ("step", "condition", "end", "until")
"""Kinds of rules of which it is worth knowing that they never applied."""


@dataclass(slots=True)
class SeatSummary:
    """One seat: its share of the wins with a 95 % interval, its ranks, its scores."""

    player: str
    bot: str
    wins: Fraction = Fraction(0)
    outright: int = 0
    ranks: list[int] = field(default_factory=list)
    """Games in which it came first, second, ..."""
    total: Moments = field(default_factory=Moments)
    lines: dict[str, Moments] = field(default_factory=dict)


@dataclass(slots=True)
class Summary:
    """All that is reported of a batch."""

    title: str
    seed: int
    asked: int
    played: int
    finished: int
    unfinished: int
    interrupted: bool
    seats: list[SeatSummary]
    lengths: dict[str, Moments]
    branching: float
    most_options: int
    forced: int
    decisions: int
    ties: int
    endings: dict[str, int]
    broken: dict[str, int]
    faults: dict[FaultNote, int]
    first_faults: dict[FaultNote, int]
    """The index of the first game with that fault, from which it can be repeated."""
    rules: list[RuleCount]
    empty: dict[str, int]

    def interval(self, seat: SeatSummary) -> tuple[float, float]:
        return wilson(float(seat.wins), self.finished)

    def share(self, seat: SeatSummary) -> float:
        return float(seat.wins) / self.finished if self.finished else 0.0

    @property
    def unused(self) -> list[RuleCount]:
        """Named rules that never applied in any game (conditions: never refused anything)."""
        return [r for r in self.rules if r.kind in _COVERED and not r.applied]


def summarise(
    result: Result,
    *,
    title: str,
    seed: int,
    asked: int,
    players: Sequence[str],
    bots: Sequence[str],
    score_lines: Sequence[str],
) -> Summary:
    games = result.batch.games
    finished = [g for g in games if g.outcome == "finished"]
    seats = [SeatSummary(p, b, ranks=[0] * len(players)) for p, b in zip(players, bots, strict=True)]
    for game in finished:
        _count_result(game, seats, score_lines)
    lengths = {name: Moments() for name in ("turns", "rounds", "decisions", "chance_events")}
    for game in games:
        lengths["turns"].add(game.turns)
        lengths["rounds"].add(game.rounds)
        lengths["decisions"].add(game.decisions)
        lengths["chance_events"].add(game.chances)
    decisions = sum(g.decisions for g in games)
    faults = [(g.fault, g.index) for g in reversed(games) if g.fault is not None]
    return Summary(
        title=title,
        seed=seed,
        asked=asked,
        played=len(games),
        finished=len(finished),
        unfinished=sum(g.outcome == "unfinished" for g in games),
        interrupted=result.interrupted,
        seats=seats,
        lengths=lengths,
        branching=sum(g.options for g in games) / decisions if decisions else 0.0,
        most_options=max((g.most_options for g in games), default=0),
        forced=sum(g.forced for g in games),
        decisions=decisions,
        ties=sum(g.ranks.count(1) > 1 for g in finished),
        endings=_tally(g.ending for g in finished),
        broken=_tally(name for g in games for name in g.broken),
        faults=_tally(fault for fault, _ in reversed(faults)),
        first_faults=dict(faults),
        rules=result.batch.rules,
        empty=result.batch.empty,
    )


def _count_result(game: GameRecord, seats: list[SeatSummary], score_lines: Sequence[str]) -> None:
    for i, (seat, share) in enumerate(zip(seats, game.win_shares, strict=True)):
        seat.wins += share
        seat.outright += share == 1
        seat.ranks[game.ranks[i] - 1] += 1
        seat.total.add(game.totals[i])
        for name, values in zip(score_lines, game.lines, strict=True):
            seat.lines.setdefault(name, Moments()).add(values[i])


def _tally(names: Iterable[Any]) -> dict[Any, int]:
    """Number of occurrences, the most frequent first."""
    counts: dict[Any, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def to_json(summary: Summary) -> dict[str, Any]:
    """For programs."""
    return {
        "game": summary.title,
        "seed": summary.seed,
        "games": {
            "asked": summary.asked,
            "played": summary.played,
            "finished": summary.finished,
            "unfinished": summary.unfinished,
            "faults": sum(summary.faults.values()),
            "tied": summary.ties,
            "interrupted": summary.interrupted,
        },
        "seats": [
            {
                "player": seat.player,
                "bot": seat.bot,
                "wins": float(seat.wins),
                "wins_alone": seat.outright,
                "share": summary.share(seat),
                "interval_95": list(summary.interval(seat)),
                "rank_shares": [n / summary.finished if summary.finished else 0.0 for n in seat.ranks],
                "score": seat.total.to_json(),
                "score_lines": {name: m.to_json() for name, m in seat.lines.items()},
            }
            for seat in summary.seats
        ],
        "length": {name: m.to_json() for name, m in summary.lengths.items()},
        "options": {
            "mean": summary.branching,
            "most": summary.most_options,
            "decisions": summary.decisions,
            "forced": summary.forced,
        },
        "endings": summary.endings,
        "broken_invariants": summary.broken,
        "faults": [
            {
                "kind": fault.kind,
                "rule": fault.rule,
                "position": fault.position,
                "message": fault.message,
                "games": times,
                "first_game": summary.first_faults[fault],
            }
            for fault, times in summary.faults.items()
        ],
        "rules": [
            {"path": r.path, "name": r.name, "kind": r.kind, "applied": r.applied, "tested": r.tested}
            for r in summary.rules
        ],
        "decisions_without_option": summary.empty,
    }


def to_csv(summary: Summary) -> str:
    """One measure a line: what, of whom, how many, mean and spread (for shares: the interval)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("measure", "name", "player", "count", "mean", "sd", "min", "max", "low_95", "high_95"))
    n = summary.finished
    for seat in summary.seats:
        low, high = summary.interval(seat)
        writer.writerow(("wins", "", seat.player, n, summary.share(seat), "", "", "", low, high))
    for seat in summary.seats:
        for rank, times in enumerate(seat.ranks, start=1):
            low, high = wilson(times, n)
            share = times / n if n else 0.0
            writer.writerow(("rank", rank, seat.player, n, share, "", "", "", low, high))
    for name, moments in summary.lengths.items():
        writer.writerow(("length", name, "", *_spread(moments)))
    for seat in summary.seats:
        writer.writerow(("score", "total", seat.player, *_spread(seat.total)))
        for name, moments in seat.lines.items():
            writer.writerow(("score", name, seat.player, *_spread(moments)))
    return out.getvalue()


def games_to_csv(games: Iterable[GameRecord], players: Sequence[str], score_lines: Sequence[str]) -> str:
    """One game a line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ["game", "seed", "outcome", "ended_by", "turns", "rounds", "decisions", "chance_events"]
    head += [f"rank {p}" for p in players] + [f"total {p}" for p in players]
    head += [f"{line} {p}" for line in score_lines for p in players]
    writer.writerow(head)
    for g in games:
        empty = [""] * len(players)
        row: list[object] = [g.index, g.seed, g.outcome, g.ended_by]
        row += [g.turns, g.rounds, g.decisions, g.chances]
        row += [*(g.ranks or empty), *(g.totals or empty)]
        row += [v for line in g.lines for v in line] or [""] * (len(players) * len(score_lines))
        writer.writerow(row)
    return out.getvalue()


def _spread(moments: Moments) -> tuple[object, ...]:
    return moments.count, moments.mean, moments.sd, moments.least, moments.most, "", ""
