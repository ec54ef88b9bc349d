"""Sets, families of sets, and sums over subsets."""

from __future__ import annotations

from ludex.backends.interpreter.sets import MAX_TOTAL
from ludex.backends.wasm import asm, elements, folds, places
from ludex.backends.wasm.asm import Ex, Instruction, branch, choose, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.plan import STATE
from ludex.backends.wasm.shapes import Shape, Words, reshaped, span
from ludex.typed import expr as e
from ludex.typed.types import MAX_SET_NUMBER, EntityType, FamilyType, IntType, SetType


def built(u: Unit, expr: e.Expr, shape: Shape) -> tuple[tuple[Instruction, ...], Words]:
    """(what evaluates a set, its words in the shape asked for)."""
    made: list[Words] = []
    ops = u.part(lambda: made.append(u.kept(reshaped(words(u, expr), shape))))
    return ops, made[0]


def shape_of(u: Unit, expr: e.Expr) -> Shape:
    assert isinstance(expr.type, SetType)
    return u.plan.shape(expr.type)


def words(u: Unit, expr: e.Expr) -> Words:
    """Emits the evaluation of a set; its words are locals or constants."""
    shape = shape_of(u, expr)
    f = u.f
    match expr:
        case e.Const(mask):
            return Words(shape, tuple(shape.words(mask)))
        case e.Var(var):
            return u.read_set(var)
        case e.Load():
            return load(u, expr)
        case e.Lookup():
            return lookup(u, expr)
        case e.SetOperation(op, left, right):
            if op == "diff":
                a = words(u, left)
                b = reshaped(words(u, right), a.shape)
                pairs = [x & (y ^ -1) for x, y in zip(a.words, b.words, strict=True)]
                return u.kept(reshaped(u.kept(Words(a.shape, tuple(pairs))), shape))
            a = reshaped(words(u, left), shape)
            b = reshaped(words(u, right), shape)
            pairs = [x | y if op == "union" else x & y for x, y in zip(a.words, b.words, strict=True)]
            return u.kept(Words(shape, tuple(pairs)))
        case e.Singleton(element, keep_none=keep_none):
            return singleton(u, element, shape, keep_none)
        case e.IntRange():
            return int_range(u, expr, shape)
        case e.Select(test, then, orelse):
            return either(u, test, then, orelse, shape)
        case e.Fold():
            return folds.collected(u, expr, shape)
        case e.Apply():
            from ludex.backends.wasm import values

            f.do(values.called(u, expr))
            return Words(shape, received(u, shape))
        case e.Hypothetical():
            from ludex.backends.wasm import values

            f.do(values.hypothetical(u, expr))
            return Words(shape, received(u, shape))
        case e.Occupants() | e.TopSet() | e.Region() | e.Sights():
            return reshaped(places.words(u, expr), shape)
        case e.Having():
            return reshaped(elements.words(u, expr), shape)
        case e.Shifted():
            from ludex.backends.wasm import lines

            return lines.shifted(u, expr, shape)
        case e.Holders(mask):
            return places.holders(u, mask, shape)
        case e.HoldersBy(table, mask):
            return places.holders_by(u, table, mask, shape)
        case e.HoldersOf(face, least=least):
            return reshaped(places.holders_of(u, face, least), shape)
        case _:
            raise TypeError(f"{type(expr).__name__} is no set")


def received(u: Unit, shape: Shape) -> tuple[Ex, ...]:
    """The words that lie on the stack, in locals."""
    made = [u.f.local("i64") for _ in range(shape.size)]
    for local in reversed(made):
        u.f.body.append(("local.set", local.ops[0][1]))
    return tuple(made)


def either(u: Unit, test: e.Expr, then: e.Expr, orelse: e.Expr, shape: Shape) -> Words:
    from ludex.backends.wasm import values

    made = tuple(u.f.local("i64") for _ in range(shape.size))
    with u.f.when(values.value(u, test)):
        fill(u, made, reshaped(words(u, then), shape))
        u.f.otherwise()
        fill(u, made, reshaped(words(u, orelse), shape))
    return Words(shape, made)


def fill(u: Unit, to: tuple[Ex, ...], source: Words) -> None:
    for local, word in zip(to, source.words, strict=True):
        u.f.set(local, word)


def include(u: Unit, to: tuple[Ex, ...], shape: Shape, element: Ex) -> None:
    """Adds an element, which lies within the shape, to a set in locals."""
    for i, local in enumerate(to):
        u.f.set(local, local | u.bit(element, shape, i))


def bounds(u: Unit, type_: object) -> tuple[int, int]:
    """Values of a type lie in lo..hi."""
    if isinstance(type_, IntType):
        return type_.lo, type_.hi
    assert isinstance(type_, EntityType)
    return span(u.world, type_)


def within(u: Unit, element: Ex, type_: object, shape: Shape) -> Ex | None:
    """Whether an element (in a local) has a bit in a shape; None if it surely has."""
    lo, hi = bounds(u, type_)
    if shape.holds(lo, hi):
        return None
    return (element - shape.base).compare("lt_u", 64 * shape.size)


def singleton(u: Unit, element: e.Expr, shape: Shape, keep_none: bool) -> Words:
    from ludex.backends.wasm import values

    f = u.f
    x = f.keep(values.value(u, element))
    made = tuple(f.local("i64") for _ in range(shape.size))
    for local in made:
        f.set(local, 0)
    type_ = element.type
    if isinstance(type_, IntType):
        faults_outside(u, x, type_, -1)
        include(u, made, shape, x)
        return Words(shape, made)
    test = within(u, x, type_, shape)
    if isinstance(type_, EntityType) and type_.optional and not keep_none:
        test = x.compare("ne", 0)
    if test is None:
        include(u, made, shape, x)
    else:
        with f.when(test):
            include(u, made, shape, x)
    return Words(shape, made)


def faults_outside(u: Unit, x: Ex, type_: object, site: int) -> None:
    """`range` for an integer that no set can hold."""
    lo, hi = bounds(u, type_)
    if lo < 0 or hi > MAX_SET_NUMBER:
        with u.f.when(x.compare("gt_u", MAX_SET_NUMBER)):
            u.fault("range", site)


def int_range(u: Unit, expr: e.IntRange, shape: Shape) -> Words:
    from ludex.backends.wasm import values

    f = u.f
    lo, hi = f.keep(values.value(u, expr.lo)), f.keep(values.value(u, expr.hi))
    made = tuple(f.local("i64") for _ in range(shape.size))
    for local in made:
        f.set(local, 0)
    with f.when(hi.compare("ge_s", lo)):
        faults_outside(u, hi, expr.hi.type, expr.site)
        faults_outside(u, lo, expr.lo.type, expr.site)
        for i, local in enumerate(made):
            start = shape.base + 64 * i
            from_ = f.keep(_clamped(u, lo - start))
            to = f.keep(_clamped(u, hi - (start - 1)))
            f.set(local, _below(to) & (_below(from_) ^ -1))
    return Words(shape, made)


def _clamped(u: Unit, x: Ex) -> Ex:
    """0..64."""
    x = u.f.keep(x)
    low = choose(x.compare("lt_s", 0), const(0), x)
    low = u.f.keep(low)
    return choose(low.compare("gt_s", 64), const(64), low)


def _below(n: Ex) -> Ex:
    """The lowest n bits, n in a local, 0..64."""
    ones = (const(1, "i64").shl(n.extend())) - 1
    return choose(n.compare("ge_s", 64), const(-1, "i64"), ones)


def load(u: Unit, expr: e.Load) -> Words:
    from ludex.backends.wasm import values

    field = u.plan.fields[expr.field]
    width, base = field.width, field.set_base
    shape = shape_of(u, expr)
    ops, address, offset, there = values.element(
        u, STATE + 4 * field.offset, 4 * width, field.dims, expr.index, expr.site, expr.lifted
    )
    u.f.do(ops)
    if address.constant is None:
        address = u.f.keep(address)
    if there is None:
        return u.kept(reshaped(u.unpacked(address, offset, width, base), shape))
    made = tuple(u.f.local("i64") for _ in range(shape.size))
    with u.f.when(there):
        fill(u, made, reshaped(u.unpacked(address, offset, width, base), shape))
        u.f.otherwise()
        fill(u, made, Words(shape, tuple(shape.words(0))))
    return Words(shape, made)


def lookup(u: Unit, expr: e.Lookup) -> Words:
    from ludex.backends.wasm import values

    table = u.c.tables[expr.table]
    shape = shape_of(u, expr)
    at = u.c.masks(("table", table.name), table.values, shape)
    ops, address, offset, there = values.element(
        u, at, 8 * shape.size, table.dims, expr.index, expr.site, expr.lifted
    )
    u.f.do(ops)
    if address.constant is None:
        address = u.f.keep(address)
    found = [asm.load(address, offset + 8 * i, "i64") for i in range(shape.size)]
    if there is not None:
        there = u.f.keep(there)
        found = [branch(there, word, const(0, "i64")) for word in found]
    return u.kept(Words(shape, tuple(found)))


# ---------------------------------------------------------------------------------- questions


def equality(u: Unit, expr: e.Comparison) -> Ex:
    shape = shape_of(u, expr.left).union(shape_of(u, expr.right))
    ops, a = built(u, expr.left, shape)
    more, b = built(u, expr.right, shape)
    same = const(0, "i64")
    for x, y in zip(a.words, b.words, strict=True):
        same = same | (x ^ y)
    return Ex((*ops, *more, *(same.eqz() if expr.op == "eq" else same.compare("ne", 0)).ops))


def membership(u: Unit, expr: e.Membership) -> Ex:
    """None is in no set, unless bit 0 is one of the set's."""
    from ludex.backends.wasm import values

    ops, x = values.kept(u, expr.element)
    shape = shape_of(u, expr.set)
    test = within(u, x, expr.element.type, shape)
    if isinstance(expr.set, e.Const):
        bits = shape.bits(expr.set.value)
        if shape.size > 1:
            content = bytes(bits >> i & 1 for i in range(64 * shape.size))
            at = u.c.constant(("flags", content), lambda: content)
            found = asm.load_byte(x, at - shape.base)
        else:
            found = const(bits, "i64").shr((x - shape.base).extend(signed=False)).wrap() & 1
        return Ex((*ops, *(found if test is None else branch(test, found, const(0))).ops))
    more, set_ = built(u, expr.set, shape)
    found = bit_of(x, set_)
    if test is not None:
        found = branch(test, found, const(0))
    return Ex((*ops, *more, *found.ops))


def bit_of(x: Ex, set_: Words) -> Ex:
    """Whether an element within the shape is in a set."""
    at = x - set_.shape.base
    word = set_.words[-1]
    for i in range(set_.shape.size - 2, -1, -1):
        word = choose(at.shr(6).compare("eq", i), set_.words[i], word)
    return word.shr(at.extend(signed=False)).wrap() & 1


def subset(u: Unit, expr: e.Subset) -> Ex:
    shape = shape_of(u, expr.left)
    ops, a = built(u, expr.left, shape)
    more, b = built(u, expr.right, shape)
    outside = const(0, "i64")
    for x, y in zip(a.words, b.words, strict=True):
        outside = outside | (x & (y ^ -1))
    return Ex((*ops, *more, *outside.eqz().ops))


def size(u: Unit, expr: e.Size) -> Ex:
    ops, a = built(u, expr.set, shape_of(u, expr.set))
    total = a.words[0].unary("popcnt")
    for word in a.words[1:]:
        total = total + word.unary("popcnt")
    return Ex((*ops, *total.wrap().ops))


def lowest(words: Words) -> Ex:
    """The least element of a set that is not empty."""
    position = words.words[-1].unary("ctz").wrap() + (words.shape.base + 64 * (words.shape.size - 1))
    for i in range(words.shape.size - 2, -1, -1):
        here = words.words[i].unary("ctz").wrap() + (words.shape.base + 64 * i)
        position = choose(words.words[i].compare("ne", 0), here, position)
    return position


def any_bit(words: Words) -> Ex:
    whole = words.words[0]
    for word in words.words[1:]:
        whole = whole | word
    return whole


def pick(u: Unit, expr: e.Pick) -> Ex:
    ops, a = built(u, expr.set, shape_of(u, expr.set))
    found = lowest(a)
    if expr.how == "first":
        return Ex((*ops, *choose(any_bit(a).eqz(), const(0), found).ops))

    def emit() -> None:
        with u.f.when(any_bit(a).eqz()):
            u.fault("empty", expr.site)
        if expr.how == "the":
            total = a.words[0].unary("popcnt")
            for word in a.words[1:]:
                total = total + word.unary("popcnt")
            with u.f.when(total.compare("ne", 1)):
                u.fault("several", expr.site)

    return Ex((*ops, *u.part(emit), *found.ops))


# ----------------------------------------------------------------------------------- families


def family(u: Unit, expr: e.Expr) -> tuple[Ex, Shape]:
    """(address of a family, shape of its sets)."""
    from ludex.backends.wasm import values

    match expr:
        case e.FamilyLookup(name, index, type_, site):
            assert isinstance(type_, FamilyType)
            shape = u.plan.shape(SetType(type_.element))
            table = u.c.tables[name]
            addresses = [
                u.c.family(("family", name, i), members, shape) for i, members in enumerate(table.families)
            ]
            if not table.dims:
                return const(addresses[0]), shape
            at = u.c.integers(("families", name, shape), addresses)
            ops, address, offset, _ = values.element(u, at, 4, table.dims, index, site, False)
            return Ex((*ops, *asm.load(address, offset).ops)), shape
        case e.Select(test, then, orelse):
            yes, shape = family(u, then)
            no, other = family(u, orelse)
            if shape != other:
                raise TypeError("families of two types")
            return branch(values.value(u, test), yes, no), shape
        case _:
            raise TypeError(f"not a family: {type(expr).__name__}")


def members_at(u: Unit, address: Ex, shape: Shape) -> Words:
    """A set of a family, by its address (in a local)."""
    return Words(shape, tuple(u.f.keep(asm.load(address, 8 * i, "i64")) for i in range(shape.size)))


def family_member(u: Unit, expr: e.FamilyMember) -> Ex:
    found = u.f.local()

    def emit() -> None:
        f = u.f
        wanted = words(u, expr.set)
        where, shape = family(u, expr.family)
        common = shape.union(wanted.shape)
        wanted = u.kept(reshaped(wanted, common))
        at = f.local()
        f.set(at, where)
        end = f.keep(at + 8 + asm.load(at) * (8 * shape.size))
        f.set(at, at + 8)
        f.set(found, 0)
        with f.block() as done, f.loop() as again:
            f.jump(done, at.compare("ge_u", end))
            differs = const(0, "i64")
            here = reshaped(members_at(u, at, shape), common)
            for x, y in zip(here.words, wanted.words, strict=True):
                differs = differs | (x ^ y)
            f.set(found, differs.eqz())
            f.jump(done, found)
            f.set(at, at + 8 * shape.size)
            f.jump(again)

    return Ex((*u.part(emit), *found.ops))


def reachable(u: Unit, expr: e.Reachable) -> Ex:
    """Whether some subset has a size and a total within bounds: `_subset_sums` of the weights.

    Weights less than 0 or totals beyond `MAX_TOTAL` fault `range`.
    """
    from ludex.backends.wasm import values

    f, c = u.f, u.c
    result = f.local()
    shape = shape_of(u, expr.set)
    most = expr.weight.type.hi if isinstance(expr.weight.type, IntType) else 1
    c.reserve(64 * shape.size, min(MAX_TOTAL, 64 * shape.size * max(most, 1)))

    def emit() -> None:
        things = words(u, expr.set)
        bounds = [f.keep(values.value(u, x)) for x in (expr.lo, expr.hi, expr.size_lo, expr.size_hi)]
        n, total, weight, wrong = f.local(), f.local("i64"), f.local(), f.local()
        f.set(n, 0)
        f.set(total, 0)
        f.set(wrong, 0)
        with u.each(things) as x:
            u.write(expr.var, x)
            f.set(weight, values.value(u, expr.weight))
            f.set(wrong, wrong | weight.compare("lt_s", 0))
            f.set(total, total + weight.extend())
            f.store(c.scratch + n * 4, 0, weight)
            f.set(n, n + 1)
        with f.when(wrong | total.compare("gt_s", MAX_TOTAL)):
            u.fault("range", -1)
        f.set(result, Ex(asm.call(_subset_sums(c), n, total.wrap(), *bounds)))

    return Ex((*u.part(emit), *result.ops))


def _subset_sums(c: Emitter) -> asm.Function:
    """(number of weights, their sum, lo, hi, size_lo, size_hi): whether a subset is within bounds.

    The weights lie in scratch memory; behind them, for each size, the totals that subsets of
    that size have, as bits 0 to hi.
    """

    def build(u: Unit) -> None:
        f = u.f
        n, total, lo, hi, least, most = (f.param(i) for i in range(6))
        row, rows, i, size, at, value, shift, words_, end, k = (f.local() for _ in range(10))
        f.set(least, choose(least.compare("lt_s", 0), const(0), least))
        f.set(most, choose(most.compare("gt_s", n), n, most))
        f.set(lo, choose(lo.compare("lt_s", 0), const(0), lo))
        f.set(hi, choose(hi.compare("gt_s", total), total, hi))
        with f.when(least.compare("gt_s", most) | lo.compare("gt_s", hi)):
            f.give(0)
        f.set(words_, hi.shr(6) + 1)
        f.set(row, words_.shl(3))
        f.set(rows, (c.scratch + n * 4 + 7) & -8)
        f.do((*rows.ops, *const(0).ops, *(row * (most + 1)).ops, ("memory.fill",)))
        f.store(rows, 0, const(1, "i64"))
        f.set(i, 0)
        with f.block() as counted, f.loop() as weights:
            f.jump(counted, i.compare("ge_s", n))
            f.set(value, asm.load(c.scratch + i * 4))
            f.set(i, i + 1)
            f.jump(weights, value.compare("gt_s", hi))
            f.set(shift, value.shr(6).shl(3))
            f.set(size, most)
            with f.block() as sized, f.loop() as sizes:
                f.jump(sized, size.compare("le_s", 0))
                # row of the size |= row of one less << value, highest word first
                f.set(at, rows + size * row)
                f.set(k, row - 8)
                with f.block() as moved, f.loop() as copying:
                    f.jump(moved, k.compare("lt_s", shift))
                    source = f.keep(at - row + k - shift)
                    word = asm.load(source, 0, "i64").shl((value & 63).extend())
                    below = asm.load(source, -8, "i64").shr((const(64) - (value & 63)).extend())
                    carry = asm.branch(
                        (value & 63).compare("ne", 0) & k.compare("gt_s", shift), below, const(0, "i64")
                    )
                    f.store(at + k, 0, asm.load(at + k, 0, "i64") | word | carry)
                    f.set(k, k - 8)
                    f.jump(copying)
                f.set(size, size - 1)
                f.jump(sizes)
            f.jump(weights)
        f.set(size, least)
        with f.block() as none, f.loop() as sizes:
            f.jump(none, size.compare("gt_s", most))
            f.set(end, lo)
            with f.block() as looked, f.loop() as looking:
                f.jump(looked, end.compare("gt_s", hi))
                word = asm.load(rows + size * row + end.shr(6).shl(3), 0, "i64")
                with f.when(word.shr((end & 63).extend()).wrap() & 1):
                    f.give(1)
                f.set(end, end + 1)
                f.jump(looking)
            f.set(size, size + 1)
            f.jump(sizes)
        f.give(0)

    return c.made("subset sums", ["i32"] * 6, ["i32"], build)
