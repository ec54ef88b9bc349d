"""Each finding, on a program that is sound but for one thing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tiny import PLAYER, Tiny, arith, cmp, decide, ent, fold, load, mask, num, offer, span

from ludex.ir import code as s
from ludex.ir import program as p
from ludex.ir.verify import verify
from ludex.typed import expr as e
from ludex.typed.types import BOOL, INT, EntityType, FamilyType, IntType, SetType

YES = e.Const(1, BOOL)


class Sound:
    """One decision over and over; parts to spoil."""

    def __init__(self) -> None:
        t = self.tiny = Tiny(2)
        self.heap = t.field("heap", (), IntType(0, 9), 0, 9)
        self.grid = t.field("grid", (t.per(t.kinds[0]),), INT)
        self.n, self.scratch = t.var("n", IntType(1, 3)), t.var("scratch", INT)
        self.set = t.var("set", SetType(IntType(0, 40)), frame=True)
        self.chosen = t.var("chosen", IntType(1, 3), frame=True)
        self.back = t.var("back", INT, frame=True)
        self.k = t.var("k", INT)
        t.rule("enough", "condition")
        guard = e.OptionGuard(0, cmp("le", self.n, load(self.heap)))
        self.site = offer("take", (self.n, span(1, 3), [guard]))
        self.decide = decide(ent(1), [(self.site, [(self.chosen, self.n)], 1)], 2)
        self.double = p.Function("double", (self.k.id,), arith("add", self.k, self.k), False, (self.k.id,))
        self.atomic = p.Atomic("reset", (), (s.Store("heap", (), num(1), 0),))

    def verify(
        self,
        code: tuple[s.Stmt, ...] = (),
        end: p.Terminator | None = None,
        *,
        functions: tuple[p.Function, ...] = (),
        atomics: tuple[p.Atomic, ...] = (),
        **block: object,
    ) -> list[str]:
        t = self.tiny
        t.block(code, end or self.decide, **block)
        t.block((s.Store("heap", (), self.chosen, 0),), p.Jump(0))
        t.block((), p.GameOver())
        return verify(t.program(functions=(self.double, *functions), atomics=(self.atomic, *atomics)))


def call(name: str, *args: e.Expr) -> e.Apply:
    return e.Apply(name, args, INT)


def test_a_sound_program_has_no_findings() -> None:
    assert Sound().verify() == []


STATEMENTS = {
    "no variable %99": s.SetVar(99, num(1)),
    "n%0 is a integer, not a truth value": s.SetVar(0, YES),
    "no field hoard": s.Store("hoard", (), num(1), 0),
    "field grid has 1 dimensions, not 0": s.Store("grid", (), num(1), 0),
    "no table t": s.SetVar(0, e.Lookup("t", (), INT, 0)),
    "no function f": s.SetVar(0, call("f")),
    "function double takes 1 arguments, not 2": s.SetVar(0, call("double", num(1), num(2))),
    "k%5 is a integer, not a truth value": s.SetVar(0, call("double", YES)),
    "no atomic a": s.RunAtomic("a", ()),
    "atomic reset takes 0 arguments, not 1": s.RunAtomic("reset", (num(1),)),
    "no record r": s.NoteRecord("r", 0),
    "no rule 7": s.Enter(7),
    "no site 5": s.NoteRecord("r", 5),
    "a break outside loops": s.If(YES, (s.Break(),), ()),
    "set%2 is bound by an expression, but a frame word": s.SetVar(
        0,
        fold(
            "count", [(e.Var(2, SetType(INT)), e.FamilyDomain(e.FamilyLookup("t", (), FamilyType(INT), 0)))]
        ),
    ),
    "scratch%1 may be read before it is set": s.SetVar(0, e.Var(1, INT)),
    "arithmetic of bool and 1..1": s.SetVar(0, arith("add", YES, num(1))),
    "int is no set": s.SetVar(0, e.Size(load(Sound().grid, ent(1)), INT)),
    "SetOperation of set of 0..1023 and 1..1": s.SetVar(
        2, e.SetOperation("union", mask(1), num(1), SetType(INT))
    ),
    "Geometry is to be computed when the game is loaded": s.SetVar(0, e.Geometry("clearance", (), INT)),
}


@pytest.mark.parametrize("finding", STATEMENTS)
def test_statements(finding: str) -> None:
    found = Sound().verify((STATEMENTS[finding],))
    assert f"block 0: {finding}" in found


def test_a_break_in_a_loop_is_sound() -> None:
    assert Sound().verify((s.Loop(num(2), None, (s.If(YES, (s.Break(),), ()),)),)) == []


def test_blocks() -> None:
    assert "block 0: no block 9" in Sound().verify(end=p.Jump(9))
    assert "block 0: clears word 1, which is no frame word" in Sound().verify(clear=(1,))
    sound = Sound()
    wrong = replace(sound.decide, player=num(1))
    assert "block 0: 1..1 is no player to decide" in sound.verify(end=wrong)
    sound = Sound()
    assert "block 0: no option 3 to default to" in sound.verify(end=replace(sound.decide, default=3))
    sound = Sound()
    longest = replace(sound.decide, longest=True, effects=())
    assert "block 0: an effect for each option is needed" in sound.verify(end=longest)
    sound = Sound()
    longest = replace(sound.decide, longest=True, effects=("reset",))
    assert "block 0: atomic reset takes 0 arguments, not 1" in sound.verify(end=longest)
    seal = p.Simultaneous(mask(1, kind="player"), (1,), 2, 0)
    found = Sound().verify(end=seal)
    assert "block 0: an entry for each seat is needed" in found
    assert "block 0: sealed choices without @strand" in found


def test_a_loop_of_blocks_needs_a_tick() -> None:
    assert "block 0: a loop through it costs no tick" in Sound().verify(end=p.Jump(0))
    assert Sound().verify(end=p.Jump(0), tick=True) == []


def test_registers_on_all_paths() -> None:
    sound = Sound()
    branch = s.If(YES, (s.SetVar(sound.scratch.id, num(1)),), ())
    use = s.Store("grid", (ent(1),), sound.scratch, 0)
    assert sound.verify((branch, use)) == ["block 0: scratch%1 may be read before it is set"]
    sound = Sound()
    both = s.If(YES, (s.SetVar(sound.scratch.id, num(1)),), (s.SetVar(sound.scratch.id, num(2)),))
    assert sound.verify((both, use)) == []


def test_calls() -> None:
    sound = Sound()
    again = p.Function("again", (), call("again"), False, ())
    assert "function again: calls itself without being marked recursive" in sound.verify(functions=(again,))
    sound = Sound()
    assert sound.verify(functions=(replace(again, recursive=True),)) == []
    sound = Sound()
    loop = p.Atomic("loop", (), (s.RunAtomic("loop", ()),))
    assert "atomic loop: calls itself" in sound.verify(atomics=(loop,))
    sound = Sound()
    thief = p.Function("thief", (), sound.scratch, False, ())
    assert "function thief: scratch%1 is not its own" in sound.verify(functions=(thief,))
    sound = Sound()
    binder = p.Function("binder", (), fold("count", [(sound.scratch, span(1, 2))]), False, ())
    assert "function binder: its variables are not listed, parameters first" in sound.verify(
        functions=(binder,)
    )


def test_layout() -> None:
    sound = Sound()
    first = sound.tiny.fields[1]
    sound.tiny.fields.append(replace(first, name="twin", lo=3, hi=2))
    sound.tiny.variables.append(p.Variable("lost", INT, True, 1))
    sound.tiny.variables.append(p.Variable("lodger", INT, False, 0))
    sound.tiny.field("wide", (), SetType(IntType(0, 40)))
    sound.tiny.field("strange", (), EntityType(("ghost",)))
    found = sound.verify()
    for finding in (
        "word 1: both heap and twin",
        "field twin: empty range 3..2",
        "variable lost%6: word 1 is no frame word",
        "variable lodger%7: shares its register with %0",
        "field wide: 1 words from 0 do not hold 0..40",
        "field strange: no kind ghost",
    ):
        assert finding in found


def test_a_table_has_all_its_cells() -> None:
    sound = Sound()
    sound.tiny.block((), p.GameOver())
    table = p.Table("owner", (sound.tiny.per(sound.tiny.kinds[0]),), (1, 2, 3))
    assert verify(sound.tiny.program(tables=(table,))) == ["table owner: 3 cells, not 2"]
    assert PLAYER.kinds == ("player",)
