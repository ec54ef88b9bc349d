"""Domain narrowing: conditions on a loop's variable become masks of its domain.

`count(k in knight where owner(k) == me)` tests no knight: it counts the bits of a mask. Only
conditions that can neither fault nor have effects are taken, and none from behind one that
may fault, so which fault happens first does not change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludex.backends.interpreter.indexing import column
from ludex.backends.interpreter.memory import Fn
from ludex.backends.interpreter.tokens import holders, holding, union
from ludex.ir.passes.analysis import simplified, total
from ludex.ir.walk import reads
from ludex.typed import expr as e
from ludex.typed.types import BoolType, EntityType, IntType

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler

FEW = 4
"""Occupants of up to so many locations are united rather than each thing's place looked up."""


def split(c: Compiler, var: int, tests: list[e.Expr]) -> tuple[list[tuple[int, Fn]], list[e.Expr]]:
    """Tests that became masks (with their place in the list), and those that remain, in order."""
    masks: list[tuple[int, Fn]] = []
    rest: list[e.Expr] = []
    safe = True
    for i, test in enumerate(tests):
        mask = mask_of(c, var, test) if safe else None
        if mask is not None:
            masks.append((i, mask))
        else:
            rest.append(test)
            safe = safe and total(test)
    return masks, rest


def narrowed(domain: Fn, masks: list[tuple[int, Fn]]) -> Fn:
    if not masks:
        return domain
    if len(masks) == 1:
        ((_, f),) = masks
        return lambda w: domain(w) & f(w)
    if len(masks) == 2:
        (_, f), (_, g) = masks
        return lambda w: domain(w) & f(w) & g(w)
    fs = tuple(f for _, f in masks)

    def run(w: list[int]) -> int:
        mask = domain(w)
        for f in fs:
            mask &= f(w)
        return mask

    return run


def mask_of(c: Compiler, var: int, test: e.Expr) -> Fn | None:
    """A mask with the bit of every value of `var` that passes (bits of other numbers: anything)."""
    held = holding(test)
    if held is not None and isinstance(held[0], e.Var) and held[0].id == var:
        _, faces, truth = held
        if total(faces) and var not in reads(faces):
            places = holders(c, faces)
            return places if truth else _complement(places)
    match test:
        case e.Comparison("eq" | "ne", left, right):
            mask = _equal(c, var, left, right) or _equal(c, var, right, left)
            return mask if mask is None or test.op == "eq" else _complement(mask)
        case e.Membership(element, set_):
            return _member(c, var, element, set_)
        case e.Negation(operand):
            inner = mask_of(c, var, operand)
            return None if inner is None else _complement(inner)
        case e.Junction():
            simple = simplified(test)
            if not isinstance(simple, e.Junction):
                return mask_of(c, var, simple)
            parts = [mask_of(c, var, part) for part in simple.operands]
            known = [part for part in parts if part is not None]
            if not known or len(known) < len(parts):
                return None
            return _merge(known, simple.op == "and")
        case e.Lookup() if isinstance(test.type, BoolType) and (values := _column(c, var, test)) is not None:
            flags = sum(1 << i for i, value in enumerate(values) if value)
            return lambda w: flags
        case e.Const(value):
            constant = -1 if value else 0
            return lambda w: constant
        case _:
            if total(test) and var not in reads(test):
                f = c.expr(test)
                return lambda w: -1 if f(w) else 0
            return None


def _complement(mask: Fn) -> Fn:
    return lambda w: ~mask(w)


def _merge(parts: list[Fn], every: bool) -> Fn:
    first, *others = parts

    def run(w: list[int]) -> int:
        mask = first(w)
        for part in others:
            mask = mask & part(w) if every else mask | part(w)
        return mask

    return run


def _column(c: Compiler, var: int, expr: e.Expr) -> tuple[int, ...] | None:
    """The values of a table that is indexed by the variable alone."""
    if isinstance(expr, e.Lookup) and expr.index == (e.Var(var, expr.index[0].type),) and total(expr):
        return column(c, expr)
    return None


def _equal(c: Compiler, var: int, side: e.Expr, other: e.Expr) -> Fn | None:
    """`side` depends on the variable in a known way, `other` not at all."""
    if var in reads(other) or not total(other):
        return None
    if isinstance(side, e.Lookup):
        found = _by_face(c, var, side, other) or _by_row(c, var, side, other)
        if found is not None:
            return found
    if isinstance(side, e.Var) and side.id == var:
        if isinstance(other.type, IntType) and (other.type.lo < 0 or other.type.hi > 1023):
            return None
        if isinstance(other, e.Const):
            mask = 1 << other.value
            return lambda w: mask
        bit = c.expr(other)
        return lambda w: 1 << bit(w)
    if _place_of(c, var, side):
        place, derived = c.expr(other), c.memory.derived
        if isinstance(other.type, EntityType) and not other.type.optional:
            return lambda w: w[derived + place(w)]
    return None


def _by_row(c: Compiler, var: int, side: e.Lookup, other: e.Expr) -> Fn | None:
    """A table of which the variable is one index, and the others do not depend on it."""
    mine = [i for i, index in enumerate(side.index) if isinstance(index, e.Var) and index.id == var]
    rest = [index for i, index in enumerate(side.index) if i not in mine]
    if len(mine) != 1 or not total(side) or side.lifted or any(var in reads(index) for index in rest):
        return None
    table = c.tables[side.table]
    (own,) = mine
    strides = [1] * len(table.dims)
    for i in range(len(table.dims) - 2, -1, -1):
        strides[i] = strides[i + 1] * table.dims[i + 1].size
    dim, step = table.dims[own], strides[own]
    if dim.base < 0:
        return None
    known: dict[int, dict[int, int]] = {}

    def by_value(start: int) -> dict[int, int]:
        found = known.get(start)
        if found is None:
            found = known[start] = {}
            for i in range(dim.size):
                value = table.values[start + i * step]
                found[value] = found.get(value, 0) | 1 << dim.base + i
        return found

    if not rest:
        masks = by_value(0)
        if isinstance(other, e.Const):
            mask = masks.get(other.value, 0)
            return lambda w: mask
        value_of = c.expr(other)
        return lambda w: masks.get(value_of(w), 0)
    parts = [(c.expr(x), strides[i], table.dims[i].base) for i, x in enumerate(side.index) if i != own]
    wanted = c.expr(other)
    if len(parts) == 1:
        ((index, stride, base),) = parts
        return lambda w: by_value((index(w) - base) * stride).get(wanted(w), 0)
    return lambda w: by_value(sum([(f(w) - base) * stride for f, stride, base in parts])).get(wanted(w), 0)


def _by_face(c: Compiler, var: int, side: e.Lookup, other: e.Expr) -> Fn | None:
    """An attribute of the token at the place that the variable is: `token(p).owner == me`."""
    token = side.index[0] if len(side.index) == 1 else None
    if not (isinstance(token, e.TokenAt) and isinstance(token.place, e.Var) and token.place.id == var):
        return None
    dim = c.tables[side.table].dims[0]
    values = c.tables[side.table].values
    holders = c.memory.holders
    faces = c.members(token.mask)
    if not faces or faces[0] < dim.base or faces[-1] >= dim.base + dim.size:
        return None
    words = tuple((holders + face, values[face - dim.base]) for face in faces)
    wanted, lifted = c.expr(other), side.lifted

    def places(w: list[int]) -> int:
        value, left, mask = wanted(w), -1, 0
        for word, own in words:
            if own == value:
                mask |= w[word] & left
            left &= ~w[word]
        return mask | left if lifted and value == 0 else mask

    return places


def _place_of(c: Compiler, var: int, side: e.Expr) -> bool:
    return (
        isinstance(side, e.Load)
        and side.field == "@place"
        and side.index == (e.Var(var, side.index[0].type),)
    )


def _member(c: Compiler, var: int, element: e.Expr, set_: e.Expr) -> Fn | None:
    if var in reads(set_) or not total(set_):
        return None
    if isinstance(element, e.Var) and element.id == var:
        return c.expr(set_)
    values = _column(c, var, element)
    if values is not None and isinstance(set_, e.Const):
        mask = sum(1 << i for i, value in enumerate(values) if value >= 0 and set_.value >> value & 1)
        return lambda w: mask
    if _place_of(c, var, element) and isinstance(set_, e.Const):
        return _occupants(c, var, set_.value)
    return None


def _occupants(c: Compiler, var: int, places: int) -> Fn | None:
    """Who is at one of a few places, or not at one of the few others where such things may be."""
    type_ = c.program.variables[var].type
    kinds = [kind for kind in c.memory.movables if isinstance(type_, EntityType) and kind.name in type_.kinds]
    possible = 0
    for kind in kinds:
        for thing in kind.ids:
            possible |= c.piles.allowed[thing]
    others = possible & ~places
    derived = c.memory.derived
    if kinds and others.bit_count() < min(FEW, places.bit_count()):
        outside = union((*(derived + place for place in c.members(others)), c.memory.nowhere))
        return lambda w: ~outside(w)
    if 0 < places.bit_count() <= FEW:
        return union(tuple(derived + place for place in c.members(places)))
    return None
