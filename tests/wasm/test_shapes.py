"""Which element of a set is which bit: cut so that what is asked together is in the same words."""

from __future__ import annotations

import operator
from pathlib import Path

import pytest

from ludex import pipeline
from ludex.backends.wasm.asm import const
from ludex.backends.wasm.shapes import Shape, Shapes, Words, reshaped
from ludex.ir.program import Program
from ludex.typed.types import EntityType, SetType

GAME = """\
ludex: 1
game: g
title: G
players: 2
components:
  spaces: {isle: 20, gap: {count: 64}, shore: 1}
  pieces: {man: {count: 10, start: shore}, dog: {count: 60, start: shore}}
actions:
  go:
    choose: {d: dog, s: gap}
    where: {free: s is empty}
    do: move d to s
phases: {play: {turns: clockwise from player_1, rounds: 9, do: {go: act go}}}
"""


@pytest.fixture
def program(tmp_path: Path) -> Program:
    path = tmp_path / "g.yaml"
    path.write_text(GAME)
    return pipeline.program(str(path))


def of(*kinds: str) -> SetType:
    return SetType(EntityType(kinds))


def test_what_is_asked_most_has_a_word_of_its_own(program: Program) -> None:
    gap, dog = (program.world.kind(name) for name in ("gap", "dog"))
    shapes = Shapes.chosen(program)
    assert shapes.of(of("gap")) == Shape(gap.ids[0], 1)
    assert (gap.ids[0] - shapes.places.base) % 64 == 0
    first = (dog.ids[0] - shapes.movables.base) // 64
    assert first == (dog.ids[-1] - shapes.movables.base) // 64
    assert shapes.of(of("dog")).base == shapes.movables.base + 64 * first


def test_no_set_takes_more_words_for_that(program: Program) -> None:
    shapes = Shapes.chosen(program)
    for kinds in (("isle",), ("gap",), ("isle", "gap"), ("man",), ("man", "dog"), ("gap", "shore")):
        ids = [i for name in kinds for i in program.world.kind(name).ids]
        assert shapes.of(of(*kinds)).size == (max(ids) - min(ids)) // 64 + 1
        assert shapes.of(of(*kinds)).holds(min(ids), max(ids))


def test_it_is_found_again_by_where_words_begin(program: Program) -> None:
    chosen = Shapes.chosen(program)
    again = Shapes(program.world, chosen.places.base, chosen.movables.base)
    for kinds in (("isle",), ("gap",), ("isle", "gap"), ("man", "dog"), ("player",)):
        assert again.of(of(*kinds)) == chosen.of(of(*kinds))


@pytest.mark.parametrize("base", [-30, -1, 0, 5, 64])
@pytest.mark.parametrize("other", [-64, 0, 3, 63])
def test_the_same_set_in_another_shape(base: int, other: int) -> None:
    mask = sum(1 << i for i in (65, 70, 100, 127))
    one, two = Shape(base, 4), Shape(other, 3)
    assert one.mask(one.numbers(mask)) == mask == two.mask(two.numbers(mask))
    made = reshaped(Words(one, tuple(const(word, "i64") for word in one.numbers(mask))), two)
    assert [constant(word.ops) for word in made.words] == two.numbers(mask)


def constant(ops: tuple[tuple[object, ...], ...]) -> int:
    """What constant instructions compute, in 64 bits."""
    stack: list[int] = []
    for name, *args in ops:
        if name == "i64.const":
            (value,) = args
            assert isinstance(value, int)
            stack.append(value % (1 << 64))
            continue
        right, left = stack.pop(), stack.pop()
        act = {"i64.or": operator.or_, "i64.shl": operator.lshift, "i64.shr_u": operator.rshift}[str(name)]
        stack.append(act(left, right) % (1 << 64))
    (found,) = stack
    return found
