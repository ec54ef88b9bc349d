"""Expressions that are one 32-bit word: dispatch, arithmetic, comparison, fields and tables."""

from __future__ import annotations

from typing import assert_never

from ludex.backends.wasm import asm, folds, places, records, sets, snapshots
from ludex.backends.wasm.asm import Ex, branch, choose, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.plan import STATE
from ludex.ir.layout import Dimension
from ludex.ir.walk import nodes
from ludex.limits import MAX_RECURSION_DEPTH
from ludex.typed import expr as e
from ludex.typed.types import EntityType, IntType, SetType

QUICK = 16
"""Nodes of an expression that is quick."""


def value(u: Unit, expr: e.Expr) -> Ex:
    """The value of an expression that is no set; truth values are 0 or 1."""
    match expr:
        case e.Const(number):
            return const(number)
        case e.Var(var):
            return u.read(var)
        case e.Load():
            return load(u, expr)
        case e.Lookup():
            return lookup(u, expr)
        case e.Arithmetic():
            return arithmetic(u, expr)
        case e.Comparison():
            return comparison(u, expr)
        case e.Negation(operand):
            return value(u, operand).eqz()
        case e.Junction():
            return junction(u, expr)
        case e.Select(test, then, orelse):
            return branch(value(u, test), value(u, then), value(u, orelse))
        case e.InRange():
            return in_range(u, expr)
        case e.Membership():
            return sets.membership(u, expr)
        case e.Subset():
            return sets.subset(u, expr)
        case e.Size():
            return sets.size(u, expr)
        case e.Pick():
            return sets.pick(u, expr)
        case e.FamilyMember():
            return sets.family_member(u, expr)
        case e.Reachable():
            return sets.reachable(u, expr)
        case e.Fold():
            return folds.fold(u, expr)
        case e.Apply():
            return apply(u, expr)
        case e.Hypothetical():
            return Ex(hypothetical(u, expr))
        case e.Top() | e.UnknownTop() | e.TokenCount() | e.TokenAt():
            return places.value(u, expr)
        case e.NextSeat():
            return next_seat(u, expr)
        case e.Seen(record):
            return records.seen(u, record)
        case e.Exists(site):
            from ludex.backends.wasm import options

            return Ex(asm.call(options.exists(u.c, site)))
        case e.FamilyLookup() | e.Family() | e.Geometry():
            raise TypeError(f"{type(expr).__name__} is no word")
        case (
            e.SetOperation()
            | e.Singleton()
            | e.IntRange()
            | e.Occupants()
            | e.TopSet()
            | e.Region()
            | e.Sights()
            | e.Holders()
            | e.HoldersBy()
            | e.HoldersOf()
            | e.Having()
            | e.Shifted()
        ):
            raise TypeError(f"{type(expr).__name__} is a set")
        case _:
            assert_never(expr)


def kept(u: Unit, expr: e.Expr) -> tuple[tuple[asm.Instruction, ...], Ex]:
    """(what evaluates an expression, its value to be read as often as needed)."""
    made: list[Ex] = []
    ops = u.part(lambda: made.append(u.f.keep(value(u, expr))))
    return ops, made[0]


def arithmetic(u: Unit, expr: e.Arithmetic) -> Ex:
    if expr.op in ("min", "max"):
        ops, a = kept(u, expr.left)
        more, b = kept(u, expr.right)
        test = a.compare("le_s" if expr.op == "min" else "ge_s", b)
        return Ex((*ops, *more, *choose(test, a, b).ops))
    if expr.op in ("div", "mod"):
        return _division(u, expr)
    left, right = value(u, expr.left), value(u, expr.right)
    if not expr.checked:
        return {"add": left.__add__, "sub": left.__sub__, "mul": left.__mul__}[expr.op](right)
    a, b = left.extend(), right.extend()
    exact = u.f.local("i64")
    result = {"add": a.__add__, "sub": a.__sub__, "mul": a.__mul__}[expr.op](b)

    def emit() -> None:
        u.f.set(exact, result)
        with u.f.when(exact.compare("ne", exact.wrap().extend())):
            u.fault("overflow", expr.site)

    return Ex((*u.part(emit), *exact.wrap().ops))


def _division(u: Unit, expr: e.Arithmetic) -> Ex:
    """Rounds down; the remainder has the divisor's sign."""
    ops, a = kept(u, expr.left)
    more, b = kept(u, expr.right)
    f = u.f
    quotient, rest = f.local(), f.local()
    known = b.constant

    def emit() -> None:
        if not known:
            with f.when(b.eqz()):
                u.fault("zero", expr.site)
        if expr.op == "div" and known in (None, 0, -1):  # the one quotient that does not fit
            with f.when(a.compare("eq", -(1 << 31)) & b.compare("eq", -1)):
                u.fault("overflow", expr.site)
        f.set(rest, a._binary("rem_s", b))
        wrong = rest.compare("ne", 0) & (rest ^ b).compare("lt_s", 0)
        if expr.op == "mod":
            f.set(rest, choose(wrong, rest + b, rest))
        else:
            f.set(quotient, a._binary("div_s", b) - wrong)

    return Ex((*ops, *more, *u.part(emit), *(rest if expr.op == "mod" else quotient).ops))


COMPARISONS = {"eq": "eq", "ne": "ne", "lt": "lt_s", "le": "le_s", "gt": "gt_s", "ge": "ge_s"}


def comparison(u: Unit, expr: e.Comparison) -> Ex:
    if isinstance(expr.left.type, SetType):
        return sets.equality(u, expr)
    return value(u, expr.left).compare(COMPARISONS[expr.op], value(u, expr.right))


def junction(u: Unit, expr: e.Junction) -> Ex:
    every = expr.op == "and"
    if not expr.operands:
        return const(int(every))
    values = [value(u, operand) for operand in expr.operands]
    made = values.pop()
    without_jump = True
    for operand, behind in zip(reversed(values), reversed(expr.operands), strict=False):
        without_jump = without_jump and quick(u.c, behind)
        if without_jump:
            made = operand & made if every else operand | made
        else:
            made = branch(operand, made, const(0)) if every else branch(operand, const(1), made)
    return made


def quick(c: Emitter, expr: e.Expr) -> bool:
    """Whether an expression is sooner evaluated than jumped over, as nobody can tell beforehand whether
    to jump: it does not take long, has no fault, and relies on no test."""
    parts = list(nodes(expr))
    return (
        len(parts) <= QUICK
        and not any(isinstance(n, e.Apply | e.Fold | e.Region | e.Sights) and not _is_whole(n) for n in parts)
        and c.facts.total(expr)
        and c.facts.self_reliant(expr)
    )


def _is_whole(node: object) -> bool:
    """Whether it asks of how many, or any, of a set."""
    match node:
        case e.Fold("count" | "any", (e.Binding(_, e.SetDomain()),), None, None):
            return True
        case _:
            return False


def in_range(u: Unit, expr: e.InRange) -> Ex:
    ops, x = kept(u, expr.element)
    lo, hi = value(u, expr.lo), value(u, expr.hi)
    return Ex((*ops, *(x.compare("ge_s", lo) & x.compare("le_s", hi)).ops))


# ------------------------------------------------------------------------- fields and tables


def inside(type_: object, dim: Dimension) -> bool:
    """Whether an index of this type needs no test against a dimension."""
    if isinstance(type_, IntType):
        return dim.base <= type_.lo and type_.hi < dim.base + dim.size
    return isinstance(type_, EntityType)


def element(
    u: Unit,
    offset: int,
    step: int,
    dims: tuple[Dimension, ...],
    index: tuple[e.Expr, ...],
    site: int,
    lifted: bool,
) -> tuple[tuple[asm.Instruction, ...], Ex, int, Ex | None]:
    """Where an element lies: (what finds it, address, offset, whether it is there at all).

    `offset` is the address of the first element, `step` the bytes of one. All indices are
    evaluated, then tested. The last is None unless `lifted`.
    """
    strides: list[int] = []
    stride = step
    for dim in reversed(dims):
        strides.append(stride)
        stride *= dim.size
    strides.reverse()
    ops: list[asm.Instruction] = []
    address: Ex | None = None
    tests: list[asm.Instruction] = []
    there: Ex | None = None
    for dim, expr, width in zip(dims, index, strides, strict=True):
        if isinstance(expr, e.Const) and dim.base <= expr.value < dim.base + dim.size:
            offset += (expr.value - dim.base) * width
            continue
        simple = inside(expr.type, dim) and not lifted
        if simple and len(index) == 1:
            at = value(u, expr)
        else:
            more, at = kept(u, expr)
            ops.extend(more)
        if not simple:
            sure = inside(expr.type, dim)
            if lifted and (sure or len(dims) == 1):
                present = at.compare("ne", 0) if not dim.base <= 0 < dim.base + dim.size else None
                if present is not None:
                    there = present if there is None else there & present
            if not sure:
                outside = (at - dim.base).compare("ge_u", dim.size)
                if lifted and len(dims) == 1:
                    outside = outside & at.compare("ne", 0)

                def emit(outside: Ex = outside) -> None:
                    with u.f.when(outside):
                        u.fault("index", site)

                tests.extend(u.part(emit))
        if dim.base >= 0:
            part = at * width
            offset -= dim.base * width
        else:  # an address is never negative
            part = (at - dim.base) * width
        address = part if address is None else address + part
    ops.extend(tests)
    return tuple(ops), address if address is not None else const(0), offset, there


def _if_there(found: Ex, there: Ex | None, offset: int) -> Ex:
    """An element, 0 if it is not there; without a jump where there is memory to be read in any case."""
    if there is None:
        return found
    return choose(there, found, const(0)) if offset >= 0 else branch(there, found, const(0))


def load(u: Unit, expr: e.Load) -> Ex:
    field = u.plan.fields[expr.field]
    ops, address, offset, there = element(
        u, STATE + 4 * field.offset, 4, field.dims, expr.index, expr.site, expr.lifted
    )
    found = _if_there(asm.load(address, offset), there, offset)
    return Ex((*ops, *found.ops))


def lookup(u: Unit, expr: e.Lookup) -> Ex:
    table = u.c.tables[expr.table]
    at = u.c.integers(("table", table.name), table.values)
    ops, address, offset, there = element(u, at, 4, table.dims, expr.index, expr.site, expr.lifted)
    found = _if_there(asm.load(address, offset), there, offset)
    return Ex((*ops, *found.ops))


# ------------------------------------------------------------------------------------ calls


def passed(u: Unit, params: tuple[int, ...], args: tuple[e.Expr, ...]) -> tuple[asm.Instruction, ...]:
    """The arguments in the shapes of the parameters."""
    ops: list[asm.Instruction] = []
    for param, arg in zip(params, args, strict=True):
        type_ = u.c.variables[param].type
        if isinstance(type_, SetType):
            more, words = sets.built(u, arg, u.plan.shape(type_))
            ops.extend(more)
            for word in words.words:
                ops.extend(word.ops)
        else:
            ops.extend(value(u, arg).ops)
    return tuple(ops)


def called(u: Unit, expr: e.Apply) -> tuple[asm.Instruction, ...]:
    """A call of a pure function: its result is on the stack, of a set all words."""
    function = u.c.functions[expr.function]
    c = u.c

    def build(unit: Unit) -> None:
        unit.take_params(function.params)
        if function.recursive:
            with unit.f.when(c.depth.compare("ge_s", MAX_RECURSION_DEPTH)):
                unit.fault("depth", -1)
            unit.f.do(asm.set_global(c.depth, c.depth + 1))
        if isinstance(function.body.type, SetType):
            ops, words = sets.built(unit, function.body, u.plan.shape(function.body.type))
            unit.f.do(ops)
            words = unit.kept(words)
        else:
            words = None
            result = unit.f.keep(value(unit, function.body))
        if function.recursive:
            unit.f.do(asm.set_global(c.depth, c.depth - 1))
        for word in words.words if words is not None else (result,):
            unit.f.do(word.ops)
        unit.f.leave()

    made = c.made(
        f"function {function.name}", u.types(function.params), u.value_types(function.body.type), build
    )
    ticking = u.part(lambda: u.tick(function.body)) if function.recursive else ()
    return (*passed(u, function.params, expr.args), *ticking, ("call", made))


def apply(u: Unit, expr: e.Apply) -> Ex:
    return Ex(called(u, expr))


def hypothetical(u: Unit, expr: e.Hypothetical) -> tuple[asm.Instruction, ...]:
    """The value is on the stack, of a set all words; the state is as before."""
    from ludex.backends.wasm import code

    def emit() -> None:
        f, c, plan = u.f, u.c, u.plan
        snapshots.keep(u)
        applied, rule = f.keep(_copy(c.applied)), f.keep(_copy(c.rule))
        f.do(asm.set_global(c.applied, plan.unseen))
        f.do(code.run(u, expr.procedure, expr.args))
        noted, u.noted = u.noted, {}
        if isinstance(expr.type, SetType):
            ops, words = sets.built(u, expr.body, plan.shape(expr.type))
            f.do(ops)
            found = u.kept(words).words
        else:
            found = (f.keep(value(u, expr.body)),)
        u.noted = noted
        snapshots.recall(u)
        snapshots.drop(u)
        f.do(asm.set_global(c.applied, applied))
        f.do(asm.set_global(c.rule, rule))
        for word in found:
            f.do(word.ops)

    return u.part(emit)


def _copy(variable: Ex) -> Ex:
    """A value that `keep` gives a local of its own."""
    return Ex((*variable.ops, *const(0).ops, ("i32.add",)))


def next_seat(u: Unit, expr: e.NextSeat) -> Ex:
    first, n = u.player_kind()
    ops, player = kept(u, expr.player)
    more, direction = kept(u, expr.direction)
    rest, steps = kept(u, expr.steps)
    moved = u.f.local()

    def emit() -> None:
        f = u.f
        if steps.constant == 1:  # one round the table: no division
            f.set(moved, player + direction)
            f.set(moved, choose(moved.compare("ge_s", first + n), const(first), moved))
            f.set(moved, choose(moved.compare("lt_s", first), const(first + n - 1), moved))
            f.set(moved, choose(player, moved, const(0)))
            return
        with f.when(player.eqz()):
            f.set(moved, 0)
            f.otherwise()
            # steps modulo the seats first: the product cannot overflow
            f.set(moved, steps._binary("rem_s", n) * direction + (player - first))
            f.set(moved, (moved._binary("rem_s", n) + n)._binary("rem_s", n) + first)

    return Ex((*ops, *more, *rest, *u.part(emit), *moved.ops))
