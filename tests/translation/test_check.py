"""What `ludex check` says of translations: mistakes at their place, what is missing by count."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from ludex.resources import definition_names
from ludex.translation.folder import translation_files

Ludex = Callable[..., Result]


def test_a_complete_translation_is_no_news(ludex: Ludex, game: Path) -> None:
    assert ludex("check", game).stdout == f"{game}: no errors\n"
    for words in (("--translations",), ("--language", "de")):
        result = ludex("check", game, *words)
        assert result.exit_code == 0
        assert result.stdout.splitlines()[1:] == ["translation de: complete"]


def test_what_is_missing_is_counted_and_listed_on_demand(ludex: Ludex, game: Path, deutsch: Path) -> None:
    text = deutsch.read_text("utf-8")
    for line in ("  copper: Kupfer\n", "  after ten rounds: nach zehn Runden\n", "  chests: Truhen\n"):
        assert line in text
        text = text.replace(line, "")
    deutsch.write_text(text, "utf-8")
    result = ludex("check", game)
    assert result.exit_code == 0
    assert "translation de: 3 of 29 are missing; --translations lists them" in result.stdout
    for words in (("--translations",), ("--language", "de")):
        assert ludex("check", game, *words).stdout.splitlines()[1:] == [
            "translation de: 3 of 29 are missing",
            "  names:", "    copper  (member)",
            "  rules:", "    after ten rounds  (condition)",
            "  texts:", "    chests  (caption)",
        ]  # fmt: skip
    said = json.loads(ludex("check", game, "--json").stdout)["translations"]
    assert [(t["language"], t["terms"], [m["text"] for m in t["missing"]]) for t in said] == [
        ("de", 29, ["copper", "after ten rounds", "chests"])
    ]


MISTAKES = {
    "a name that is misspelt": (
        "  silver: Silber", "  sliver: Silber",
        "translation-unknown", "the name “sliver”", "did you mean `silver`?",
    ),
    "a rule that is no more": (
        "  it is shifted: sie", "  it was shifted: sie",
        "translation-unknown", "the rule “it was shifted”", "did you mean `it is shifted`?",
    ),
    "a text in the wrong list": (
        "texts:\n", "texts:\n  silver: Silber\n",
        "translation-unknown", "the text “silver”", "it stands under `names`",
    ),
    "a hole that is not there": (
        '"{c} verschieben"', '"{d} verschieben"', "translation-holes", "no hole `{d}`", None,
    ),
    "a hole that is left out": (
        '"{c} verschieben"', '"verschieben"', "translation-holes", "the hole `{c}` is missing", None,
    ),
    "a hole twice": (
        '"{c} verschieben"', '"{c} {c} verschieben"', "translation-holes", "more or fewer times", None,
    ),
    "an empty text": ("  silver: Silber", '  silver: ""', "translation-text", "is empty", "leave it out"),
    "a slash in a rule": (
        "nach zehn Runden", "nach 10 / zehn Runden", "translation-text", "cannot have `/`", "address",
    ),
    "twice, spelt a little differently": (
        "  chests: Truhen", '  chests: Truhen\n  "chests ": Truhen', "translation-text", "twice", None,
    ),
    "twice": ("  silver: Silber", "  silver: S\n  silver: Silber", "yaml-duplicate-key", "silver", None),
    "another key": ("names:\n", "name:\n", "shape-unknown-key", "`name`", "`names`"),
    "nothing behind a name": ("  silver: Silber", "  silver:", "shape-empty", "silver", None),
    "another language": (
        "translation: de", "translation: en", "translation-file", "`de.yaml`", "translation: de",
    ),
    "another game": ("game: coins", "game: coin", "translation-file", "folder of `coins`", "game: coins"),
    "no translation": (
        "translation: de", "overlay: de\nextends: coins",
        "shape-wrong-value", "a translation is expected here", None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("old, new, code, message, help", MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_shown_at_their_place(
    ludex: Ludex, game: Path, deutsch: Path, old: str, new: str, code: str, message: str, help: str | None
) -> None:
    text = deutsch.read_text("utf-8")
    assert text.count(old) == 1
    deutsch.write_text(text.replace(old, new), "utf-8")
    result = ludex("check", game, "--json")
    assert result.exit_code == 1
    (found,) = [d for d in json.loads(result.stdout)["diagnostics"] if d["code"] == code]
    assert message in found["message"]
    assert help is None or help in found["help"]
    first = text.split(old, 1)[0].count("\n") + 1
    assert found["span"]["file"] == str(deutsch) and found["span"]["line"] - first in (0, 1, 2)
    assert "has errors" in ludex("check", game).stdout


def test_a_language_that_is_not_there(ludex: Ludex, game: Path) -> None:
    for words in (("check", game), ("play", game), ("show", game)):
        result = ludex(*words, "--language", "dee")
        assert result.exit_code == 1 and "[no-such-translation]" in result.output
        assert "did you mean `de`?" in result.output
    for strange in ("../de", "de/../de", ""):
        assert ludex("show", game, "--language", strange).exit_code == 1


def test_a_link_out_of_the_folder_is_no_translation(ludex: Ludex, game: Path, tmp_path: Path) -> None:
    outside = tmp_path / "fr.yaml"
    outside.write_text("ludex: 1\ntranslation: fr\ngame: coins\n", "utf-8")
    (game.parent / "translations" / "fr.yaml").symlink_to(outside)
    assert list(translation_files(str(game))) == ["de"]


@pytest.mark.parametrize("name", [n for n in definition_names() if translation_files(n)])
def test_translations_that_ship_are_complete(ludex: Ludex, name: str) -> None:
    said = json.loads(ludex("check", name, "--json").stdout)
    assert said["ok"] and said["translations"]
    assert [t["missing"] for t in said["translations"]] == [[] for _ in said["translations"]]
