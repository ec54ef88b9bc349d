"""Conservation: tokens are moved about and none is ever made or lost, so all are somewhere.

`count(man of me at home(me)) + count(man of me at tray(me)) == 15` asks, of fifteen men, whether any is
elsewhere: what holds some is a set that back ends keep up.
"""

from __future__ import annotations

from typing import cast

from ludex.ir.passes.analysis import rewritten
from ludex.ir.passes.facts import Facts
from ludex.ir.passes.presence import one_face
from ludex.ir.program import Program
from ludex.ir.tokens import numbers_of_tokens
from ludex.ir.walk import alike, reads
from ludex.typed import expr as e
from ludex.typed.types import EntityType, SetType


class Conservation:
    """Rewrites comparisons of how many tokens lie somewhere with how many there are."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._facts = Facts(program)
        self._numbers = numbers_of_tokens(program)
        names = tuple(kind.name for kind in program.world.kinds if kind.is_location)
        self._anywhere = SetType(EntityType(names))

    def change(self, node: object) -> object | None:
        """For `rewrite`."""
        match node:
            case e.Comparison("eq" | "ge", e.Arithmetic() | e.Fold() as total, e.Const(number)):
                return self._all_there(total, number)
        return None

    def _all_there(self, total: e.Expr, number: int) -> e.Expr | None:
        """That all tokens of a face lie in some places, each of which is counted once."""
        counts = _terms(total)
        if counts is None or all(isinstance(count, e.TokenCount) for count in counts):
            return None  # numbers that are looked up are as quick
        places: e.Expr = e.Const(0, self._anywhere)
        face: e.Expr | None = None
        seen = 0
        for count in counts:
            here = self._places(count)
            if here is None:
                return None
            own, where, mask = here
            if seen & mask or (face is not None and not alike(own, face)):
                return None
            face, seen = own, seen | mask
            places = e.SetOperation("union", places, where, self._anywhere)
        if face is None or not self._has_so_many(face, number):
            return None
        elsewhere = e.SetOperation("diff", e.HoldersOf(face, self._anywhere), places, self._anywhere)
        nowhere = e.Comparison("eq", elsewhere, e.Const(0, self._anywhere))
        if isinstance(face.type, EntityType) and face.type.optional:
            return e.Junction("and", (e.Comparison("ne", face, e.Const(0, face.type)), nowhere))
        return nowhere

    def _places(self, count: e.Expr) -> tuple[e.Expr, e.Expr, int] | None:
        """(the face that is counted, the places where it is, all places where that may be)."""
        match count:
            case e.TokenCount(faces, place) if self._facts.total(place):
                where: e.Expr = e.Singleton(place, SetType(cast(EntityType, place.type)))
            case e.Fold("sum", (e.Binding(var, e.SetDomain(where)),), None, e.TokenCount(faces, e.Var(id_))):
                if var != id_ or var in reads(faces) or not self._facts.total(where):
                    return None
            case _:
                return None
        kinds = where.type.element if isinstance(where.type, SetType) else None
        face = one_face(faces)
        if face is None or not self._facts.total(face) or not isinstance(kinds, EntityType):
            return None
        return face, where, sum(self._program.world.kind(name).mask for name in kinds.kinds)

    def _has_so_many(self, face: e.Expr, number: int) -> bool:
        """Whether there are so many tokens of whichever face that is."""
        if not isinstance(face.type, EntityType) or not face.type.kinds:
            return False
        ids = (i for name in face.type.kinds for i in self._program.world.kind(name).ids)
        return number > 0 and all(self._numbers.get(i) == number for i in ids)


def _terms(total: e.Expr) -> list[e.Expr] | None:
    """What is added up."""
    match total:
        case e.Arithmetic("add", left, right):
            a, b = _terms(left), _terms(right)
            return None if a is None or b is None else a + b
        case e.TokenCount() | e.Fold():
            return [total]
        case _:
            return None


def conserved(program: Program) -> Program:
    """The program with the question whether all tokens are somewhere asked of where some are."""
    return rewritten(program, Conservation(program).change, e.TokenCount)
