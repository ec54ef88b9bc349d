"""Sealed choices: their order of arrival, and who witnesses them."""

from __future__ import annotations

import pytest
from tiny import CARD, Tiny, decide, ent, mask, offer

from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import (
    Choice,
    Event,
    Moved,
    OverPoint,
    SealedPoint,
)
from ludex.ir import code as s
from ludex.ir import program as p
from ludex.rng import POLICY, Generator
from ludex.typed import expr as e
from ludex.typed.types import INT, SetType


def sealed() -> tuple[p.Program, int]:
    """Each of three players lays one of his two cards face down; then all are counted."""
    t = Tiny(3)
    hand = t.kind("hand", "pile", 3, attributes={"owner": [1, 2, 3]}, audience="owner")
    laid = t.kind("laid", "pile", 3, attributes={"owner": [1, 2, 3]}, audience="owner")
    table, _ = t.kind("table", "pile", 1), t.kind("box", "box", 1)
    card = t.kind("card", "card", 6)
    t.places()
    t.field("@strand", (t.per(t.kinds[0]),), INT, -1, 99, role="control")
    rule = t.rule("lay a card")
    code = tuple(
        s.MoveOne(ent(c, "card"), ent(hand.base + i // 2, "hand"), False, 0) for i, c in enumerate(card.ids)
    )
    t.block(code, p.Simultaneous(mask(1, 2, 3, kind="player"), (2, 4, 6), 1, rule))
    cards = e.Const(card.mask, SetType(CARD))
    t.block((s.MoveAll(cards_at(laid.ids, card.mask), ent(table.base, "table"), False, 0),), p.GameOver())
    for seat in range(3):
        c = t.var("c", CARD)
        chosen = t.var("chosen", CARD, frame=True)
        mine = e.SetDomain(e.Occupants(ent(hand.base + seat, "hand"), card.mask, SetType(CARD)))
        site = offer("lay", (c, mine, []))
        t.block((), decide(ent(seat + 1), [(site, [(chosen, c)], 3 + 2 * seat)], 1, audience="owner"))
        target = ent(laid.base + seat, "laid")
        t.block(
            (s.Enter(rule), s.MoveOne(chosen, target, False, 0), s.SetVar(chosen.id, ent(0, "card"))),
            p.StrandEnd(),
        )
    assert cards.value == card.mask
    return t.program(), card.base


def cards_at(places: range, cards: int) -> e.Expr:
    result: e.Expr = e.Const(0, SetType(CARD))
    for place in places:
        result = e.SetOperation(
            "union", result, e.Occupants(ent(place, "laid"), cards, SetType(CARD)), SetType(CARD)
        )
    return result


def test_sealed_choices_in_any_order_of_arrival() -> None:
    program, first = sealed()
    machine = Interpreter(program)
    results = []
    for order in ((1, 2, 3), (3, 1, 2), (2, 3, 1)):
        words = machine.start()
        assert machine.point(words) == SealedPoint(((1, 2), (2, 4), (3, 6)), 0)
        for player in order:
            assert machine.options(words, player) == [
                Choice(0, (first + 2 * player - 2,)),
                Choice(0, (first + 2 * player - 1,)),
            ]
            machine.choose(words, player, Choice(0, (first + 2 * player - 1,)))
            words = machine.unpack(machine.pack(words))
        assert machine.point(words) == OverPoint()
        results.append(machine.pack(words))
    assert len(set(results)) == 1


def test_only_the_player_witnesses_his_strand() -> None:
    program, first = sealed()
    machine = Interpreter(program)
    words = machine.start()
    events: list[Event] = []
    machine.choose(words, 2, Choice(0, (first + 2,)), events)
    (moved,) = [event for event in events if isinstance(event, Moved)]
    assert (moved.seen_by, moved.witnesses) == (0b100, 0b100)
    assert machine.point(words) == SealedPoint(((1, 2), (3, 6)), 0)
    assert machine.options(words, 2) == []
    with pytest.raises(ValueError):
        machine.choose(words, 2, Choice(0, (first + 3,)))
    machine.choose(words, 1, Choice(0, (first,)))
    events = []
    machine.choose(words, 3, Choice(0, (first + 4,)), events)
    laid_open = [event for event in events if isinstance(event, Moved)][1:]
    assert [(m.thing - first, m.seen_by, m.witnesses) for m in laid_open] == [
        (0, 15, 15),
        (2, 15, 15),
        (4, 15, 15),
    ]


def test_sealed_playout_ends() -> None:
    machine = Interpreter(sealed()[0])
    assert machine.playout(machine.start(), Generator(1), Generator(1, POLICY), 99) == 3
