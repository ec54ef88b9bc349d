"""`ludex new` and `ludex list`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result


def test_a_variant_is_an_overlay_of_its_game(ludex: Callable[..., Result], tmp_path: Path) -> None:
    result = ludex("new", "variant", "my_rules", "--of", "emerald", "--to", str(tmp_path))
    assert result.exit_code == 0
    text = (tmp_path / "my_rules.yaml").read_text()
    assert "overlay: my_rules\nextends: emerald\ntitle: My rules\n" in text
    assert f"ludex play {tmp_path / 'my_rules.yaml'}" in result.output


def test_a_game_comes_with_scenarios(ludex: Callable[..., Result], tmp_path: Path) -> None:
    assert ludex("new", "game", "heap", "--to", str(tmp_path)).exit_code == 0
    assert "game: heap" in (tmp_path / "heap" / "game.yaml").read_text()
    assert "game: heap" in (tmp_path / "heap" / "scenarios" / "first.yaml").read_text()


@pytest.mark.parametrize("kind", [["variant", "x", "--of", "emerald"], ["game", "x"]])
def test_nothing_is_overwritten(ludex: Callable[..., Result], tmp_path: Path, kind: list[str]) -> None:
    assert ludex("new", *kind, "--to", str(tmp_path)).exit_code == 0
    before = {p: p.read_bytes() for p in tmp_path.rglob("*.yaml")}
    result = ludex("new", *kind, "--to", str(tmp_path))
    assert result.exit_code == 1
    assert "exists already" in result.output
    assert {p: p.read_bytes() for p in tmp_path.rglob("*.yaml")} == before


@pytest.mark.parametrize("name", ["my rules", "../up", "3rd", "a-b", ""])
def test_names_that_are_none(ludex: Callable[..., Result], tmp_path: Path, name: str) -> None:
    assert ludex("new", "game", name, "--to", str(tmp_path)).exit_code == 1
    assert list(tmp_path.rglob("*.yaml")) == []


def test_a_variant_of_what_is_no_game(ludex: Callable[..., Result], tmp_path: Path) -> None:
    result = ludex("new", "variant", "mine", "--of", "emrald", "--to", str(tmp_path))
    assert result.exit_code == 1
    assert "did you mean `emerald`?" in result.output


def test_the_list_has_games_and_their_overlays(ludex: Callable[..., Result], tmp_path: Path) -> None:
    folder = tmp_path / "games" / "mine"
    folder.mkdir(parents=True)
    (folder / "game.yaml").write_text('ludex: 1\ngame: mine\ntitle: "My game"\nplayers: 2..4\n')
    (folder / "faster.yaml").write_text("ludex: 1\noverlay: faster\nextends: mine\ntitle: Faster\n")
    result = ludex("list", str(tmp_path))
    assert result.exit_code == 0
    assert "My game  (2..4 players)" in result.output
    assert "+ faster" in result.output
    found = json.loads(ludex("list", str(tmp_path), "--json").output)["games"]
    assert found[-1]["overlays"] == [
        {"name": "faster", "title": "Faster", "file": str(folder / "faster.yaml")}
    ]
    (emerald,) = (game for game in found if game["name"] == "emerald")
    assert {"variant_a", "variant_b", "variant_c"} <= {o["name"] for o in emerald["overlays"]}
