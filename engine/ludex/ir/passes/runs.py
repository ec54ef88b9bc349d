"""How long a run of `longest` can be at most, read off what its actions use up.

Where each action of a run takes something from a field that none of them gives to (dice that
are left, say), a run has at most as many actions as the field has in all, since no element may
go below 0. Whoever looks for a longest run may stop at one of that length.
"""

from __future__ import annotations

from ludex.ir import code as s
from ludex.ir.layout import Dimension, Field
from ludex.ir.program import Decide, Program
from ludex.ir.walk import alike, nodes
from ludex.typed import expr as e
from ludex.typed.types import INT_MAX, EntityType, IntType, Type

MOST_ELEMENTS = 64
"""Fields with more are not added up."""


def most_in_run(program: Program, decide: Decide) -> e.Expr | None:
    """A bound of the length of a run from the present position; None if none is known.

    It can neither fault nor cost ticks.
    """
    bodies = {atomic.name: atomic.body for atomic in program.atomics}
    effects = [bodies[name] for name in decide.effects if name]
    if not effects:
        return None
    for field in program.layout.fields:
        if _adds_up(field) and all(_uses_up(field.name, effect, bodies) for effect in effects):
            total = _sum(field)
            return total if all(decide.effects) else _plus(total, _number(1), field)
    return None


def _adds_up(field: Field) -> bool:
    """Whether a field has few numbers, none below 0."""
    return (
        field.role == "state"
        and isinstance(field.type, IntType)
        and field.lo >= 0
        and field.size <= MOST_ELEMENTS
        and field.hi * (field.size + 1) <= INT_MAX
    )


def _uses_up(name: str, effect: s.Code, bodies: dict[str, s.Code]) -> bool:
    """Whether code takes at least 1 from an element of a field, and adds to none."""
    return _surely_takes(name, effect, bodies, frozenset()) and all(
        _taken(store) > 0 for store in _stores(effect, bodies, set()) if store.field == name
    )


def _surely_takes(name: str, code: s.Code, bodies: dict[str, s.Code], around: frozenset[str]) -> bool:
    """Whether a statement does so that is always done."""
    for statement in code:
        match statement:
            case s.Store(field) if field == name and _taken(statement) > 0:
                return True
            case s.RunAtomic(procedure) if procedure not in around:
                if _surely_takes(name, bodies[procedure], bodies, around | {procedure}):
                    return True
    return False


def _stores(code: s.Code, bodies: dict[str, s.Code], seen: set[str]) -> list[s.Store]:
    """All that code may store, procedures that it runs included."""
    found: list[s.Store] = []
    for node in nodes(code):
        match node:
            case s.Store():
                found.append(node)
            case s.RunAtomic(procedure) if procedure not in seen:
                seen.add(procedure)
                found.extend(_stores(bodies[procedure], bodies, seen))
    return found


def _taken(store: s.Store) -> int:
    """How much a store takes from what was there; 0 if that is not sure."""
    match store.value:
        case e.Arithmetic("sub", e.Load(field, index), e.Const(number)) if (
            field == store.field and alike(index, store.index)
        ):
            return number
        case _:
            return 0


def _plus(left: e.Expr, right: e.Expr, field: Field) -> e.Expr:
    return e.Arithmetic("add", left, right, IntType(0, field.hi * (field.size + 1)), -1, False)


def _number(value: int) -> e.Const:
    return e.Const(value, IntType(value, value))


def _sum(field: Field) -> e.Expr:
    """All elements of a field, added up."""
    total: e.Expr | None = None
    for index in _indices(field.dims):
        element = e.Load(field.name, index, field.type, -1)
        total = element if total is None else _plus(total, element, field)
    return total if total is not None else _number(0)


def _indices(dims: tuple[Dimension, ...]) -> list[tuple[e.Expr, ...]]:
    found: list[tuple[e.Expr, ...]] = [()]
    for dim in dims:
        found = [
            (*before, e.Const(i, _index_type(dim)))
            for before in found
            for i in range(dim.base, dim.base + dim.size)
        ]
    return found


def _index_type(dim: Dimension) -> Type:
    if dim.kind is None:
        return IntType(dim.base, dim.base + dim.size - 1)
    return EntityType((dim.kind,))
