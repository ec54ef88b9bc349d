"""Tokens: how many lie where, which face, and whether there are any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludex.backends.interpreter.memory import Fn
from ludex.backends.machine import Words
from ludex.typed import expr as e

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler


def tokens(c: Compiler, expr: e.TokenCount | e.TokenAt) -> Fn:
    piles, members, place, holders = c.piles, c.members, c.expr(expr.place), c.memory.holders
    if isinstance(expr, e.TokenAt):
        faces = members(expr.mask)
        if len(faces) == 1:
            (only,) = faces
            slot = holders + only
            return lambda w: only if w[slot] >> place(w) & 1 else 0
        slots = tuple((face, holders + face) for face in faces)

        def lowest(w: Words) -> int:
            at = place(w)
            for face, slot in slots:
                if w[slot] >> at & 1:
                    return face
            return 0

        return lowest
    if isinstance(expr.faces, e.Const):
        return _count(c, members(expr.faces.value), place)
    some, slot_of = c.expr(expr.faces), piles.token_slot

    def count(w: Words) -> int:
        mask, at = some(w), place(w)
        if not mask or not at:
            return 0
        if not mask & (mask - 1):  # one face, as of a kind that each player has one of
            return w[slot_of(at, mask.bit_length() - 1)]
        return sum([w[slot_of(at, face)] for face in members(mask)])

    return count


def _count(c: Compiler, faces: tuple[int, ...], place: Fn) -> Fn:
    """How many tokens of constant faces, which mostly are all of a kind and so lie side by side."""
    if not faces:
        return lambda w: 0
    slot, n = c.piles.token_slot, len(faces)
    if faces[-1] - faces[0] == n - 1:
        first = faces[0]
        if n == 1:
            return lambda w: w[slot(p, first)] if (p := place(w)) else 0
        return lambda w: sum(w[k : k + n]) if (p := place(w)) and (k := slot(p, first)) else 0
    return lambda w: sum([w[slot(p, face)] for face in faces]) if (p := place(w)) else 0


def holding(expr: e.Expr) -> tuple[e.Expr, e.Expr, bool] | None:
    """(place, faces, truth) of a test whether a place holds any tokens of some faces.

    `truth` is whether the test asks for some or for none.
    """
    if not (
        isinstance(expr, e.Comparison)
        and isinstance(expr.left, e.TokenCount)
        and isinstance(expr.right, e.Const)
    ):
        return None
    some = {
        ("gt", 0): True,
        ("ne", 0): True,
        ("ge", 1): True,
        ("eq", 0): False,
        ("le", 0): False,
        ("lt", 1): False,
    }
    truth = some.get((expr.op, expr.right.value))
    return None if truth is None else (expr.left.place, expr.left.faces, truth)


def holders(c: Compiler, faces: e.Expr) -> Fn:
    """The places that hold any tokens of some faces, as a mask."""
    first, members = c.memory.holders, c.members
    if isinstance(faces, e.Const):
        return union(tuple(first + face for face in members(faces.value)))
    some = c.expr(faces)

    def united(w: Words) -> int:
        mask = some(w)
        if mask and not mask & (mask - 1):  # one face, as of a kind that each player has one of
            return w[first + mask.bit_length() - 1]
        found = 0
        for face in members(mask):
            found |= w[first + face]
        return found

    return united


def holds(c: Compiler, where: e.Expr, faces: e.Expr, truth: bool) -> Fn:
    """Whether a place holds any (or none) of the tokens of some faces."""
    place, mask = c.expr(where), holders(c, faces)
    if truth:
        return lambda w: mask(w) >> place(w) & 1
    return lambda w: not mask(w) >> place(w) & 1


def union(words: tuple[int, ...]) -> Fn:
    """The union of the masks in some words."""
    if len(words) == 0:
        return lambda w: 0
    if len(words) == 1:
        (only,) = words
        return lambda w: w[only]
    if len(words) == 2:
        first, second = words
        return lambda w: w[first] | w[second]

    def united(w: Words) -> int:
        mask = 0
        for word in words:
            mask |= w[word]
        return mask

    return united
