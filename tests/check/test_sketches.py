"""Every sketched game checks, lowers, verifies and plays, for every number of players."""

from __future__ import annotations

from functools import cache

import pytest

from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import OverPoint
from ludex.check.check import check
from ludex.diagnostics import Report
from ludex.ir.lower import lower
from ludex.ir.verify import verify
from ludex.rng import Generator
from ludex.syntax import ast
from sketches import SKETCHES, STACKS, sketch

parsed = cache(sketch)
CASES = [
    pytest.param(stack, players, id=f"{'+'.join(stack)}-{players}")
    for stack in STACKS
    for players in range(parsed(stack).players.lo, parsed(stack).players.hi + 1)
]
DECISIONS = 80
"""Decisions of a random game: enough to come through every phase of most of them."""


def test_every_sketch_is_in_a_stack() -> None:
    assert {path.stem for path in SKETCHES.glob("*.yaml")} == {name for stack in STACKS for name in stack}


@pytest.mark.parametrize(("stack", "players"), CASES)
def test_sketch(stack: tuple[str, ...], players: int) -> None:
    report = Report()
    program = lower(check(parsed(stack), players, {}, report))
    assert report.found == []
    assert verify(program) == []
    machine = Interpreter(program)
    words = machine.start()
    decisions = machine.playout(words, Generator(players), Generator(2 * players), DECISIONS)
    assert decisions == DECISIONS or isinstance(machine.point(words), OverPoint)
    assert machine.broken_invariants(words) == []
    assert machine.pack(machine.unpack(machine.pack(words))) == machine.pack(words)


def _other_values(tree: ast.Game) -> list[tuple[str, str]]:
    """Each option with each value that is not its default, of those that are listed or yes or no."""
    found = []
    for option in tree.options:
        default = option.default.span.text
        if isinstance(option.type.base, ast.EnumType):
            values = [m.text for m in option.type.base.members]
        elif isinstance(option.type.base, tuple) and option.type.base[0].text == "bool":
            values = ["true", "false"]
        else:
            continue
        found.extend((option.name.text, v) for v in values if v != default)
    return found


OPTIONS = [
    pytest.param(stack, name, value, id=f"{'+'.join(stack)}-{name}-{value}")
    for stack in STACKS
    if len(stack) == 1 and stack != ("emerald",)
    for name, value in _other_values(parsed(stack))
]


@pytest.mark.parametrize(("stack", "option", "value"), OPTIONS)
def test_option(stack: tuple[str, ...], option: str, value: str) -> None:
    report = Report()
    program = lower(check(parsed(stack), parsed(stack).players.hi, {option: value}, report))
    assert report.found == []
    assert verify(program) == []
    machine = Interpreter(program)
    machine.playout(machine.start(), Generator(1), Generator(2), 20)
