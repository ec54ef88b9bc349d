"""Masks instead of loops: against the same condition asked of each element by itself."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import PLAYER, Tiny, arith, cmp, decide, ent, fold, load, mask, num, offer

from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import Choice, Fault
from ludex.ir import code as s
from ludex.ir import program as p
from ludex.ir.passes.analysis import simplified
from ludex.typed import expr as e
from ludex.typed.types import BOOL, INT, EntityType, SetType

MAN = EntityType(("man",))
SPACE = EntityType(("space",))
MEN = range(10, 18)
SPACES = range(3, 9)


class Field:
    """Spaces 3..8, box 9, men 10..17 (all different), with owners, flags and weights."""

    def __init__(self, test: e.Expr | None) -> None:
        t = Tiny(2)
        t.kind("space", "space", 6)
        t.kind("box", "box", 1)
        man = t.kind("man", "piece", 8)
        t.places()
        self.weight = t.field("weight", (t.per(man),), INT)
        self.m, self.x = t.var("m", MAN), t.var("x", INT)
        self.chosen = t.var("chosen", MAN, frame=True)
        places = t.field("places", (t.per(man),), SPACE, 0, 9)
        start = tuple(s.MoveOne(ent(i, "man"), load(places, ent(i, "man")), False, 0) for i in MEN)
        site = offer("go", (self.m, DOMAIN, [e.OptionGuard(0, test)] if test else []))
        t.rule("the test", "condition")
        t.block((), decide(ent(1), [(site, [(self.chosen, self.m)], 2)], 1))
        t.block(start, p.Jump(0))
        t.block((), p.GameOver())
        owner = p.Table("owner", (t.per(man),), (1, 2, 1, 2, 2, 1, 0, 2))
        strong = p.Table("strong", (t.per(man),), (1, 0, 0, 1, 1, 1, 0, 0))
        self.program = t.program(tables=(owner, strong))


DOMAIN = e.SetDomain(mask(*MEN, kind="man"))
M, X = e.Var(0, MAN), e.Var(1, INT)
PLACE = e.Load("@place", (M,), SPACE, 0)
OWNER = e.Lookup("owner", (M,), PLAYER, 0)
WEIGHT = e.Load("weight", (M,), INT, 0)

atoms = st.one_of(
    st.builds(lambda op, v: cmp(op, OWNER, ent(v)), st.sampled_from(["eq", "ne"]), st.integers(0, 2)),
    st.builds(
        lambda op, v: cmp(op, ent(v, "space"), PLACE), st.sampled_from(["eq", "ne"]), st.sampled_from(SPACES)
    ),
    st.builds(lambda op, v: cmp(op, M, ent(v, "man")), st.sampled_from(["eq", "ne"]), st.sampled_from(MEN)),
    st.builds(lambda v: e.Membership(PLACE, mask(*v, kind="space")), st.sets(st.sampled_from([*SPACES, 9]))),
    st.builds(lambda v: e.Membership(OWNER, mask(*v, kind="player")), st.sets(st.integers(0, 2))),
    st.builds(lambda v: e.Membership(M, mask(*v, kind="man")), st.sets(st.sampled_from(MEN))),
    st.builds(lambda op, v: cmp(op, WEIGHT, num(v)), st.sampled_from(["lt", "ge", "eq"]), st.integers(0, 3)),
    st.just(e.Lookup("strong", (M,), BOOL, 0)),
    st.builds(lambda v: cmp("lt", X, num(v)), st.integers(0, 3)),
    st.just(cmp("eq", arith("div", num(6), WEIGHT), num(3))),
)
tests = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds(e.Negation, inner),
        st.builds(
            lambda op, parts: e.Junction(op, tuple(parts)),
            st.sampled_from(["and", "or"]),
            st.lists(inner, min_size=1, max_size=3),
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(
    tests,
    st.lists(st.sampled_from([*SPACES, 9]), min_size=8, max_size=8),
    st.lists(st.integers(0, 3), min_size=8, max_size=8),
)
def test_folds_and_options_are_what_each_element_says(
    test: e.Expr, places: list[int], weights: list[int]
) -> None:
    field = Field(test)
    machine = Interpreter(field.program)
    words = [0] * machine._memory.size
    layout = machine.program.layout
    for name, values in (("@place", places), ("weight", weights)):
        words[layout.field(name).offset : layout.field(name).offset + 8] = values
    machine._memory.rebuild(words)
    single = machine.compile_expression(test)
    bindings = [(field.m, DOMAIN)]

    def value(expr: e.Expr) -> int | str:
        try:
            return machine.evaluate(words, machine.compile_expression(expr), [(field.x.id, 1)])
        except Fault as fault:
            return fault.kind

    passing: list[int] | str = []
    for thing in MEN:
        try:
            if machine.evaluate(words, single, [(field.m.id, thing), (field.x.id, 1)]):
                assert isinstance(passing, list)
                passing.append(thing)
        except Fault as fault:
            passing = fault.kind
            break
    if isinstance(passing, str):
        assert value(fold("count", bindings, guard=test)) == passing
        return
    assert value(fold("count", bindings, guard=test)) == len(passing)
    assert value(fold("any", bindings, value=test)) == bool(passing)
    assert value(fold("all", bindings, value=test)) == (len(passing) == 8)
    assert value(fold("set", bindings, guard=test, type_=SetType(MAN))) == sum(1 << x for x in passing)
    assert value(fold("first", bindings, guard=test, type_=MAN)) == (passing[0] if passing else 0)
    assert value(fold("sum", bindings, guard=test, value=WEIGHT)) == sum(weights[x - 10] for x in passing)
    words[machine._c.slot(field.x.id)] = 1
    assert machine.options(words, 1) == [Choice(0, (x,)) for x in passing]
    assert [x for x in MEN if machine.is_legal(words, 1, Choice(0, (x,)))] == passing


# ------------------------------------------------------------------------------------- tokens

STONES = (10, 11, 12)
S = e.Var(0, SPACE)
EVERY = mask(*SPACES, kind="space")


def stone_on(*faces: int) -> e.TokenAt:
    return e.TokenAt(S, mask(*faces).value, EntityType(("stone",), optional=True))


def number_of(*faces: int) -> e.TokenCount:
    return e.TokenCount(mask(*faces, kind="stone"), S, INT)


OF_PLAYER = e.TokenCount(e.Lookup("of", (e.Var(1, PLAYER),), SetType(EntityType(("stone",))), 0), S, INT)
"""Those of a player: two faces of the one, one of the other."""


faces = st.sets(st.sampled_from(STONES), min_size=1).map(sorted)
token_atoms = st.one_of(
    st.builds(
        lambda f, op, n: cmp(op, number_of(*f), num(n)),
        faces,
        st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"]),
        st.integers(0, 2),
    ),
    st.builds(
        lambda op, n: cmp(op, OF_PLAYER, num(n)),
        st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"]),
        st.integers(0, 2),
    ),
    st.builds(
        lambda f, op, p_: cmp(op, e.Lookup("owner", (stone_on(*f),), PLAYER, 0, True), p_),
        faces,
        st.sampled_from(["eq", "ne"]),
        st.sampled_from([ent(0), ent(1), ent(2), e.Var(1, PLAYER)]),
    ),
    st.builds(
        lambda op, x, n: cmp(op, e.Lookup("line", (x, S), INT, 0), num(n)),
        st.sampled_from(["eq", "ne"]),
        st.sampled_from([ent(1), ent(2), e.Var(1, PLAYER)]),
        st.integers(0, 2),
    ),
)
token_tests = st.recursive(
    token_atoms,
    lambda inner: st.one_of(
        st.builds(e.Negation, inner),
        st.builds(
            lambda op, parts: e.Junction(op, tuple(parts)),
            st.sampled_from(["and", "or"]),
            st.lists(inner, min_size=1, max_size=3),
        ),
    ),
    max_leaves=5,
)


@settings(max_examples=300, deadline=None)
@given(token_tests, st.lists(st.integers(0, 2), min_size=18, max_size=18), st.sampled_from([1, 2]))
def test_tokens_are_what_each_space_says(test: e.Expr, counts: list[int], player: int) -> None:
    t = Tiny(2)
    space = t.kind("space", "space", 6)
    t.kind("box", "box", 1)
    stone = t.kind("stone", "token", 3)
    t.tokens()
    s_, p_ = t.var("s", SPACE), t.var("p", PLAYER)
    t.block((), p.GameOver())
    owner = p.Table("owner", (t.per(stone),), (1, 2, 1))
    line = p.Table("line", (t.per(t.kinds[0]), t.per(space)), (0, 0, 1, 1, 2, 2, 0, 1, 2, 0, 1, 2))
    near = p.Table(
        "near", (t.per(space),), tuple(sum(1 << n for n in (i - 1, i + 1)) & 0x1F8 for i in SPACES)
    )
    of = p.Table(
        "of", (t.per(t.kinds[0]),), tuple(sum(1 << STONES[i] for i in mine) for mine in ((0, 2), (1,)))
    )
    machine = Interpreter(t.program(tables=(owner, line, near, of)))
    words = machine.start()
    at = machine.program.layout.field("@tokens").offset
    words[at : at + 18] = counts
    words = machine.unpack(machine.pack(words))
    single = machine.compile_expression(test)
    passing = [x for x in SPACES if machine.evaluate(words, single, [(s_.id, x), (p_.id, player)])]
    # an element by itself, without any narrowing: what the counts say
    for x in SPACES:
        alone = machine.compile_expression(number_of(*STONES))
        here = counts[3 * (x - 3) : 3 * (x - 3) + 3]
        assert machine.evaluate(words, alone, [(s_.id, x)]) == sum(here)
        theirs = machine.compile_expression(OF_PLAYER)
        expected = here[0] + here[2] if player == 1 else here[1]
        assert machine.evaluate(words, theirs, [(s_.id, x), (p_.id, player)]) == expected
    whole = machine.compile_expression(
        fold("set", [(s_, e.SetDomain(EVERY))], guard=test, type_=SetType(SPACE))
    )
    assert machine.evaluate(words, whole, [(p_.id, player)]) == sum(1 << x for x in passing)
    region = machine.compile_expression(e.Region(s_.id, mask(5, kind="space"), test, "near", SetType(SPACE)))
    filled = {5} & set(passing)
    for _ in SPACES:
        filled |= {x for x in passing if {x - 1, x + 1} & filled}
    assert machine.evaluate(words, region, [(p_.id, player)]) == sum(1 << x for x in filled)


def test_membership_in_one_set_or_another_is_one_test() -> None:
    """Also where the two mentions of the element have sites of their own."""
    here, there = (e.Load("@place", (M,), SPACE, site) for site in (0, 1))
    either = e.Junction("or", (e.Membership(here, mask(3, 4)), e.Membership(there, mask(6))))
    merged = simplified(either)
    assert isinstance(merged, e.Membership)
    assert isinstance(merged.set, e.Const)
    assert merged.set.value == mask(3, 4, 6).value
