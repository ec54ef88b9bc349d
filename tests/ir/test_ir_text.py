"""The text form: one page of a small program, and one line for each kind of expression."""

from __future__ import annotations

import pytest
from tiny import PLAYER, Tiny, arith, both, cmp, decide, ent, fold, load, mask, num, offer, span

from ludex.ir import code as s
from ludex.ir import program as p
from ludex.ir.text import print_expr, print_program
from ludex.typed import expr as e
from ludex.typed.types import BOOL, INT, EntityType, IntType, SetType

PAGE = """\
program "tiny" players 2 games 1
world
  player: player 1..2
layout 4 words, 1 registers
  0 @pc: int -2147483648..2147483647 state seen by all
  1 heap: 0..9 0..9 state seen by all
  2 active: player 0..2 control seen by all
  3 frame:taken: 1..3 -2147483648..2147483647 frame seen by all
  %0 n: 1..3 register 0
  %1 taken: 1..3 word 3
b0
  heap := 5
  active := player_1
  jump b1
b1 clear 3
  decide active else b3 seen by all rule "the heap has as many"
    option take rule "the heap has as many"
      choose v0 n%0 in 1..3 collapse
      where "the heap has as many" (n%0 <= heap)
      store taken%1 = n%0
      then b2
b2 tick
  heap := (heap - taken%1)
  active := seat(active, 1, 1)
  branch (heap == 0) ? b3 : b1
b3
  over
"""


def test_a_page() -> None:
    t = Tiny(2)
    heap = t.field("heap", (), IntType(0, 9), 0, 9)
    active = t.field("active", (), PLAYER, 0, 2, role="control")
    n, taken = t.var("n", IntType(1, 3)), t.var("taken", IntType(1, 3), frame=True)
    rule = t.rule("the heap has as many", "condition")
    site = offer("take", (n, span(1, 3), [e.OptionGuard(rule, cmp("le", n, load(heap)))]))
    t.block((s.Store("heap", (), num(5), 0), s.Store("active", (), ent(1), 0)), p.Jump(1))
    t.block((), decide(load(active), [(site, [(taken, n)], 2)], 3), clear=(3,))
    turn = s.Store("active", (), e.NextSeat(load(active), num(1), num(1), PLAYER), 0)
    less = s.Store("heap", (), arith("sub", load(heap), taken), 0)
    t.block((less, turn), p.Branch(cmp("eq", load(heap), num(0)), 3, 1), tick=True)
    t.block((), p.GameOver())
    assert print_program(t.program()) == PAGE


N, M = e.Var(0, INT), e.Var(1, EntityType(("man",)))
MEN = SetType(EntityType(("man",)))

LINES: dict[str, e.Expr] = {
    "(n%0 +. 3)": arith("add", N, num(3), checked=False),
    "((n%0 div 3) mod -2)": arith("mod", arith("div", N, num(3)), num(-2)),
    "(n%0 == 1)": cmp("eq", N, num(1)),
    "not (n%0 != 1)": e.Negation(cmp("ne", N, num(1))),
    "((n%0 < 1) and (n%0 > 2))": both(cmp("lt", N, num(1)), cmp("gt", N, num(2))),
    "(true ? man_1 : none)": e.Select(e.Const(1, BOOL), ent(4, "man"), ent(0, "man"), M.type),
    "({man*} & {man_2})": e.SetOperation("inter", mask(4, 5, kind="man"), mask(5, kind="man"), MEN),
    "(man%1 in at(spot, {man*}))": e.Membership(M, e.Occupants(ent(3, "spot"), 0b110000, MEN)),
    "count(for man%1 in {man*} where (n%0 in 1..3))": fold(
        "count", [(M, e.SetDomain(mask(4, 5, kind="man")))], guard=e.InRange(N, num(1), num(3))
    ),
    "most(man%1 for man%1 in {man_1} by #owner[man%1] else none)": fold(
        "most",
        [(M, e.SetDomain(mask(4, kind="man")))],
        value=M,
        key=e.Lookup("owner", (M,), INT, 0),
        default=ent(0, "man"),
    ),
    "(try carry(man%1) then seen(position))": e.Hypothetical("carry", (M,), e.Seen("position", INT), INT),
    "can(go; choose v1 man%1 in {man*} collapse)": e.Exists(
        offer("go", (M, e.SetDomain(mask(4, 5, kind="man")), []))
    ),
    "size({2..5})": e.Size(e.IntRange(num(2), num(5), SetType(INT), 0), INT),
}


@pytest.mark.parametrize("text", LINES)
def test_expressions(text: str) -> None:
    t = Tiny(2)
    t.kind("spot", "space", 1)
    t.kind("man", "piece", 2)
    t.var("n", INT)
    t.var("man", EntityType(("man",)))
    assert print_expr(t.program(), LINES[text]) == text
