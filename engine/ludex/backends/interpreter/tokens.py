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
    some = c.expr(expr.faces)

    def count(w: Words) -> int:
        mask, at = some(w), place(w)
        return sum([w[piles.token_slot(at, face)] for face in members(mask)]) if at else 0

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


def holding(c: Compiler, expr: e.Expr) -> tuple[e.Expr, tuple[int, ...], bool] | None:
    """(place, words, truth) of a test whether a place holds any tokens of constant faces.

    The words are those of `holders`; `truth` is whether the test asks for some or for none.
    """
    if not (
        isinstance(expr, e.Comparison)
        and isinstance(expr.left, e.TokenCount)
        and isinstance(expr.left.faces, e.Const)
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
    if truth is None:
        return None
    words = tuple(c.memory.holders + face for face in c.members(expr.left.faces.value))
    return expr.left.place, words, truth


def holds(c: Compiler, where: e.Expr, words: tuple[int, ...], truth: bool) -> Fn:
    """Whether a place holds any (or none) of the tokens that words of `holders` are about."""
    place, mask = c.expr(where), union(words)
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
