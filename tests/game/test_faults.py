"""Faults of rules: named, and the state they were met in stays usable. Bits of text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from coin_game import coin_program, definition

from ludex.backends.interpreter import Interpreter
from ludex.game import Game, RuleFault
from ludex.game.naming import canonical, distinct, split_call
from ludex.ir import code as s
from ludex.ir import program as p
from ludex.typed import expr as e
from ludex.typed.types import IntType


def test_a_fault_names_rule_and_place_and_leaves_the_state() -> None:
    program = coin_program()
    turn = next(i for i, r in enumerate(program.rules) if r.name == "a turn")
    zero = e.Const(0, IntType(0, 0))
    divide = s.Store("turns", (), e.Arithmetic("div", zero, zero, IntType(), 1, False), 1)
    blocks = list(program.blocks)
    (take,) = (i for i, b in enumerate(blocks) if s.Enter(turn) in b.code and len(b.code) == 2)
    blocks[take] = replace(blocks[take], code=(*blocks[take].code, divide))
    sites = (*program.sites, p.Site(turn, program.rules[turn].span))
    game = Game(Interpreter(replace(program, blocks=tuple(blocks), sites=sites)), definition())
    state = game.start(1)
    before = state.to_bytes()
    with pytest.raises(
        RuleFault, match=r"a division by zero in the rule 'a turn' \(coins.yaml:1:1\)"
    ) as raised:
        state.apply("take")
    assert raised.value.kind == "zero" and raised.value.rule == "a turn"
    assert state.to_bytes() == before
    assert state.apply("roll").history


def test_names_of_rules_with_control_characters_do_not_reach_the_log() -> None:
    program = coin_program()
    rules = tuple(replace(r, name=f"{r.name}\x1b[2J\x07") for r in program.rules)
    game = Game(Interpreter(replace(program, rules=rules)), definition())
    state = game.start(1)
    texts = [
        *(str(line) for line in state.log(None)),
        state.observation("player(1)").to_json(),
        state.information_state(None),
        game.explain(state, "pass").text,
        state.observation().about,
        *game.score_lines,
    ]
    assert not any("\x1b" in t or "\x07" in t for t in texts)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("pass", ("pass", None)),
        ("a()", ("a", ())),
        ("a(b, c(d, e))", ("a", ("b", "c(d, e)"))),
        ("a(b) c", None),
        ("a(b))", None),
        ("(a)", None),
        ("a(,)", None),
        ("a,b", None),
        ("", None),
    ],
)
def test_calls_are_split(text: str, parts: object) -> None:
    assert split_call(text) == parts


def test_texts_are_made_distinct_without_copy_numbers() -> None:
    assert distinct(["a", "a", "b"], ["a at x", "a at y", "b at x"]) == ["a at x", "a at y", "b"]
    assert distinct(["a", "a"], ["a at x", "a at x"]) == ["a at x#1", "a at x#2"]


def test_texts_are_compared_after_normalisation() -> None:
    assert canonical("Ride( Ｒed )") == canonical("ride(red)")
