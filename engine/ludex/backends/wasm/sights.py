"""What is seen from a space along directions: up to and including the first that is occupied.

Where the rays of a direction all rise, or all fall, in the numbers of the spaces, the first occupied
space is the lowest, or highest, bit of what the ray and the occupied spaces have in common. Other rays
are followed space by space.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ludex.backends.wasm import asm, occupants, places
from ludex.backends.wasm.asm import Ex, const
from ludex.backends.wasm.emitter import Unit
from ludex.backends.wasm.shapes import Shape, Words
from ludex.typed import expr as e
from ludex.typed.tables import Table


def words(u: Unit, expr: e.Sights, shape: Shape) -> Words:
    from ludex.backends.wasm import sets, values

    f = u.f
    table = u.c.tables[expr.rays]
    made = tuple(f.local("i64") for _ in range(shape.size))
    for local in made:
        f.set(local, 0)
    space = f.keep(values.value(u, expr.space))
    directions = u.kept(sets.words(u, expr.directions))
    rising, falling, rest = _ways(table)
    with f.when(space.compare("ne", 0)):
        if rising or falling:
            things = sum(kind.mask for kind in u.world.kinds if kind.is_movable or kind.category == "token")
            occupied = places.holders(u, things, shape)
            row = f.keep(space * (table.dims[1].size * 8 * shape.size))
            for ways, lowest in ((rising, True), (falling, False)):
                for way in _each(u, directions, ways):
                    _see(u, table, (row, way), occupied, made, lowest=lowest)
        if rest:
            with u.each(_among(directions, rest)) as way:
                _follow(u, table, (space, way), made, shape)
    return Words(shape, made)


def _each(u: Unit, directions: Words, ways: int) -> Iterator[Ex]:
    """Goes through the directions that are among some; one after the other where they are constant."""
    known = [word.constant for word in directions.words if word.constant is not None]
    if len(known) < len(directions.words):
        with u.each(_among(directions, ways)) as way:
            yield way
        return
    chosen = directions.shape.mask(known) & ways
    yield from (const(way) for way in range(chosen.bit_length()) if chosen >> way & 1)


def _ways(table: Table) -> tuple[int, int, int]:
    """The directions whose rays rise, whose rays fall, and the others."""
    first, second = table.dims
    found = [0, 0, 0]
    for k in range(second.size):
        rays = [table.sequences[i * second.size + k] for i in range(first.size)]
        rises = all(a < b for ray in rays for a, b in pairwise(ray))
        falls = all(a > b for ray in rays for a, b in pairwise(ray))
        found[0 if rises else 1 if falls else 2] |= 1 << second.base + k
    return found[0], found[1], found[2]


def _among(directions: Words, ways: int) -> Words:
    masks = directions.shape.words(ways)
    return Words(directions.shape, tuple(a & b for a, b in zip(directions.words, masks, strict=True)))


def _see(
    u: Unit, table: Table, ray: tuple[Ex, Ex], occupied: Words, made: tuple[Ex, ...], *, lowest: bool
) -> None:
    """Adds what is seen along a ray that rises (its first occupied space is the lowest bit) or falls."""
    f = u.f
    shape = occupied.shape
    first, second = table.dims
    width = 8 * shape.size
    masks = [sum(1 << x for x in sequence) for sequence in table.sequences]
    at = u.c.masks(("ray masks", table.name), masks, shape) - (first.base * second.size + second.base) * width
    row, way = ray
    if way.constant is not None:
        at += way.constant * width
    else:
        row = f.keep(row + way * width)
    n = range(shape.size)
    stopped: Ex | None = None
    for i in n if lowest else reversed(n):
        seen = f.keep(asm.load(row, at + 8 * i, "i64"))
        blocking = f.keep(seen & occupied.words[i])
        # the bits up to the one that blocks, it among them; all if none does
        within = blocking ^ (blocking - 1)
        if not lowest:
            within = const(-1, "i64").shl(const(63, "i64") - (blocking | 1).unary("clz"))
        visible = seen & within
        f.set(made[i], made[i] | (visible if stopped is None else visible & stopped))
        if shape.size > 1:
            free = asm.choose(blocking.eqz(), const(-1, "i64"), const(0, "i64"))
            stopped = f.keep(free if stopped is None else free & stopped)


def _follow(u: Unit, table: Table, ray: tuple[Ex, Ex], made: tuple[Ex, ...], shape: Shape) -> None:
    from ludex.backends.wasm import sets

    f = u.f
    first, second = table.dims
    longest = max((len(sequence) for sequence in table.sequences), default=0)
    flat: list[int] = []
    for sequence in table.sequences:
        flat.extend((*sequence, *[0] * (longest + 1 - len(sequence))))
    size = 4 * (longest + 1)
    start = u.c.integers(("rays", table.name), flat) - (first.base * second.size + second.base) * size
    space, way = ray
    at, x = f.local(), f.local()
    f.set(at, (space * second.size + way) * size + start)
    with f.block() as stopped, f.loop() as again:
        f.set(x, asm.load(at))
        f.jump(stopped, x.eqz())
        sets.include(u, made, shape, x)
        f.jump(stopped, Ex(asm.call(occupants.occupied(u.c, tokens=True), x)))
        f.set(at, at + 4)
        f.jump(again)
