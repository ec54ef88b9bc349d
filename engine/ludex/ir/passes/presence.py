"""Comparisons that ask whether there is anything somewhere, or nothing, or so many tokens at least; the
places of which they hold, as sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ludex.ir.program import Program
from ludex.ir.walk import reads
from ludex.typed import expr as e
from ludex.typed.types import EntityType, SetType

if TYPE_CHECKING:
    from ludex.ir.passes.conditions import Conditions

FEW_FACES = 4
"""Sets of the places that hold each of so many faces are united."""

MANY = 64
"""Of up to so many tokens sets of the places that hold as many are kept."""

PRESENCE = {
    ("gt", 0): True, ("ne", 0): True, ("ge", 1): True, ("eq", 0): False, ("le", 0): False, ("lt", 1): False,
}  # fmt: skip
"""Comparisons of a number that ask whether there are any, or none."""


def presence(test: e.Comparison, is_own: Callable[[e.Expr], bool]) -> tuple[int, bool]:
    """(what is asked for, whether some or none) of a test whether a location holds anything.

    Nothing is asked for by other tests.
    """

    left, right = test.left, test.right
    if not isinstance(right, e.Const):
        return 0, False
    if isinstance(left, e.Occupants) and is_own(left.place) and right.value == 0 and test.op in ("eq", "ne"):
        return left.mask, test.op == "ne"
    counted = 0
    if isinstance(left, e.TokenCount) and is_own(left.place) and isinstance(left.faces, e.Const):
        counted = left.faces.value
    elif isinstance(left, e.Size) and isinstance(left.set, e.Occupants) and is_own(left.set.place):
        counted = left.set.mask
    elif isinstance(left, e.Size) and isinstance(left.set, e.Singleton):
        counted = _occupants_asked(left.set.element, is_own)
    elif isinstance(left, e.Pick) and right.value == 0 and test.op in ("eq", "ne"):
        return _occupants_asked(left, is_own), test.op == "ne"
    elif isinstance(left, e.TokenAt) and is_own(left.place) and right.value == 0 and test.op in ("eq", "ne"):
        return left.mask, test.op == "ne"
    asked = PRESENCE.get((test.op, right.value))
    return (counted, asked) if asked is not None else (0, False)


def _occupants_asked(first: e.Expr, is_own: Callable[[e.Expr], bool]) -> int:
    """The things of which the first at the location is asked for; 0 for none."""
    if isinstance(first, e.Pick) and first.how == "first" and isinstance(first.set, e.Occupants):
        return first.set.mask if is_own(first.set.place) else 0
    return 0


def holding(c: Conditions, var: int, type_: SetType, test: e.Comparison) -> e.Expr | None:
    """The values of a variable for which a location holds any of some things, or so many tokens: the
    variable itself, or what a table has for it."""
    assert isinstance(type_.element, EntityType)
    mask, some = presence(test, lambda place: isinstance(place, e.Var) and place.id == var)
    if mask and held_whole(c.program, mask):
        held = e.SetOperation("inter", e.Holders(mask, type_), e.Const(c.whole(type_), type_), type_)
        return held if some else c.without(held, type_)
    if mask:
        return None
    if isinstance(test.left, e.TokenCount):
        found = _of_several(c, var, type_, test.left, test)
        if found is not None:
            return found
        if not isinstance(test.left.faces, e.Const):
            return _holding_computed(c, var, type_, test, test.left.faces)
    return _holding_led_to(c, var, type_, test)


def _holding_led_to(c: Conditions, var: int, type_: SetType, test: e.Comparison) -> e.Expr | None:
    """The same of what a table has."""
    place = _asked(test.left)
    if not isinstance(place, e.Lookup) or not isinstance(place.type, EntityType):
        return None
    mask, some = presence(test, lambda asked: asked is place)
    if mask == 0 or not held_whole(c.program, mask):
        return None
    found = c.member(var, type_, place, e.Holders(mask, SetType(EntityType(place.type.kinds))))
    return found if found is None or some else c.without(found, type_)


def _asked(what: e.Expr) -> e.Expr | None:
    """The place of which it is asked what lies there."""
    match what:
        case e.Occupants(place) | e.TokenAt(place) | e.TokenCount(place=place):
            return place
        case e.Pick(set=inner) | e.Size(inner) | e.Singleton(inner):
            return _asked(inner)
        case _:
            return None


def _holding_computed(
    c: Conditions, var: int, type_: SetType, test: e.Comparison, faces: e.Expr
) -> e.Expr | None:
    """The same of tokens whose faces are computed, if there are few of them."""
    assert isinstance(test.left, e.TokenCount) and isinstance(faces.type, SetType)
    if var in reads(faces) or not c.facts.total(faces) or not isinstance(test.right, e.Const):
        return None
    if not (isinstance(test.left.place, e.Var) and test.left.place.id == var):
        return None
    asked = PRESENCE.get((test.op, test.right.value))
    kinds = faces.type.element
    if asked is None or not isinstance(kinds, EntityType):
        return None
    ids = [i for name in kinds.kinds for i in c.program.world.kind(name).ids]
    nothing = e.Const(0, type_)
    made: e.Expr = nothing
    if isinstance(faces, e.Singleton):
        made, ids = e.HoldersOf(faces.element, type_), []
    if len(ids) > FEW_FACES:
        return None
    for i in ids:
        test_ = e.Membership(e.Const(i, kinds), faces)
        part = e.Select(test_, e.Holders(1 << i, type_), nothing, type_)
        made = part if made is nothing else e.SetOperation("union", made, part, type_)
    held = e.SetOperation("inter", made, e.Const(c.whole(type_), type_), type_)
    return held if asked else c.without(held, type_)


def _of_several(
    c: Conditions, var: int, type_: SetType, count: e.TokenCount, test: e.Comparison
) -> e.Expr | None:
    """Where lie so many tokens of one face, or fewer."""
    face = one_face(count.faces)
    if face is None or not isinstance(test.right, e.Const) or not isinstance(count.place.type, EntityType):
        return None
    least = test.right.value + (test.op in ("gt", "le"))
    if test.op not in ("ge", "gt", "lt", "le") or not 1 <= least <= MANY:
        return None
    if isinstance(count.place, e.Var) and least == 1:
        return None  # that is kept in any case
    places = SetType(EntityType(count.place.type.kinds))
    found = c.member(var, type_, count.place, e.HoldersOf(face, places, least))
    return found if found is None or test.op in ("ge", "gt") else c.without(found, type_)


def one_face(faces: e.Expr) -> e.Expr | None:
    """The face, of a set of one that may be none."""
    match faces:
        case e.Singleton(face, keep_none=False):
            return face
        case e.Const(mask, SetType(kinds)) if mask.bit_count() == 1:
            return e.Const(mask.bit_length() - 1, kinds)
        case _:
            return None


def held_whole(program: Program, mask: int) -> bool:
    """Whether a mask is made of groups of movables, or of faces of tokens."""
    for kind in program.world.kinds:
        here = mask & kind.mask
        mask &= ~kind.mask
        in_part = not kind.is_movable or any(0 != here & group != group for group in kind.groups)
        if here and kind.category != "token" and in_part:
            return False
    return True
