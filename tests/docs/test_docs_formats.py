"""docs/formats.md: its tables have the fields that there are, no more and no fewer."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import docs_examples as examples
import pytest
from click.testing import CliRunner

from ludex import pipeline
from ludex.cli import scenario_file
from ludex.cli.errors import __doc__ as exit_codes
from ludex.cli.main import main
from ludex.game.save import save_text

TEXT = (examples.DOCS / "formats.md").read_text(encoding="utf-8")
HEAP = examples.Page.read(examples.DOCS / "language.md").games["heap"].text
BY_NAME = ("endings", "broken_invariants", "decisions_without_option", "length", "score_lines")
SPREAD = {"count", "mean", "sd", "standard_error", "min", "max"}


def fields(part: str) -> set[str]:
    """What stands in backticks in the first column of the table that follows a heading or mark."""
    rows = []
    for line in TEXT.split(part, 1)[1].splitlines():
        if line.startswith("|"):
            rows.append(line.split("|")[1])
        elif rows:
            break
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def paths(value: Any, at: str = "") -> set[str]:
    """The paths of all that a JSON value holds, as the page writes them."""
    if isinstance(value, dict) and at.rpartition(".")[2] in BY_NAME:
        return {f"{at}{{}}"}
    if at.endswith(("diagnostics", "faults[]")) and at != "":
        return {at}
    if isinstance(value, dict):
        if set(value) == SPREAD:
            return {at}
        return {p for key, inner in value.items() for p in paths(inner, f"{at}.{key}" if at else key)}
    if isinstance(value, list):
        if at.rpartition(".")[2] == "diagnostics":
            return {at}
        return {p for inner in value for p in paths(inner, f"{at}[]")} or {at}
    return {at}


@pytest.fixture
def heap(tmp_path: Path) -> str:
    return str(examples.write(tmp_path / "game.yaml", HEAP))


def output(*args: str) -> Any:
    return json.loads(CliRunner().invoke(main, [*args, "--json"]).stdout)


def test_tournament(heap: str) -> None:
    found = paths(output("tournament", heap, "--bots", "random,mc:2", "--games", "2", "--processes", "1"))
    assert found == fields("### `ludex tournament GAME --json`")


def test_simulate(heap: str) -> None:
    found = paths(output("simulate", heap, "--games", "3", "--processes", "1"))
    wanted = {p for p in fields("### `ludex simulate GAME --json`") if p != "faults[]"}
    assert found - {"faults"} == wanted | {"seats[].score_lines{}"} - {""}


def test_check_and_diagnostics(tmp_path: Path) -> None:
    bad = examples.write(tmp_path / "game.yaml", HEAP.replace("heap -= n", "haep -= n"))
    result = output("check", str(bad))
    examples.write(tmp_path / "translations" / "fr.yaml", "ludex: 1\ntranslation: fr\ngame: heap\n")
    translated = output("check", str(examples.write(tmp_path / "game.yaml", HEAP)))
    assert paths(translated) == fields("### `ludex check GAME --json`")
    (diagnostic,) = result["diagnostics"]
    assert set(diagnostic) == fields("### A diagnostic")
    assert "`file`, `line`, `column`, `end_line`, `end_column`" in TEXT
    assert list(diagnostic["span"]) == ["file", "line", "column", "end_line", "end_column"]


def test_test(heap: str) -> None:
    examples.write(Path(heap).parent / "scenarios" / "a.yaml", "scenario: a\ngame: heap\nwhen: [take(1)]\n")
    assert paths(output("test", heap)) == fields("### `ludex test GAME --json`")


SOURCE = "sources: {rules: {title: The rules, headings: {Setup: 2}}}\ncite: rules / Setup / 1\n"
READING = (
    "options: {odd: {type: bool, default: false}}\n"
    "ambiguities:\n"
    "  A1: {question: Why?, readings: {a: {odd: false}, b: {odd: true}}, chosen: a, because: So.}\n"
    "invariants: {odd or even: not odd or heap >= 0}\n"
)


def test_source_cite_and_coverage(tmp_path: Path) -> None:
    rule = "as many are there: {is: n <= heap, cite: rules / Setup / 1}"
    cited = HEAP.replace("as many are there: n <= heap", rule)
    heap = str(examples.write(tmp_path / "game.yaml", cited + SOURCE))
    text = str(examples.write(tmp_path / "rules.txt", "Setup\nLay them down. Go on.\n"))
    assert paths(output("source", "index", text)) == fields("### `ludex source index FILE --json`")
    wanted = fields("### `ludex cite GAME RULE --json`") - {"heading", "number", *STATES}
    found = output("cite", heap, "as many are there", "--source", f"rules={text}")
    assert items(paths(found)) == items(wanted)
    assert items(paths(output("coverage", heap))) == items(fields("### `ludex coverage GAME --json`"))


def test_readings(tmp_path: Path) -> None:
    heap = str(examples.write(tmp_path / "game.yaml", HEAP + READING))
    found = output("readings", heap, "--games", "2", "--processes", "1")
    wanted = fields("### `ludex readings GAME --json`") - {"readings[].measures[]"}
    measure = {f"readings[].measures[].{name}" for name in fields("### A measure")}
    assert items({p.replace("options.odd", "options{}") for p in paths(found)}) == items(wanted | measure)


def test_compare_and_measures(tmp_path: Path) -> None:
    heap = str(examples.write(tmp_path / "game.yaml", HEAP + READING))
    found = output("compare", heap, "--with", "odd=true", "--games", "3")
    wanted = fields("### `ludex compare BASE VARIANT --json`") - {"measures[]"}
    measure = {f"measures[].{name}" for name in fields("### A measure")}
    assert items(paths(found)) == items(wanted | measure)
    documented = [re.sub("SEAT|END|LINE", ".+", name) for name in fields("<!-- measures -->")]
    names = [m["name"] for m in found["measures"]]
    assert len(names) > 8 and all(any(re.fullmatch(d, name) for d in documented) for name in names)


STATES = {"same", "unindexed", "moved", "changed", "missing"}


def items(found: set[str]) -> set[str]:
    """Paths of lists with or without `[]`: an empty one does not show what is in it."""
    return {path.removesuffix("[]") for path in found}


def test_diff_and_list(tmp_path: Path, heap: str) -> None:
    overlay = "ludex: 1\noverlay: o\nextends: heap\nreplace: {title: Another heap}\n"
    other = examples.write(tmp_path / "o.yaml", overlay)
    assert paths(output("diff", heap, f"{heap}+{other}")) == fields("### `ludex diff GAME GAME --json`")
    found = paths(output("list", str(tmp_path))) - {"games[].overlays"}  # of a game that has none
    assert found == fields("### `ludex list --json`")


def test_save_header_and_observation(heap: str) -> None:
    state = pipeline.load(heap).start(1)
    header = json.loads(save_text(state).splitlines()[0])
    assert set(header) == fields("<!-- save header -->")
    assert set(json.loads(state.observation("player_1").to_json())) == fields("<!-- observation -->")


def test_scenario_keys() -> None:
    assert fields("<!-- scenario keys -->") == set(scenario_file._KEYS)


def test_exit_codes() -> None:
    assert exit_codes is not None
    documented = TEXT.split("## Exit codes", 1)[1]
    assert re.findall(r"^\| (\d+)", documented, re.M) == re.findall(r"^\| (\d+)", exit_codes, re.M)


def test_the_scenario_of_the_page_passes(tmp_path: Path) -> None:
    blocks = examples.Page(examples.DOCS / "formats.md", list(examples.fences(examples.DOCS / "formats.md")))
    (scenario,) = (b for b in blocks.blocks if b.words == ("yaml",))
    file = examples.write(tmp_path / "s.yaml", scenario.text)
    assert output("test", "emerald", "--file", str(file))["passed"] == 1
