"""How many tokens of each face there are: they are only moved about, so they always are as many."""

from __future__ import annotations

from collections.abc import Iterator

from ludex.ir.program import Program
from ludex.typed import code as s
from ludex.typed import expr as e


def numbers_of_tokens(program: Program) -> dict[int, int]:
    """How many tokens there are of each face: as games begin, in the box or elsewhere. Of none where some
    code gives places other numbers of them."""
    found: dict[int, int] = {}
    for i, block in enumerate(program.blocks):
        stores = list(_stores(block.code))
        begun = _begun(stores, program, anew=i == 0) if stores and _is_plain(stores, block.code) else None
        if stores and (begun is None or (found and begun != found)):
            return {}
        found = begun or found
    return {} if any(True for atomic in program.atomics for _ in _stores(atomic.body)) else found


def _stores(code: s.Code) -> Iterator[s.Store]:
    """What gives places numbers of tokens."""
    for statement in code:
        match statement:
            case s.Store("@tokens"):
                yield statement
            case s.If(_, then, orelse):
                yield from _stores(then)
                yield from _stores(orelse)
            case s.For(body=body) | s.Loop(body=body):
                yield from _stores(body)


def _is_plain(stores: list[s.Store], code: s.Code) -> bool:
    return sum(isinstance(st, s.Store) and st.field == "@tokens" for st in code) == len(stores)


def _begun(stores: list[s.Store], program: Program, *, anew: bool) -> dict[int, int] | None:
    """The sums of what is stored, which must be constant, and said of all places unless nothing lies
    anywhere yet (`anew`)."""
    lying: dict[tuple[int, int], int] = {}
    for store in stores:
        match store.index, store.value:
            case (e.Const(place), e.Const(face)), e.Const(number):
                lying[place, face] = number
            case _:
                return None
    places = [i for kind in program.world.kinds if kind.is_location for i in kind.ids]
    sums: dict[int, int] = {}
    for (_, face), number in lying.items():
        sums[face] = sums.get(face, 0) + number
    if not anew and any((place, face) not in lying for face in sums for place in places):
        return None
    return {face: number for face, number in sums.items() if number}
