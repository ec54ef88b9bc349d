"""The report of a simulation as text for people, within 80 columns."""

from __future__ import annotations

from ludex.cli.terminal import wrapped
from ludex.diagnostics import printable
from ludex.sim.statistics import Moments
from ludex.sim.summary import SeatSummary, Summary

_NEVER_SHOWN = 20
"""Rules that never applied that are listed; the rest is counted (--json has all)."""


def as_text(summary: Summary, seconds: float) -> str:
    lines = [*_head(summary, seconds), ""]
    if summary.finished:
        lines += [*_wins(summary), "", *_scores(summary), ""]
    lines += [*_lengths(summary), ""]
    lines += _endings(summary)
    lines += _coverage(summary)
    lines += _trouble(summary)
    return printable("\n".join(lines).rstrip())


def _head(summary: Summary, seconds: float) -> list[str]:
    rate = f", {summary.played / seconds:.1f} games a second" if seconds > 0 else ""
    return wrapped(f"{summary.title}: {summary.played} games with seed {summary.seed}{rate}", 2)


def _wins(summary: Summary) -> list[str]:
    head = ["player", "bot", "wins", "95 %", *(_ordinal(i + 1) for i in range(len(summary.seats)))]
    rows = []
    for seat in summary.seats:
        low, high = summary.interval(seat)
        ranks = [f"{n / summary.finished:.3f}" for n in seat.ranks]
        rows.append([seat.player, seat.bot, f"{summary.share(seat):.3f}", f"{low:.3f} to {high:.3f}", *ranks])
    lines = _table(head, rows)
    if summary.ties:
        lines.append(f"{summary.ties} games were won by several, who share the win.")
    return lines


def _scores(summary: Summary) -> list[str]:
    names = list(dict.fromkeys(name for seat in summary.seats for name in seat.lines))
    head = ["score (mean, sd)", *(seat.player for seat in summary.seats)]
    rows = [["total", *(_spread(seat.total) for seat in summary.seats)]]
    for name in names:
        rows.append([name, *(_line(seat, name) for seat in summary.seats)])
    return _table(head, rows)


def _line(seat: SeatSummary, name: str) -> str:
    return _spread(seat.lines[name]) if name in seat.lines else ""


def _lengths(summary: Summary) -> list[str]:
    rows = [
        [name.replace("_", " "), f"{m.mean:.2f}", f"{m.sd:.2f}", str(m.least), str(m.most)]
        for name, m in summary.lengths.items()
        if m.count and m.most
    ]
    lines = _table(["a game has", "mean", "sd", "least", "most"], rows)
    if summary.decisions:
        lines.append(
            f"A decision has {summary.branching:.2f} legal actions on average, {summary.most_options} at "
            f"most; {summary.forced / summary.decisions:.1%} have one only."
        )
    return lines


def _endings(summary: Summary) -> list[str]:
    if not summary.finished:
        return []
    rows = [[name, str(n), f"{n / summary.finished:.1%}"] for name, n in summary.endings.items()]
    return [*_table(["ended by", "games", ""], rows), ""]


def _coverage(summary: Summary) -> list[str]:
    lines = []
    if unused := summary.unused:
        lines.append("Never applied in these games:")
        lines += [f"  {rule.path} ({_how(rule.kind)})" for rule in unused[:_NEVER_SHOWN]]
        if len(unused) > _NEVER_SHOWN:
            lines.append(f"  and {len(unused) - _NEVER_SHOWN} more (--json lists all)")
        lines.append("")
    if empty := {name: n for name, n in summary.empty.items() if n}:
        lines.append("Decisions that came up without a legal action, and were passed over:")
        lines += [f"  {name or '(no rule)'}: {n}" for name, n in empty.items()]
        lines.append("")
    return lines


def _how(kind: str) -> str:
    return {"step": "step", "condition": "refused nothing", "end": "ended no game"}.get(kind, kind)


def _trouble(summary: Summary) -> list[str]:
    lines = []
    if summary.unfinished:
        lines.append(f"{summary.unfinished} games did not end within the cap on decisions.")
    for fault, times in summary.faults.items():
        first = summary.first_faults[fault]
        lines.append(f"FAULT in {times} games (first in game {first}): {fault.message}")
    for name, times in summary.broken.items():
        lines.append(f"INVARIANT BROKEN in {times} games: {name}")
    return lines


def _ordinal(n: int) -> str:
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(n, f"{n}th")


def _spread(moments: Moments) -> str:
    return f"{moments.mean:.2f} {moments.sd:5.2f}"


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    """The first column to the left, numbers to the right."""
    all_rows = [head, *rows]
    widths = [max(len(row[i]) for row in all_rows) for i in range(len(head))]
    return [
        "  ".join(
            cell.ljust(w) if i == 0 or not _numeric(rows, i) else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in all_rows
    ]


def _numeric(rows: list[list[str]], column: int) -> bool:
    return all(row[column][:1].isdigit() or row[column][:1] in ("-", "") for row in rows)
