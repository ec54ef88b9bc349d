"""`ludex source index`: what it prints can be pasted, and is what the checker counts by."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import yaml
from click.testing import Result

Ludex = Callable[..., Result]

HEADINGS = ("--heading", "Setup", "--heading", "Course of play", "--heading", "End")


def test_the_index_is_yaml_for_a_definition(ludex: Ludex, rules: Path) -> None:
    printed = ludex("source", "index", rules, *HEADINGS).stdout
    assert "# rules.txt: 3 headings, 8 sentences" in printed
    assert "# 1 sentence stands before the first and cannot be cited." in printed
    (entry,) = yaml.safe_load(printed)["sources"].values()
    assert entry["sha256"] == hashlib.sha256(rules.read_bytes()).hexdigest()
    counts = {name: len(str(line).split()) for name, line in entry["headings"].items()}
    assert counts == {"Setup": 3, "Course of play": 4, "End": 1}


def test_without_headings_they_are_guessed_and_that_is_said(ludex: Ludex, rules: Path) -> None:
    printed = ludex("source", "index", rules).stdout
    assert list(yaml.safe_load(printed)["sources"]["rules"]["headings"]) == [
        "The Little Lamp Game", "Setup", "Course of play", "End",
    ]  # fmt: skip
    assert "a guess" in printed


def test_headings_come_from_what_a_game_cites(ludex: Ludex, rules: Path, game: Path) -> None:
    printed = yaml.safe_load(ludex("source", "index", rules, "--game", game, "--name", "rules").stdout)
    entry = printed["sources"]["rules"]
    assert list(entry["headings"]) == ["Setup", "Course of play", "End"]
    assert (entry["title"], entry["language"]) == ("The Little Lamp Game", "en")
    assert entry["exclude"] == ["rules / Course of play / 3"]


def test_which_source_it_is_must_be_known(ludex: Ludex, rules: Path, game: Path) -> None:
    assert "which source" in ludex("source", "index", rules, "--game", game).output
    wrong = ludex("source", "index", rules, "--game", game, "--name", "leter").output
    assert "no source `leter`; did you mean `letter`?" in wrong


def test_a_heading_that_is_not_there_is_told_with_the_nearest(ludex: Ludex, rules: Path) -> None:
    result = ludex("source", "index", rules, "--heading", "Setup", "--heading", "Course of pley")
    assert result.exit_code == 1 and "did you mean `Course of play`?" in result.output
    result = ludex("source", "index", rules, "--heading", "End", "--heading", "Setup")
    assert "in the order of the text" in result.output
    assert "did you mean `End`?" in ludex("source", "index", rules, "--heading", "END").output
    result = ludex("source", "index", rules, "--heading", "in your turn")
    assert "capital and small letters count" in result.output


def test_the_end_cuts_what_follows(ludex: Ludex, rules: Path) -> None:
    rules.write_text(rules.read_text("utf-8") * 2, "utf-8")
    printed = ludex("source", "index", rules, *HEADINGS, "--end", "The Little Lamp Game").stdout
    entry = yaml.safe_load(printed)["sources"]["rules"]
    assert entry["end"] == "The Little Lamp Game"
    assert len(str(entry["headings"]["End"]).split()) == 1


def test_json(ludex: Ludex, rules: Path) -> None:
    found = json.loads(ludex("source", "index", rules, *HEADINGS, "--json").stdout)
    assert [(h["heading"], h["sentences"], len(h["fingerprints"])) for h in found["headings"]] == [
        ("Setup", 3, 3), ("Course of play", 4, 4), ("End", 1, 1),
    ]  # fmt: skip
    assert found["sentences_before"] == 1


def test_what_is_no_text_is_refused(ludex: Ludex, tmp_path: Path) -> None:
    file = tmp_path / "rules.pdf"
    for content in (b"%PDF\xff\xfe", b"a\0b"):
        file.write_bytes(content)
        result = ludex("source", "index", file)
        assert result.exit_code == 1 and "cannot be read as a rulebook" in result.output


def test_the_index_of_a_text_is_accepted_by_the_checker_and_stays_with_the_text(
    ludex: Ludex, indexed: Path, rules: Path
) -> None:
    """A citation beyond the count is refused, at the number."""
    text = indexed.read_text("utf-8").replace("cite: rules / Setup / 1-2", "cite: rules / Setup / 1-4")
    indexed.write_text(text, "utf-8")
    result = ludex("check", indexed)
    assert result.exit_code == 1 and "there is no sentence 4: “Setup” has 3 sentences" in result.output
    assert f"{' ' * 51}^^^\n" in result.output
