"""Rules that never end, or do what no rule may: a fault that names the rule, and the game goes on from before.

Steps are counted, not seconds: the same game stops at the same step on every machine.
"""

from __future__ import annotations

import pytest
from confined import Outcome, confined
from hostile_definitions import BOARD, CARDS, chain, definition, made, steps

from ludex import limits
from ludex.backends.interpreter import memory
from ludex.game import RuleFault
from ludex.game.save import save_text

SECONDS = 15.0
"""Processor time for one case; a step limit is reached within ten, on a machine that is not busy."""

DIE = "components:\n  dice:\n    d: [1, 2, 3]"
GO_AFTER = """
  q:
    turns: clockwise from player(1)
    do:
      two: act go"""


def playing(text: str, *, part: int = 1) -> Outcome:
    """Plays two decisions: what fault came, of which rule, in which line; or `played`.

    `part`: only so much of the ceilings may be used, lest the tests take as long as they allow.
    """

    def play() -> object:
        memory.MAX_TICKS = limits.MAX_TICKS // part  # type: ignore[misc]
        memory.MAX_EFFORT = limits.MAX_EFFORT // part  # type: ignore[misc]
        game = made(text)
        state = None
        try:
            state = game.start(seed=1)
            for _ in range(2):
                if state.is_terminal:
                    break
                player = state.deciding[0]
                state = state.apply(state.legal_actions(player)[0], player)
                _ = state.observation(player), state.scores, state.ranking, state.broken_invariants
            return "played", None, 0
        except RuleFault as fault:
            if state is not None:  # the position before is as good as ever
                assert game.from_bytes(state.to_bytes()) == state
                assert save_text(state)
            return fault.kind, fault.rule, fault.span.line

    return confined(play, cpu=25)


def phase(text: str) -> str:
    return f"phases:\n  play:\n{text}{GO_AFTER}"


def procedures(number: int) -> str:
    lines = [f"  g{i}: {{do: {{a: run g{i + 1}, b: run g{i + 1}}}}}" for i in range(number)]
    return "procedures:\n" + "\n".join(lines) + f"\n  g{number}: {{do: {{it: n = 1}}}}"


TWO_MEN = """components:
  spaces:
    sq: {grid: 3x3, holds: 1}
  pieces:
    man: {per: {owner: player}, places: [sq]}"""
TOKENS = """components:
  spaces:
    town: {count: 3}
  tokens:
    coin: {count: 3, places: [town]}"""

CASES: dict[str, tuple[str, str]] = {
    # ---- without end
    "while": (steps("while n < 99:\n  n = 1"), "steps"),
    "repeat": (steps("repeat:\n  n = 1"), "steps"),
    "repeat very often": (steps("repeat 2000000000:\n  n = 1"), "steps"),
    "repeat in repeat": (steps("repeat 100000:\n  repeat 100000:\n    n = 1"), "steps"),
    "a great deal in each turn": (steps("repeat 900000:\n  " + "\n  ".join(["n = 1"] * 500)), "steps"),
    "for each of two billion": (steps("for each a in 0..2147483647:\n  n = 1"), "steps"),
    "in setup": (definition(setup="setup:\n  s: |\n    while n < 99:\n      n = 1"), "steps"),
    "a phase of no decisions": (
        definition(phases=phase("    do:\n      one: n = 1\n    until: {e: n >= 50}")),
        "steps",
    ),
    "a phase repeated": (definition(phases=phase("    do:\n      one: n = 1\n    repeat: 1000000000")), "steps"),
    "again": (
        definition(phases=phase("    turns: clockwise from player(1)\n    do:\n      one: again")),
        "steps",
    ),
    "chance in a loop": (steps("repeat:\n  n = roll(d)", components=DIE), "steps"),
    "chance in a phase": (
        definition(components=DIE, phases=phase("    turns: clockwise from player(1)\n    do:\n      one: n = roll(d)")),
        "steps",
    ),
    "procedures twice the next": (
        definition(procedures=procedures(40), actions="actions:\n  go: {do: {it grows: run g0}}"),
        "steps",
    ),
    "shuffling": (steps("repeat 900000:\n  shuffle deck", components=CARDS.replace("1..5", "1..500")), "steps"),
    "moving": (
        steps("repeat 900000:\n  move deck to hand(me)\n  move hand(me) to deck", components=CARDS),
        "steps",
    ),
    "speaking": (steps('repeat 900000:\n  say "hello"'), "steps"),
    # ---- expressions that take for ever
    "twice the next": (
        steps("n = f0(me)", define=chain(90, "(NEXT(p) + NEXT(p)) mod 7", "n")),
        "steps",
    ),
    "going through the next": (
        steps("n = f0(me)", define=chain(30, "count(true for q in player, r in player, t in player where NEXT(q) > 2) mod 7", "n")),
        "steps",
    ),
    "counting to two billion": (steps("n = count(true for a in 0..2147483647 where a > n) mod 3"), "steps"),
    "counting pairs": (steps("n = count(true for a in 1..30000, b in 1..30000 where a + b > n) mod 3"), "steps"),
    "a scoring line": (
        definition(scoring="scoring:\n  p: count(true for a in 1..30000, b in 1..30000 where a + b > n) mod 7"),
        "steps",
    ),
    "an end condition": (
        definition(end="end:\n  e: count(true for a in 1..30000, b in 1..30000 where a + b > n) == 3"),
        "steps",
    ),
    "an invariant": (
        definition(invariants="invariants:\n  e: count(true for a in 1..30000, b in 1..30000 where a + b > n) > 0"),
        "steps",
    ),
    "regions": (
        steps("repeat 900000:\n  n = count(region(q from sq(1, 1) where n < 99)) mod 3", components=BOARD),
        "steps",
    ),
    "a definition that calls itself twice": (
        steps("n = f(60) mod 3", define="define:\n  f(0..99 k): if k == 0 then n else f(k - 1) + f(k - 1)"),
        "steps",
    ),
    "tries in tries": (
        steps(
            "n = f(40) mod 3",
            procedures="procedures:\n  p: {do: {it: n = (n + 1) mod 90}}",
            define="define:\n  f(0..50 k): if k == 0 then n else (try p then f(k - 1)) + (try p then f(k - 1))",
        ),
        "steps",
    ),
    "a definition that calls itself": (steps("n = f(3)", define="define:\n  f(0..99 k): f(k) + f(k)"), "depth"),
    "two that call each other": (
        steps("n = f(me)", define="define:\n  f(player k): g(k) + 1\n  g(player k): f(k) + 1"),
        "depth",
    ),
    "arguments of arguments": (steps("n = 0 * " + "max(" * 20 + "n, " * 250 + "n" + ", n)" * 20), "played"),
    # ---- decisions
    "too many options": (definition(actions="actions:\n  go:\n    choose: {a: 1..65537}\n    do:\n      it: n += 1"), "options"),
    "too many candidates": (
        definition(actions="actions:\n  go:\n    choose: {a: 1..2000, b: 1..2000}\n    where:\n      w: a + b > n + 9000\n    do:\n      it: n += 1"),
        "steps",
    ),
    "the longest of endless runs": (
        definition(
            actions="actions:\n  go:\n    do:\n      it: n = (n + 1) mod 90\n  ho:\n    do:\n      it: n = (n + 2) mod 90",
            phases="phases:\n  play:\n    turns: clockwise from player(1)\n    do:\n      one: act go or ho longest",
        ),
        "depth",
    ),
    # ---- what no rule may do
    "overflow": (steps("let a = 2147483647 - n\nlet b = a + n + 1\nn = b mod 3"), "overflow"),
    "division by zero": (steps("n = 5 div n"), "zero"),
    "division by zero in a condition": (
        definition(actions="actions:\n  go:\n    where:\n      w: 5 div n == 0\n    do:\n      it: n += 1"),
        "zero",
    ),
    "division by zero in a scoring line": (definition(scoring="scoring:\n  p: 5 div (n - 1)"), "zero"),
    "out of range": (steps("repeat 200:\n  n += 7"), "range"),
    "top of nothing": (steps("move top(hand(me)) to deck", components=CARDS), "empty"),
    "the of nothing": (steps("let c = the(c in hand(me))\nn = c.v", components=CARDS), "empty"),
    "the of several": (steps("let c = the(c in card)\nn = c.v", components=CARDS), "several"),
    "a space that is taken": (steps("for each m in man:\n  move m to sq(1, 2)", components=TWO_MEN), "capacity"),
    "more tokens than there are": (steps("move 7 coin from town(1) to town(2)", components=TOKENS), "tokens"),
    "a record that is full": (
        steps(
            "repeat 20:\n  n += 1\n  note position",
            records="records:\n  position: {of: [n], keep: 10}",
        ),
        "record",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_fault_names_the_rule_and_leaves_the_position_before(name: str) -> None:
    text, expected = CASES[name]
    outcome = playing(text, part=1 if expected == "options" else 16)
    assert not outcome.crash, outcome.crash
    assert isinstance(outcome.value, tuple), outcome.text
    kind, rule, line = outcome.value
    assert kind == expected
    if kind != "played":
        assert rule is not None and line > 1, "the fault says neither rule nor position"


@pytest.mark.long
@pytest.mark.parametrize("name", ["while", "moving", "speaking", "twice the next"])
def test_the_ceilings_are_bearable(name: str) -> None:
    outcome = playing(CASES[name][0])
    assert isinstance(outcome.value, tuple) and outcome.value[0] == "steps", outcome
    assert outcome.seconds < SECONDS
