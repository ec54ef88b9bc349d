"""Comparisons that ask whether there is anything, or nothing."""

from __future__ import annotations

from collections.abc import Callable

from ludex.typed import expr as e

PRESENCE = {
    ("gt", 0): True, ("ne", 0): True, ("ge", 1): True, ("eq", 0): False, ("le", 0): False, ("lt", 1): False,
}  # fmt: skip
"""Comparisons of a number that ask whether there are any, or none."""


def presence(test: e.Comparison, var: int) -> tuple[int, bool]:
    """(what is asked for, whether some or none) of a test whether the variable holds anything.

    Nothing is asked for by other tests.
    """

    def is_own(place: e.Expr) -> bool:
        return isinstance(place, e.Var) and place.id == var

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
