"""Elements of fields and tables: where an index leads, with the common shapes fused."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ludex.backends.interpreter.memory import Fn, read_set, unpack_set
from ludex.backends.machine import Fault, Words
from ludex.ir.layout import Dimension
from ludex.typed import expr as e
from ludex.typed.types import EntityType, IntType, SetType

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler

Address = int | Callable[[Words], int]
"""A fixed position, or how to find it: -1 where a lifted index is none."""


def index_in_range(type_: object, base: int, size: int) -> bool:
    """Whether an index of this type needs no test against a dimension."""
    if isinstance(type_, IntType):
        return base <= type_.lo and type_.hi < base + size
    return isinstance(type_, EntityType)


def address(
    c: Compiler,
    offset: int,
    width: int,
    dims: tuple[Dimension, ...],
    index: tuple[e.Expr, ...],
    site: int,
    lifted: bool,
    name: str,
) -> Address:
    """The position of the element at `index`, from the left: values first, then their tests."""
    position = offset
    parts: list[tuple[Fn, int, int, int, bool]] = []
    slots: list[int | None] = []
    stride = width
    strides = []
    for dim in reversed(dims):
        strides.append(stride)
        stride *= dim.size
    for dim, expr, step in zip(dims, index, reversed(strides), strict=True):
        position -= dim.base * step
        inside = index_in_range(expr.type, dim.base, dim.size)
        if isinstance(expr, e.Const) and dim.base <= expr.value < dim.base + dim.size:
            position += expr.value * step
            continue
        plain = isinstance(expr, e.Var) and c.plain(expr.id)
        slots.append(c.slot(expr.id) if plain and isinstance(expr, e.Var) else None)
        parts.append((c.expr(expr), step, dim.base, dim.base + dim.size, inside))
    if not parts:
        return position
    if not lifted and all(inside for *_, inside in parts):
        return _unchecked(position, parts, slots)
    return _checked(position, parts, site, lifted, name)


def _unchecked(
    position: int, parts: list[tuple[Fn, int, int, int, bool]], slots: list[int | None]
) -> Address:
    if len(parts) == 1:
        f, step, *_ = parts[0]
        slot = slots[0]
        if slot is None:
            return (lambda w: position + f(w)) if step == 1 else (lambda w: position + step * f(w))
        known = slot
        return (lambda w: position + w[known]) if step == 1 else (lambda w: position + step * w[known])
    if len(parts) == 2:
        f, step, *_ = parts[0]
        g, step2, *_ = parts[1]
        a, b = slots
        if a is not None and b is not None:
            first, second = a, b
            return lambda w: position + step * w[first] + step2 * w[second]
        return lambda w: position + step * f(w) + step2 * g(w)
    pairs = tuple((f, step) for f, step, *_ in parts)
    return lambda w: position + sum([step * f(w) for f, step in pairs])


def _checked(
    position: int, parts: list[tuple[Fn, int, int, int, bool]], site: int, lifted: bool, name: str
) -> Address:
    if len(parts) == 1:
        f, step, lo, hi, _ = parts[0]

        def find(w: Words) -> int:
            i = f(w)
            if lo <= i < hi:
                return position + step * i
            if lifted and i == 0:
                return -1
            raise Fault("index", site, f"{name} has no element {i}")

        return find
    tests = tuple(parts)

    def find_all(w: Words) -> int:
        values = [f(w) for f, *_ in tests]
        at, none = position, False
        for i, (_, step, lo, hi, inside) in zip(values, tests, strict=True):
            if not lo <= i < hi:
                if not (lifted and inside and i == 0):
                    raise Fault("index", site, f"{name} has no element {i}")
                none = True
            at += step * i
        return -1 if none else at

    return find_all


def load(c: Compiler, expr: e.Load) -> Fn:
    field = c.memory.fields[expr.field]
    at = address(
        c, field.offset, field.width, field.dims, expr.index, expr.site, expr.lifted, f"`{field.name}`"
    )
    if isinstance(field.type, SetType):
        width, base = field.width, field.set_base
        if isinstance(at, int):
            return unpack_set(at, width, base)
        find = at
        return lambda w: read_set(w, k, width, base) if (k := find(w)) >= 0 else 0
    if isinstance(at, int):
        k = at
        return lambda w: w[k]
    element = single(c, expr)
    if element is not None:
        shift, slot = element
        return lambda w: w[shift + w[slot]]
    find = at
    if expr.lifted:
        return lambda w: w[k] if (k := find(w)) >= 0 else 0
    return lambda w: w[find(w)]


def having(c: Compiler, expr: e.Having) -> Fn:
    field, value = c.memory.fields[expr.field], c.expr(expr.value)
    (dim,) = field.dims
    start, end = field.offset, field.offset + dim.size

    def run(w: Words) -> int:
        wanted = value(w)
        return sum(1 << dim.base + i for i, element in enumerate(w[start:end]) if element == wanted)

    return run


def single(c: Compiler, expr: e.Expr) -> tuple[int, int] | None:
    """(shift, slot) where the value is `w[shift + w[slot]]`: one variable as an untested index."""
    if not isinstance(expr, e.Load) or expr.lifted or isinstance(expr.type, SetType):
        return None
    field = c.memory.fields[expr.field]
    if len(expr.index) != 1:
        return None
    index, dim = expr.index[0], field.dims[0]
    if isinstance(index, e.Var) and c.plain(index.id) and index_in_range(index.type, dim.base, dim.size):
        return field.offset - dim.base, c.slot(index.id)
    return None


def column(c: Compiler, expr: e.Lookup) -> tuple[int, ...] | None:
    """The values of a table of one dimension by index value as it is, 0 below its base."""
    table = c.tables[expr.table]
    if len(table.dims) != 1 or table.dims[0].base < 0 or table.dims[0].base > 1 << 16:
        return None
    return (0,) * table.dims[0].base + table.values


def lookup(c: Compiler, expr: e.Lookup) -> Fn:
    table = c.tables[expr.table]
    values = table.values
    at = address(c, 0, 1, table.dims, expr.index, expr.site, expr.lifted, f"`{table.name}`")
    if isinstance(at, int):
        constant = values[at]
        return lambda w: constant
    if len(expr.index) == 1 and index_in_range(expr.index[0].type, table.dims[0].base, table.dims[0].size):
        padded = column(c, expr)
        if padded is not None and (expr.lifted is False or table.dims[0].base > 0):
            index = expr.index[0]
            if isinstance(index, e.Var) and c.plain(index.id):
                slot = c.slot(index.id)
                return lambda w: padded[w[slot]]
            inner = single(c, index)
            if inner is not None:
                shift, under = inner
                return lambda w: padded[w[shift + w[under]]]
            f = c.expr(index)
            return lambda w: padded[f(w)]
    find = at
    if expr.lifted:
        return lambda w: values[k] if (k := find(w)) >= 0 else 0
    return lambda w: values[find(w)]
