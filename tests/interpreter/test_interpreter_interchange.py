"""Things that are alike are one option and one outcome."""

from __future__ import annotations

import pytest
from tiny import Tiny, cmp, decide, ent, mask, offer, taken_word

from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import (
    Choice,
    Event,
    Fault,
    Moved,
)
from ludex.ir import code as s
from ludex.ir import program as p
from ludex.typed import expr as e
from ludex.typed.types import BOOL, EntityType, SetType


class Camp:
    """Two spaces 3, 4, a box 5; pawns 6..9: three copies, and 9 of another face. Player 1 moves one."""

    def __init__(self) -> None:
        t = self.tiny = Tiny(2)
        space, _ = t.kind("space", "space", 2), t.kind("box", "box", 1)
        pawn = t.kind("pawn", "piece", 4, copies_of=[0, 0, 0, 3])
        t.places()
        self.type = EntityType(("pawn",))
        self.tired = t.field("tired", (t.per(pawn),), BOOL, 0, 1)
        self.last = t.field("last", (), EntityType(("pawn",), True), 0, 9)
        self.group = t.field("group", (t.per(space),), SetType(self.type), set_base=6)
        self.k, self.j = t.var("k", self.type), t.var("j", self.type)
        self.chosen, self.other = (
            t.var("chosen", self.type, frame=True),
            t.var("other", self.type, frame=True),
        )
        t.rule("go")

    def machine(
        self, code: tuple[s.Stmt, ...], site: e.OptionSite, stores: list[tuple[e.Var, e.Expr]]
    ) -> Interpreter:
        t = self.tiny
        start = tuple(s.MoveOne(ent(i, "pawn"), ent(3, "space"), False, 0) for i in (6, 7, 8, 9))
        clear = (taken_word(t, self.chosen), taken_word(t, self.other))
        t.block((*start, *code), decide(ent(1), [(site, stores, 1)], 2), clear=clear)
        t.block((s.MoveOne(self.chosen, ent(4, "space"), False, 0),), p.Jump(2))
        t.block((), p.GameOver())
        return Interpreter(t.program())

    def single(self, *code: s.Stmt) -> Interpreter:
        site = offer("go", (self.k, e.SetDomain(mask(6, 7, 8, 9, kind="pawn")), []))
        return self.machine(code, site, [(self.chosen, self.k)])

    def offered(self, *code: s.Stmt) -> list[tuple[int, ...]]:
        machine = self.single(*code)
        return [choice.values for choice in machine.options(machine.start(), 1)]


def test_copies_are_one_option() -> None:
    assert Camp().offered() == [(6,), (9,)]


def test_place_tells_copies_apart() -> None:
    assert Camp().offered(s.MoveOne(ent(7, "pawn"), ent(4, "space"), False, 0)) == [(6,), (7,), (9,)]


def test_state_of_their_own_tells_copies_apart() -> None:
    assert Camp().offered(s.Store("tired", (ent(6, "pawn"),), e.Const(1, BOOL), 0)) == [(6,), (7,), (9,)]


def test_a_copy_that_a_word_holds_is_not_like_the_others() -> None:
    assert Camp().offered(s.Store("last", (), ent(8, "pawn"), 0)) == [(6,), (8,), (9,)]
    assert Camp().offered(s.Store("group", (ent(4, "space"),), mask(7, kind="pawn"), 0)) == [(6,), (7,), (9,)]


def test_what_was_bound_before_is_not_like_the_others() -> None:
    """Pairs of different pawns: 6 with 7 (for 7, 8), 6 with 9, 9 with 6 (for 6, 7, 8)."""
    camp = Camp()
    everyone = e.SetDomain(mask(6, 7, 8, 9, kind="pawn"))
    distinct = e.OptionGuard(0, cmp("ne", camp.j, camp.k))
    site = offer("pair", (camp.k, everyone, []), (camp.j, everyone, [distinct]))
    machine = camp.machine((), site, [(camp.chosen, camp.k), (camp.other, camp.j)])
    assert [c.values for c in machine.options(machine.start(), 1)] == [(6, 7), (6, 9), (9, 6)]


def test_a_copy_is_accepted_and_the_lowest_is_taken() -> None:
    machine = Camp().single()
    words = machine.start()
    twin = machine.copy(words)
    assert machine.is_legal(words, 1, Choice(0, (8,)))
    assert not machine.is_legal(words, 1, Choice(0, (5,)))
    events: list[Event] = []
    machine.choose(words, 1, Choice(0, (8,)), events)
    machine.choose(twin, 1, Choice(0, (6,)))
    assert machine.pack(words) == machine.pack(twin)
    assert events[0] == Moved(6, 3, 4, False, 0b111, 0b111, 0)


def test_chance_merges_copies() -> None:
    camp = Camp()
    t = camp.tiny
    start = tuple(s.MoveOne(ent(i, "pawn"), ent(3, "space"), False, 0) for i in (6, 7, 8, 9))
    event = p.MemberChance(camp.k.id, e.SetDomain(mask(6, 7, 8, 9, kind="pawn")), None, camp.type, 0)
    t.block(
        (*start, s.Store("last", (), ent(7, "pawn"), 0)),
        p.Chance(event, camp.chosen.id, 1, "random", "all", 0),
    )
    t.block((), p.GameOver())
    machine = Interpreter(t.program())
    words = machine.start()
    assert machine.outcomes(words) == [(6, 2), (7, 1), (9, 1)]
    machine.resolve(words, 8)
    assert words[taken_word(t, camp.chosen)] == 6


def test_chance_without_a_member_faults() -> None:
    camp = Camp()
    event = p.MemberChance(camp.k.id, e.SetDomain(mask(kind="pawn")), None, camp.type, 0)
    camp.tiny.block((), p.Chance(event, camp.chosen.id, 0, "random", "all", 0))
    with pytest.raises(Fault) as caught:
        Interpreter(camp.tiny.program()).start()
    assert caught.value.kind == "empty"
