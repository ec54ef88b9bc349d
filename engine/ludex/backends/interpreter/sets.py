"""Sets as bit masks, families of sets, and sums over subsets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ludex.backends.interpreter import indexing
from ludex.backends.interpreter.indexing import address
from ludex.backends.interpreter.memory import Fn
from ludex.backends.machine import Fault, Words
from ludex.typed import expr as e
from ludex.typed.types import EntityType, IntType

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler

MAX_ELEMENT = 1023
"""The greatest integer in a set."""

MAX_TOTAL = 1 << 20
"""The greatest total `Reachable` computes with."""


def operation(c: Compiler, expr: e.SetOperation) -> Fn:
    left, right = c.expr(expr.left), c.expr(expr.right)
    if isinstance(expr.right, e.Const):
        k = expr.right.value
        match expr.op:
            case "union":
                return lambda w: left(w) | k
            case "inter":
                return lambda w: left(w) & k
            case "diff":
                return lambda w: left(w) & ~k
    match expr.op:
        case "union":
            return lambda w: left(w) | right(w)
        case "inter":
            return lambda w: left(w) & right(w)
        case "diff":
            return lambda w: left(w) & ~right(w)


def holdable(type_: object) -> bool:
    """Whether every value of a type may be an element of a set."""
    return not isinstance(type_, IntType) or (type_.lo >= 0 and type_.hi <= MAX_ELEMENT)


def singleton(c: Compiler, expr: e.Singleton) -> Fn:
    f = c.expr(expr.element)
    if isinstance(expr.element.type, EntityType):
        if expr.keep_none or not expr.element.type.optional:
            return lambda w: 1 << f(w)
        return lambda w: (1 << f(w)) & ~1
    if holdable(expr.element.type):
        return lambda w: 1 << f(w)
    return lambda w: 1 << bounded(f(w), -1)


def bounded(value: int, site: int) -> int:
    """An integer that is to be an element of a set; faults outside 0..1023."""
    if 0 <= value <= MAX_ELEMENT:
        return value
    raise Fault("range", site, f"{value} cannot be an element of a set")


def int_range(c: Compiler, expr: e.IntRange) -> Fn:
    lo, hi, site = c.expr(expr.lo), c.expr(expr.hi), expr.site

    def run(w: Words) -> int:
        a, b = lo(w), hi(w)
        if b < a:
            return 0
        return (2 << bounded(b, site)) - (1 << bounded(a, site))

    return run


def membership(c: Compiler, expr: e.Membership) -> Fn:
    """For entities in a constant set, a look into a table of bytes."""
    if isinstance(expr.element.type, EntityType):
        if isinstance(expr.set, e.Const):
            flags = bytes(expr.set.value >> i & 1 for i in range(c.program.world.size + 1))
            if isinstance(expr.element, e.Var) and c.plain(expr.element.id):
                slot = c.slot(expr.element.id)
                return lambda w: flags[w[slot]]
            inner = indexing.single(c, expr.element)
            if inner is not None:
                shift, under = inner
                return lambda w: flags[w[shift + w[under]]]
            f = c.expr(expr.element)
            return lambda w: flags[f(w)]
        element, members = c.expr(expr.element), c.expr(expr.set)

        def entity(w: Words) -> int:
            x = element(w)
            return members(w) >> x & 1

        return entity
    element, members = c.expr(expr.element), c.expr(expr.set)

    def integer(w: Words) -> int:
        x, mask = element(w), members(w)
        return mask >> x & 1 if 0 <= x <= MAX_ELEMENT else 0

    return integer


def subset(c: Compiler, expr: e.Subset) -> Fn:
    left, right = c.expr(expr.left), c.expr(expr.right)
    return lambda w: left(w) & ~right(w) == 0


def size(c: Compiler, expr: e.Size) -> Fn:
    f = c.expr(expr.set)
    return lambda w: f(w).bit_count()


def pick(c: Compiler, expr: e.Pick) -> Fn:
    f, how, site = c.expr(expr.set), expr.how, expr.site
    if how == "first":
        return lambda w: (m & -m).bit_length() - 1 if (m := f(w)) else 0

    def run(w: Words) -> int:
        mask = f(w)
        if mask == 0:
            raise Fault("empty", site, "there is none")
        if how == "the" and mask & (mask - 1):
            raise Fault("several", site, f"there are {mask.bit_count()}")
        return (mask & -mask).bit_length() - 1

    return run


def family_lookup(c: Compiler, expr: e.FamilyLookup) -> Callable[[Words], tuple[int, ...]]:
    table = c.tables[expr.table]
    families = table.families
    at = address(c, 0, 1, table.dims, expr.index, expr.site, False, f"`{table.name}`")
    if isinstance(at, int):
        constant = families[at]
        return lambda w: constant
    find = at
    return lambda w: families[find(w)]


def family_member(c: Compiler, expr: e.FamilyMember) -> Fn:
    """Families are constants: each is turned into a hashed set once."""
    f, family = c.expr(expr.set), c.family(expr.family)
    known: dict[tuple[int, ...], frozenset[int]] = {}
    if isinstance(expr.family, e.FamilyLookup) and not c.tables[expr.family.table].dims:
        only = frozenset(c.tables[expr.family.table].families[0])
        return lambda w: f(w) in only

    def run(w: Words) -> int:
        mask = f(w)
        members = family(w)
        found = known.get(members)
        if found is None:
            found = known[members] = frozenset(members)
        return mask in found

    return run


def reachable(c: Compiler, expr: e.Reachable) -> Fn:
    """For each size, the mask of the totals that subsets of that size have.

    Weights less than 0 or totals beyond `MAX_TOTAL` fault `range` (no definition that the
    checker lets pass gets there).
    """
    members, slot = c.members, c.slot(expr.var)
    set_, weight = c.expr(expr.set), c.expr(expr.weight)
    bounds = c.values((expr.lo, expr.hi, expr.size_lo, expr.size_hi))

    def run(w: Words) -> int:
        mask = set_(w)
        lo, hi, size_lo, size_hi = bounds(w)
        weights = []
        for x in members(mask):
            w[slot] = x
            weights.append(weight(w))
        if any(value < 0 for value in weights) or sum(weights) > MAX_TOTAL:
            raise Fault("range", -1, "the weights are too large to be added up")
        size_lo, size_hi = max(size_lo, 0), min(size_hi, len(weights))
        lo, hi = max(lo, 0), min(hi, sum(weights))
        if size_lo > size_hi or lo > hi:
            return False
        totals = [1] + [0] * size_hi
        for value in weights:
            for size in range(size_hi, 0, -1):
                totals[size] |= totals[size - 1] << value
        wanted = (2 << hi) - (1 << lo)
        return any(totals[size] & wanted for size in range(size_lo, size_hi + 1))

    return run


def shifted(c: Compiler, expr: e.Shifted) -> Fn:
    set_, by, within = c.expr(expr.set), c.expr(expr.by), c.expr(expr.within)

    def run(w: Words) -> int:
        n = by(w)
        return (set_(w) << n if n >= 0 else set_(w) >> -n) & within(w)

    return run
