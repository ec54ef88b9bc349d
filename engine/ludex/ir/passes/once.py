"""Once: a set of which a condition asks first whether it has any, and that is then used, is computed once.

`if captured is not empty then for each c in captured: ...`: what the name stands for is put in a variable
ahead of the condition, and is used as long as nothing that it depends on is written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from ludex.ir import code as s
from ludex.ir.passes.facts import Facts, Variables
from ludex.ir.passes.known import changed_by
from ludex.ir.program import Program
from ludex.ir.reads import reads as fields_read
from ludex.ir.walk import binds, classes, nodes, reads, rewrite, same
from ludex.node import replace
from ludex.typed import expr as e
from ludex.typed.types import BOOL, EntityType, SetType

Change = Callable[[object], object | None]

_UNNAMED = e.Var(-1, BOOL)


class Once:
    """Rewrites code; `variables` grows with what is computed ahead."""

    def __init__(self, program: Program) -> None:
        self._facts = Facts(program)
        self._functions = {f.name: f for f in program.functions}
        self.variables = Variables(program)

    def code(self, statements: s.Code) -> s.Code:
        made: list[s.Stmt] = []
        for statement in statements:
            match statement:
                case s.If(_, then, orelse):
                    made.extend(self._if(replace(statement, then=self.code(then), orelse=self.code(orelse))))
                case s.For(body=body) | s.Loop(body=body):
                    made.append(replace(statement, body=self.code(body)))
                case _:
                    made.append(statement)
        return tuple(made)

    def _if(self, statement: s.If) -> tuple[s.Stmt, ...]:
        first = _asked_first(statement.test)
        if first is None:
            return (statement,)
        found = next((n for n in nodes(statement, classes(e.Fold)) if _is_set_of(first, n)), None)
        if not isinstance(found, e.Fold) or not _free(found).isdisjoint(binds(statement)):
            return (statement,)  # it may stand for another set there
        if not self._facts.total(found) or not self._facts.self_reliant(found):
            return (statement,)
        if sum(n == _UNNAMED for n in nodes(self._with(statement, found, _UNNAMED))) < 2:
            return (statement,)  # nothing is spared
        own = e.Var(self.variables.new("once", found.type), found.type)
        return s.SetVar(own.id, found), self._with(statement, found, own)

    def _with(self, statement: s.If, found: e.Fold, own: e.Var) -> s.If:
        """The statement with a set in a variable."""

        def change(node: object) -> object | None:
            match node:
                case e.Hypothetical():
                    return node  # another position
                case e.Fold("any") if _same_loop(found, node):
                    return e.Comparison("ne", own, e.Const(0, found.type))
                case e.Fold("set") if _same_loop(found, node) and node.type == found.type:
                    return own
                case _:
                    return None

        test = cast(e.Expr, rewrite(statement.test, change))
        return replace(statement, test=test, then=self._used(statement.then, found, change))

    def _used(self, statements: s.Code, found: e.Fold, change: Change) -> s.Code:
        """The statements with the set in a variable, up to the one that writes what it depends on."""
        fields, variables = fields_read(found, self._functions), _free(found)
        made: list[s.Stmt] = []
        for i, statement in enumerate(statements):
            written = changed_by(statement)
            if written is None or not fields.isdisjoint(written[0]) or not variables.isdisjoint(written[1]):
                if isinstance(statement, s.For):  # what it goes through is fixed before
                    statement = replace(statement, domain=cast(e.Domain, rewrite(statement.domain, change)))
                return (*made, statement, *statements[i + 1 :])
            made.append(cast(s.Stmt, rewrite(statement, change)))
        return tuple(made)


def _asked_first(test: e.Expr) -> e.Fold | None:
    """What is evaluated first, in any case, if that is whether there is any of a set that is narrowed."""
    match test:
        case e.Junction(_, (first, *_)) | e.Negation(first):
            return _asked_first(first)
        case e.Fold("any", (e.Binding(_, e.SetDomain(set_)),)) if _condition(test) is not None:
            assert isinstance(set_.type, SetType)
            element = set_.type.element
            return test if isinstance(element, EntityType) and not element.optional else None
        case _:
            return None


def _same_loop(one: e.Fold, other: e.Fold) -> bool:
    """Whether two aggregates go through the same things under the same condition."""
    asked, again = _condition(one), _condition(other)
    if asked is None or again is None or _free(one) != _free(other):
        return False
    return same((one.bindings, asked), (other.bindings, again), {})


def _free(tree: e.Expr) -> frozenset[int]:
    """The variables that it reads and does not bind."""
    return reads(tree) - binds(tree)


def _condition(fold: e.Fold) -> e.Expr | None:
    """What is asked of each thing that is gone through, if it says no more; else None."""
    if fold.kind == "any" and (fold.value is None or fold.guard is None):
        return fold.guard or fold.value
    itself = fold.value is None or fold.value == e.Var(fold.bindings[-1].var, fold.value.type)
    return fold.guard if fold.kind == "set" and itself else None


def _is_set_of(first: e.Fold, node: object) -> bool:
    """Whether a node is the set of what is asked for."""
    if not isinstance(node, e.Fold) or node.kind != "set" or not _same_loop(first, node):
        return False
    element = node.type.element if isinstance(node.type, SetType) else None
    return isinstance(element, EntityType) and not element.optional


def once(program: Program) -> Program:
    """The program with such sets computed ahead of the conditions that ask for them."""
    made = Once(program)
    atomics = tuple(replace(a, body=made.code(a.body)) for a in program.atomics)
    blocks = tuple(replace(b, code=made.code(b.code)) for b in program.blocks)
    return made.variables.added_to(replace(program, atomics=atomics, blocks=blocks))
