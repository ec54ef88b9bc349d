"""Numbers that others published or that geometry gives, found again by the sketched games."""

from __future__ import annotations

from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import Machine, TurnPoint, Words
from ludex.rng import Generator
from ludex.typed.types import BOOL
from sketches import program


def perft(machine: Machine, words: Words, depth: int) -> int:
    """Leaves at a depth of so many decisions."""
    point = machine.point(words)
    assert isinstance(point, TurnPoint)
    options = machine.options(words, point.player)
    if depth == 1:
        return len(options)
    total = 0
    for option in options:
        after = machine.copy(words)
        machine.choose(after, point.player, option)
        total += perft(machine, after, depth - 1)
    return total


def leaves(*stack: str, depth: int, players: int = 2) -> list[int]:
    machine = Interpreter(program(*stack, players=players))
    return [perft(machine, machine.start(), d + 1) for d in range(depth)]


def test_chess() -> None:
    """https://www.chessprogramming.org/Perft_Results, initial position."""
    assert leaves("chess", depth=2) == [20, 400]


def test_atomic_chess() -> None:
    """The first two plies capture nothing: as in chess."""
    assert leaves("chess", "atomic_chess", depth=2) == [20, 400]


def test_english_draughts() -> None:
    """https://www.aartbik.com/MISC/checkers.html"""
    assert leaves("english_draughts", depth=3) == [7, 49, 302]


def test_go_on_nine_lines() -> None:
    """Each of the 81 points, or pass."""
    assert leaves("go", depth=1) == [82]


def test_hex() -> None:
    """Each of the 121 cells, then each of the rest."""
    assert leaves("hex", depth=2) == [121, 121 * 120]


def test_leduc_poker_has_three_ranks_of_two() -> None:
    world = program("leduc_poker", players=2).world
    assert world.kind("card").count == 6


def test_mekong_spans() -> None:
    """186 gaps between the sites of the reconstruction, 666 pairs of them cross."""
    made = program("mekong", players=2)
    spans = made.world.kind("span")
    assert spans.count == 186
    crosses = next(t for t in made.tables if t.name == "@define:crosses")
    assert sum(crosses.values) == 2 * 666


def test_rummy_melds() -> None:
    """65 sets of three or four of a value, and 264 runs of three to thirteen in a suit."""
    made = program("rummy", players=2)
    melds = next(t for t in made.tables if t.name == "@family:melds")
    assert len(melds.families[0]) == 65 + 264


def test_borders_of_the_seven_tiles() -> None:
    """54 borders on seven tiles of four territories, 50 on the seven different ones."""
    for layout, borders in (("uniform", 54), ("mixed", 50)):
        made = program("seven_tiles", players=4, map=layout, rotate="false")
        machine = Interpreter(made)
        words = machine.start()
        machine.playout(words, Generator(1), Generator(2), 1)
        adjacent = made.layout.field("adjacent")
        assert adjacent.type == BOOL
        assert sum(words[adjacent.offset : adjacent.offset + adjacent.size]) == 2 * borders
