"""A tournament as text, as JSON and as a picture."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import Any

from ludex.cli.plots import COLOURS, GREY, plot
from ludex.cli.terminal import wrapped
from ludex.diagnostics import printable
from ludex.sim.intervals import Estimate, Interval
from ludex.sim.tournament import Match, Tournament


def as_text(tournament: Tournament, title: str, seconds: float) -> str:
    plan = tournament.plan
    head = f"{title}: {plan.games_of_a_pair} games of each pair with seed {plan.seed}"
    lines = [*wrapped(f"{head}, {seconds:.1f} s", 2), ""]
    rows = [["bot", "games", "wins", "95 %"]]
    for standing in tournament.standings:
        figures = _figures(standing.share, standing.interval)
        rows.append([plan.bots[standing.bot], str(standing.games), *figures])
    lines += [*_aligned(rows), ""]
    rows = [["pair", "games", "wins", "95 %"]]
    for match in tournament.matches:
        better, worse = _names(tournament, match)
        figures = _figures(*match.seen_by(plan.bots.index(better)))
        verdict = "" if match.is_beyond_chance else "cannot be told apart"
        rows.append([f"{better} against {worse}", str(match.games), *figures, verdict])
    lines += _aligned(rows)
    if plan.pays:
        titles = ["payoff", "deals", "more", "95 %"]
        lines += ["", *_aligned([titles, *(_payoff(tournament, match) for match in tournament.matches)])]
    lines += [line for match in tournament.matches for line in _trouble(tournament, match)]
    return printable("\n".join(lines))


def _payoff(tournament: Tournament, match: Match) -> list[str]:
    """By how much the payoff of a seat of the one with more wins is above that of the other's."""
    better, worse = _names(tournament, match)
    row = [f"{better} against {worse}"]
    if match.payoff is None or not match.payoff.count:
        return [*row, "0"]
    sign = 1 if better == tournament.plan.bots[match.first] else -1
    row += [str(match.payoff.count), f"{sign * match.payoff.mean:+.2f}"]
    interval = match.payoff.interval
    if interval is not None:
        low, high = sorted((sign * interval.low, sign * interval.high))
        row += [f"{low:+.2f} to {high:+.2f}", "" if not interval.holds(0) else "cannot be told apart"]
    return row


def _figures(share: float | None, interval: Interval) -> list[str]:
    if share is None:
        return ["", ""]
    return [f"{share:.3f}", f"{interval.low:.3f} to {interval.high:.3f}"]


def _aligned(rows: list[list[str]]) -> list[str]:
    """The first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    return [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=False))
        ).rstrip()
        for row in rows
    ]


def _names(tournament: Tournament, match: Match) -> tuple[str, str]:
    """The two bots, the one with more wins first."""
    bots = tournament.plan.bots[match.first], tournament.plan.bots[match.second]
    return bots if (match.share or 0) >= 0.5 else (bots[1], bots[0])


def _trouble(tournament: Tournament, match: Match) -> list[str]:
    pair = " against ".join(_names(tournament, match))
    lines = []
    if match.unfinished:
        lines.append(f"{match.unfinished} games of {pair} were not finished, and do not count")
    if match.faults:
        lines.append(f"{match.faults} games of {pair} ended in a fault of the definition")
    return lines


def to_json(tournament: Tournament, title: str) -> dict[str, Any]:
    """The form is documented in docs/formats.md."""
    plan = tournament.plan
    return {
        "game": title,
        "seats": plan.seats,
        "seed": plan.seed,
        "bots": list(plan.bots),
        "games_of_a_pair": plan.games_of_a_pair,
        "interrupted": tournament.interrupted,
        "matches": [
            {
                "bots": [plan.bots[m.first], plan.bots[m.second]],
                "games": m.games,
                "wins": [float(m.wins), float(m.games - m.wins)],
                "share": m.share,
                "low": m.interval.low,
                "high": m.interval.high,
                "beyond_chance": m.is_beyond_chance,
                "payoff": None if m.payoff is None else _estimate(m.payoff),
                "unfinished": m.unfinished,
                "faults": m.faults,
            }
            for m in tournament.matches
        ],
        "standings": [
            {
                "bot": plan.bots[s.bot],
                "games": s.games,
                "wins": float(s.wins),
                "share": s.share,
                "low": s.interval.low,
                "high": s.interval.high,
            }
            for s in tournament.standings
        ],
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    low, high = estimate.interval or (None, None)
    return {"deals": estimate.count, "more": estimate.mean, "low": low, "high": high}


def draw(tournament: Tournament, title: str, path: Path) -> None:
    """A line for each pair: the share of the better one, with its interval. Raises `Mistake`, OSError."""
    plan = tournament.plan
    played = [m for m in tournament.matches if m.games]
    with plot(path, width=7, height=1.3 + 0.35 * max(1, len(played))) as figure:
        axes = figure.subplots()
        labels = []
        for row, match in enumerate(played):
            better, worse = _names(tournament, match)
            share, (low, high) = match.seen_by(plan.bots.index(better))
            assert share is not None, "games were played"
            colour = COLOURS[0] if match.is_beyond_chance else GREY
            reach = [[100 * (share - low)], [100 * (high - share)]]
            axes.errorbar([100 * share], [-row], xerr=reach, fmt="o", color=colour, capsize=3)
            labels.append(printable(f"{better} against {worse}"))
        axes.axvline(50, color=GREY, linewidth=0.8, linestyle=":")
        axes.set_yticks([-row for row in range(len(played))], labels)
        axes.set_ylim(-len(played) + 0.5, 0.5)
        axes.set_xlim(0, 102)
        axes.set_title(printable(f"{title}, {plan.games_of_a_pair} games of each pair"), loc="left")
        axes.set_xlabel("wins of the first named in per cent, with 95 % intervals (dotted: even)")
