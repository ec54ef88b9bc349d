"""Identifiers are compared after NFKC, wherever they are written; what only looks alike is another name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hostile_definitions import definition, made, steps

from ludex import pipeline
from ludex.diagnostics import Failed
from ludex.game import Game

LIGATURE = "ﬁsh"  # one letter, for `fish`
WIDE = "ｆｉｓｈ"
CYRILLIC = "fіsh"  # the second letter is U+0456
SPELLINGS = (LIGATURE, WIDE)

GAME = definition(
    options="options:\n  mood: {type: [fish, fowl], default: fowl}",
    state="state:\n  n: {type: 0..99}\n  fisher: {type: int, start: 1}",
    actions="actions:\n  fish:\n    choose: {k: 1..2}\n    do:\n      fish it: n += fisher".replace("  fish:", "  catch:"),
    phases="phases:\n  play:\n    turns: clockwise from player(1)\n    do:\n      one: act catch",
    end="end:\n  enough: n >= 3\n  fishy: mood == fish and n >= 2",
)


def files(tmp_path: Path, **more: str) -> Path:
    (tmp_path / "game.yaml").write_text(GAME, encoding="utf-8")
    for name, text in more.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path / "game.yaml"


@pytest.mark.parametrize("fish", SPELLINGS)
def test_in_expressions_and_names(fish: str) -> None:
    game = made(GAME.replace("mood == fish", f"mood == {fish}").replace("n += fisher", f"n += {fish}er"))
    assert isinstance(game, Game)


@pytest.mark.parametrize("fish", SPELLINGS)
def test_declared_twice(fish: str) -> None:
    with pytest.raises(Failed) as failed:
        made(GAME.replace("[fish, fowl]", f"[fish, {fish}, fowl]"))
    assert failed.value.diagnostics[0].code.name in ("repeated-member", "duplicate-name")


@pytest.mark.parametrize("fish", SPELLINGS)
def test_options_from_outside(tmp_path: Path, fish: str) -> None:
    game = pipeline.load(str(files(tmp_path)), options={"mood": fish})
    assert dict(game.definition.options) == {"mood": "fish"}
    mood = "ｍｏｏｄ"
    assert pipeline.load(str(files(tmp_path)), options={mood: "fish"}).definition == game.definition


def test_paths_of_overlays(tmp_path: Path) -> None:
    overlay = "ludex: 1\noverlay: o\nextends: ｇ\ntitle: O\nreplace: {end: {ｅｎｏｕｇｈ: n >= 2}}\noptions: {ｍｏｏｄ: ﬁsh}\n"
    base = files(tmp_path, o=overlay)
    game = pipeline.load(str(base), overlays=["o"])
    assert dict(game.definition.options) == {"mood": "fish"}
    again = pipeline.load(str(base), overlays=["ｏ"])
    assert again.definition.overlays == ("o",)


def test_actions_of_scenarios_and_players() -> None:
    state = made(GAME).start()
    assert state.parse_action("ｃａｔｃｈ(1)") == state.parse_action("catch(1)") is not None
    assert state.parse_action("сatch(1)") is None  # a Cyrillic letter


def test_actions_of_saves(tmp_path: Path) -> None:
    from test_hostile_saves import TEXT, opened

    path = tmp_path / "game.ludex"
    path.write_text(TEXT.replace('"action": "go"', '"action": "\\uff47\\uff4f"'))
    state, report = opened(path)
    assert state is not None and not report.found
    path.write_text(TEXT.replace('"action": "go"', '"action": "g\\u043e"', 1))
    assert opened(path)[1].errors[0].code.name == "save-diverged"


def test_a_look_alike_is_another_name_and_said_to_be(ludex: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    path.write_text(GAME.replace("mood == fish", f"mood == {CYRILLIC}"), encoding="utf-8")
    output = ludex("check", str(path))
    assert "unknown-name" in output and "did you mean `fish`?" in output
    assert "U+0456" in output, "nobody can see what is wrong with it"


def test_a_name_of_ten_thousand_letters() -> None:
    with pytest.raises(Failed):
        made(steps("n = " + "ﷺ" * 5000))  # each becomes eighteen letters
