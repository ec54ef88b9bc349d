"""Late conditions and longest runs, with results by hand."""

from __future__ import annotations

from tiny import Tiny, arith, cmp, decide, ent, load, mask, num, offer, span

from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import (
    Choice,
    OverPoint,
    Refusal,
)
from ludex.ir import code as s
from ludex.ir import program as p
from ludex.rng import POLICY, Generator
from ludex.typed import expr as e
from ludex.typed.types import INT


def late(limit: int) -> p.Program:
    """One number of 1..6; a late condition refuses those above `limit`."""
    t = Tiny(2)
    n, chosen = t.var("n", INT), t.var("chosen", INT, frame=True)
    low = t.rule("it is low", "condition")
    site = offer("say", (n, span(1, 6), []), late=(e.OptionGuard(low, cmp("le", n, num(limit))),))
    t.block((), decide(ent(1), [(site, [(chosen, n)], 1)], 1))
    t.block((), p.GameOver())
    return t.program()


def test_late_conditions() -> None:
    machine = Interpreter(late(2))
    words = machine.start()
    assert [c.values for c in machine.options(words, 1)] == [(1,), (2,)]
    assert not machine.is_legal(words, 1, Choice(0, (3,)))
    assert machine.refusal(words, 1, 0, (3,)).rules == (0,)
    seen = {machine.sample_choice(words, 1, Generator(i, POLICY)).values for i in range(50)}
    assert seen == {(1,), (2,)}


def test_a_refused_candidate_is_replaced_by_the_last() -> None:
    """Draws k of 6, 5, ... by hand with the specified generator."""
    machine = Interpreter(late(1))
    words = machine.start()
    for seed in range(20):
        rng, by_hand = Generator(seed, POLICY), Generator(seed, POLICY)
        assert machine.sample_choice(words, 1, rng).values == (1,)
        left = [1, 2, 3, 4, 5, 6]
        while left[k := by_hand.bounded(len(left))] != 1:
            left[k] = left[-1]
            left.pop()
        assert rng.state == by_hand.state


def test_a_decision_without_options_goes_on() -> None:
    machine = Interpreter(late(0))
    words = machine.start()
    assert machine.point(words) == OverPoint()
    assert machine.coverage.empty == [1, 0]


def subtracting() -> Interpreter:
    """From 10, subtract 3, 4 or 6 while not below 0."""
    t = Tiny(2)
    left = t.field("left", (), INT, 0, 10)
    n, chosen, given = t.var("n", INT), t.var("chosen", INT, frame=True), t.var("given", INT)
    fits = t.rule("it fits", "condition")
    site = offer("less", (n, e.SetDomain(mask(3, 4, 6)), [e.OptionGuard(fits, cmp("le", n, load(left)))]))
    effect = p.Atomic("less", (given.id,), (s.Store("left", (), arith("sub", load(left), given), 0),))
    t.block(
        (s.Store("left", (), num(10), 0),),
        decide(ent(1), [(site, [(chosen, n)], 1)], 1, longest=True, effects=("less",)),
    )
    t.block((), p.GameOver())
    return Interpreter(t.program(atomics=(effect,)))


def test_longest_run() -> None:
    """Only 3 begins a run of three (3 3 3, 3 3 4, 3 4 3) and 4 too (4 3 3); 6 allows only two."""
    machine = subtracting()
    words = machine.start()
    before = machine.pack(words)
    assert [c.values for c in machine.options(words, 1)] == [(3,), (4,)]
    assert not machine.is_legal(words, 1, Choice(0, (6,)))
    assert machine.refusal(words, 1, 0, (6,)) == Refusal(0, True, (0,))
    assert machine.pack(words) == before


def test_the_longest_run_is_a_late_condition_of_what_is_drawn() -> None:
    """Candidates 3, 4, 6; by hand 3 and 4 are the options. Each refused 6 is replaced by the last."""
    machine = subtracting()
    words = machine.start()
    drawn = []
    for seed in range(60):
        rng, by_hand = Generator(seed, POLICY), Generator(seed, POLICY)
        left = [3, 4, 6]
        while left[k := by_hand.bounded(len(left))] == 6:
            left[k] = left[-1]
            left.pop()
        drawn.append(left[k])
        assert machine.sample_choice(words, 1, rng).values == (left[k],)
        assert rng.state == by_hand.state
    assert set(drawn) == {3, 4}
