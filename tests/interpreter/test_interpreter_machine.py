"""Whole tiny games: decisions, chance, sealed choices, recursion, collapse, with results by hand."""

from __future__ import annotations

from collections import Counter

import pytest
from tiny import PLAYER, Dimension, Tiny, arith, cmp, decide, ent, load, mask, num, offer, span

from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import (
    ChancePoint,
    Choice,
    Ended,
    Entered,
    Event,
    Fault,
    Moved,
    OverPoint,
    Refusal,
    Revealed,
    SealedPoint,
    Stored,
    TurnPoint,
)
from ludex.ir import code as s
from ludex.ir import program as p
from ludex.ir.layout import RecordLayout
from ludex.rng import CHANCE, POLICY, Generator
from ludex.typed import expr as e
from ludex.typed.types import BOOL, INT, EntityType, IntType, SetType

CARD = EntityType(("card",))


def nim(heap: int = 5) -> p.Program:
    """Players in turn take 1 to 3 of a heap; who takes the last wins."""
    t = Tiny(2)
    heap_ = t.field("heap", (), IntType(0, 9), 0, 9)
    active = t.field("active", (), PLAYER, 0, 2, role="control")
    result = t.field("@result", (t.per(t.kinds[0]),), IntType(0, 3), 0, 3, role="control")
    ended = t.field("@ended_by", (), INT, 0, 9, role="control")
    n, taken = t.var("n", IntType(1, 3)), t.var("taken", IntType(1, 3), frame=True)
    enough, takes, empty = t.rule("the heap has as many", "condition"), t.rule("take"), t.rule("empty", "end")
    site = offer("take", (n, span(1, 3), [e.OptionGuard(enough, cmp("le", n, load(heap_)))]))
    t.block((s.Store("heap", (), num(heap), 0), s.Store("active", (), ent(1), 0)), p.Jump(1))
    t.block((), decide(load(active), [(site, [(taken, n)], 2)], 3), clear=(taken_word(t, taken),))
    t.block(
        (s.Enter(takes), s.Store("heap", (), arith("sub", load(heap_), taken), 0)),
        p.Branch(cmp("eq", load(heap_), num(0)), 3, 4),
    )
    t.block(
        (s.Store(result.name, (load(active),), num(1), 0), s.Store(ended.name, (), num(empty + 1), 0)),
        p.GameOver(),
    )
    following = e.NextSeat(load(active), num(1), num(1), PLAYER)
    t.block((s.Store("active", (), following, 0),), p.Jump(1))
    return t.program()


def taken_word(t: Tiny, var: e.Var) -> int:
    return t.variables[var.id].word


def test_nim_by_hand() -> None:
    machine = Interpreter(nim(4))
    words = machine.start()
    assert machine.point(words) == TurnPoint(1, 1)
    assert machine.options(words, 1) == [Choice(0, (1,)), Choice(0, (2,)), Choice(0, (3,))]
    assert machine.options(words, 2) == []
    assert machine.options_of(words, 1) == [(0, "take")]
    events: list[Event] = []
    machine.choose(words, 1, Choice(0, (3,)), events)
    assert events == [Entered(1), Stored("heap", (), 4, 1, 0b111, 1), Stored("active", (), 1, 2, 0b111, 1)]
    assert machine.options(words, 2) == [Choice(0, (1,))]
    assert not machine.is_legal(words, 2, Choice(0, (2,)))
    assert machine.refusal(words, 2, 0, (2,)) == Refusal(0, True, (0,))
    assert machine.refusal(words, 2, 0, (7,)) == Refusal(0, False, (0,))
    assert machine.refusal(words, 2, 3, (7,)) == Refusal(-1, False, ())
    events = []
    machine.choose(words, 2, Choice(0, (1,)), events)
    assert events[-1] == Ended(2)
    assert machine.point(words) == OverPoint()
    assert machine.ranking(words) == [2, 1]
    assert machine.returns(words) == [0.0, 1.0]


def test_what_is_chosen_is_dead_when_the_next_decision_waits() -> None:
    machine = Interpreter(nim(9))
    words = machine.start()
    other = machine.copy(words)
    for n in (1, 1, 2):
        machine.choose(words, machine.point(words).player, Choice(0, (n,)))  # type: ignore[union-attr]
    for n in (2, 1, 1):
        machine.choose(other, machine.point(other).player, Choice(0, (n,)))  # type: ignore[union-attr]
    assert machine.pack(words) == machine.pack(other)


def test_coverage_counts_refusals() -> None:
    machine = Interpreter(nim(2))
    words = machine.start()
    machine.coverage.tested[:] = machine.coverage.applied[:] = [0, 0, 0]
    machine.options(words, 1)
    assert machine.coverage.tested == [3, 0, 0]
    assert machine.coverage.applied == [1, 0, 0]
    machine.choose(words, 1, Choice(0, (2,)))
    assert machine.coverage.applied[1] == 1


def test_coverage_counts_tests_of_end_conditions() -> None:
    t = Tiny(2)
    rule = t.rule("it is over", "end")
    t.block((), p.Branch(e.Const(1, BOOL), 1, 2))
    t.block((s.Enter(rule),), p.GameOver())
    t.block((), p.GameOver())
    machine = Interpreter(t.program())
    machine.start()
    assert (machine.coverage.tested, machine.coverage.applied) == ([1], [1])


@pytest.mark.parametrize("heap", range(1, 10))
def test_playout_is_sample_and_choose(heap: int) -> None:
    machine = Interpreter(nim(heap))
    played, stepped = machine.start(), machine.start()
    made = machine.playout(played, Generator(heap, CHANCE), Generator(heap, POLICY), 100)
    policy, decisions = Generator(heap, POLICY), 0
    while isinstance(point := machine.point(stepped), TurnPoint):
        machine.choose(stepped, point.player, machine.sample_choice(stepped, point.player, policy))
        decisions += 1
    assert machine.pack(played) == machine.pack(stepped)
    assert made == decisions


def test_playout_stops_where_it_is_told() -> None:
    machine = Interpreter(nim(9))
    words = machine.start()
    assert machine.playout(words, Generator(1), Generator(1, POLICY), 1) == 1
    assert isinstance(machine.point(words), TurnPoint)


def test_pack_and_unpack() -> None:
    machine = Interpreter(nim(5))
    words = machine.start()
    data = machine.pack(words)
    assert len(data) == 4 * machine.program.layout.words
    again = machine.unpack(data)
    assert machine.pack(again) == data
    assert machine.options(again, 1) == machine.options(words, 1)
    for bad in (data[:-4], b"\x63\0\0\0" + data[4:], data[:4] + b"\x63\0\0\0" + data[8:]):
        with pytest.raises(ValueError):
            machine.unpack(bad)


# ------------------------------------------------------------------------------------ chance


def dice() -> p.Program:
    t = Tiny(2)
    total = t.field("total", (), INT, 0, 7)
    roll = t.var("roll", INT, frame=True)
    t.block((), p.Chance(p.RollChance((1, 1, 2, 6)), roll.id, 1, "die", "all", -1))
    t.block((s.Store("total", (), arith("add", load(total), roll), 0),), p.Jump(0), clear=())
    return t.program()


def test_dice() -> None:
    machine = Interpreter(dice())
    words = machine.start()
    assert machine.point(words) == ChancePoint(0)
    assert machine.outcomes(words) == [(1, 2), (2, 1), (6, 1)]
    with pytest.raises(ValueError):
        machine.resolve(words, 3)
    machine.resolve(words, 6)
    machine.resolve(words, 1)
    assert words[machine.program.layout.field("total").offset] == 7
    before = list(words)
    with pytest.raises(Fault) as caught:
        machine.resolve(words, 2)
    assert caught.value.kind == "range"
    assert words == before


def test_sampled_outcomes_follow_their_weights() -> None:
    machine = Interpreter(dice())
    words = machine.start()
    rng = Generator(5)
    counts = Counter(machine.sample_outcome(words, rng) for _ in range(8000))
    assert [round(counts[x] / 2000) for x in (1, 2, 6)] == [2, 1, 1]


# --------------------------------------------------------------------------------- interchange


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


# ------------------------------------------------------------------------------ sealed choices


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


# -------------------------------------------------------------------------- late and longest


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


# ------------------------------------------------------------------------------ code and ticks


def test_loops_and_breaks() -> None:
    t = Tiny(2)
    total = t.field("total", (), INT)
    i = t.var("i", INT)
    add = lambda x: s.Store("total", (), arith("add", load(total), x), 0)  # noqa: E731
    code = (
        s.For(i.id, span(1, 9), cmp("ne", i, num(3)), (s.If(cmp("eq", i, num(6)), (s.Break(),), ()), add(i))),
        s.Loop(num(4), cmp("lt", load(total), num(30)), (add(num(10)),)),
        s.Loop(None, cmp("lt", load(total), num(40)), (add(num(1)),)),
        s.Loop(num(-1), None, (add(num(1000)),)),
    )
    t.block(code, p.GameOver())
    words = Interpreter(t.program()).start()
    assert words[total.offset] == 40


def test_an_endless_loop_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludex.backends.interpreter.memory.MAX_TICKS", 1000)
    t = Tiny(2)
    t.block((s.Loop(None, e.Const(1, BOOL), ()),), p.GameOver())
    with pytest.raises(Fault) as caught:
        Interpreter(t.program()).start()
    assert caught.value.kind == "steps"
    t = Tiny(2)
    t.block((), p.Jump(0), tick=True)
    with pytest.raises(Fault):
        Interpreter(t.program()).start()


def test_a_call_returns_to_its_caller() -> None:
    t = Tiny(2)
    trace = t.field("trace", (), INT)
    back = t.var("back", INT, frame=True)
    add = lambda digit: s.Store("trace", (), arith("add", arith("mul", load(trace), num(10)), num(digit)), 0)  # noqa: E731
    t.block((add(1), s.SetVar(back.id, num(2))), p.Jump(1))
    t.block((add(5),), p.Return(back.id))
    t.block((add(2), s.SetVar(back.id, num(3))), p.Jump(1))
    t.block((add(3),), p.GameOver())
    words = Interpreter(t.program()).start()
    assert words[trace.offset] == 15253
    assert words[taken_word(t, back)] == 0


def test_a_set_may_live_in_a_frame() -> None:
    t = Tiny(2)
    some = t.var("some", SetType(IntType(0, 63)), frame=True)
    n = t.var("n", INT)
    t.block(
        (s.SetVar(some.id, mask(0, 31, 40)),),
        decide(ent(1), [(offer("n", (n, e.SetDomain(some), [])), [], 1)], 1),
    )
    t.block((), p.GameOver())
    machine = Interpreter(t.program())
    words = machine.unpack(machine.pack(machine.start()))
    assert [c.values for c in machine.options(words, 1)] == [(0,), (31,), (40,)]


# --------------------------------------------------------------------------- records, standings


def test_records() -> None:
    t = Tiny(2)
    value = t.field("value", (), INT)
    length = t.field("record", (), INT, 0, 3, role="record")
    t.records = (RecordLayout("position", length.offset, 3),)
    n = t.var("n", INT)
    site = offer("set", (n, span(0, 3), []))
    chosen = t.var("chosen", INT, frame=True)
    t.block((), decide(ent(1), [(site, [(chosen, n)], 1)], 1))
    t.block(
        (s.Store("value", (), chosen, 0), s.NoteRecord("position", 0)),
        p.Branch(cmp("eq", chosen, num(3)), 2, 0),
    )
    t.block((s.ForgetRecord("position"),), p.Jump(0))
    record = p.Record("position", (((), load(value)),))
    machine = Interpreter(t.program(records=(record,)))
    words = machine.start()
    assert len(machine.pack(words)) == 4 * (t.words + 6)
    seen = machine.compile_expression(e.Seen("position", INT))
    counts = []
    for x in (1, 2, 1):
        machine.choose(words, 1, Choice(0, (x,)))
        words = machine.unpack(machine.pack(words))
        counts.append(machine.evaluate(words, seen))
    assert counts == [1, 1, 2]
    with pytest.raises(Fault) as caught:
        machine.choose(words, 1, Choice(0, (0,)))
    assert caught.value.kind == "record"
    again = machine.start()
    for x in (1, 3):
        machine.choose(again, 1, Choice(0, (x,)))
    assert not any(again[t.words : t.words + 6])


def standing(
    results: tuple[int, ...], keys: tuple[tuple[int, ...], ...], sums: tuple[int, ...] = ()
) -> Interpreter:
    """Three players with given `@result`, two keys (most, least), and sums of the first key."""
    t = Tiny(3)
    result = t.field("@result", (t.per(t.kinds[0]),), INT, 0, 3, role="control")
    fields = [t.field(f"key{i}", (t.per(t.kinds[0]),), INT) for i in range(len(keys))]
    total = t.field("@total", (Dimension(0, len(keys), None), t.per(t.kinds[0])), INT, role="control")
    me = t.var("me", PLAYER)
    code = [s.Store(result.name, (ent(i + 1),), num(v), 0) for i, v in enumerate(results)]
    for field, row in zip(fields, keys, strict=True):
        code += [s.Store(field.name, (ent(i + 1),), num(v), 0) for i, v in enumerate(row)]
    code += [s.Store(total.name, (num(0), ent(i + 1)), num(v), 0) for i, v in enumerate(sums)]
    t.block(tuple(code), p.GameOver())
    lines = (p.ScoreLine(0, me.id, load(fields[0], me)),)
    ranking = (p.RankingKey(0, me.id, True, None), p.RankingKey(0, me.id, False, load(fields[1], me)))
    return Interpreter(t.program(scoring=lines, ranking=ranking))


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ((1, 0, 2), [1, 2, 2]),
        ((0, 2, 0), [1, 3, 1]),
        ((3, 3, 3), [1, 1, 1]),
        ((1, 1, 0), [1, 1, 3]),
        ((2, 2, 2), [1, 1, 1]),
        ((3, 0, 3), [1, 3, 1]),
    ],
)
def test_ranking_by_decree(results: tuple[int, ...], expected: list[int]) -> None:
    machine = standing(results, ((0, 0, 0), (0, 0, 0)))
    assert machine.ranking(machine.start()) == expected


def test_ranking_by_keys() -> None:
    machine = standing((0, 0, 0), ((5, 7, 7), (1, 3, 2)))
    words = machine.start()
    assert machine.lines(words) == [[5, 7, 7]]
    assert machine.keys(words) == [[5, 7, 7], [1, 3, 2]]
    assert machine.ranking(words) == [3, 2, 1]
    assert machine.returns(words) == [0.0, 0.0, 1.0]


def test_ties_share() -> None:
    machine = standing((0, 0, 0), ((7, 7, 5), (1, 1, 0)))
    words = machine.start()
    assert machine.ranking(words) == [1, 1, 3]
    assert machine.returns(words) == [0.5, 0.5, 0.0]


def test_finished_games_of_a_match_count() -> None:
    machine = standing((0, 0, 0), ((5, 7, 7), (1, 3, 2)), sums=(3, 0, 0))
    words = machine.start()
    assert machine.keys(words)[0] == [8, 7, 7]
    assert machine.ranking(words) == [1, 3, 2]


def test_reveal_tells_whom() -> None:
    t = Tiny(2)
    t.kind("box", "box", 1)
    t.kind("card", "card", 2)
    t.places()
    t.block((s.Reveal(mask(4, kind="card"), mask(2, kind="player")),), p.GameOver())
    events: list[Event] = []
    Interpreter(t.program()).start(events)
    assert events == [Revealed(1 << 4, 1 << 2, -1), Ended(-1)]
