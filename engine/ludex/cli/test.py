"""`ludex test`: the scenarios of a game, played and compared."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from ludex.cli import errors
from ludex.cli.errors import BadDefinition, Mistake
from ludex.cli.games import GameSpec, OptionValue, ScenarioGames, game_argument, parse_spec
from ludex.cli.scenario_file import ScenarioSource, read_scenarios
from ludex.cli.terminal import paint_for, write
from ludex.diagnostics import Report, printable


@click.command(
    help="""Run a game's scenarios: small scripted games with what is expected of them.

They are read from the folder `scenarios` beside the game's file, or from --file. The
options and overlays given here are added to those of each scenario.
"""
)
@game_argument
@click.option(
    "-f",
    "--file",
    "files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file of scenarios; repeatable.",
)
@click.option("-k", "--only", metavar="TEXT", help="Only scenarios with this in their names.")
@click.option("-v", "--verbose", is_flag=True, help="Name the scenarios that pass, too.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    files: tuple[Path, ...],
    only: str | None,
    verbose: bool,
    as_json: bool,
) -> int:
    from ludex.render import render, to_json

    spec = parse_spec(game, players, options)
    paths = files or scenario_files(spec)
    if not paths:
        raise Mistake(f"`{spec}` has no scenarios: no folder `scenarios` beside its file, and no --file")
    rows: list[dict[str, object]] = []
    passed = failed = 0
    games = ScenarioGames()
    unread = Report()
    told: set[str] = set()
    for path in paths:
        for source in read_scenarios(path, unread):
            if only is not None and only.casefold() not in source.scenario.name.text.casefold():
                continue
            report = run(source, spec, games)
            failed += bool(report.found)
            passed += not report.found
            name = printable(source.scenario.name.text)
            if as_json:
                problems = [to_json(d) for d in report]
                rows.append(
                    {
                        "scenario": source.scenario.name.text,
                        "file": str(path),
                        "passed": not problems,
                        "diagnostics": problems,
                    }
                )
            elif report.found:
                reasons = "\n".join(render(d, paint_for(sys.stdout)) for d in report)
                if reasons in told:  # what is wrong with the game is so in every scenario
                    write(f"FAILED  {name}: for the same reason")
                else:
                    write(f"FAILED  {name}\n{reasons}\n")
                told.add(reasons)
            elif verbose:
                write(f"passed  {name}")
    if as_json:
        unreadable = [to_json(d) for d in unread]
        write(
            json.dumps(
                {"passed": passed, "failed": failed, "scenarios": rows, "diagnostics": unreadable},
                indent=2,
                ensure_ascii=False,
            )
        )
    else:
        if unread.found:
            write("\n".join(render(d, paint_for(sys.stdout)) for d in unread) + "\n")
        write(f"{passed} passed, {failed} failed")
    if passed + failed == 0 and not unread.found:
        raise Mistake("no scenario has this in its name" if only else "there is no scenario in these files")
    return errors.MISTAKE if failed or unread.errors else errors.OK


def run(source: ScenarioSource, spec: GameSpec, games: ScenarioGames) -> Report:
    """Plays one scenario; everything that is not as it should be is in the report."""
    from ludex.sim.scenarios import run_scenario

    report = Report()
    own = GameSpec(
        base=spec.base,
        overlays=tuple(dict.fromkeys((*spec.overlays, *source.overlays))),
        players=source.players if source.players is not None else spec.players,
        options={**spec.options, **source.options},
    )
    try:
        game, holds = games.load(own, source.given, source.then)
    except BadDefinition as bad:
        report.extend(bad.diagnostics)
        return report
    run_scenario(source.scenario, game, holds, report)
    return report


def scenario_files(spec: GameSpec) -> tuple[Path, ...]:
    """The files in the folder `scenarios` beside a game's file."""
    from ludex.resources import definition_path

    base = definition_path(spec.base) or Path(spec.base)
    from ludex.pipeline import is_within

    found = sorted((base.parent / "scenarios").glob("*.yaml"))
    return tuple(path for path in found if is_within(path, base.parent))
