"""How games are named on the command line."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from ludex import pipeline
from ludex.cli.games import extended_game, option_setting, parse_spec
from ludex.diagnostics import Failed


@pytest.mark.parametrize(
    ("words", "base", "overlays"),
    [
        (["emerald"], "emerald", ()),
        (["emerald+variant_b"], "emerald", ("variant_b",)),
        (["emerald", "+", "variant_b"], "emerald", ("variant_b",)),
        (["emerald", "+variant_b", "variant_c"], "emerald", ("variant_b", "variant_c")),
        (["emerald+a+b", "+", "c"], "emerald", ("a", "b", "c")),
        (["emerald + a"], "emerald", ("a",)),
    ],
)
def test_games_and_overlays(words: list[str], base: str, overlays: tuple[str, ...]) -> None:
    spec = parse_spec(words)
    assert (spec.base, spec.overlays) == (base, overlays)


def test_a_file_may_have_a_plus_in_its_name(tmp_path: Path) -> None:
    path = tmp_path / "my+game.yaml"
    path.write_text("ludex: 1\ngame: mine\n")
    assert parse_spec([str(path), "+", "b"]).base == str(path)


def test_an_overlay_file_brings_its_game(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("ludex: 1\noverlay: mine\nextends: emerald  # of course\n")
    spec = parse_spec([str(path), "+variant_b"])
    assert (spec.base, spec.overlays) == ("emerald", (str(path), "variant_b"))


def test_an_overlay_that_forgot_its_name_is_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("ludex: 1\nextends: connect_four\ntitle: Mine\nremove: {end: [the board is full]}\n")
    assert extended_game(str(path)) == "connect_four"
    with pytest.raises(Failed) as failed:
        pipeline.load("connect_four", overlays=[str(path)])
    assert [d.message for d in failed.value.diagnostics] == ["`overlay` is missing in an overlay"]


def test_a_game_file_extends_nothing(tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    path.write_text("ludex: 1\ngame: mine\n")
    assert extended_game(str(path)) is None


@pytest.mark.parametrize("words", [[], ["+"], ["  "]])
def test_no_game(words: list[str]) -> None:
    with pytest.raises(click.UsageError):
        parse_spec(words)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("a=true", "a", True),
        ("a=false", "a", False),
        ("a=-12", "a", -12),
        ("a=b c", "a", "b c"),
        ("a=", "a", ""),
    ],
)
def test_option_values(text: str, name: str, value: object) -> None:
    assert option_setting(text) == (name, value)
