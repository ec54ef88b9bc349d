"""`ludex coverage`: cited, excluded, neither."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from ludex.cli.coverage import _row
from ludex.resources import definition_names

Ludex = Callable[..., Result]


def test_sentences_are_counted_by_heading(ludex: Ludex, indexed: Path) -> None:
    """Setup 1-2 are cited, Course of play 1 is and 3 is excluded, End is cited as a whole."""
    lines = ludex("coverage", indexed, "--alone").stdout.splitlines()
    assert [line.split() for line in lines if "%" in line] == [
        ["Setup", "3", "2", "0", "1", "66", "%"],
        ["Course", "of", "play", "4", "1", "1", "2", "50", "%"],
        ["End", "1", "1", "0", "0", "100", "%"],
        ["all", "of", "it", "8", "4", "1", "3", "62", "%"],
    ]
    assert "    rules / Setup / 3" in lines and "    rules / Course of play / 2, 4" in lines
    assert "letter: A letter" in lines  # of which nothing is known


def test_with_the_text_the_sentences_that_are_neither_are_shown(
    ludex: Ludex, indexed: Path, rules: Path
) -> None:
    assert "3  The row is the street." in ludex("coverage", indexed, "--source", rules).stdout


def test_json_says_what_cites_each_sentence(ludex: Ludex, indexed: Path) -> None:
    found = json.loads(ludex("coverage", indexed, "--json").stdout)
    rules, letter = found["sources"]
    assert (rules["cited"], rules["excluded"], rules["neither"]) == (4, 1, 3)
    setup, play, end = (h["sentences"] for h in rules["headings"])
    assert [s["cited_by"] for s in setup] == [["setup/lamps are laid"], ["setup/lamps are laid"], []]
    assert play[0]["cited_by"] == ["define/last", "actions/take/where/there are as many"]
    assert [s["excluded"] for s in play] == [False, False, True, False]
    assert end[0]["cited_by"] == ["the game"]
    assert not letter["counted"] and not found["complete"]


def test_strict_fails_until_every_sentence_is_covered(ludex: Ludex, indexed: Path) -> None:
    assert ludex("coverage", indexed).exit_code == 0
    assert ludex("coverage", indexed, "--strict").exit_code == 1
    text = indexed.read_text("utf-8").replace("rules / Course of play / 3", "rules / Course of play / 2-4")
    text = text.replace("cite: rules / Setup / 1-2", "cite: rules / Setup")
    indexed.write_text(text.replace("  letter: {title: A letter}\n", "").replace(", letter]", "]"), "utf-8")
    result = ludex("coverage", indexed, "--strict")
    assert result.exit_code == 0 and "Neither" not in result.stdout


def test_overlays_beside_the_game_count_unless_it_stands_alone(ludex: Ludex, indexed: Path) -> None:
    overlay = indexed.with_name("longer.yaml")
    overlay.write_text(
        "ludex: 1\noverlay: longer\nextends: lamps\n"
        "replace:\n  setup:\n    lamps are laid: {do: row = 8, cite: rules / Setup / 3}\n",
        "utf-8",
    )
    assert "longer: setup/lamps are laid" in ludex("coverage", indexed, "-v").stdout
    assert "    rules / Setup / 3" in ludex("coverage", indexed, "--alone").stdout.splitlines()
    named = json.loads(ludex("coverage", f"{indexed}+{overlay}", "--json").stdout)
    assert [s["cited_by"] for s in named["sources"][0]["headings"][0]["sentences"]] == [
        [], [], ["setup/lamps are laid"],
    ]  # fmt: skip


def test_a_share_is_never_rounded_up_to_all() -> None:
    assert _row("x", 1000, 999, 0, 1)[-1] == "99 %"
    assert _row("x", 0, 0, 0, 0)[-1] == "100 %"


def test_games_that_ship_with_an_index_leave_no_sentence_out(ludex: Ludex) -> None:
    checked = 0
    for name in definition_names():
        found = json.loads(ludex("coverage", name, "--json").stdout) if _has_sources(name) else None
        for source in found["sources"] if found else ():
            if source["counted"]:
                checked += 1
                assert source["neither"] == 0, (name, source["source"])
    assert checked >= 2


def _has_sources(name: str) -> bool:
    from ludex import pipeline

    return pipeline.document(name).get("sources") is not None
