"""The stack of snapshots: the state and what is derived from it, for hypothetical positions."""

from __future__ import annotations

from ludex.backends.wasm import asm
from ludex.backends.wasm.asm import const
from ludex.backends.wasm.emitter import Unit
from ludex.backends.wasm.plan import STATE


def keep(u: Unit, *, records: bool = False) -> None:
    """Puts the position on the stack; `records`: also those of earlier positions, which nothing
    that is only tried can change."""
    f, c = u.f, u.c
    with f.when(c.stack.compare("gt_u", u.plan.options - u.plan.snapshot)):
        u.fault("depth", -1)
    for at, size in _regions(u, records):
        f.do((*(c.stack + (at - STATE)).ops, *const(at).ops, *const(size).ops, ("memory.copy",)))
    f.do(asm.set_global(c.stack, c.stack + u.plan.snapshot))


def recall(u: Unit, *, records: bool = False) -> None:
    """Back to the position that was put there last, which stays there."""
    top = u.c.stack - u.plan.snapshot
    for at, size in _regions(u, records):
        u.f.do((*const(at).ops, *(top + (at - STATE)).ops, *const(size).ops, ("memory.copy",)))


def drop(u: Unit) -> None:
    u.f.do(asm.set_global(u.c.stack, u.c.stack - u.plan.snapshot))


def _regions(u: Unit, records: bool) -> list[tuple[int, int]]:
    """(address, bytes) of what is copied."""
    plan = u.plan
    fixed, trails = 4 * plan.program.layout.words, 4 * plan.saved
    if records or fixed == trails:
        return [(STATE, (plan.derived_end if records else plan.tried_end) - STATE)]
    return [(STATE, fixed), (plan.derived, plan.tried_end - plan.derived)]
