"""What lies where: occupants, tops, tokens, regions."""

from __future__ import annotations

from ludex.backends.wasm import addresses, asm, occupants, piles
from ludex.backends.wasm.asm import Ex, const
from ludex.backends.wasm.emitter import Unit
from ludex.backends.wasm.shapes import Shape, Words, reshaped
from ludex.ir.walk import reads
from ludex.typed import expr as e
from ludex.typed.types import EntityType, IntType, SetType

FEW_FACES = 4
"""Of up to so many the numbers are added without a loop."""


def value(u: Unit, expr: e.Top | e.UnknownTop | e.TokenCount | e.TokenAt) -> Ex:
    from ludex.backends.wasm import values

    match expr:
        case e.Top(pile, site=site):
            ops, at = values.kept(u, pile)
            return Ex((*ops, *piles.top_of(u, at, site, ordered=keeps_order(u, pile)).ops))
        case e.UnknownTop(pile):
            ops, at = values.kept(u, pile)
            return Ex((*ops, *_unknown_top(u, at).ops))
        case e.TokenCount():
            return _token_count(u, expr)
        case e.TokenAt():
            return _token_at(u, expr)


def keeps_order(u: Unit, pile: e.Expr) -> bool:
    """Whether a pile is one that keeps an order, whichever it is; it is not none."""
    type_ = pile.type
    if not isinstance(type_, EntityType) or type_.optional:
        return False
    known = isinstance(pile, e.Lookup) or _is_there(u, pile)
    return known and all(u.world.kind(name).ordered for name in type_.kinds)


def _unknown_top(u: Unit, pile: Ex) -> Ex:
    head = u.plan.base("@head")
    if head is None:
        return const(0)
    occupied = Ex(asm.call(occupants.occupied(u.c, tokens=False), pile))
    ordered = occupants.flag(u.c, pile, "ordered")
    known = asm.load(pile * 4, head)
    return asm.branch(ordered & occupied, known.eqz(), const(0))


def words(u: Unit, expr: e.Expr) -> Words:
    from ludex.backends.wasm import sets, sights, values

    assert isinstance(expr.type, SetType)
    shape = u.plan.shape(expr.type)
    match expr:
        case e.Occupants(place, mask):
            return lying_at(u, u.f.keep(values.value(u, place)), mask, shape)
        case e.TopSet(pile, count):
            f = u.f
            f.do((*values.value(u, pile).ops, *values.value(u, count).ops, ("call", piles.top_set(u.c))))
            return u.kept(reshaped(Words(u.plan.occupants, sets.received(u, u.plan.occupants)), shape))
        case e.Region():
            return region(u, expr, shape)
        case e.Sights():
            return sights.words(u, expr, shape)
        case _:
            raise TypeError(f"{type(expr).__name__} is nothing about places")


def lying_at(u: Unit, place: Ex, mask: int, shape: Shape) -> Words:
    """Only the words that the shape needs are read, and masked where others may lie there."""
    row, width = u.plan.row()
    whole = u.plan.occupants
    at = u.f.keep(place * width) if place.constant is None else const(place.constant * width)
    if place.constant == 0:
        return Words(shape, tuple(shape.words(0)))
    if place.constant is None:
        # the location none has a row of its own, in front of the others
        at = u.f.keep(asm.choose(place.eqz(), const((u.plan.first_location - 1) * width), at))
    loads = tuple(asm.load(at, row + 8 * i, "i64") for i in range(whole.size))
    found = u.kept(reshaped(Words(whole, loads), shape))
    masked = [
        word & wanted if wanted.constant != -1 else word
        for word, wanted in zip(found.words, shape.words(mask), strict=True)
    ]
    return u.kept(Words(shape, tuple(masked)))


def holders(u: Unit, mask: int, shape: Shape) -> Words:
    """The locations that hold any of some kinds and faces. Only the words that the shape needs are read."""
    whole = u.plan.places
    made = [const(0, "i64")] * whole.size
    for group, address in u.plan.held.items():
        if mask & group:
            for i in range(whole.size):
                word = asm.load(const(0), address + 8 * i, "i64")
                made[i] = word if made[i].constant == 0 else made[i] | word
    return u.kept(reshaped(Words(whole, tuple(made)), shape))


def holders_by(u: Unit, table: str, mask: int, shape: Shape) -> Words:
    """The elements that a table leads from to such locations."""
    whole = u.plan.led_from(table)
    made = [const(0, "i64")] * whole.size
    for (name, group), address in u.plan.led.items():
        if name == table and mask & group:
            for i in range(whole.size):
                word = asm.load(const(0), address + 8 * i, "i64")
                made[i] = word if made[i].constant == 0 else made[i] | word
    return u.kept(reshaped(Words(whole, tuple(made)), shape))


def holders_of(u: Unit, face: e.Expr, least: int) -> Words:
    """The locations that hold so many tokens of a face; what is kept of the faces of a kind lies in a row."""
    from ludex.backends.wasm import values

    assert isinstance(face.type, EntityType)
    shape = u.plan.places
    ids = [i for name in face.type.kinds for i in u.world.kind(name).ids]
    kept = u.plan.held if least == 1 else u.plan.crowds[least]
    held = [kept[1 << i] for i in ids]
    at = addresses.looked_up(u, (face,), lambda row: kept[1 << row[0]])
    if at is not None:
        at = u.f.keep(at)
        return u.kept(Words(shape, tuple(asm.load(at, 8 * i, "i64") for i in range(shape.size))))
    here = u.f.keep(values.value(u, face))
    if len(face.type.kinds) == 1 and isinstance(face, e.Lookup) and not face.type.optional:
        at, offset = here * (8 * shape.size), held[0] - ids[0] * 8 * shape.size
    else:
        nowhere = u.c.constant(("held by none", shape), lambda: bytes(8 * shape.size))
        row = [held[ids.index(i)] if i in ids else nowhere for i in range(max(ids, default=0) + 1)]
        at, offset = asm.load(here * 4, u.c.integers(("held by faces", tuple(row)), row)), 0
    at = u.f.keep(at)
    return u.kept(Words(shape, tuple(asm.load(at, offset + 8 * i, "i64") for i in range(shape.size))))


# -------------------------------------------------------------------------------------- tokens


def _token_count(u: Unit, expr: e.TokenCount) -> Ex:
    """Tokens of one face are looked up, of constant ones summed in a row, of others face by face;
    none holds none."""
    from ludex.backends.wasm import sets, values

    f = u.f
    single = _single_face(expr.faces)
    if single is not None and (known := _known_number(u, single, expr.place)) is not None:
        return known
    if single is not None:
        ops, face = values.kept(u, single)
        more, place = values.kept(u, expr.place)
        number = occupants.tokens_at(u.c, place, face)
        if not _is_there(u, expr.place):
            number = asm.branch(place, number, const(0))
        if _may_be_none(single):
            number = asm.branch(face, number, const(0))
        return Ex((*ops, *more, *number.ops))
    total = f.local()

    def emit() -> None:
        faces = None if isinstance(expr.faces, e.Const) else sets.words(u, expr.faces)
        place = f.keep(values.value(u, expr.place))
        f.set(total, 0)
        with f.when(place.compare("ne", 0)):
            if faces is None:
                assert isinstance(expr.faces, e.Const)
                for one in _members(expr.faces.value):
                    f.set(total, total + occupants.tokens_at(u.c, place, const(one)))
            elif faces.shape.size == 1 and len(ids := _faces(u, expr)) <= FEW_FACES:
                for one in ids:
                    inside = sets.bit_of(const(one), faces)
                    f.set(total, total + occupants.tokens_at(u.c, place, const(one)) * inside)
            else:
                with u.each(faces) as x:
                    f.set(total, total + occupants.tokens_at(u.c, place, x))

    return Ex((*u.part(emit), *total.ops))


def _known_number(u: Unit, face: e.Expr, place: e.Expr) -> Ex | None:
    """The number at an address that follows from what face and place are looked up by."""
    places, faces = u.plan.fields["@tokens"].dims
    first = u.plan.word("@tokens")

    def number(row: tuple[int, ...]) -> int:
        return first + 4 * ((row[1] - places.base) * faces.size + row[0] - faces.base)

    found: list[Ex | None] = []
    ops = u.part(lambda: found.append(addresses.looked_up(u, (face, place), number)))
    (at,) = found
    return None if at is None else Ex((*ops, *asm.load(at).ops))


def _single_face(faces: e.Expr) -> e.Expr | None:
    """The face, of a set of one or none."""
    match faces:
        case e.Singleton(face, keep_none=False) if isinstance(face.type, EntityType):
            return face
        case e.Const(mask) if mask.bit_count() == 1:
            return e.Const(mask.bit_length() - 1, faces.type)
        case _:
            return None


def _may_be_none(face: e.Expr) -> bool:
    return isinstance(face.type, EntityType) and face.type.optional


def _is_there(u: Unit, place: e.Expr) -> bool:
    """Whether a place is none never: a constant, what a variable of places has, or what has a number."""
    if isinstance(place, e.Const):
        return place.value != 0
    if isinstance(place, e.Lookup) and all(isinstance(i.type, IntType) for i in place.index):
        return all(u.c.tables[place.table].values)
    if not isinstance(place, e.Var):
        return False
    declared = u.c.variables[place.id].type
    return not u.c.variables[place.id].frame and isinstance(declared, EntityType) and not declared.optional


def _members(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def _faces(u: Unit, expr: e.TokenCount) -> list[int]:
    """The faces that a set of faces may have."""
    assert isinstance(expr.faces.type, SetType)
    element = expr.faces.type.element
    return (
        [i for name in element.kinds for i in u.world.kind(name).ids]
        if isinstance(element, EntityType)
        else []
    )


def _token_at(u: Unit, expr: e.TokenAt) -> Ex:
    from ludex.backends.wasm import values

    f = u.f
    found = f.local()
    faces = _members(expr.mask)

    def emit() -> None:
        place = f.keep(values.value(u, expr.place))
        f.set(found, 0)
        with f.block() as done:
            if not _is_there(u, expr.place):
                f.jump(done, place.eqz())
            if len(faces) <= FEW_FACES:  # which of them lies there nobody can tell: better without a jump
                for face in reversed(faces):
                    f.set(found, asm.choose(occupants.tokens_at(u.c, place, const(face)), const(face), found))
                return
            for face in faces:
                with f.when(occupants.tokens_at(u.c, place, const(face))):
                    f.set(found, face)
                    f.jump(done)

    return Ex((*u.part(emit), *found.ops))


# ------------------------------------------------------------------------------ flood and sight


def region(u: Unit, expr: e.Region, shape: Shape) -> Words:
    """Waves from the starts; each element is tested once, ascending within its wave."""
    from ludex.backends.wasm import sets, values

    f = u.f
    match expr.guard:
        case e.Membership(e.Var(var), set_) if var == expr.var and var not in reads(set_):
            return _region_within(u, expr, set_, shape)
    table = u.c.tables[expr.neighbors]
    near = u.c.masks(("table", table.name), table.values, shape)
    base = table.dims[0].base
    wave = u.kept(reshaped(sets.words(u, expr.starts), shape))
    n = range(shape.size)
    front, tested, inside, following = (tuple(f.local("i64") for _ in n) for _ in range(4))
    for i in n:
        f.set(front[i], wave.words[i])
        f.set(tested[i], 0)
        f.set(inside[i], 0)
    with f.block() as done, f.loop() as again:
        f.jump(done, sets.any_bit(Words(shape, front)).eqz())
        for i in n:
            f.set(tested[i], tested[i] | front[i])
            f.set(following[i], 0)
        with u.each(Words(shape, front)) as x:

            def spread(x: Ex = x) -> None:
                sets.include(u, inside, shape, x)
                row = f.keep(x * (8 * shape.size))
                for i in n:
                    at = near - base * 8 * shape.size + 8 * i
                    f.set(following[i], following[i] | asm.load(row, at, "i64"))

            if expr.guard is None:
                spread()
            else:
                u.write(expr.var, x)
                with f.when(values.value(u, expr.guard)):
                    spread()
        for i in n:
            f.set(front[i], following[i] & (tested[i] ^ -1))
        f.jump(again)
    return Words(shape, inside)


def _region_within(u: Unit, expr: e.Region, set_: e.Expr, shape: Shape) -> Words:
    """The same where what may be gone through is a set: element by element, in no order."""
    from ludex.backends.wasm import sets

    f = u.f
    table = u.c.tables[expr.neighbors]
    at = u.c.masks(("table", table.name), table.values, shape) - table.dims[0].base * 8 * shape.size
    n = range(shape.size)
    within = u.kept(reshaped(sets.words(u, set_), shape))
    starts = u.kept(reshaped(sets.words(u, expr.starts), shape))
    left, found = (tuple(f.local("i64") for _ in n) for _ in range(2))
    for i in n:
        f.set(left[i], starts.words[i] & within.words[i])
        f.set(found[i], left[i])
    row, new = f.local(), f.local("i64")
    with f.loop() as again:
        for i in n:
            with f.block() as none, f.loop() as more:
                f.jump(none, left[i].eqz())
                f.set(row, (left[i].unary("ctz").wrap() + (shape.base + 64 * i)) * (8 * shape.size))
                f.set(left[i], left[i] & (left[i] - 1))
                for k in n:
                    near = asm.load(row, at + 8 * k, "i64")
                    f.set(new, near & within.words[k] & (found[k] ^ -1))
                    f.set(found[k], found[k] | new)
                    f.set(left[k], left[k] | new)
                f.jump(more)
        if shape.size > 1:
            f.jump(again, sets.any_bit(Words(shape, left)).compare("ne", 0))
    return Words(shape, found)
