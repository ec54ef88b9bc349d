"""What the value of an expression may rest on, whatever the position: kinds of things, fields, places.

Worked out once for each expression of a program, so that `secrets` needs to look closer only at
those that rest on something which is hidden now.
"""

from __future__ import annotations

from collections.abc import Iterator

from ludex.ir.program import Program
from ludex.node import parts
from ludex.typed.expr import (
    Apply,
    Binding,
    Domain,
    Exists,
    Expr,
    FamilyDomain,
    Hypothetical,
    Load,
    Occupants,
    RangeDomain,
    SeatsDomain,
    Seen,
    SetDomain,
    TokenAt,
    TokenCount,
    Top,
    TopSet,
)
from ludex.typed.types import EntityType, SetType, Type

Source = tuple[str, str]
"""`field` and its name; `things` (pieces or cards) and their kind; `tokens` and the kind of the
places where they lie; `all`, for what is not taken apart."""

ALL: Source = ("all", "")
FIELD_ROLES = ("state", "control", "face")


class Sources:
    """The sources of the expressions of one program."""

    __slots__ = ("_bodies", "_children", "_found", "_kinds", "_program", "_roles")

    def __init__(self, program: Program) -> None:
        self._program = program
        self._roles = {f.name: f.role for f in program.layout.fields}
        self._kinds = tuple(k for k in program.world.kinds if k.is_movable)
        self._bodies = {f.name: f.body for f in program.functions}
        # By identity, which costs nothing; the expression is kept so that its identity is its own.
        self._found: dict[int, tuple[Expr, frozenset[Source]]] = {}
        self._children: dict[int, tuple[Expr, tuple[Expr, ...]]] = {}

    def of(self, expr: Expr) -> frozenset[Source]:
        """All that evaluating an expression may read of what can be hidden."""
        found = self._found.get(id(expr))
        if found is None:
            seen: set[str] = set()
            found = self._found[id(expr)] = (expr, frozenset(self._read(expr, seen)))
        return found[1]

    def children(self, expr: Expr) -> tuple[Expr, ...]:
        """The expressions directly within an expression."""
        found = self._children.get(id(expr))
        if found is None:
            found = self._children[id(expr)] = (expr, tuple(_children(expr)))
        return found[1]

    def _read(self, expr: Expr, called: set[str]) -> Iterator[Source]:
        """Bodies of functions are gone through once (`called`)."""
        stack = [expr]
        while stack:
            node = stack.pop()
            stack.extend(self.children(node))
            yield from self._own(node)
            if isinstance(node, Apply) and node.function not in called:
                called.add(node.function)
                stack.append(self._bodies[node.function])

    def _own(self, expr: Expr) -> Iterator[Source]:
        match expr:
            case Load(name, index):
                role = self._roles[name]
                if role == "place":
                    yield from self._of_kinds("things", index[0].type, [k.name for k in self._kinds])
                else:
                    yield ("field", name) if role in FIELD_ROLES else ALL
            case Occupants(_, mask):
                yield from (("things", k.name) for k in self._kinds if k.mask & mask)
            case Top() | TopSet():
                yield from (("things", k.name) for k in self._kinds)
            case TokenCount(_, place) | TokenAt(place):
                places = [k.name for k in self._program.world.kinds if k.is_location]
                yield from self._of_kinds("tokens", place.type, places)
            case Hypothetical() | Seen() | Exists():
                yield ALL
            case _:
                pass

    @staticmethod
    def _of_kinds(what: str, type: Type, every: list[str]) -> Iterator[Source]:
        """By the kinds of a type; by all of them, where it names none."""
        element = type.element if isinstance(type, SetType) else type
        kinds = element.kinds if isinstance(element, EntityType) else ()
        return ((what, kind) for kind in kinds or every)


def domain_parts(domain: Domain) -> tuple[Expr, ...]:
    match domain:
        case SetDomain(expr):
            return (expr,)
        case RangeDomain(lo, hi):
            return (lo, hi)
        case SeatsDomain(direction, start):
            return (direction, start)
        case FamilyDomain(family):
            return (family,)


def _children(expr: Expr) -> Iterator[Expr]:
    for name in parts(expr):
        value = getattr(expr, name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Binding):
                yield from domain_parts(item.domain)
            elif isinstance(item, Expr):
                yield item
