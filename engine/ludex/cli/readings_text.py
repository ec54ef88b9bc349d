"""The table of readings, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludex.cli.measures_text import measure_to_json, table
from ludex.cli.terminal import safe
from ludex.sim.intervals import LEVEL

if TYPE_CHECKING:
    from ludex.cli.readings import Played, Table
    from ludex.sim.comparison import Comparison


def as_text(found: Table) -> list[str]:
    bots = ", ".join(dict.fromkeys(found.bots))
    lines = [
        f"{safe(str(found.spec))}, {len(found.players)} players: {found.played} games of each reading with "
        f"seed {found.seed}, bots {bots}",
        "Each reading is compared with the chosen one, game by game with the same seeds.",
        f"All intervals hold together with {LEVEL:.0%}; * marks a difference beyond chance.",
    ]
    if found.failing:
        lines += ["", "Scenarios that fail under the chosen readings already:"]
        lines += [f"  {safe(name)}" for name in found.failing]
    doubt = ""
    for row in found.rows:
        if row.reading.doubt != doubt:
            doubt = row.reading.doubt
            lines += ["", f"{safe(doubt)}: chosen is “{safe(row.reading.chosen)}”"]
        lines += _row(row)
    return lines


def _row(row: Played) -> list[str]:
    head = f"  “{safe(row.reading.name)}”"
    if row.problem is not None:
        return [f"{head} cannot be played so: {safe(row.problem)}"]
    lines = [f"{head}: {'; '.join([_games(row.comparison), _scenarios(row)])}"]
    lines += [f"      fails: {safe(name)}" for name in row.failing or ()]
    if row.comparison is not None and row.comparison.differing:
        lines += _measures(row.comparison)
    return lines


def _games(comparison: Comparison | None) -> str:
    if comparison is None:
        return "no games played"
    if not comparison.differing:
        return f"all {comparison.pairs} games went the same way"
    return f"{comparison.differing} of {comparison.pairs} games went another way"


def _scenarios(row: Played) -> str:
    if row.failing is None:
        return "scenarios not run"
    return f"{len(row.failing)} scenarios fail" if len(row.failing) != 1 else "1 scenario fails"


def _measures(comparison: Comparison) -> list[str]:
    shown = (m for m in comparison.measures if m.name in _SHOWN or m.topic == "wins" or m.is_beyond_chance)
    return [f"    {line}" for line in table([m for m in shown if m.differing], ("chosen", "this"))]


_SHOWN = ("turns", "decisions", "mean score", "ties for the first place", "unfinished games")
"""Figures that are shown of every reading, beside who wins, if it has pairs that differ in them; of the
others those that differ beyond chance."""


def to_json(found: Table) -> dict[str, object]:
    return {
        "game": str(found.spec),
        "players": list(found.players),
        "games": found.games,
        "played": found.played,
        "seed": found.seed,
        "bots": list(found.bots),
        "level": LEVEL,
        "interrupted": found.interrupted,
        "failing": found.failing,
        "readings": [
            {
                "doubt": row.reading.doubt,
                "reading": row.reading.name,
                "chosen": row.reading.chosen,
                "options": row.reading.spec.options,
                "overlays": list(row.reading.spec.overlays),
                "problem": row.problem,
                "failing": row.failing,
                "games": row.comparison.pairs if row.comparison else 0,
                "differing": row.comparison.differing if row.comparison else None,
                "measures": [measure_to_json(m) for m in row.comparison.measures] if row.comparison else [],
            }
            for row in found.rows
        ],
    }
