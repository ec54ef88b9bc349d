"""Emptiness: whether a set has elements, or something can be counted, is asked without it.

`jumps(s) is not empty` looks for a first jump; `count(m in man where P) > 0` for a first man.
Only of what can neither fault nor cost ticks, as the search stops earlier.
"""

from __future__ import annotations

from ludex.ir.passes.analysis import conjuncts, rewritten
from ludex.ir.passes.facts import Facts
from ludex.ir.passes.presence import PRESENCE
from ludex.ir.program import Program
from ludex.ir.walk import classes, inside, reads
from ludex.node import replace
from ludex.typed import expr as e
from ludex.typed.types import BOOL, EntityType, SetType, Type

CHANGED = classes(e.Negation, e.Fold, e.Comparison)


class Emptiness:
    """Rewrites comparisons with nothing."""

    def __init__(self, program: Program) -> None:
        self._facts = Facts(program)
        self._world = program.world

    def change(self, node: object) -> object | None:
        """For `rewrite`."""
        if isinstance(node, e.Negation):
            return negated(inside(node, self.change, CHANGED).operand)
        if isinstance(node, e.Fold) and node.kind == "any":
            return self._any(inside(node, self.change, CHANGED))
        if not isinstance(node, e.Comparison):
            return None
        node = inside(node, self.change, CHANGED)
        if not isinstance(node.right, e.Const):
            return node
        asked: bool | None = None
        found: e.Expr | None = None
        if isinstance(node.left.type, SetType):
            if node.op in ("eq", "ne") and node.right.value == 0:
                asked, found = node.op == "ne", self._some(node.left)
        else:
            asked, found = PRESENCE.get((node.op, node.right.value)), self._counted(node.left)
        if asked is None or found is None:
            return node
        return found if asked else negated(found)

    def _any(self, fold: e.Fold) -> e.Expr:
        """A last loop whose variable nothing asks for: whether there is anything to go through."""
        *others, last = fold.bindings
        domain = last.domain
        if last.var in reads((fold.guard, fold.value)) or not isinstance(domain, e.SetDomain):
            return fold
        tests = [*conjuncts(fold.guard), *conjuncts(fold.value), self._asked(domain.set)]
        if not all(map(self._facts.total, tests)):
            return fold
        test = tests[0] if len(tests) == 1 else e.Junction("and", tuple(tests))
        return replace(fold, bindings=tuple(others), guard=None, value=test) if others else test

    def _counted(self, number: e.Expr) -> e.Expr | None:
        if isinstance(number, e.Size):
            return self._some(number.set)
        if isinstance(number, e.Fold) and number.kind == "count" and self._facts.total(number):
            return replace(number, kind="any", value=None, type=BOOL)
        if isinstance(number, e.Fold) and number.kind == "sum" and self._facts.total(number):
            return replace(number, kind="any", value=_some_of(number.value), type=BOOL)  # of tokens
        return None

    def _some(self, set_: e.Expr) -> e.Expr | None:
        """Whether a set has an element; None where that is best asked of the set itself."""
        if not self._facts.total(set_):
            return None
        match set_:
            case e.Fold("set", bindings=bindings, value=value):
                element = e.Var(bindings[-1].var, _element(set_)) if value is None else value
                present = None  # none is no element
                if _may_be_none(element.type):
                    present = e.Comparison("ne", element, e.Const(0, element.type))
                return replace(set_, kind="any", value=present, type=BOOL)
            case e.Fold("union", value=value) if value is not None:
                return replace(set_, kind="any", value=self._asked(value), type=BOOL)
            case e.SetOperation("union", left, right):
                return e.Junction("or", (self._asked(left), self._asked(right)))
            case e.SetOperation("inter", e.Singleton(element, keep_none=False), others) | e.SetOperation(
                "inter", others, e.Singleton(element, keep_none=False)
            ) if not (_may_be_none(element.type) and _may_be_none(_element(others))):
                return e.Membership(element, others)
            case e.SetOperation("inter", left, e.SetOperation("diff", e.Const(whole), right)) if (
                isinstance(left, e.Var) and self._is_whole(left.type, whole)
            ):
                return e.Negation(e.Subset(left, right))
            case e.Select(test, then, orelse):
                return e.Select(test, self._asked(then), self._asked(orelse), BOOL)
            case _:
                return None

    def _is_whole(self, type_: Type, mask: int) -> bool:
        """Whether a mask has all that sets of a type can have."""
        element = type_.element if isinstance(type_, SetType) else None
        return isinstance(element, EntityType) and all(
            not self._world.kind(name).mask & ~mask for name in element.kinds
        )

    def _asked(self, set_: e.Expr) -> e.Expr:
        found = self._some(set_)
        return e.Comparison("ne", set_, e.Const(0, set_.type)) if found is None else found


def _some_of(number: e.Expr | None) -> e.Expr:
    assert number is not None
    return e.Comparison("gt", number, e.Const(0, number.type))


def _element(set_: e.Expr) -> Type:
    assert isinstance(set_.type, SetType)
    return set_.type.element


def _may_be_none(type_: Type) -> bool:
    return isinstance(type_, EntityType) and type_.optional


def negated(test: e.Expr) -> e.Expr:
    return test.operand if isinstance(test, e.Negation) else e.Negation(test)


def emptied(program: Program) -> Program:
    """The program with its questions for nothing asked of the first that is found."""
    return rewritten(program, Emptiness(program).change, e.Negation, e.Fold, e.Comparison)
