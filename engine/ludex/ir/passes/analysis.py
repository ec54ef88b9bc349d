"""What an expression may do, and rewriting it: what passes share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from ludex.ir.program import ASKED, Function, Program
from ludex.ir.walk import alike, children, classes, nodes, rewrite
from ludex.node import replace
from ludex.typed import expr as e
from ludex.typed.types import EntityType

COMPARED: dict[e.CompareOp, Callable[[int, int], bool]] = {
    "eq": int.__eq__, "ne": int.__ne__,
    "lt": int.__lt__, "le": int.__le__, "gt": int.__gt__, "ge": int.__ge__,
}  # fmt: skip
"""What each comparison of words is."""

INLINE_NODES = 40
"""A function is inlined if its body, what it calls inlined, has no more nodes than this."""


def refuted(test: e.Expr) -> e.Expr:
    """That a test fails."""
    match test:
        case e.Comparison("ne"):
            return replace(test, op="eq")
        case e.Negation(operand):
            return operand
        case _:
            return e.Negation(test)


def total(expr: e.Expr) -> bool:
    """Whether evaluation can neither fault, nor cost ticks, nor leave anything changed."""
    match expr:
        case e.Const() | e.Var():
            return True
        case e.Load() | e.Lookup():
            return all(isinstance(i.type, EntityType) and total(i) for i in expr.index)
        case e.Comparison():
            return total(expr.left) and total(expr.right)
        case e.Negation():
            return total(expr.operand)
        case e.Junction():
            return all(total(part) for part in expr.operands)
        case e.Select():
            return total(expr.test) and total(expr.then) and total(expr.orelse)
        case e.SetOperation() | e.Subset():
            return total(expr.left) and total(expr.right)
        case e.Arithmetic():
            return (
                not expr.checked and expr.op not in ("div", "mod") and total(expr.left) and total(expr.right)
            )
        case e.InRange():
            return total(expr.element) and total(expr.lo) and total(expr.hi)
        case e.Membership():
            return total(expr.element) and total(expr.set)
        case e.Singleton():
            return isinstance(expr.element.type, EntityType) and total(expr.element)
        case e.Occupants() | e.TokenAt():
            return total(expr.place)
        case e.TokenCount():
            return total(expr.faces) and total(expr.place)
        case e.Size():
            return total(expr.set)
        case e.Having():
            return total(expr.value)
        case e.NextSeat():
            return total(expr.player) and total(expr.direction) and total(expr.steps)
        case _:
            return False


class Inliner:
    """Puts the bodies of small functions in place of their calls.

    Only where every argument is a constant, a variable, or looked up by such (the next
    player, too), so that what is evaluated
    more often, in another order, or not at all, is next to nothing; or where one is more than that, and
    evaluated once and first of what may fault all the same. Never a recursive function.
    """

    def __init__(self, program: Program) -> None:
        self._functions: dict[str, Function] = {f.name: f for f in program.functions}
        self._bodies: dict[str, tuple[e.Expr, int]] = {}

    def __call__(self, expr: e.Expr) -> e.Expr:
        return cast(e.Expr, rewrite(expr, self.call))

    def call(self, node: object) -> object | None:
        if not isinstance(node, e.Apply):
            return None
        function = self._functions[node.function]
        if function.recursive:
            return None
        body, size = self._body(function)
        if size > INLINE_NODES:
            return None
        more = [p for p, arg in zip(function.params, node.args, strict=True) if not _is_simple(arg)]
        if more and not (len(more) == 1 and total(body) and _once(body, more[0])):
            return None
        arguments = dict(zip(function.params, node.args, strict=True))
        return rewrite(body, lambda n: arguments.get(n.id) if isinstance(n, e.Var) else None)

    def _body(self, function: Function) -> tuple[e.Expr, int]:
        known = self._bodies.get(function.name)
        if known is None:
            body = self(function.body)
            known = self._bodies[function.name] = body, sum(1 for _ in nodes(body))
        return known


def _is_simple(argument: e.Expr) -> bool:
    parts: tuple[e.Expr, ...] = (argument,)
    if isinstance(argument, e.Lookup) and total(argument):
        parts = argument.index
    elif isinstance(argument, e.NextSeat):
        parts = argument.player, argument.direction, argument.steps
    return all(isinstance(part, e.Const | e.Var) for part in parts)


_STRICT = (
    e.Comparison, e.Negation, e.Arithmetic, e.Membership, e.Singleton, e.SetOperation, e.Size,
    e.Occupants, e.TokenCount, e.TokenAt, e.Lookup, e.Load, tuple,
)  # fmt: skip
"""Nodes that evaluate all their parts, once; and what holds such parts."""


def _once(expr: e.Expr, var: int) -> bool:
    """Whether a variable is read once, whatever the rest has for values."""
    read = [n for n in nodes(expr) if isinstance(n, e.Var) and n.id == var]
    return len(read) == 1 and _is_read(expr, var)


def _is_read(tree: object, var: int) -> bool:
    if isinstance(tree, e.Var):
        return tree.id == var
    if isinstance(tree, e.Lookup | e.Load) and tree.lifted:
        return False  # of none nothing is looked up
    return isinstance(tree, _STRICT) and any(_is_read(part, var) for part in children(tree))


def simplified(expr: e.Junction) -> e.Expr:
    """The same truth value, with neighbouring `x in A or x in B` made one test, constants dropped."""
    every = expr.op == "and"
    parts: list[e.Expr] = []
    for part in expr.operands:
        if isinstance(part, e.Const):
            if bool(part.value) != every:
                return part if not parts else e.Junction(expr.op, (*parts, part))
            continue
        last = parts[-1] if parts else None
        if (
            isinstance(part, e.Membership)
            and isinstance(last, e.Membership)
            and isinstance(part.set, e.Const)
            and isinstance(last.set, e.Const)
            and total(part.element)
            and alike(part.element, last.element)
        ):
            mask = last.set.value & part.set.value if every else last.set.value | part.set.value
            parts[-1] = e.Membership(part.element, e.Const(mask, last.set.type))
        else:
            parts.append(part)
    if len(parts) == 1:
        return parts[0]
    return e.Junction(expr.op, tuple(parts)) if parts else e.Const(int(every), expr.type)


def conjuncts(expr: e.Expr | None) -> list[e.Expr]:
    """The operands of nested `and`s, in order of evaluation."""
    if expr is None or (isinstance(expr, e.Const) and expr.value):
        return []
    if isinstance(expr, e.Junction) and expr.op == "and":
        return [part for operand in expr.operands for part in conjuncts(operand)]
    return [expr]


def inlined(program: Program) -> Program:
    """The program with small functions inlined wherever code is."""
    inline = Inliner(program)

    return rewritten(program, inline.call, e.Apply)


def rewritten(program: Program, change: Callable[[object], object | None], *of: type) -> Program:
    """The program with all its code rewritten; as `rewrite`, only where there are nodes of the classes `of`,
    if any are named."""
    parts = ("functions", "atomics", "blocks", *ASKED)
    made = {name: rewrite(getattr(program, name), change, classes(*of)) for name in parts}
    return replace(program, **cast(dict[str, Any], made))
