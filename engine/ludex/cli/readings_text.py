"""The table of readings, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludex.cli.terminal import columns, safe

if TYPE_CHECKING:
    from ludex.cli.readings import Played, Table
    from ludex.sim.comparison import Comparison, Measure


def as_text(table: Table) -> list[str]:
    bots = ", ".join(dict.fromkeys(table.bots))
    lines = [
        f"{safe(str(table.spec))}, {len(table.players)} players: {table.played} games of each reading with "
        f"seed {table.seed}, bots {bots}",
        "Each reading is compared with the chosen one, game by game with the same seeds.",
        f"All intervals hold together with {table.levels:.0%}; * marks a difference beyond chance.",
    ]
    if table.failing:
        lines += ["", "Scenarios that fail under the chosen readings already:"]
        lines += [f"  {safe(name)}" for name in table.failing]
    doubt = ""
    for row in table.rows:
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
    rows = [("", "chosen", "this", "difference", "")]
    rows += [
        (safe(m.name), _number(m.chosen), _number(m.other), f"{m.difference:+.3f}", _interval(m))
        for m in comparison.measures
        if m.pairs and (m.chosen or m.other)
    ]
    widths = [max(columns(row[i]) for row in rows) for i in range(5)]
    return [
        (
            f"      {name}{' ' * (widths[0] - columns(name))}"
            + "".join(f"  {cell.rjust(w)}" for cell, w in zip(cells[:3], widths[1:], strict=False))
            + f"  {cells[3]}"
        ).rstrip()
        for name, *cells in rows
    ]


def _number(value: float) -> str:
    return f"{value:.3f}"


def _interval(measure: Measure) -> str:
    if measure.low is None or measure.high is None:
        return "(too few games differ in it)"
    if measure.low == measure.high == 0:
        return "(the same in every game)"
    mark = " *" if measure.is_beyond_chance else ""
    return f"{measure.low:+.3f} to {measure.high:+.3f}{mark}"


def to_json(table: Table) -> dict[str, object]:
    return {
        "game": str(table.spec),
        "players": list(table.players),
        "games": table.games,
        "played": table.played,
        "seed": table.seed,
        "bots": list(table.bots),
        "level": table.levels,
        "interrupted": table.interrupted,
        "failing": table.failing,
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
                "measures": [_to_json(m) for m in row.comparison.measures] if row.comparison else [],
            }
            for row in table.rows
        ],
    }


def _to_json(measure: Measure) -> dict[str, object]:
    return {
        "name": measure.name,
        "pairs": measure.pairs,
        "chosen": measure.chosen,
        "this": measure.other,
        "difference": measure.difference,
        "low": measure.low,
        "high": measure.high,
        "beyond_chance": measure.is_beyond_chance,
    }
