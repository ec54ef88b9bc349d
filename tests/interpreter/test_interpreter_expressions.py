"""Every expression node, with values worked out by hand."""

from __future__ import annotations

import pytest
from tiny import Dimension, Tiny, arith, both, cmp, either, ent, fold, load, mask, num, offer, span

from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import Fault
from ludex.ir import code as s
from ludex.ir import program as p
from ludex.typed import expr as e
from ludex.typed.types import BOOL, INT, INT_MAX, INT_MIN, EntityType, FamilyType, IntType, SetType

MAN = EntityType(("man",))
SPACE = EntityType(("space",))


class Board:
    """A row of five spaces 3..7 (players 1, 2), a box 8, men 9..12 (two copies each of two faces).

    Men 9, 10 stand on space 3, man 11 on space 5, man 12 in the box.
    """

    def __init__(self) -> None:
        t = self.tiny = Tiny(2)
        self.space = t.kind("space", "space", 5)
        self.box = t.kind("box", "box", 1)
        self.man = t.kind("man", "piece", 4, copies_of=[0, 0, 2, 2], attributes={"owner": [1, 1, 2, 2]})
        self.stone = t.kind("stone", "token", 2)
        t.places()
        t.tokens()
        self.weight = t.field("weight", (t.per(self.man),), IntType(-9, 9), -9, 9)
        self.grid = t.field("grid", (Dimension(-1, 3, None), t.per(self.space)), INT)
        self.held = t.field("held", (t.per(self.space),), SetType(IntType(0, 63)), width=2)
        self.x, self.y = t.var("x", INT), t.var("y", INT)
        self.m, self.s = t.var("m", MAN), t.var("s", SPACE)
        self.opt = t.var("opt", EntityType(("man",), optional=True))
        men = [9, 10, 11, 12]
        code: list[s.Stmt] = [
            s.MoveOne(ent(thing, "man"), ent(place, "space"), False, 0)
            for thing, place in zip(men, [3, 3, 5, 8], strict=True)
        ]
        code += [s.Store("weight", (ent(9 + i, "man"),), num(v), 0) for i, v in enumerate([4, -2, 7, 1])]
        code += [s.Store("grid", (num(-1), ent(4, "space")), num(33), 0)]
        code += [s.Store("held", (ent(5, "space"),), mask(0, 31, 32, 63), 0)]
        tokens = t.fields[[f.name for f in t.fields].index("@tokens")]
        code += [s.Store(tokens.name, (ent(6, "space"), ent(14, "stone")), num(3), 0)]
        t.block(tuple(code), p.GameOver())
        near = tuple(sum(1 << n for n in (i - 1, i + 1) if 3 <= n <= 7) for i in range(3, 8))
        rays = ((), (4, 5, 6, 7), (3,), (5, 6, 7), (4, 3), (6, 7), (5, 4, 3), (7,), (6, 5, 4, 3), ())
        self.direction = Dimension(1, 2, "player")
        self.tables = (
            p.Table("owner", (t.per(self.man),), (1, 1, 2, 2)),
            p.Table("square", (Dimension(2, 3, None),), (4, 9, 16)),
            p.Table("near", (t.per(self.space),), near),
            p.Table("rays", (t.per(self.space), self.direction), sequences=rays),
            p.Table("pairs", (), families=((0b0110, 0b1100, 0b1010),)),
        )
        self.functions: tuple[p.Function, ...] = ()
        self.atomics: tuple[p.Atomic, ...] = ()

    def value(self, expr: e.Expr, **bound: int) -> int:
        program = self.tiny.program(tables=self.tables, functions=self.functions, atomics=self.atomics)
        machine = Interpreter(program)
        words = machine.start()
        before = machine.pack(words)
        handle = machine.compile_expression(expr)
        variables = [(getattr(self, name).id, value) for name, value in bound.items()]
        try:
            result = machine.evaluate(words, handle, variables)
        finally:
            assert machine.pack(words) == before
        assert type(result) is int
        return result

    def owner(self, m: e.Expr) -> e.Lookup:
        return e.Lookup("owner", (m,), EntityType(("player",)), 0)

    def place(self, m: e.Expr) -> e.Load:
        return e.Load("@place", (m,), SPACE, 0)


MEN = (9, 10, 11, 12)


@pytest.fixture
def b() -> Board:
    return Board()


@pytest.mark.parametrize(
    ("op", "left", "right", "expected"),
    [
        ("add", 2, 3, 5),
        ("sub", 2, 3, -1),
        ("mul", -4, 3, -12),
        ("div", 7, 2, 3),
        ("div", -7, 2, -4),
        ("div", 7, -2, -4),
        ("mod", -7, 3, 2),
        ("mod", 7, -3, -2),
        ("min", 7, -3, -3),
        ("max", 7, -3, 7),
    ],
)
def test_arithmetic(b: Board, op: e.ArithmeticOp, left: int, right: int, expected: int) -> None:
    assert b.value(arith(op, num(left), num(right))) == expected
    assert b.value(arith(op, b.x, b.y), x=left, y=right) == expected
    assert b.value(arith(op, b.x, num(right), checked=False), x=left) == expected


@pytest.mark.parametrize(
    ("op", "left", "right", "kind"),
    [
        ("add", INT_MAX, 1, "overflow"),
        ("sub", INT_MIN, 1, "overflow"),
        ("mul", 1 << 16, 1 << 15, "overflow"),
        ("div", INT_MIN, -1, "overflow"),
        ("div", 1, 0, "zero"),
        ("mod", 1, 0, "zero"),
    ],
)
def test_arithmetic_faults(b: Board, op: e.ArithmeticOp, left: int, right: int, kind: str) -> None:
    for expr in (arith(op, num(left), num(right)), arith(op, b.x, b.y)):
        with pytest.raises(Fault) as caught:
            b.value(expr, x=left, y=right)
        assert caught.value.kind == kind


def test_comparison_and_junctions(b: Board) -> None:
    truth = {
        "eq": (0, 1, 0),
        "ne": (1, 0, 1),
        "lt": (1, 0, 0),
        "le": (1, 1, 0),
        "gt": (0, 0, 1),
        "ge": (0, 1, 1),
    }
    for op, results in truth.items():
        for x, expected in zip((1, 2, 3), results, strict=True):
            assert b.value(cmp(op, b.x, num(2)), x=x) == expected
            assert b.value(cmp(op, b.x, b.y), x=x, y=2) == expected
            assert (
                b.value(cmp(op, arith("add", b.x, num(0)), arith("add", b.y, num(0))), x=x, y=2) == expected
            )
    fault = arith("div", num(1), num(0))
    assert b.value(both(cmp("eq", b.x, num(1)), cmp("eq", fault, num(0))), x=0) == 0
    assert b.value(either(cmp("eq", b.x, num(0)), cmp("eq", fault, num(0))), x=0) == 1
    assert b.value(e.Negation(cmp("eq", b.x, num(0))), x=0) == 0
    assert b.value(e.Select(cmp("gt", b.x, num(0)), num(5), fault, INT), x=1) == 5
    assert b.value(e.InRange(b.x, num(2), b.y), x=2, y=2) == 1
    assert b.value(e.InRange(b.x, num(2), num(4)), x=5) == 0


def test_loads_and_lookups(b: Board) -> None:
    assert b.value(load(b.weight, ent(10, "man"))) == -2
    assert b.value(load(b.weight, b.m), m=11) == 7
    assert b.value(load(b.weight, b.opt, lifted=True), opt=0) == 0
    assert b.value(load(b.weight, b.opt, lifted=True), opt=11) == 7
    assert b.value(load(b.grid, b.x, b.s), x=-1, s=4) == 33
    assert b.value(load(b.held, b.s), s=5) == 1 << 0 | 1 << 31 | 1 << 32 | 1 << 63
    assert b.value(e.Lookup("square", (b.x,), INT, 0), x=3) == 9
    assert b.value(b.owner(b.m), m=12) == 2
    assert b.value(e.Lookup("near", (b.place(b.m),), SetType(SPACE), 0), m=11) == 1 << 4 | 1 << 6
    for expr in (load(b.grid, b.x, b.s), e.Lookup("square", (b.x,), INT, 0)):
        with pytest.raises(Fault) as caught:
            b.value(expr, x=5, s=4)
        assert caught.value.kind == "index"


def test_sets(b: Board) -> None:
    ints = SetType(IntType(0, 63))
    a, c = mask(1, 2, 40), mask(2, 3)
    assert b.value(e.SetOperation("union", a, c, ints)) == mask(1, 2, 3, 40).value
    assert b.value(e.SetOperation("inter", a, c, ints)) == mask(2).value
    assert b.value(e.SetOperation("diff", a, load(b.held, ent(5, "space")), ints)) == a.value
    assert b.value(e.Singleton(b.opt, SetType(MAN)), opt=0) == 0
    assert b.value(e.Singleton(b.opt, SetType(MAN), keep_none=True), opt=0) == 1
    assert b.value(e.Singleton(b.m, SetType(MAN)), m=9) == 1 << 9
    assert b.value(e.IntRange(num(3), num(6), ints, 0)) == mask(3, 4, 5, 6).value
    assert b.value(e.IntRange(num(3), num(2), ints, 0)) == 0
    assert b.value(e.Membership(b.x, a), x=40) == 1
    assert b.value(e.Membership(b.x, a), x=-1) == 0
    assert b.value(e.Membership(b.m, mask(9, 12, kind="man")), m=12) == 1
    assert b.value(e.Membership(b.opt, mask(9, 12, kind="man")), opt=0) == 0
    assert b.value(e.Subset(c, a)) == 0
    assert b.value(e.Subset(mask(2), a)) == 1
    assert b.value(e.Size(load(b.held, b.s), INT), s=5) == 4
    assert b.value(e.Pick("first", mask(), INT, 0)) == 0
    assert b.value(e.Pick("first", a, INT, 0)) == 1
    assert b.value(e.Pick("the", mask(7), INT, 0)) == 7
    for how, set_, kind in (("some", mask(), "empty"), ("the", mask(), "empty"), ("the", a, "several")):
        with pytest.raises(Fault) as caught:
            b.value(e.Pick(how, set_, INT, 0))
        assert caught.value.kind == kind
    with pytest.raises(Fault) as caught:
        b.value(e.IntRange(num(-1), num(6), ints, 0))
    assert caught.value.kind == "range"


def test_folds_over_one_binding(b: Board) -> None:
    men = [(b.m, e.SetDomain(mask(*MEN, kind="man")))]
    mine = cmp("eq", b.owner(b.m), ent(1))
    there = cmp("eq", b.place(b.m), b.s)
    weight = load(b.weight, b.m)
    heavy = cmp("gt", weight, num(0))
    assert b.value(fold("count", men)) == 4
    assert b.value(fold("count", men, guard=mine)) == 2
    assert b.value(fold("count", men, guard=both(mine, heavy))) == 1
    assert b.value(fold("count", men, guard=both(there, mine)), s=3) == 2
    assert b.value(fold("count", men, guard=both(there, e.Negation(mine))), s=5) == 1
    assert b.value(fold("count", men, guard=either(there, mine)), s=5) == 3
    assert b.value(fold("count", men, guard=cmp("ne", b.m, ent(10, "man")))) == 3
    assert b.value(fold("count", men, guard=e.Membership(b.place(b.m), mask(3, 8, kind="space")))) == 3
    assert b.value(fold("count", men, guard=e.Membership(b.owner(b.m), mask(2, kind="player")))) == 2
    assert b.value(fold("any", men, value=both(mine, cmp("eq", weight, num(7))))) == 0
    assert b.value(fold("any", men, guard=mine, value=cmp("eq", weight, num(-2)))) == 1
    assert b.value(fold("all", men, guard=mine, value=there), s=3) == 1
    assert b.value(fold("all", men, value=heavy)) == 0
    assert b.value(fold("all", men, guard=cmp("eq", b.place(b.m), ent(8, "space")), value=heavy)) == 1
    assert b.value(fold("sum", men, value=weight)) == 10
    assert b.value(fold("min", men, value=weight)) == -2
    assert b.value(fold("max", men, guard=mine, value=weight)) == 4
    assert b.value(fold("first", men, guard=cmp("lt", weight, num(0)), type_=MAN)) == 10
    assert b.value(fold("first", men, guard=cmp("lt", weight, num(-5)), type_=MAN)) == 0
    assert b.value(fold("the", men, guard=there, value=weight), s=5) == 7
    assert b.value(fold("most", men, value=b.m, key=weight, type_=MAN)) == 11
    assert b.value(fold("least", men, value=b.m, key=weight, type_=MAN)) == 10
    assert b.value(fold("set", men, guard=mine, type_=SetType(MAN))) == 1 << 9 | 1 << 10
    assert b.value(fold("set", men, value=b.owner(b.m), type_=SetType(EntityType(("player",))))) == 0b110
    near = e.Lookup("near", (b.place(b.m),), SetType(SPACE), 0)
    alive = cmp("ne", b.place(b.m), ent(8, "space"))
    assert b.value(fold("union", men, guard=alive, value=near, type_=SetType(SPACE))) == 1 << 4 | 1 << 6


def test_folds_with_nothing(b: Board) -> None:
    nobody = [(b.m, e.SetDomain(mask(kind="man")))]
    weight = load(b.weight, b.m)
    assert b.value(fold("any", nobody, value=cmp("eq", weight, num(1)))) == 0
    assert b.value(fold("all", nobody, value=cmp("eq", weight, num(1)))) == 1
    assert b.value(fold("sum", nobody, value=weight)) == 0
    assert b.value(fold("min", nobody, value=weight, default=num(8))) == 8
    assert b.value(fold("most", nobody, value=b.m, key=weight, type_=MAN)) == 0
    for kind in ("min", "max", "the"):
        with pytest.raises(Fault) as caught:
            b.value(fold(kind, nobody, value=weight))
        assert caught.value.kind == "empty"


def test_folds_over_several_bindings(b: Board) -> None:
    """Pairs x < y of 1..4: (1,2) (1,3) (1,4) (2,3) (2,4) (3,4)."""
    pairs = [(b.x, span(1, 4)), (b.y, span(arith("add", b.x, num(1)), 4))]
    product = arith("mul", b.x, b.y)
    assert b.value(fold("count", pairs)) == 6
    assert b.value(fold("sum", pairs, value=product)) == 35
    assert b.value(fold("max", pairs, value=product)) == 12
    assert b.value(fold("first", pairs, guard=cmp("gt", product, num(4)), value=product)) == 6
    assert b.value(fold("any", pairs, value=cmp("eq", product, num(8)))) == 1
    assert b.value(fold("all", pairs, value=cmp("le", product, num(8)))) == 0
    assert (
        b.value(fold("set", pairs, value=product, type_=SetType(IntType(0, 20))))
        == mask(2, 3, 4, 6, 8, 12).value
    )
    assert (
        b.value(fold("count", pairs, guard=e.Membership(b.y, e.IntRange(b.x, num(3), SetType(INT), 0)))) == 3
    )
    with pytest.raises(Fault) as caught:
        b.value(fold("the", pairs, value=product))
    assert caught.value.kind == "several"
    with pytest.raises(Fault) as caught:
        b.value(fold("sum", pairs, value=num(INT_MAX)))
    assert caught.value.kind == "overflow"


def test_a_condition_that_may_fault_is_not_overtaken(b: Board) -> None:
    """The narrowing of `owner(m) == 3` (nobody) must not hide the division before it."""
    men = [(b.m, e.SetDomain(mask(*MEN, kind="man")))]
    fault = cmp("eq", arith("div", num(1), b.x), num(1))
    nobody = cmp("eq", b.owner(b.m), ent(3))
    assert b.value(fold("count", men, guard=both(nobody, fault)), x=0) == 0
    with pytest.raises(Fault):
        b.value(fold("count", men, guard=both(fault, nobody)), x=0)


def test_places_tokens_and_geometry(b: Board) -> None:
    everyone = mask(*MEN).value
    men = SetType(MAN)
    assert b.value(e.Occupants(b.s, everyone, men), s=3) == 1 << 9 | 1 << 10
    assert b.value(e.Occupants(b.s, 1 << 10, men), s=3) == 1 << 10
    assert b.value(e.Occupants(b.s, everyone, men), s=0) == 0
    stones = mask(13, 14, kind="stone")
    assert b.value(e.TokenCount(stones, b.s, INT), s=6) == 3
    assert b.value(e.TokenCount(mask(13, kind="stone"), b.s, INT), s=6) == 0
    assert b.value(e.TokenAt(b.s, stones.value, EntityType(("stone",), True)), s=6) == 14
    assert b.value(e.TokenAt(b.s, stones.value, EntityType(("stone",), True)), s=0) == 0
    free = cmp("eq", e.Size(e.Occupants(b.s, everyone, men), INT), num(0))
    assert b.value(e.Region(b.s.id, mask(7, kind="space"), free, "near", SetType(SPACE))) == 1 << 7 | 1 << 6
    assert b.value(e.Region(b.s.id, mask(3, kind="space"), None, "near", SetType(SPACE))) == 0b11111000
    assert b.value(e.Region(b.s.id, mask(3, kind="space"), free, "near", SetType(SPACE))) == 0
    down, up = 1 << 1, 1 << 2
    sight = lambda d: e.Sights(b.s, e.Const(d, SetType(EntityType(("player",)))), "rays", SetType(SPACE))  # noqa: E731
    assert b.value(sight(up), s=3) == 1 << 4 | 1 << 5
    assert b.value(sight(up | down), s=5) == 1 << 6 | 1 << 4 | 1 << 3
    assert b.value(sight(up), s=6) == 1 << 7
    assert b.value(sight(up), s=0) == 0


def test_seats() -> None:
    t = Tiny(3)
    q, x = t.var("q", EntityType(("player",), True)), t.var("x", INT)
    t.block((), p.GameOver())
    machine = Interpreter(t.program())
    words = machine.start()
    nxt = machine.compile_expression(e.NextSeat(q, x, num(1), EntityType(("player",), True)))
    back = [machine.evaluate(words, nxt, [(q.id, i), (x.id, d)]) for d in (1, -1) for i in (0, 1, 2, 3)]
    assert back == [0, 2, 3, 1, 0, 3, 1, 2]
    seats = e.SeatsDomain(x, num(2))
    digits = fold("first", [(q, seats)], guard=cmp("ne", q, num(2)), type_=EntityType(("player",)))
    handle = machine.compile_expression(digits)
    assert [machine.evaluate(words, handle, [(x.id, d)]) for d in (1, -1)] == [3, 1]


def test_families(b: Board) -> None:
    pairs = e.FamilyLookup("pairs", (), FamilyType(IntType(0, 9)), 0)
    f = b.tiny.var("f", SetType(IntType(0, 9)))
    loop = [(f, e.FamilyDomain(pairs))]
    assert b.value(e.FamilyMember(mask(1, 3), pairs)) == 1
    assert b.value(e.FamilyMember(mask(1, 2, 3), pairs)) == 0
    assert b.value(fold("count", loop, guard=e.Subset(f, mask(1, 2, 3)))) == 3
    assert b.value(fold("count", loop, guard=e.Subset(f, mask(1, 2)))) == 1


@pytest.mark.parametrize(
    ("lo", "hi", "sizes", "expected"),
    [
        (11, 11, (0, 9), 1),
        (6, 6, (0, 9), 0),
        (5, 5, (1, 1), 0),
        (5, 5, (2, 2), 1),
        (0, 0, (0, 0), 1),
        (12, 99, (0, 3), 1),
        (13, 99, (0, 3), 0),
    ],
)
def test_reachable(b: Board, lo: int, hi: int, sizes: tuple[int, int], expected: int) -> None:
    """Weights 1, 4, 7 (men 12, 9, 11): totals 0 1 4 7 5 8 11 12."""
    some = mask(9, 11, 12, kind="man")
    expr = e.Reachable(b.m.id, some, load(b.weight, b.m), num(lo), num(hi), num(sizes[0]), num(sizes[1]))
    assert b.value(expr) == expected


def test_functions_inlined_or_called(b: Board) -> None:
    t = b.tiny
    n = t.var("n", INT)
    square = p.Function("square", (n.id,), arith("mul", n, n), False, (n.id,))
    k = t.var("k", INT)
    smaller = e.Apply("fib", (arith("sub", k, num(1)),), INT)
    smallest = e.Apply("fib", (arith("sub", k, num(2)),), INT)
    fib = p.Function(
        "fib", (k.id,), e.Select(cmp("lt", k, num(2)), k, arith("add", smaller, smallest), INT), True, (k.id,)
    )
    b.functions = (square, fib)
    assert b.value(e.Apply("square", (b.x,), INT), x=7) == 49
    twice = e.Apply("square", (e.Apply("square", (arith("add", b.x, num(1)),), INT),), INT)
    assert b.value(twice, x=1) == 16
    assert b.value(e.Apply("fib", (num(15),), INT)) == 610
    with pytest.raises(Fault) as caught:
        b.value(e.Apply("fib", (num(100),), INT))
    assert caught.value.kind == "depth"


def test_try_restores_everything_also_after_a_fault(b: Board) -> None:
    t = b.tiny
    to = t.var("to", SPACE)
    body = (
        s.MoveOne(ent(11, "man"), to, False, 0),
        s.Store("weight", (ent(11, "man"),), num(9), 0),
    )
    b.atomics = (p.Atomic("carry", (to.id,), body),)
    here = e.Size(e.Occupants(b.s, mask(*MEN).value, SetType(MAN)), INT)
    assert b.value(e.Hypothetical("carry", (ent(3, "space"),), here, INT), s=3) == 3
    after = arith("add", e.Hypothetical("carry", (ent(3, "space"),), here, INT), here)
    assert b.value(after, s=3) == 5
    with pytest.raises(Fault):
        b.value(e.Hypothetical("carry", (ent(3, "space"),), arith("div", num(1), num(0)), INT))


def test_can(b: Board) -> None:
    site = offer(
        "go",
        (b.m, e.SetDomain(mask(*MEN, kind="man")), [e.OptionGuard(0, cmp("gt", load(b.weight, b.m), b.x))]),
    )
    b.tiny.rule("it is heavy", "condition")
    assert b.value(e.Exists(site), x=6) == 1
    assert b.value(e.Exists(site), x=7) == 0
    assert e.Exists(site).type == BOOL
