"""Every kind of fault, met by both back ends alike: kind, place, rule, words, and the position before."""

from __future__ import annotations

from typing import get_args

import pytest
from lockstep import Faulted, Pair, luck

from ludex.game import DefinitionInfo
from ludex.ir.program import FaultKind
from ludex.pipeline import load_saved

HEAD = """ludex: 1
game: g
title: G
players: 2
state:
  n: {type: 0..99}
  big: {type: int}
"""
CARDS = """components:
  cards:
    card: {per: {v: 1..5}, start: deck}
  piles:
    deck: {holds: card, visible: none}
    hand: {per: player, holds: card, visible: owner}
"""
MEN = """components:
  spaces:
    sq: {grid: 3x3, holds: 1}
    off: {count: 2}
  pieces:
    man: {per: {owner: player}, places: [sq]}
"""
TOKENS = """components:
  spaces:
    town: {count: 3}
    sea: {count: 2}
  tokens:
    coin: {count: 3, places: [town], start: town(1)}
"""
DIE = "components:\n  dice:\n    d: [1, 2, 3]\n"
RECORDS = "records:\n  position: {of: [n], keep: 10}\n"


def game(action: str, *sections: str) -> str:
    """Two players who take turns to do one thing."""
    return (
        HEAD
        + "".join(sections)
        + f"actions:\n{action}\n"
        + ("phases:\n  play:\n    turns: clockwise from player(1)\n    do:\n      one: act go\n")
    )


def steps(text: str, *sections: str) -> str:
    """The game whose only action does this."""
    body = "\n".join(f"        {line}" for line in text.split("\n"))
    return game(f"  go:\n    do:\n      it: |\n{body}", *sections)


def condition(text: str, *sections: str) -> str:
    action = f"  go:\n    choose: {{a: 0..3}}\n    where:\n      w: {text}\n    do:\n      it: n = a"
    return game(action, *sections)


CASES: dict[str, tuple[str, FaultKind]] = {
    "plus": (steps("n = 1\nbig = n + 2147483647"), "overflow"),
    "minus": (steps("n = 2\nbig = -2147483647\nbig = big - n"), "overflow"),
    "times": (steps("n = 50\nbig = n * 1000000\nbig = big * n"), "overflow"),
    "the least divided by -1": (
        steps("n = 1\nbig = -2147483647 - n\nbig = big div (0 - n)"),
        "overflow",
    ),
    "a sum": (steps("n = 3\nbig = sum(1000000000 + n for a in 1..3)"), "overflow"),
    "minus the least": (steps("n = 1\nbig = -2147483647 - n\nbig = -big"), "overflow"),
    "of a scoring line": (
        steps("n += 1\nbig = 2147483647", "scoring:\n  points: big + n\n"),
        "overflow",
    ),
    "div": (steps("n = 5 div n"), "zero"),
    "mod": (steps("n = 5 mod n"), "zero"),
    "a condition": (condition("5 div (a - n) > 0"), "zero"),
    "the second round": (steps("n += 1\nbig = 7 div (n - 3)"), "zero"),
    "an end condition": (steps("n += 1", "end:\n  e: 7 div (2 - n) == 3\n"), "zero"),
    "too much": (steps("n += 60"), "range"),
    "too little": (steps("n -= 1"), "range"),
    "of a set": (steps("let s = set(a in 0..99 where a > n)\nbig = count(s)\nn = max(s) + 1"), "range"),
    "an index": (
        steps("n = f(n)", "define:\n  f(0..99 a): row(a)\n", "constants:\n  row: {per: 1..1, values: [4]}\n"),
        "index",
    ),
    "top of nothing": (steps("move top(hand(me)) to deck", CARDS), "empty"),
    "the of nothing": (steps("let c = the(c in hand(me))\nn = c.v", CARDS), "empty"),
    "the greatest of nothing": (steps("n = max(c.v for c in hand(me))", CARDS), "empty"),
    "random of nothing": (steps("let c = random c in hand(me)\nn = c.v", CARDS), "empty"),
    "the of several": (steps("let c = the(c in card)\nn = c.v", CARDS), "several"),
    "a space that is taken": (steps("for each m in man:\n  move m to sq(1, 2)", MEN), "capacity"),
    "a space it may not be on": (
        steps("let s = if n == 0 then off(1) else sq(1, 1)\nfor each m in man:\n  move m to s", MEN),
        "place",
    ),
    "more tokens than there are": (steps("move 7 coin from town(1) to town(2)", TOKENS), "tokens"),
    "fewer than no tokens": (steps("move (n - 1) coin from town(1) to town(2)", TOKENS), "tokens"),
    "a loop": (steps("while n < 99:\n  n = 1"), "steps"),
    "chance in a loop": (steps("repeat:\n  n = roll(d)", DIE), "steps"),
    "a phase of no decisions": (
        HEAD + "phases:\n  play:\n    turns: clockwise from player(1)\n    do:\n      one: n = 1\n",
        "steps",
    ),
    "a full record": (steps("n += 1\nnote position", RECORDS), "record"),
    "a full record within a turn": (steps("repeat 20:\n  n += 1\n  note position", RECORDS), "record"),
    "too many options": (game("  go:\n    choose: {a: 1..65537}\n    do:\n      it: n += 1"), "options"),
    "itself": (steps("n = f(3)", "define:\n  f(0..99 k): f(k) + f(k)\n"), "depth"),
    "each other": (
        steps("n = f(me)", "define:\n  f(player k): g(k) + 1\n  g(player k): f(k) + 1\n"),
        "depth",
    ),
    "endless runs": (
        HEAD + "actions:\n  go: {do: {it: n = (n + 1) mod 90}}\n  ho: {do: {it: n = (n + 2) mod 90}}\n"
        "phases:\n  play:\n    turns: clockwise from player(1)\n    do:\n      one: act go or ho longest\n",
        "depth",
    ),
}  # fmt: skip


def made(text: str) -> Pair:
    return Pair(load_saved(DefinitionInfo("g", "G", (), (), 2, (("g.yaml", text),), "")).program)


def test_every_kind_is_here() -> None:
    assert {kind for _, kind in CASES.values()} == set(get_args(FaultKind))


@pytest.mark.parametrize("name", CASES)
def test_a_fault_is_the_same(name: str) -> None:
    text, kind = CASES[name]
    pair = made(text)
    with pytest.raises(Faulted) as raised:
        pair.start()
        pair.steps(60, *luck(1))
        pair.same(lambda m, w: m.lines(w))
    assert raised.value.kind == kind
    if pair.words[0]:
        pair.compare()


@pytest.mark.parametrize("name", [name for name in CASES if name != "a phase of no decisions"])
def test_a_playout_meets_the_same_fault(name: str) -> None:
    """It leaves the last point before the fault."""
    text, kind = CASES[name]
    pair = made(text)
    with pytest.raises(Faulted) as raised:
        pair.start()
        pair.playout(*luck(1), 60)
        pair.same(lambda m, w: m.lines(w))
    assert raised.value.kind == kind
    if pair.words[0]:
        pair.compare()
