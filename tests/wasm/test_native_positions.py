"""Ways to play and positions, against published tables, and counted natively and by the interpreter alike."""

from __future__ import annotations

import pytest
from every_game import SKETCHES, Case

from ludex import pipeline
from ludex.backends.wasm.games import PLAIN, Games
from ludex.backends.wasm.machine import WasmMachine
from ludex.game import DefinitionInfo, Game, RuleFault
from ludex.pipeline import Backend
from ludex.sim.positions import Positions, ways
from ludex.sim.speed import measure


def loaded(case: Case, backend: Backend = "auto") -> Game:
    return pipeline.load(case.base, case.overlays, case.players, dict(case.options), backend=backend)


def sketch(name: str, **options: str) -> Case:
    return Case(str(SKETCHES / f"{name}.yaml"), (), 2, tuple(options.items()))


def counts(game: Game, depth: int, *, by_turn: bool = False) -> list[int]:
    return [ways(game, d + 1, by_turn=by_turn) for d in range(depth)]


def by_ply(game: Game, depth: int) -> list[int]:
    positions = Positions(game)
    found = [positions.here]
    for _ in range(depth):
        positions.step()
        found.append(positions.here)
    return found


# ------------------------------------------------------------------------------- published numbers


def test_tic_tac_toe() -> None:
    """255,168 games, of which 1,440, 5,328, 47,952, 72,576 and 127,872 end with the fifth to the ninth
    mark, and 5,478 positions: https://en.wikipedia.org/wiki/Tic-tac-toe (Combinatorics)."""
    game = pipeline.load("tic_tac_toe")
    found = counts(game, 9)
    going_on = [9, 9 * 8, 9 * 8 * 7, 9 * 8 * 7 * 6, 9 * 8 * 7 * 6 * 5]
    assert found[:5] == going_on
    ended = [1440, 5328, 47952, 72576]
    for i, over in enumerate(ended, start=5):  # whoever is not done has all empty cells to choose from
        assert found[i] == (found[i - 1] - over) * (9 - i)
    assert found[8] == 127_872
    assert sum(ended) + found[8] == 255_168
    positions = Positions(game)
    for _ in range(9):
        positions.step()
    assert positions.all == 5478


def test_connect_four() -> None:
    """https://oeis.org/A212693, positions of Connect Four after n plies, by John Tromp."""
    game = pipeline.load("connect_four")
    assert by_ply(game, 8) == [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275]


def test_english_draughts_by_turns() -> None:
    """https://www.aartbik.com/MISC/checkers.html; a capture of several men is one ply."""
    game = loaded(sketch("english_draughts"))
    assert counts(game, 7, by_turn=True) == [7, 49, 302, 1469, 7361, 36768, 179740]


def test_chess() -> None:
    """https://www.chessprogramming.org/Perft_Results"""
    game = loaded(sketch("chess"))
    assert counts(game, 4) == [20, 400, 8902, 197281]
    assert ways(game, 3, by_turn=True) == 8902


# ------------------------------------------------------------------------------- both back ends

BOTH = [
    (sketch("english_draughts"), 3),
    (sketch("nine_mens_morris"), 2),
    (sketch("go", size="3"), 3),
    (sketch("leduc_poker"), 3),
    (sketch("goofspiel", ranks="3"), 3),
    (sketch("liars_dice", dice_each="1"), 2),
    (Case("tic_tac_toe"), 4),
]


@pytest.mark.parametrize(("case", "depth"), BOTH, ids=str)
def test_both_back_ends_count_alike(case: Case, depth: int) -> None:
    native, reference = (loaded(case, backend) for backend in ("wasm", "interpreter"))
    for by_turn in (False, True):
        assert counts(native, depth, by_turn=by_turn) == counts(reference, depth, by_turn=by_turn)
    assert by_ply(native, depth) == by_ply(reference, depth)


# ------------------------------------------------------------------------------- chance and turns

DICE = """ludex: 1
game: dice
title: Dice
players: 2
components:
  dice:
    d: 1..3
state:
  n: {type: 0..999}
  last: {type: 0..9}
actions:
  a:
    do: {one: n += 1}
  b:
    do: {two: n += 2}
    MORE
phases:
  play:
    turns: clockwise from player(1)
    do:
      BEFORE
      move: act a or b
      AFTER
"""


def dice(before: str, after: str, backend: Backend, more: str = "") -> Game:
    """`more`: more of the action b."""
    text = DICE.replace("BEFORE", before).replace("AFTER", after).replace("MORE", more)
    game = pipeline.load_saved(DefinitionInfo("g", "G", (), (), 2, (("g.yaml", text),), ""))
    return game if backend == "wasm" else Game(game.machine, game.definition)


@pytest.mark.parametrize("backend", ["wasm", "interpreter"])
def test_chance_is_gone_through_and_is_no_step(backend: Backend) -> None:
    """A roll of three faces before each choice of two; or after it, when the last roll is left out."""
    before = dice("roll: last = roll(d)", "nothing: n += 0", backend)
    assert counts(before, 3) == [6, 36, 216]
    assert counts(before, 3, by_turn=True) == [6, 36, 216]
    after = dice("nothing: n += 0", "roll: last = roll(d)", backend)
    assert counts(after, 3) == [2, 12, 72]
    assert counts(after, 3, by_turn=True) == [2, 12, 72]


@pytest.mark.parametrize("backend", ["wasm", "interpreter"])
def test_a_turn_is_all_that_one_player_decides(backend: Backend) -> None:
    """Who rolls a 3 chooses once more: one way to end the turn by the two other faces, and two to go on."""
    again = "roll: last = roll(d)\n      more: if last == 3 then act a or b"
    game = dice("nothing: n += 0", again, backend)
    assert counts(game, 2) == [2, 2 * (2 * 2 + 2)]
    assert counts(game, 1, by_turn=True) == [2 * (1 + 2)]
    assert ways(game, 2, by_turn=True) == 2 * (2 + 2) * 2 * (1 + 2)


def test_a_game_deeper_than_native_code_goes_is_counted_all_the_same() -> None:
    game = dice("nothing: n += 0", "nothing more: n += 0", "wasm", more="where: {never: n < 0}")
    assert counts(game, 150)[-1] == 1


def test_a_fault_names_the_rule() -> None:
    game = dice("nothing: n += 0", "wrong: n = n div (last - 0)", "wasm")
    for search in (lambda: ways(game, 2), lambda: by_ply(game, 1)):
        with pytest.raises(RuleFault) as raised:
            search()
        assert (raised.value.kind, raised.value.rule) == ("zero", "wrong")


# ------------------------------------------------------------------------------- speed


def test_the_playouts_that_are_measured_are_the_same() -> None:
    case = Case("emerald", (), 3)
    native, reference = (measure(loaded(case, b), 0.1, 4, 10_000) for b in ("wasm", "interpreter"))
    assert native.native and not reference.native
    assert native.unfinished == reference.unfinished == 0
    machine = loaded(case, "wasm").fastest
    assert isinstance(machine, WasmMachine)
    played = Games(machine.compiled, 4, 10_000, PLAIN).play(0, reference.playouts)
    assert sum(words.decisions for words in played.games) == reference.decisions


def test_a_playout_that_is_given_up_counts_as_unfinished() -> None:
    speed = measure(loaded(Case("emerald", (), 3)), 0.001, 1, 5)
    assert speed.unfinished == speed.playouts > 0
    assert speed.decisions == 5 * speed.playouts
