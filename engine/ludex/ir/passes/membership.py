"""Membership lowering: whether something is in a set is asked without building the set.

`x in union(S(y) for y in Y)` asks each S(y), up to the first that has it; `x in sights(s, D)`
looks whether anything stands between. Only where evaluating the set can neither fault nor
cost ticks.
"""

from __future__ import annotations

from typing import cast

from ludex.ir.passes.analysis import rewritten
from ludex.ir.passes.facts import Facts, Variables
from ludex.ir.program import Function, Program
from ludex.ir.walk import binds, nodes, rewrite
from ludex.node import replace
from ludex.typed import expr as e
from ludex.typed.tables import Table
from ludex.typed.types import BOOL, EntityType, SetType


class Lowering:
    """Rewrites tests of membership; `tables` and `functions` grow with what they need."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._facts = Facts(program)
        self.variables = Variables(program)
        self.tables: dict[str, Table] = {t.name: t for t in program.tables}
        self.functions: dict[str, Function] = {f.name: f for f in program.functions}
        self._asked: dict[tuple[str, tuple[str, ...], bool], str] = {}
        movables = sum(k.mask for k in program.world.kinds if k.is_movable or k.category == "token")
        self._things = movables

    def change(self, node: object) -> object | None:
        """For `rewrite`."""
        match node:
            case e.Region(var=var, guard=e.Membership(e.Var(id_) as own, set_)) if var == id_:
                # what a flood may go through stays a set
                starts, within = (cast(e.Expr, rewrite(x, self.change)) for x in (node.starts, set_))
                return replace(node, starts=starts, guard=e.Membership(own, within))
            case e.Membership():
                pass
            case _:
                return None
        element = cast(e.Expr, rewrite(node.element, self.change))
        set_ = cast(e.Expr, rewrite(node.set, self.change))
        if isinstance(element, e.Var | e.Const) and self._facts.total(set_) and _is_built(set_):
            return self._inside(element, set_)
        return e.Membership(element, set_)

    def _inside(self, x: e.Var | e.Const, set_: e.Expr) -> e.Expr:
        """Whether x is in a set that is evaluated without fault."""
        plain = isinstance(x.type, EntityType) and not x.type.optional
        match set_:
            case e.Select(test, then, orelse):
                return e.Select(test, self._inside(x, then), self._inside(x, orelse), BOOL)
            case e.SetOperation(op, left, right):
                a, b = self._inside(x, left), self._inside(x, right)
                if op == "union":
                    return e.Junction("or", (a, b))
                return e.Junction("and", (a, e.Negation(b) if op == "diff" else b))
            case e.Singleton(element, keep_none=False) if plain:
                return e.Comparison("eq", x, element)
            case e.Fold("union", bindings, guard, value) if value is not None:
                if not self._captures(x, bindings):
                    inside = self._inside(x, value)
                    return e.Fold("any", bindings, guard, inside, None, None, BOOL, set_.site)
            case e.Fold("set", (binding,), guard, value):
                found = self._of_binder(x, binding, guard, value) if plain else None
                if found is not None:
                    return found
            case e.Apply():
                return self._of_function(x, set_)
            case e.Sights():
                found = self._sighted(x, set_) if plain else None
                if found is not None:
                    return found
        return e.Membership(x, set_)

    @staticmethod
    def _captures(x: e.Var | e.Const, bindings: tuple[e.Binding, ...]) -> bool:
        return isinstance(x, e.Var) and any(b.var == x.id for b in bindings)

    def _of_binder(
        self, x: e.Var | e.Const, binding: e.Binding, guard: e.Expr | None, value: e.Expr | None
    ) -> e.Expr | None:
        """A set of those elements of another that pass a test."""
        own = value is None or (isinstance(value, e.Var) and value.id == binding.var)
        if not own or not isinstance(binding.domain, e.SetDomain) or self._captures(x, (binding,)):
            return None
        inside = self._inside(x, binding.domain.set)
        if guard is None:
            return inside
        if isinstance(x, e.Var) and x.id in binds(guard):
            return None
        test = rewrite(guard, lambda n: x if isinstance(n, e.Var) and n.id == binding.var else None)
        return e.Junction("and", (inside, cast(e.Expr, test)))

    def _of_function(self, x: e.Var | e.Const, call: e.Apply) -> e.Expr:
        """A function that answers the question, of the same parameters and one more."""
        function = self.functions[call.function]
        if function.recursive or not isinstance(x.type, EntityType):
            return e.Membership(x, call)
        key = (call.function, x.type.kinds, x.type.optional)
        name = self._asked.get(key)
        if name is None:
            name = self._asked[key] = f"{call.function} has {len(self._asked)}"
            own = self.variables.new("element", x.type)
            element = e.Var(own, x.type)
            body = self._inside(element, function.body)
            params = (*function.params, own)
            self.functions[name] = Function(name, params, body, False, (*function.variables, own))
        return e.Apply(name, (*call.args, x), BOOL)

    def _sighted(self, x: e.Var | e.Const, sights: e.Sights) -> e.Expr | None:
        """On which ray it lies, and whether nothing stands between."""
        table = self.tables[sights.rays]
        first, second = table.dims
        if not isinstance(sights.space, e.Var | e.Const) or first.kind is None:
            return None
        type_ = sights.space.type
        if not isinstance(type_, EntityType) or type_.optional or not isinstance(x.type, EntityType):
            return None
        spaces = SetType(EntityType((first.kind,)))
        if x.type.kinds != (first.kind,):
            return None
        way, between = f"@way:{table.name}", f"@blocking:{table.name}"
        if way not in self.tables and not self._tabulate(table, way, between):
            return None
        if way not in self.tables:
            return None
        index = (sights.space, x)
        direction = e.Lookup(way, index, EntityType((str(second.kind),), optional=True), -1)
        blocking = e.Lookup(between, index, spaces, -1)
        held = e.Holders(self._things, spaces)
        free = e.Comparison("eq", e.SetOperation("inter", blocking, held, spaces), e.Const(0, spaces))
        return e.Junction("and", (e.Membership(direction, sights.directions), free))

    def _tabulate(self, table: Table, way: str, between: str) -> bool:
        """For each pair of spaces the direction of the ray that joins them, and what lies between."""
        first, second = table.dims
        if second.kind is None or first.size > 512:
            return False
        ways = [0] * (first.size * first.size)
        blocking = [0] * (first.size * first.size)
        for i in range(first.size):
            for d in range(second.size):
                passed = 0
                for x in table.sequences[i * second.size + d]:
                    k = i * first.size + x - first.base
                    if ways[k]:
                        return False  # two rays lead there
                    ways[k], blocking[k] = second.base + d, passed
                    passed |= 1 << x
        dims = (first, first)
        self.tables[way] = Table(way, dims, tuple(ways))
        self.tables[between] = Table(between, dims, tuple(blocking))
        return True


def _is_built(set_: e.Expr) -> bool:
    """Whether a set takes some work; others are as well made ahead of loops."""
    return any(isinstance(n, e.Fold | e.Apply | e.Sights | e.Region) for n in nodes(set_))


def lowered(program: Program) -> Program:
    """The program with tests of membership asked without sets."""
    lowering = Lowering(program)
    made = rewritten(program, lowering.change, e.Membership, e.Region)
    changed = {f.name: f for f in made.functions}
    new = tuple(f for f in lowering.functions.values() if f.name not in changed)
    return replace(
        lowering.variables.added_to(made),
        functions=(*made.functions, *new),
        tables=tuple(lowering.tables.values()),
    )
