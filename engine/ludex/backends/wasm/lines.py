"""Whether a set has all of some line: of constant lines by shifting the set over itself.

Lines that are one pattern moved about (a row of four, wherever it begins) are tested together: bit
x of `S & S >> 1 & S >> 2 & S >> 3` says whether S has x, x + 1, x + 2 and x + 3.
"""

from __future__ import annotations

from itertools import pairwise

from ludex.backends.wasm.asm import Ex, const
from ludex.backends.wasm.emitter import Unit
from ludex.backends.wasm.shapes import Shape, Words, reshaped
from ludex.typed import expr as e
from ludex.typed.types import SetType

Pattern = tuple[int, ...]
"""How far the elements of a line are from its least, ascending, 0 first."""


def any_within(u: Unit, fold: e.Fold) -> Ex | None:
    """Of `any(line within S for line in family)` the value, where shifts are fewer steps than lines."""
    match fold:
        case e.Fold("any", (e.Binding(var, e.FamilyDomain(e.FamilyLookup(name, index))),), None, value):
            pass
        case _:
            return None
    match value:
        case e.Subset(e.Var(id_), set_) if id_ == var:
            pass
        case _:
            return None
    from ludex.backends.wasm import sets
    from ludex.ir.walk import reads

    if index or var in reads(set_) or not isinstance(set_.type, SetType):
        return None
    family = u.c.tables[name].families[0]
    type_ = u.c.variables[var].type
    if not isinstance(type_, SetType) or not all(family):
        return None
    shape = u.plan.shape(type_)
    starts = _grouped(family)
    if sum(map(_steps, starts)) > len(family):
        return None
    whole = u.kept(reshaped(sets.words(u, set_), shape))
    found = const(0, "i64")
    for pattern, mask in starts.items():
        runs = _runs(u, whole, pattern)
        for word, start in zip(runs, shape.words(mask), strict=True):
            if start.constant != 0:
                found = found | (word & start)
    return found.compare("ne", 0)


def _grouped(family: tuple[int, ...]) -> dict[Pattern, int]:
    """For each pattern the elements where a line of it begins."""
    starts: dict[Pattern, int] = {}
    for line in family:
        low = (line & -line).bit_length() - 1
        pattern = tuple(i for i in range((line >> low).bit_length()) if line >> low + i & 1)
        starts[pattern] = starts.get(pattern, 0) | 1 << low
    return starts


def _steps(pattern: Pattern) -> int:
    """How often a set is shifted over itself for a pattern."""
    far = len(pattern) - 1
    return far.bit_length() if _is_even(pattern) else far


def _is_even(pattern: Pattern) -> bool:
    """Whether all elements are equally far from the next."""
    return len({b - a for a, b in pairwise(pattern)}) <= 1


def _runs(u: Unit, words: Words, pattern: Pattern) -> tuple[Ex, ...]:
    """The elements from which the set has all of a pattern."""
    made, here = words, 1
    step = pattern[1] if len(pattern) > 1 else 0
    if _is_even(pattern):
        while here < len(pattern):
            # runs of `here` elements, and runs that end with the pattern, overlap as they may
            far = min(here, len(pattern) - here)
            made = _both(u, made, _shifted(made, far * step))
            here += far
    else:
        for offset in pattern[1:]:
            made = _both(u, made, _shifted(words, offset))
    return made.words


def _both(u: Unit, a: Words, b: Words) -> Words:
    return u.kept(Words(a.shape, tuple(x & y for x, y in zip(a.words, b.words, strict=True))))


def _shifted(words: Words, by: int) -> Words:
    """The set with each element made less by so much."""
    return Words(words.shape, reshaped(words, Shape(words.shape.base + by, words.shape.size)).words)


def shifted(u: Unit, expr: e.Shifted, shape: Shape) -> Words:
    """One word turned round: of what comes round its end nothing is asked for."""
    from ludex.backends.wasm import sets, values

    f = u.f
    source = sets.words(u, expr.set)
    (word,), (wanted,) = source.words, reshaped(sets.words(u, expr.within), shape).words
    by = f.keep(values.value(u, expr.by) + (source.shape.base - shape.base))
    return u.kept(Words(shape, (word.rotl(by.extend()) & wanted,)))
