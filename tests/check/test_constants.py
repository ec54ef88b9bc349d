"""What is worked out when a game is loaded has the value that it would have in play.

Each condition is true by the language; `0` in it is once the number and once a state item that is 0.
"""

from __future__ import annotations

import pytest
from definitions import checked, definition, errors, turn

from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import Fault
from ludex.ir.lower import lower

WAIT = turn("choose s in square:\n  n = s.x")
GRID = """
corner:
  per: [color, 0..1]
  type: square
  values: [['square(1, 1)', 'square(1, 2)'], ['square(3, 1)', 'square(3, 2)']]
"""

TRUE = [
    "set((i + 0) mod 2 for i in 1..4) == set(0, 1)",
    "count(set(i - 1 - 0 for i in 1..3)) == 3",
    "set(0) != set()",
    "first(set(0, 1)) == 0",
    "0 - 1 not in set(1, 2)",
    "not (0 - 1 in 0..3)",
    "2000000000 + 0 not in set(1, 2)",
    "any(i in set(1, 2) where i - 2 in set(0))",
    "all(i - 3 not in set(1) for i in set(1, 2))",
    "count((0 + 3)..2) == 0",
    "corner(red, 0) == square(1, 1)",
    "corner(first(c in color where c != red), 0) == square(3, 1)",
    "corner(first(c in color where c.number > 2 + 0), 0) is none",
    "-7 div 2 + 0 == -4 and -7 mod 3 + 0 == 2 and -(7 + 0) mod -3 == -1",
    "max(i for i in 1..0 else 3) == 3",
    "count(subsets(0..2, s in color)) + 0 == 4",
    "count(lines(square, 3)) + 0 == 8",
    "if 0 == 0 then corner(red, 1) == square(1, 2) else false",
    "sum(i for i in set(0, 5)) == 5 + 0",
]


@pytest.mark.parametrize("zero", ["0", "n"])
@pytest.mark.parametrize("text", TRUE)
def test_what_is_true(text: str, zero: str) -> None:
    condition = text.replace("+ 0", f"+ {zero}").replace("- 0", f"- {zero}").replace("0 - ", f"{zero} - ")
    game = checked(definition(constants=GRID, phases=WAIT, invariants=f'rule: "{condition}"'))
    machine = Interpreter(lower(game))
    assert machine.broken_invariants(machine.start()) == []


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("count(set(0 - 1)) == 1", "0 - 1"),
        ("count(set(1, -1)) == 1", "-1"),
        ("count(set(2000000000)) == 1", "2000000000"),
        ("n < 2147483647 + 1", "2147483647 + 1"),
        ("n < -2147483647 - 2", "-2147483647 - 2"),
        ("n < 1 div (2 - 2)", "2 - 2"),
    ],
)
def test_what_can_never_have_a_value(text: str, about: str) -> None:
    assert errors(definition(invariants=f'rule: "{text}"')) == [("out-of-range", about)]


@pytest.mark.parametrize(
    "text",
    [
        "count(set(i - 5 for i in 1..3)) == 3",
        "count(set(i * 100000000 for i in 1..3)) == 3",
        "(0 - 3)..5 == set(1)",
        "the(set(i for i in 1..3)) == 1",
        "min(i for i in 1..0) == 1",
        "sum(2000000000 for i in 1..3) > 0",
        "count(set(i div (i - 1) for i in 1..3)) == 3",
    ],
)
def test_what_is_a_fault_is_one_in_play(text: str) -> None:
    """No number is so wrong that the checker raises, and no set so large that it fills the memory."""
    machine = Interpreter(lower(checked(definition(phases=WAIT, invariants=f'rule: "{text}"'))))
    with pytest.raises(Fault):
        machine.broken_invariants(machine.start())


@pytest.mark.parametrize("values", ["{each: {each: 7}}", "{otherwise: {otherwise: 7}}"])
def test_a_value_for_all_is_worked_out_once(values: str) -> None:
    """200,000 cells are less than a table may have, and far more than expressions may be checked."""
    text = definition(
        constants=f"k: {{per: [1..400, 1..500], values: {values}}}", invariants="used: k(1, n + 1) == 7"
    )
    table = next(t for t in checked(text).tables if t.name == "k")
    assert len(table.values) == 200_000 and set(table.values) == {7}
