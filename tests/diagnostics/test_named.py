"""The codes that no bad definition alone can show: names, players, options, sizes, scenarios."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludex import limits, pipeline
from ludex.cli.games import GameSpec, ScenarioGames
from ludex.cli.scenario_file import read_scenarios
from ludex.cli.test import run
from ludex.diagnostics import Failed, Report

HERE = Path(__file__).parent
SMALL = str(HERE / "bases" / "small.yaml")


def said(report: Report) -> list[tuple[str, str, str | None]]:
    return [(d.code.name, d.message, d.help) for d in report]


# ------------------------------------------------------------- games, overlays, players, options


def test_a_game_that_does_not_exist() -> None:
    assert said(pipeline.check("emerlad")) == [
        ("no-such-game", "there is no game `emerlad`", "did you mean `emerald`?")
    ]


def test_an_overlay_that_does_not_exist() -> None:
    assert said(pipeline.check("emerald", ["variant_d"])) == [
        (
            "no-such-overlay",
            "there is no overlay `variant_d` beside emerald/game.yaml",
            "did you mean `variant_c`?",
        )
    ]


def test_a_number_of_players_the_game_is_not_for() -> None:
    ((code, message, _),) = said(pipeline.check(SMALL, players=3))
    assert code == "bad-players"
    assert "2 players" in message and "3" in message


@pytest.mark.parametrize(
    ("options", "message", "help"),
    [
        ({"lenght": "quick"}, "there is no option `lenght`", "did you mean `length`?"),
        (
            {"length": "short"},
            "`short` is not a value of the option `length`",
            "the values are quick, usual, endless",
        ),
    ],
)
def test_an_option_that_is_set_to_what_it_cannot_be(options: dict[str, str], message: str, help: str) -> None:
    assert said(pipeline.check(SMALL, options=options)) == [("bad-option", message, help)]


# ---------------------------------------------------------------------------------- ceilings


def test_more_overlays_than_anybody_stacks(tmp_path: Path) -> None:
    paths = []
    for i in range(limits.MAX_OVERLAYS + 1):
        path = tmp_path / f"o{i}.yaml"
        head = f"ludex: 1\noverlay: o{i}\nextends: small\ntitle: o\n"
        path.write_text(f"{head}add:\n  constants:\n    c{i}: {i}\n")
        paths.append(str(path))
    assert [d.code.name for d in pipeline.check(SMALL, paths)] == ["overlay-too-many"]


HEAD = "ludex: 1\ngame: g\ntitle: G\nplayers: 2\nstate:\n  n: {type: 0..9}\nphases:\n  play:\n    do:\n"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("dsl-too-deep", "n = " + "(" * 150 + "n" + ")" * 150),
        ("dsl-too-deep", "\n".join("  " * i + "if n == 1:" for i in range(99)) + "\n" + "  " * 99 + "n = 1"),
        ("dsl-too-long", "\n".join(["n = 1"] * (limits.MAX_RULE_CHARACTERS // 6 + 1))),
    ],
)
def test_texts_beyond_the_ceilings(tmp_path: Path, code: str, text: str) -> None:
    path = tmp_path / "g.yaml"
    lines = "".join(f"        {line}\n" for line in text.split("\n"))
    path.write_text(f"{HEAD}      it grows: |\n{lines}")
    assert {d.code.name for d in pipeline.check(str(path))} == {code}


# --------------------------------------------------------------------------------- scenarios


def scenario(tmp_path: Path, text: str) -> list[tuple[int, str]]:
    """Line and code of what is wrong with a scenario of the small game."""
    path = tmp_path / "scenarios.yaml"
    path.write_text(f"scenario: of the small game\n{text}\n")
    report = Report()
    for source in read_scenarios(path, report):
        report.extend(run(source, GameSpec(SMALL, players=2), ScenarioGames()))
    return [(d.span.line, d.code.name) for d in report]


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("when: count_up", 2, "scenario-form"),
        ("wehn: [count_up]", 2, "scenario-unknown-key"),
        ("when:\n  - count_up\n  - count_down", 4, "scenario-stuck"),
        ("when: [count_up]\nthen:\n  it was counted: n == 2", 4, "scenario-expected"),
        ("given: n = 99\nwhen: [count_up]", 3, "scenario-stuck"),
        ("given: n = n - 1\nwhen: [count_up]", 1, "scenario-fault"),
    ],
)
def test_scenarios_that_go_wrong(tmp_path: Path, text: str, line: int, code: str) -> None:
    assert scenario(tmp_path, text) == [(line, code)]


def test_a_scenario_that_goes_well(tmp_path: Path) -> None:
    assert scenario(tmp_path, "when: [count_up]\nthen:\n  it was counted: n == 1") == []


# --------------------------------------------------------------------------- what is not said


def test_a_stage_after_a_failed_one_adds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "g.yaml"
    path.write_text(HEAD + "      it grows: n = nn\n      it is odd: n = n +\n")
    with pytest.raises(Failed) as failed:
        pipeline.load(str(path))
    assert [d.code.name for d in failed.value.diagnostics] == ["dsl-ends-early"]
