"""`ludex cite`: passages from the file, moved and changed sentences, other files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Ludex = Callable[..., Result]


def states(ludex: Ludex, game: Path, rule: str, file: Path) -> list[tuple[int, str, str | None]]:
    result = ludex("cite", game, rule, "--source", file, "--json")
    (row,) = json.loads(result.stdout)["rules"]
    return [(s["number"], s["state"], s["text"]) for p in row["passages"] for s in p["sentences"]]


def test_the_passage_is_shown_as_the_file_has_it(ludex: Ludex, indexed: Path, rules: Path) -> None:
    result = ludex("cite", indexed, "lamps are laid", "--source", rules)
    assert result.exit_code == 0
    assert result.stdout == (
        "setup/lamps are laid\n"
        "  rules / Setup / 1-2\n"
        "    1  Shuffle the lamps.\n"
        "    2  Lay them down (face down!) in a row.\n"
        "\n"
        f"rules: {rules}, the text that was indexed\n"
    )


def test_without_the_file_the_citation_is_shown(ludex: Ludex, indexed: Path) -> None:
    result = ludex("cite", indexed, "actions/take/where/there are as many")
    assert "rules / Course of play / 1\n    (“The Little Lamp Game” is not at hand" in result.stdout
    assert "(“A letter” is not at hand" in result.stdout


@pytest.mark.parametrize(
    "rule, address",
    [
        ("setup/lamps are laid", "setup/lamps are laid"),
        ("LAMPS ARE LAID", "setup/lamps are laid"),
        ("where/there are as many", "actions/take/where/there are as many"),
        ("take", "actions/take/where/there are as many"),
        ("last", "define/last"),
    ],
)
def test_a_rule_is_named_by_name_or_address(ludex: Ludex, indexed: Path, rule: str, address: str) -> None:
    """One that cites nothing itself stands for those below it that do."""
    assert ludex("cite", indexed, rule).stdout.splitlines()[0] == address


def test_a_rule_that_is_not_there(ludex: Ludex, indexed: Path) -> None:
    result = ludex("cite", indexed, "lamps are lade")
    assert result.exit_code == 1 and "did you mean `lamps are laid`?" in result.output
    assert "`end/no lamp is left` cites nothing" in ludex("cite", indexed, "no lamp is left").output


def test_another_edition_in_which_nothing_that_counts_is_different(
    ludex: Ludex, indexed: Path, rules: Path
) -> None:
    rules.write_text(rules.read_text("utf-8").replace("(face\ndown!)", "– face down –").upper(), "utf-8")
    other = rules.read_text("utf-8")
    for heading in ("Setup", "Course of play", "End"):
        other = other.replace(f"\n{heading.upper()}\n", f"\n{heading}\n")
    rules.write_text(other, "utf-8")
    assert [(n, s) for n, s, _ in states(ludex, indexed, "lamps are laid", rules)] == [
        (1, "same"),
        (2, "same"),
    ]
    shown = ludex("cite", indexed, "lamps are laid", "--source", rules)
    assert shown.exit_code == 0 and "is not the file that was indexed" in shown.stdout
    assert "8 of 8 sentences agree" in shown.stdout


def test_a_sentence_that_has_moved_is_found(ludex: Ludex, indexed: Path, rules: Path) -> None:
    text = rules.read_text("utf-8").replace("Shuffle the lamps. ", "")
    rules.write_text(text.replace("In your turn", "Shuffle the lamps. In your turn"), "utf-8")
    result = ludex("cite", indexed, "lamps are laid", "--source", rules)
    assert result.exit_code == 1
    assert "1  (moved to Course of play / 1)\n       Shuffle the lamps." in result.stdout
    assert "2  (moved to Setup / 1)\n       Lay them down" in result.stdout


def test_a_sentence_that_reads_otherwise_or_is_gone_is_noticed(
    ludex: Ludex, indexed: Path, rules: Path
) -> None:
    text = rules.read_text("utf-8")
    rules.write_text(text.replace("Shuffle the lamps", "Mix the lamps"), "utf-8")
    assert states(ludex, indexed, "lamps are laid", rules)[0] == (1, "changed", "Mix the lamps.")
    rules.write_text(text.replace("Lay them", "Put them"), "utf-8")
    found = states(ludex, indexed, "lamps are laid", rules)
    assert found[1][:2] == (2, "changed")
    first = text.index("Shuffle")
    rules.write_text(text[:first] + text[text.index("\nCourse of play") :], "utf-8")
    assert [s for _, s, _ in states(ludex, indexed, "lamps are laid", rules)] == ["missing", "missing"]


def test_without_an_index_the_passage_is_shown_all_the_same(ludex: Ludex, game: Path, rules: Path) -> None:
    found = states(ludex, game, "lamps are laid", Path(f"rules={rules}"))
    assert [s for _, s, _ in found] == ["unindexed", "unindexed"]
    assert found[0][2] == "Shuffle the lamps."


def test_a_file_that_is_no_source(ludex: Ludex, indexed: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("Setup\nSomething else.\n", "utf-8")
    result = ludex("cite", indexed, "take", "--source", other)
    assert result.exit_code == 1 and f"--source rules={other}" in result.output
    assert "1  (not in this text)" in ludex("cite", indexed, "take", "--source", f"rules={other}").stdout
    assert "there is no source `ruels`; did you mean `rules`?" in (
        ludex("cite", indexed, "take", "--source", f"ruels={other}").output
    )
    assert "there is no file" in ludex("cite", indexed, "take", "--source", "nowhere.txt").output
