"""docs/sizes.md and docs/gallery.md show all definitions as they are now."""

from __future__ import annotations

import gallery_page
import pytest
import sizes_page
from game_files import games, overlays

SOME = ("tic_tac_toe", "hearts", "kuhn_poker")


def test_the_sizes_are_fresh() -> None:
    fresh = sizes_page.PAGE.read_text(encoding="utf-8") == sizes_page.page()
    assert fresh, "definitions have changed: run `make docs`"


def test_tokens_are_counted_as_the_page_says() -> None:
    text = """
ludex: 1
title: A game
actions:
  take:
    choose: {n: 1..3}
    where: {as many are there: n <= heap}
    do:
      they are gone:
        do: |
          heap -= n
        cite: rules / 3
view: {panels: {heap: {rows: {stones: "{heap}"}}}}
"""
    # actions, take, choose, n, 1 .. 3; where, as many are there, n <= heap; do, they are gone, do, heap -= n
    assert sizes_page.tokens(text) == {"rules": 7 + 5 + 3 + 3, "view": 5 + 1, "about": 2 + 3 + 4}
    assert sizes_page.scanned("walk {n + 1} steps on") == 6
    assert sizes_page.lines("# a comment\n\na: 1  # and more\n  # another\nb: 2\n") == 2


def test_every_game_and_overlay_is_in_the_gallery() -> None:
    text = gallery_page.PAGE.read_text(encoding="utf-8")
    for file in (f for game in games() for f in (game, *overlays(game))):
        assert f"    {file.command}\n" in text and f"# {file.title}\n" in text and file.summary in text, (
            f"{file.path} is not in the gallery: run `make docs`"
        )


@pytest.mark.parametrize("name", SOME)
def test_pictures_of_the_gallery_are_fresh(name: str) -> None:
    (game,) = (g for g in games() if g.game == name)
    fresh = gallery_page.entry(game) in gallery_page.PAGE.read_text(encoding="utf-8")
    assert fresh, "definitions or drawings have changed: run `make docs`"


@pytest.mark.long
def test_the_gallery_is_fresh() -> None:
    fresh = gallery_page.PAGE.read_text(encoding="utf-8") == gallery_page.page()
    assert fresh, "definitions or drawings have changed: run `make docs`"
