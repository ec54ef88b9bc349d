"""What passes make of conditions: the text form before and after, and the same play."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludex import pipeline
from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import OverPoint
from ludex.ir.passes.analysis import inlined
from ludex.ir.passes.constants import folded
from ludex.ir.passes.counting import counted
from ludex.ir.passes.emptiness import emptied
from ludex.ir.passes.faces import faced
from ludex.ir.passes.hoisting import hoisted
from ludex.ir.passes.known import pruned
from ludex.ir.passes.membership import lowered
from ludex.ir.passes.narrowing import narrowed
from ludex.ir.passes.occupancy import located
from ludex.ir.passes.optimise import optimised
from ludex.ir.passes.singletons import opened
from ludex.ir.passes.whereabouts import held
from ludex.ir.program import Branch, Jump, Program
from ludex.ir.text import print_expr, print_program
from ludex.ir.verify import verify
from ludex.rng import POLICY, Generator

GAME = """\
ludex: 1
game: passes
title: Passes
players: 2
types:
  rank: [low, high]
components:
  spaces:
    field: {grid: 4x4, holds: 1}
    yard: {}
  pieces:
    man: {per: {owner: player, rank: rank}, count: 2, places: [field, yard], start: yard}
  tokens:
    stone: {per: {owner: player}, count: 4, places: [field, yard], start: yard}
state:
  rider: {type: optional man}
  holes: {type: set of field}
actions:
  enter:
    choose: {m: man, s: field}
    where:
      it is yours: m.owner == me
      it waits: place(m) == yard
      the field is free: s is empty
      a low man is not everywhere: |
        m.rank == high or count(t in field where any(o.owner == me for o in man at t)) < 4
    do:
      it enters: move m to s
  pass: {}
phases:
  play:
    turns: clockwise from player_1
    rounds: 6
    do:
      move: act enter or pass
invariants:
INVARIANTS
"""


def compiled(tmp_path: Path, *invariants: str, end: str = "") -> Program:
    path = tmp_path / "game.yaml"
    lines = "\n".join(f"  test {i}: {text}" for i, text in enumerate(invariants))
    path.write_text(GAME.replace("INVARIANTS", lines or "  none: true") + end)
    return inlined(pipeline.program(str(path)))


def after(passes: list[object], program: Program) -> str:
    for step in passes:
        assert callable(step)
        program = step(program)
        assert verify(program) == []
    return print_expr(program, program.invariants[0].test)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        # an attribute of the things: a table of sets by its values
        ("count(m in man where m.owner == active) <= 4", "@where:man.owner"),
        # where a thing is: who is there
        ("count(m in man where place(m) == yard) <= 8", "at(yard, {man*})"),
        # whether anything lies there: who holds something
        ("count(s in field where (count(m in man at s)) > 0) <= 8", "holders({man*})"),
        ("count(s in field where s is empty) <= 16", "holders("),
        # an attribute of the only thing there: where the things with it are
        ("count(s in field where (man at s).rank == high) <= 4", "set(@place["),
        # which things of a table are in a set: the set, shifted
        ("count(r in rank where man(player_1, r, 1) in man at yard) <= 2", "shifted(at(yard, {man*}), "),
        ("count(s in field where step(s, east) in holes) <= 16", "shifted(holes, "),
    ],
)
def test_narrowing(tmp_path: Path, condition: str, expected: str) -> None:
    program = compiled(tmp_path, condition)
    before = print_expr(program, program.invariants[0].test)
    made = after([narrowed], program)
    assert expected not in before
    assert expected in made
    assert " where " not in made or "set(@place[" in made  # nothing is left to be tested one by one


def test_what_stands_behind_a_test_is_evaluated_as_it_allows(tmp_path: Path) -> None:
    condition = "count(m in man where rider is none or m.rank == rider.rank) <= 8"
    made = after([narrowed], compiled(tmp_path, condition))
    assert "((rider == none) ? {man*} : " in made


@pytest.mark.parametrize(
    ("condition", "step", "expected"),
    [
        # what lies on spaces that hold one thing is counted, not summed
        ("count(stone at field) <= 8", counted, "count(for"),
        # the tokens of a player, where each has one face: the number of that one
        ("all(count(stone of p at yard) <= 4 for p in players)", faced, "tokens({#@only:@of:stone[p"),
        # the number of seats, and directions, are constants
        ("any(opponent(p) == active for p in players)", folded, "#@seat:1["),
        # sets of what depends on one thing alone are rows of a table
        ("all(active in set(m.owner, player_1) for m in man)", folded, "#@union:("),
        # whether a set has elements, or anything is counted, is asked of the first
        ("set(s in field where s is empty and s.x == 1) is not empty", emptied, "any("),
        ("count(m in man where m.rank == high and place(m) == yard) > 0", emptied, "any("),
        # so are sums of tokens, which there are so many of
        ("sum(count(stone at yard) for m in man) > 0", emptied, "any("),
        ("sum(count(stone at yard) for m in man) < 1", emptied, "not any("),
        # of one thing at most is asked without a loop
        ("any(any(t.owner == active for t in stone at s) for s in field)", opened, "!= none"),
        # where all men are: what holds men
        ("set(place(m) for m in man where place(m) in field) is empty", held, "holders({man*})"),
        # of how many there are at most is asked only where there are some
        ("all(count(man at s) <= 7 for s in yard)", narrowed, "> 7) for s%"),
        # the token on a space that is computed: whether the space is in a set
        ("any((stone at step(s, east)).owner == player_1 for s in field)", located, "in (holders("),
    ],
)
def test_rewriting(tmp_path: Path, condition: str, step: object, expected: str) -> None:
    program = compiled(tmp_path, condition)
    assert callable(step)
    made = step(program)
    assert verify(made) == []
    before, then = (print_expr(p, p.invariants[0].test) for p in (program, made))
    assert expected not in before
    assert expected in then
    machines = Interpreter(program), Interpreter(made)
    for seed in range(5):
        states = [machine.start() for machine in machines]
        for machine, state in zip(machines, states, strict=True):
            machine.playout(state, Generator(seed), Generator(seed, POLICY), 9)
        held = [machine.broken_invariants(state) for machine, state in zip(machines, states, strict=True)]
        assert held[0] == held[1]


CROWDS = """\
ludex: 1
game: crowds
title: Crowds
players: 2
components:
  spaces:
    field: {grid: 4x1}
    yard: {}
  tokens:
    stone: {per: {owner: player}, count: 9, places: [field, yard], start: yard}
    gem: {per: {owner: player, cut: 1..2}, count: 9, places: [field, yard], start: yard}
actions:
  add:
    choose: {s: field}
    do:
      one more: move 1 stone of me from yard to s
phases:
  play:
    turns: clockwise from player_1
    rounds: 4
    do:
      one is added: act add
invariants:
  it holds: %s
"""


def crowded(tmp_path: Path, condition: str) -> tuple[str, str]:
    """A condition before and after the passes; it holds in all games in both."""
    path = tmp_path / "crowds.yaml"
    path.write_text(CROWDS % condition)
    program = pipeline.load(str(path)).program
    made = optimised(program)
    assert verify(made) == []
    for seed in range(5):
        for machine in (Interpreter(program), Interpreter(made)):
            state = machine.start()
            machine.playout(state, Generator(seed), Generator(seed, POLICY), 9)
            assert machine.broken_invariants(state) == []
    before, then = (print_expr(p, p.invariants[0].test) for p in (program, made))
    return before, then


def test_tokens_are_counted_where_some_lie(tmp_path: Path) -> None:
    before, then = crowded(tmp_path, "all(count(stone of p at field) <= 4 for p in players)")
    assert "holders(" not in before
    assert "in (holders(#@only:@of:stone[" in then
    _, then = crowded(tmp_path, "count(s in field where count(stone of player_1 at s) >= 2) <= 2")
    assert "holders({stone(player_1)})" in then


def test_tokens_of_several_faces_are_a_set(tmp_path: Path) -> None:
    _, then = crowded(tmp_path, "all(count(gem of p at yard) == 18 for p in players)")
    assert "@only" not in then


def test_places_without_tokens_are_asked_what_may_fault(tmp_path: Path) -> None:
    """A condition of the sum that may divide by nothing is asked of all places."""
    test = "sum(count(stone at s) for s in field where 8 div (4 - count(stone at s)) > 0)"
    _, then = crowded(tmp_path, f"{test} >= 0")
    assert "holders(" not in then


@pytest.mark.parametrize(
    "condition",
    [
        # not in two rows
        "count(s in field where field((s.x * s.x) mod 4 + 1, s.y) in holes) <= 16",
        # in a set that depends on the element
        "count(s in field where step(s, east) in steps(s, diagonal)) <= 16",
        # of a number that may be none of the table's
        "count(r in rank where man(player_1, r, count(holes)) in man at yard) <= 2",
    ],
)
def test_sets_are_not_shifted(tmp_path: Path, condition: str) -> None:
    program = compiled(tmp_path, condition)
    assert "shifted" not in print_expr(program, narrowed(program).invariants[0].test)


@pytest.mark.parametrize(
    "condition",
    [
        # of some men
        "set(place(m) for m in man where m.rank == low and place(m) in field) is empty",
        "set(place(m) for m in man - man(player_1, low, 1) where place(m) in field) is empty",
        # where each is asked of another set
        "set(place(m) for m in man where place(m) in set(s in field where m.rank == low)) is empty",
        # of something else than places
        "set(m.rank for m in man where place(m) in field) is empty",
    ],
)
def test_where_some_men_are_is_asked_of_them(tmp_path: Path, condition: str) -> None:
    program = compiled(tmp_path, condition)
    assert held(program).invariants == program.invariants


@pytest.mark.parametrize("condition", ["sum(s.x for s in field) > 0", "sum(s.x - 2 for s in field) > 0"])
def test_sums_of_other_numbers_are_added(tmp_path: Path, condition: str) -> None:
    program = compiled(tmp_path, condition)
    assert emptied(program).invariants == program.invariants


def test_functions_of_the_next_player_are_inlined(tmp_path: Path) -> None:
    define = "define:\n  theirs(player p): count(m in man where m.owner == p)\n"
    program = compiled(tmp_path, "all(theirs(opponent(p)) >= 0 for p in players)", end=define)
    assert "theirs" not in print_expr(program, program.invariants[0].test)


@pytest.mark.parametrize(
    ("body", "inlined_"),
    [
        ("count(stone at s) >= 2", True),
        # not whatever the rest has for values
        ("p == player_1 and count(stone at s) >= 2", False),
        # more than once
        ("count(stone at s) + count(stone at s) >= 2", False),
        # behind what may fault
        ("8 div (4 - count(stone at yard)) >= count(stone at s)", False),
    ],
)
def test_an_argument_that_may_fault_is_evaluated_once_and_first(
    tmp_path: Path, body: str, inlined_: bool
) -> None:
    define = f"define:\n  full(player p, field s): {body}\n"
    program = compiled(
        tmp_path, "all(not full(p, field(count(stone at yard) - 7, 1)) for p in players)", end=define
    )
    assert ("full" not in print_expr(program, program.invariants[0].test)) == inlined_


def test_beyond_the_edge_lies_nothing_of_anybody(tmp_path: Path) -> None:
    """No space is in no set, and yet what lies there is not player_1's."""
    edge = "all((stone at step(s, east)).owner != player_1 for s in field where s.x == 4)"
    program = compiled(tmp_path, edge)
    for made in (program, located(program), optimised(program)):
        machine = Interpreter(made)
        assert machine.broken_invariants(machine.start()) == []


@pytest.mark.parametrize(
    "condition",
    [
        # of two things no row is made
        "all(m.owner in set(m.owner, n.owner) for m in man, n in man)",
        # what belongs to no man is in no set
        "count(set(rider.owner, player_1)) == 1",
    ],
)
def test_no_row_is_made_of_what_is_not_of_one_thing(tmp_path: Path, condition: str) -> None:
    made = folded(compiled(tmp_path, condition))
    assert "@union" not in print_expr(made, made.invariants[0].test)
    machine = Interpreter(made)
    assert machine.broken_invariants(machine.start()) == []


def test_what_is_known_to_fail_is_not_asked(tmp_path: Path) -> None:
    """An end condition that an action's step has just refuted, at the end of the turn's step."""
    end = "end:\n  four men are in: count(m in man where place(m) in field) == 4\n"
    program = compiled(tmp_path, end=end)

    def jumps(program: Program) -> int:
        """How many blocks go on at the test that two ways lead to."""
        tests = {i for i, block in enumerate(program.blocks) if isinstance(block.end, Branch)}
        shared = [i for i in tests if print_expr(program, program.blocks[i].end.test).endswith(" == 4)")]
        return sum(isinstance(b.end, Jump) and b.end.target in shared for b in program.blocks)

    assert jumps(pruned(program)) == jumps(program) - 1


def test_membership_asks_without_sets(tmp_path: Path) -> None:
    condition = "not (square(1, 1) in sights(square(4, 4), diagonal))".replace("square", "field")
    made = after([narrowed, lowered], compiled(tmp_path, condition))
    assert "@way:" in made
    assert "@blocking:" in made
    assert "sights(" not in made


def test_hoisting_asks_once(tmp_path: Path) -> None:
    program = hoisted(lowered(narrowed(compiled(tmp_path))))
    lines = [line.strip() for line in print_program(program).splitlines()]
    choose = next(i for i, line in enumerate(lines) if line.startswith("choose m "))
    start = choose
    while lines[start - 1].startswith("let before%"):
        start -= 1
    assert any("count(" in line for line in lines[start:choose])
    assert not any("count(" in line for line in lines[choose : choose + 6])


def test_the_same_is_played(tmp_path: Path) -> None:
    """The reference plays the program as it plays what the passes made of it."""
    program = compiled(tmp_path)
    made = optimised(program)
    first, second = Interpreter(program), Interpreter(made)
    for seed in range(10):
        a, b = first.start(), second.start()
        for seeds in (seed, seed + 100):
            chances = [Generator(seeds), Generator(seeds)]
            policies = [Generator(seeds, POLICY), Generator(seeds, POLICY)]
            assert first.playout(a, chances[0], policies[0], 9) == second.playout(
                b, chances[1], policies[1], 9
            )
            assert first.pack(a) == second.pack(b)
            assert policies[0].state == policies[1].state
        assert isinstance(first.point(a), OverPoint)
