"""What is known of who lies where: rows of movables, numbers of tokens, who holds some."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ludex.backends.wasm import asm, records
from ludex.backends.wasm.asm import Ex, Function, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.plan import STATE
from ludex.backends.wasm.shapes import Shape, Words
from ludex.typed.world import Kind

Build = Callable[[Unit], None]


def flag(c: Emitter, place: Ex, name: str) -> Ex:
    """`single` or `ordered` of a location (evaluated twice): 0 or 1."""
    marked = [
        k for k in c.plan.locations if (k.capacity == 1 if name == "single" else k.ordered and orders(c))
    ]
    if not marked:
        return const(0)
    size = c.program.world.size + 1
    content = bytearray(size)
    for kind in marked:
        for i in kind.ids:
            content[i] = 1
    at = c.constant(("flag", name), lambda: bytes(content))
    return asm.load_byte(place, at)


def orders(c: Emitter) -> bool:
    return "@order" in c.plan.fields


def bit_of_thing(c: Emitter, thing: Ex, kind: Kind | None = None) -> tuple[Ex, Ex]:
    """(byte offset of a movable's word within a row of occupants, its bit)."""
    shape = c.plan.occupants
    at = thing - shape.base
    words = _words_of(c, kind)
    offset = const(8 * words[0]) if len(words) == 1 else at.shr(6).shl(3)
    return offset, const(1, "i64").shl(at.extend(signed=False))


def _words_of(c: Emitter, kind: Kind | None) -> range:
    """Which words of a row of occupants a kind, or any, may have bits in."""
    shape = c.plan.occupants
    if kind is None or not kind.count:
        return range(shape.size)
    return range((kind.ids[0] - shape.base) // 64, (kind.ids[-1] - shape.base) // 64 + 1)


def of_kind(c: Emitter, things: Words, kind: Kind | None) -> Words:
    """A set of movables, if all are of a kind without the words that have none of it."""
    own = _words_of(c, kind)
    shape = Shape(things.shape.base + 64 * own[0], len(own))
    return Words(shape, things.words[own[0] : own[-1] + 1])


def row_of(u: Unit, place: Ex) -> tuple[Words, Ex]:
    """(what lies at a location, the address of its row less that of the first)."""
    row, width = u.plan.row()
    shape = u.plan.occupants
    # the location none has a row of its own, in front of the others
    at = u.f.keep(asm.choose(place.eqz(), const(u.plan.first_location - 1), place) * width)
    return Words(shape, tuple(u.f.keep(asm.load(at, row + 8 * i, "i64")) for i in range(shape.size))), at


def count_of(words: Words) -> Ex:
    total = words.words[0].unary("popcnt")
    for word in words.words[1:]:
        total = total + word.unary("popcnt")
    return total.wrap()


def any_of(words: Words) -> Ex:
    whole = words.words[0]
    for word in words.words[1:]:
        whole = whole | word
    return whole.compare("ne", 0)


# -------------------------------------------------------------------------------------- tokens


def tokens_address(c: Emitter, place: Ex, face: Ex) -> tuple[Ex, int]:
    """(address, offset) of the number of tokens of a face at a location."""
    field = c.plan.fields["@tokens"]
    places, faces = field.dims
    offset = STATE + 4 * (field.offset - places.base * faces.size - faces.base)
    return place * (4 * faces.size) + face * 4, offset


def tokens_at(c: Emitter, place: Ex, face: Ex) -> Ex:
    if "@tokens" not in c.plan.fields:
        return const(0)
    return asm.load(*tokens_address(c, place, face))


def has_tokens(u: Unit, place: Ex) -> Ex:
    """Whether a location holds any tokens."""
    field = u.plan.fields.get("@tokens")
    if field is None:
        return const(0)
    found = const(0)
    faces = field.dims[1]
    for face in range(faces.base, faces.base + faces.size):
        found = found | tokens_at(u.c, place, const(face))
    return found.compare("ne", 0)


def occupied(c: Emitter, *, tokens: bool) -> Function:
    """Whether anything lies at a location."""

    def build(u: Unit) -> None:
        place = u.f.param(0)
        words, _ = row_of(u, place)
        found = any_of(words)
        u.f.give(found | has_tokens(u, place) if tokens else found)

    return c.made(f"occupied {tokens}", ["i32"], ["i32"], build)


# ------------------------------------------------------------------------ who holds what


def _bit_of_place(u: Unit, place: Ex) -> tuple[Ex, Ex]:
    """(byte offset of a location's word in a set of locations, its bit)."""
    shape = u.plan.places
    at = place - shape.base
    offset = const(0) if shape.size == 1 else at.shr(6).shl(3)
    return offset, const(1, "i64").shl(at.extend(signed=False))


def _mark(u: Unit, address: Ex, place: Ex, *, holds: bool) -> None:
    offset, bit = _bit_of_place(u, place)
    at = u.f.keep(address + offset)
    old = asm.load(at, 0, "i64")
    u.f.store(at, 0, old | bit if holds else old & (bit ^ -1))
    _lead(u, address, place, const(int(holds)))


def _lead(u: Unit, address: Ex, place: Ex, holds: Ex) -> None:
    """Keeps up from where tables lead to what is in a set of locations, by its address, of which one has
    changed."""
    f = u.f
    for (name, group), kept in u.plan.led.items():
        held = u.plan.held[group]
        if address.constant not in (None, held):
            continue
        with f.block() as other:
            if address.constant is None:
                f.jump(other, address.compare("ne", held))
            shape, width = u.plan.led_from(name), 8 * u.plan.led_from(name).size
            rows = u.c.masks(("leading", name), u.plan.leading(name), shape) - u.plan.first_location * width
            at = f.keep(place * width)
            for i in range(shape.size):
                own = f.keep(asm.load(at, rows + 8 * i, "i64"))
                old = asm.load(const(0), kept + 8 * i, "i64")
                if holds.constant is None:
                    new = asm.choose(holds, old | own, old & (own ^ -1))
                else:
                    new = old | own if holds.constant else old & (own ^ -1)
                f.store(const(0), kept + 8 * i, new)


@contextmanager
def _its_group(u: Unit, thing: Ex, kind: Kind | None) -> Iterator[tuple[Ex, Words] | None]:
    """(address of what the group of a thing holds, the group), if it is asked for."""
    c, f = u.c, u.f
    movables = sum(some.mask for some in u.plan.movables)
    own = movables if kind is None else kind.mask
    groups = {mask: at for mask, at in u.plan.held.items() if mask & movables and c.asked(mask)}
    shape = u.plan.occupants
    some = [mask for mask in groups if mask & own]
    if not some:
        yield None
    elif own & ~some[0] == 0:
        yield const(groups[some[0]]), Words(shape, tuple(shape.words(some[0])))
    else:
        its = [next((mask for mask in groups if mask >> i & 1), 0) for i in range(movables.bit_length())]
        at = c.integers("held by groups", [groups.get(mask, 0) for mask in its])
        address = f.keep(asm.load(thing * 4, at))
        masks = c.masks("groups", its, shape)
        row = f.keep(thing * (8 * shape.size))
        members = Words(shape, tuple(asm.load(row, masks + 8 * i, "i64") for i in range(shape.size)))
        if own & ~sum(some) == 0:
            yield address, members
        else:
            with f.when(address):
                yield address, members


def hold(u: Unit, thing: Ex, place: Ex, kind: Kind | None = None) -> None:
    """A movable, of a kind if that is known, has come to a location."""
    records.touch(u, place)
    with _its_group(u, thing, kind) as found:
        if found is not None:
            _mark(u, found[0], place, holds=True)


def leave(u: Unit, thing: Ex, place: Ex, kind: Kind | None = None) -> None:
    """A movable has left a location, whose occupants are without it already."""
    records.touch(u, place)
    with _its_group(u, thing, kind) as found:
        if found is None:
            return
        address, members = found
        others, _ = row_of(u, place)
        rest = const(0, "i64")
        for word, mask in zip(others.words, members.words, strict=True):
            if mask.constant != 0:
                rest = rest | (word & mask)
        with u.f.when(rest.eqz()):
            _mark(u, address, place, holds=False)


def hold_tokens(u: Unit) -> None:
    """Which locations hold tokens, from their numbers."""
    c, f = u.c, u.f
    field = u.plan.fields.get("@tokens")
    if field is None:
        return
    places, _ = field.dims
    for face in _faces(u):
        for least, kept in _asked(u).items():
            if least == 1 and not c.asked(1 << face):
                continue
            place = f.local()
            f.set(place, places.base)
            with f.loop() as again:
                with f.when(tokens_at(c, place, const(face)).compare("ge_s", least)):
                    _mark(u, const(kept[1 << face]), place, holds=True)
                f.set(place, place + 1)
                f.jump(again, place.compare("lt_s", places.base + places.size))


def _asked(u: Unit) -> dict[int, dict[int, int]]:
    """Of how many tokens of a face the locations that hold so many are asked for, and where they are kept."""
    held = {1 << i: u.plan.held[1 << i] for i in _faces(u)}
    some = {1: held} if any(map(u.c.asked, held)) else {}
    return {**some, **u.plan.crowds}


def _faces(u: Unit) -> list[int]:
    return [i for kind in u.world.kinds if kind.category == "token" for i in kind.ids]


def _marks(u: Unit, face: Ex) -> Iterator[tuple[int, Ex]]:
    """For each number of tokens that is asked for the address of the set of locations that hold so many of
    a face."""
    faces = _faces(u)
    first, step = faces[0], 8 * u.plan.places.size
    for least, kept in _asked(u).items():
        start = kept[1 << first]
        if len(faces) == 1:
            yield least, const(start)
        elif all(kept[1 << i] == start + (i - first) * step for i in faces):
            yield least, face * step + (start - first * step)
        else:
            own = [kept.get(1 << i, 0) for i in range(max(faces) + 1)]
            yield least, asm.load(face * 4, u.c.integers(("held by faces", least), own))


def note_moved(u: Unit, face: Ex, source: Ex, left: Ex, target: Ex, there: Ex) -> None:
    """Tokens of a face have moved, so that `left` are left and `there` are at the target: as if each was
    noted for itself, but that what has one word is read and written once."""
    if u.plan.places.size > 1:
        note_tokens(u, source, face, left)
        note_tokens(u, target, face, there)
        return
    (_, before), (_, after) = (_bit_of_place(u, place) for place in (source, target))
    before, after = u.f.keep(before), u.f.keep(after)
    records.touch_all(u, before | after)
    for least, marks in _marks(u, face):
        at = u.f.keep(marks)
        held = _if_so_many(left, least, before)
        held = held | (after if least == 1 else _if_so_many(there, least, after))
        kept = before if least == 1 else before | after  # it may be where they come from
        u.f.store(at, 0, (asm.load(at, 0, "i64") & (kept ^ -1)) | held)
        if least == 1:
            _lead(u, marks, source, left)
            _lead(u, marks, target, const(1))


def note_tokens(u: Unit, place: Ex, face: Ex, number: Ex) -> None:
    """The number of tokens of a face at a location has changed."""
    records.touch(u, place)
    for least, marks in _marks(u, face):
        offset, bit = _bit_of_place(u, place)
        at = u.f.keep(marks + offset)
        u.f.store(at, 0, (asm.load(at, 0, "i64") & (bit ^ -1)) | _if_so_many(number, least, bit))
        if least == 1:
            _lead(u, marks, place, number)


def _if_so_many(number: Ex, least: int, bit: Ex) -> Ex:
    enough = number if least == 1 else number.compare("ge_s", least)
    return asm.choose(enough, bit, const(0, "i64"))
