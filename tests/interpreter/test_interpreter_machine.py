"""Whole tiny games: decisions, chance, recursion, records, results, by hand."""

from __future__ import annotations

from collections import Counter

import pytest
from tiny import (
    PLAYER,
    Dimension,
    Tiny,
    arith,
    cmp,
    decide,
    ent,
    load,
    mask,
    num,
    offer,
    span,
    taken_word,
)

from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import (
    ChancePoint,
    Choice,
    Ended,
    Entered,
    Event,
    Fault,
    OverPoint,
    Refusal,
    Revealed,
    Stored,
    TurnPoint,
)
from ludex.ir import code as s
from ludex.ir import program as p
from ludex.ir.layout import RecordLayout
from ludex.rng import CHANCE, POLICY, Generator
from ludex.typed import expr as e
from ludex.typed.types import BOOL, INT, IntType, SetType


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
