"""Checking takes time in proportion to the text: nothing is elaborated twice at each level.

Expressions of each sort are nested 24 deep, which takes milliseconds; twice at each level would be
sixteen million steps. (Counted in calls, as time depends on the machine.)
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from mutations import diagnose

from ludex.check.context import Context

DEEP = 24
HEAD = """\
ludex: 1
game: deep
title: Deep
players: 2
components:
  spaces: {field: 3}
  tracks: {road: [field]}
  pieces: {man: {count: 2, start: field(1)}}
  cards: {card: {count: 5, start: deck}}
  piles: {deck: {holds: card, visible: all}}
state:
  n: {type: 0..9}
  ok: {type: bool}
  who: {type: player}
  lead: {type: optional player}
  row: {per: 0..9, type: 0..9}
  other: {per: player, type: player}
define:
  twice(int a): a + a
phases:
  play:
    do:
      it goes on: |
"""


def nested(wrap: str, core: str) -> str:
    """`wrap` around `core`, DEEP times; `#` in it is the level."""
    text = core
    for level in range(DEEP):
        text = wrap.replace("#", str(level)).replace("@", text)
    return text


TEXTS = {
    "sum": "n = " + " + ".join(["n"] * DEEP),
    "difference": "n = " + nested("(@ - 1)", "n"),
    "negation": "n = " + nested("-(@)", "n"),
    "product": "n = " + nested("(@) * 1", "n"),
    "not": "ok = " + nested("not (@)", "ok"),
    "logic": "ok = " + nested("ok and (ok or (@))", "ok"),
    "equality": "ok = " + nested("(@) == ok", "ok"),
    "order": "ok = " + nested("((if @ then 1 else 2) < 3)", "ok"),
    "membership": "ok = " + nested("((if @ then 1 else 2) in 1..3)", "ok"),
    "choice of a value": "n = " + nested("if ok then (@) else n", "n"),
    "choice by a condition": "n = " + nested("if (@) > 1 then 1 else 2", "n"),
    "elif": "n = if ok then 1" + " elif n == 3 then 2" * DEEP + " else 3",
    "min": "n = " + nested("min(@, 3)", "n"),
    "max": "n = " + nested("max(3, @)", "n"),
    "count": "n = " + nested("count(p# in player where (@) > 0)", "n"),
    "sum over a set": "n = " + nested("sum(@ for p# in player)", "n"),
    "any": "ok = " + nested("any(p# in player where @)", "ok"),
    "all": "ok = " + nested("all(@ for p# in player)", "ok"),
    "first": "who = " + nested("the(p# in player where p# == (@))", "who"),
    "set": "ok = who in " + nested("(@ + set(who))", "set(who)"),
    "singleton": "ok = 1 in " + nested("set(the(@))", "set(1)"),
    "next": "who = " + nested("next(@)", "who"),
    "index": "n = " + nested("row(@)", "n"),
    "of": "n = " + nested("row of (@)", "n"),
    "attribute": "who = who" + ".other" * DEEP,
    "attribute of a call": "who = " + nested("other(@)", "who"),
    "entity": "n = " + nested("index(road, field(1 + (@) mod 3))", "n"),
    "is none": "ok = " + nested("((if @ then lead else none) is none)", "ok"),
    "narrowing": "ok = " + nested("(lead is not none and (@))", "lead == who"),
    "definition": "n = " + nested("twice(@)", "n"),
    "blocks": "\n".join("  " * i + "if ok:" for i in range(DEEP)) + "\n" + "  " * DEEP + "n = 1",
    "loops": "\n".join("  " * i + f"while n < {i}:" for i in range(DEEP)) + "\n" + "  " * DEEP + "n = 1",
    "one line": "if ok then " * DEEP + "n = 1",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_each_expression_is_looked_at_a_few_times_at_most(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0
    real: Callable[..., object] = Context.elaborate

    def counted(self: Context, *args: object) -> object:
        nonlocal calls
        calls += 1
        assert calls < 100 * DEEP, "the work doubles with each level"
        return real(self, *args)

    monkeypatch.setattr(Context, "elaborate", counted)
    diagnose(HEAD + "".join(f"        {line}\n" for line in text.split("\n")))
    assert calls
