"""What is known and what is won is as in OpenSpiel's liar's dice: its algorithms find the same there."""

from __future__ import annotations

import pytest

from ..openspiel_value import ours, pyspiel, value


@pytest.mark.parametrize("faces", [2, pytest.param(3, marks=pytest.mark.long)])
def test_the_same_is_found_in_the_game_of_openspiel(faces: int) -> None:
    here = ours("liars_dice", ["single_showdown"], dice_each=1, faces=faces, wild=faces)
    there = pyspiel.load_game(f"liars_dice(numdice=1,dice_sides={faces})")
    assert value(here, 100) == pytest.approx(value(there, 100), abs=1e-9)
