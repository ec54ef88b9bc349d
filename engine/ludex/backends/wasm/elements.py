"""Which elements of a field have each value, as sets that are kept up by whatever stores one.

Fields of one dimension that are asked so (`Having`): a set for each value from the lowest to the
highest, in a row. Where a few constant values are all that is asked for, only theirs are kept up.
"""

from __future__ import annotations

from ludex.backends.wasm import asm, records
from ludex.backends.wasm.asm import Ex, const
from ludex.backends.wasm.emitter import Unit
from ludex.backends.wasm.plan import values_of
from ludex.backends.wasm.shapes import Words
from ludex.ir import code as s
from ludex.ir.layout import Field
from ludex.typed import expr as e
from ludex.typed.types import SetType

FEW = 2
"""Of up to so many values that are asked for the sets are kept without a jump, and no others."""

SHORT = 64
"""Fields of so many elements are filled without a loop."""


def words(u: Unit, expr: e.Having) -> Words:
    """The entities whose element has a value; none where no element can have it."""
    from ludex.backends.wasm import values

    f = u.f
    field, at = u.plan.fields[expr.field], u.plan.having[expr.field]
    shape = u.plan.indices(field)
    value = f.keep(values.value(u, expr.value))
    known = value.constant
    if known is not None:
        if known not in values_of(field):
            return Words(shape, tuple(shape.words(0)))
        at += 8 * (known - values_of(field)[0]) * shape.size
        return u.kept(Words(shape, tuple(asm.load(const(0), at + 8 * i, "i64") for i in range(shape.size))))
    found = tuple(f.local("i64") for _ in range(shape.size))
    for local in found:
        f.set(local, 0)
    with f.when(_within(field, value)):
        row = f.keep(_row(u, field, value))
        for i, local in enumerate(found):
            f.set(local, asm.load(row, at + 8 * i, "i64"))
    return Words(shape, found)


def store(u: Unit, field: Field, index: Ex, value: Ex) -> None:
    """The element number `index` is about to become `value`."""
    at, base = u.plan.having.get(field.name), u.plan.base(field.name)
    if at is None or base is None:
        return
    index = u.f.keep(index)
    if len(known := u.plan.asked_values(field)) <= FEW:
        for one in known:
            _note(u, field, index, value, one)
        return
    old = u.f.keep(asm.load(index * 4, base))
    with u.f.when(old.compare("ne", value)):  # much is set back to what it is
        _mark(u, field, index, old, holds=False)
        _mark(u, field, index, value, holds=True)


def _note(u: Unit, field: Field, index: Ex, value: Ex, one: int) -> None:
    """The element number `index` is about to become `value`, which may be the one that is asked for."""
    f = u.f
    shape, at = u.plan.indices(field), u.plan.having[field.name]
    place = index - shape.base
    bit = f.keep(const(1, "i64").shl(place.extend(signed=False)))
    row = const((one - values_of(field)[0]) * 8 * shape.size)
    if shape.size > 1:
        row = f.keep(row + place.shr(6).shl(3))
    is_one = asm.choose(value.compare("eq", one), bit, const(0, "i64"))
    f.store(row, at, (asm.load(row, at, "i64") & (bit ^ -1)) | is_one)


def fill(u: Unit, loop: s.For) -> bool:
    """Whether a loop gives a few elements of a field one constant, and does no more; then it is done: stores
    in a row, two words at a time."""
    match loop:
        case s.For(var, domain, None, (s.Store(name, (e.Var(own),), e.Const(value)),)) if var == own:
            field, elements = u.plan.fields[name], _constants(domain)
        case _:
            return False
    if elements is None or field.role != "state" or len(field.dims) != 1 or isinstance(field.type, SetType):
        return False
    (dim,) = field.dims
    whole = elements == list(range(dim.base, dim.base + dim.size))
    if not field.lo <= value <= field.hi or not set(elements) <= set(range(dim.base, dim.base + dim.size)):
        return False
    if records.touches(u, field) or (name in u.plan.having and not whole):
        return False
    u.take_ticks(len(elements))
    at, left = u.plan.word(name), [4 * (i - dim.base) for i in elements]
    twice = value & 0xFFFFFFFF | (value & 0xFFFFFFFF) << 32
    while left:
        offset = left.pop(0)
        if left and left[0] == offset + 4:
            left.pop(0)
            u.f.store(const(0), at + offset, const(twice, "i64"))
        else:
            u.f.store(const(0), at + offset, value)
    if name in u.plan.having:
        shape = u.plan.indices(field)
        mask = sum(1 << i for i in elements)
        sets, values = u.plan.having[name], values_of(field)
        known = u.plan.asked_values(field)
        if len(known) > FEW:
            size = const(8 * len(values) * shape.size)
            u.f.do((*const(sets).ops, *const(0).ops, *size.ops, ("memory.fill",)))
            known = (value,)
        for one in known:
            for i, members in enumerate(shape.words(mask if one == value else 0)):
                u.f.store(const(0), sets + 8 * ((one - values[0]) * shape.size + i), members)
    return True


def _constants(domain: e.Domain) -> list[int] | None:
    """What a constant domain has, in order, if that is little."""
    match domain:
        case e.SetDomain(e.Const(mask)) if mask.bit_count() <= SHORT:
            return [i for i in range(mask.bit_length()) if mask >> i & 1]
        case e.RangeDomain(e.Const(lo), e.Const(hi)) if hi - lo < SHORT:
            return list(range(lo, hi + 1))
        case _:
            return None


def rebuild(u: Unit) -> None:
    """All sets, from the words of the state; they are empty."""
    f = u.f
    for name in u.plan.having:
        field, base = u.plan.fields[name], u.plan.base(name)
        assert base is not None
        (dim,) = field.dims
        index = f.local()
        f.set(index, dim.base)
        with f.loop() as again:
            value = f.keep(asm.load(index * 4, base))
            if len(asked := u.plan.asked_values(field)) <= FEW:
                for one in asked:
                    _note(u, field, index, value, one)
            else:
                _mark(u, field, index, value, holds=True)
            f.set(index, index + 1)
            f.jump(again, index.compare("lt_s", dim.base + dim.size))


def _within(field: Field, value: Ex) -> Ex:
    """Whether elements of a field may have a value."""
    values = values_of(field)
    return (value - values[0]).compare("le_u", values[-1] - values[0])


def _row(u: Unit, field: Field, value: Ex) -> Ex:
    return (value - values_of(field)[0]) * (8 * u.plan.indices(field).size)


def _mark(u: Unit, field: Field, index: Ex, value: Ex, *, holds: bool) -> None:
    f = u.f
    shape, at = u.plan.indices(field), u.plan.having[field.name]
    place = index - shape.base
    bit = const(1, "i64").shl(place.extend(signed=False))
    with f.when(_within(field, value)):
        row = _row(u, field, value)
        if shape.size > 1:
            row = row + place.shr(6).shl(3)
        row = f.keep(row)
        old = asm.load(row, at, "i64")
        f.store(row, at, old | bit if holds else old & (bit ^ -1))
